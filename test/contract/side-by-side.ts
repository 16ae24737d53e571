/** A real kube-apiserver and a sandbox, each as a Transport, for tests that ask both the same. */
import type { Transport } from "../../src/api/transport.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { startCluster } from "../support/cluster.ts";
import { realTransport } from "./real.ts";

export interface SideBySide {
  readonly real: Transport;
  readonly mine: Transport;
  stop(): Promise<void>;
}

/** A sandbox without what a kube-controller-manager would do, as the real server beside it has none. */
export async function bareSandbox(): Promise<Transport> {
  const sandbox = await createSandbox({
    timeline: realTimeline(),
    random: seededRandom(1),
    defaultServiceAccounts: false,
  });
  return sandbox.transport({ actor: "contract" });
}

/** Ready in 3 to 4 s. */
export async function startSideBySide(): Promise<SideBySide> {
  const [cluster, mine] = await Promise.all([startCluster(), bareSandbox()]);
  return { real: realTransport(cluster.url, cluster.token), mine, stop: () => cluster.stop() };
}
