/** A real kube-apiserver and a sandbox, each as a Transport, for tests that send the same requests to both. */
import type { Transport } from "../../src/api/transport.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { startCluster } from "../support/cluster.ts";
import { realPauses, realTransport } from "./real.ts";
import { type Pauses, untilNextSecond } from "./run.ts";

/** A server, and ways to wait for it. */
export interface Side {
  readonly transport: Transport;
  readonly pauses: Pauses;
}

export interface SideBySide {
  readonly real: Side;
  readonly mine: Side;
  stop(): Promise<void>;
}

/** A sandbox without a kube-controller-manager's objects, as the real server runs without one; its clock is advanced at once. */
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

/** Takes 3 to 4 s. */
export async function startSideBySide(): Promise<SideBySide> {
  const [cluster, mine] = await Promise.all([startCluster(), bareSandbox()]);
  const real = { transport: realTransport(cluster.url, cluster.token), pauses: realPauses() };
  return { real, mine, stop: () => cluster.stop() };
}
