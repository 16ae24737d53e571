/** A real kube-apiserver and a sandbox, each as a Transport, for tests that ask both the same. */
import type { Transport } from "../../src/api/transport.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { startCluster } from "../support/cluster.ts";
import { realPauses, realTransport } from "./real.ts";
import { type Pauses, untilNextSecond } from "./run.ts";

/** A server, and how it is waited for. */
export interface Side {
  readonly transport: Transport;
  readonly pauses: Pauses;
}

export interface SideBySide {
  readonly real: Side;
  readonly mine: Side;
  stop(): Promise<void>;
}

/** A sandbox without what a kube-controller-manager would do, as the real server beside it has none. Time passes there at once. */
export async function bareSandbox(): Promise<Side> {
  const clock = realTimeline();
  let ahead = 0;
  const sandbox = await createSandbox({
    timeline: { ...clock, now: () => clock.now() + ahead },
    random: seededRandom(1),
    defaultServiceAccounts: false,
    rbac: true,
    webhooks: {},
  });
  const pauses: Pauses = {
    now: () => clock.now() + ahead,
    settle: () => Promise.resolve(),
    pass: () => {
      ahead += untilNextSecond(clock.now() + ahead);
      return Promise.resolve();
    },
  };
  return { transport: sandbox.transport({ actor: "contract" }), pauses };
}

/** Ready in 3 to 4 s. */
export async function startSideBySide(): Promise<SideBySide> {
  const [cluster, mine] = await Promise.all([startCluster(), bareSandbox()]);
  const real = { transport: realTransport(cluster.url, cluster.token), pauses: realPauses() };
  return { real, mine, stop: () => cluster.stop() };
}
