/** Kinds that objects name as text: of owner references, of targets of autoscalers. */
import { discover, type DiscoveredKind } from "../../client/api/discovery.ts";
import { runState, type RunState } from "../api/run-state.ts";
import type { SyncContext } from "../api/sync-context.ts";

/** The kinds found so far; a kind that is missing is looked for again. */
const knownKinds: RunState<{ kinds: readonly DiscoveredKind[] }> = runState(() => ({ kinds: [] }));

/**
 * The kinds of the server that are wanted, in its order; discovery is asked where none is known.
 * @throws StatusError, TransportError if discovery fails.
 */
export async function discoveredKinds(
  context: Pick<SyncContext, "client" | "signal" | "state">,
  isWanted: (kind: DiscoveredKind) => boolean,
): Promise<readonly DiscoveredKind[]> {
  const known = context.state(knownKinds);
  const found = known.kinds.filter(isWanted);
  if (found.length > 0) return found;
  known.kinds = (await discover(context.client, { signal: context.signal })).kinds;
  return known.kinds.filter(isWanted);
}
