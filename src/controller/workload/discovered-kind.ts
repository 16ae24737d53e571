/** Finds kinds that objects name as text, such as owner references and autoscaler targets. */
import { discover, type DiscoveredKind } from "../../client/api/discovery.ts";
import { runState, type RunState } from "../api/run-state.ts";
import type { SyncContext } from "../api/sync-context.ts";

/** How long a result of discovery is used. Source: kubernetes v1.36 cmd/kube-controller-manager/app/controllermanager.go. */
const freshMs = 30_000;

/** The kinds found by the last discovery. */
const lastDiscovery: RunState<{ kinds: readonly DiscoveredKind[]; at: number }> = runState(() => ({
  kinds: [],
  at: -Infinity,
}));

/**
 * The wanted kinds of the server, in its order. Runs discovery if none is known, or what is known is older than 30 s: kinds and versions
 * come and go.
 * @throws StatusError, TransportError if discovery fails.
 */
export async function discoveredKinds(
  context: Pick<SyncContext, "client" | "signal" | "state" | "now">,
  isWanted: (kind: DiscoveredKind) => boolean,
): Promise<readonly DiscoveredKind[]> {
  const last = context.state(lastDiscovery);
  const now = context.now();
  if (now - last.at < freshMs) {
    const found = last.kinds.filter(isWanted);
    if (found.length > 0) return found;
  }
  last.kinds = (await discover(context.client, { signal: context.signal })).kinds;
  last.at = now;
  return last.kinds.filter(isWanted);
}
