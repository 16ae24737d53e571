/** Finds kinds that objects name as text, such as owner references and autoscaler targets. */
import { discover, type DiscoveredKind } from "../../client/api/discovery.ts";
import { runState, type RunState } from "../api/run-state.ts";
import type { SyncContext } from "../api/sync-context.ts";

/** The kinds found so far; discovery is repeated for a kind that is missing. */
const knownKinds: RunState<{ kinds: readonly DiscoveredKind[] }> = runState(() => ({ kinds: [] }));

/**
 * The wanted kinds of the server, in its order. Runs discovery if none is known.
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
