/** Runs controllers in this process against any API server as `run` does, with frozen caches and no request rate limit. */
import { loadRestConfig } from "../../src/client/config/load-rest-config.ts";
import { connect } from "../../src/client/connect.ts";
import type { ControllerDefinition } from "../../src/controller/api/definition.ts";
import { startLive } from "../../src/modes/run/live.ts";
import { realHost } from "../../src/platform/host.ts";
import { realRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";

export interface LiveControllers {
  /** Whether keys wait in a queue for a worker. */
  isBusy(): boolean;
  stop(): Promise<void>;
}

/** Resolves when the caches have synced, within three minutes. `bus` receives their stage events; default: a bus without listeners. */
export async function startControllers(
  kubeconfig: string,
  { controllers, bus: given }: { readonly controllers: readonly ControllerDefinition[]; readonly bus?: TraceBus },
): Promise<LiveControllers> {
  const [host, timeline] = [realHost(), realTimeline()];
  const bus = given ?? new TraceBus({ now: () => timeline.now() });
  const connection = connect(await loadRestConfig(host, { kubeconfig }), { host, timeline, bus, qps: 0 });
  const live = await startLive(
    {
      controllers,
      clientFor: connection.clientFor,
      bus,
      timeline,
      random: realRandom(),
      serverCa: connection.serverCa,
      freeze: true,
      lease: { identity: "test", isDead: () => false, force: false, onWait: () => undefined },
      preflight: () => Promise.resolve(),
      onLeaseLost: (why) => console.error(`the Lease was lost: ${why}`),
      onEventLost: () => undefined,
    },
    AbortSignal.timeout(180_000),
  );
  return {
    isBusy: () => live.manager.controllers.some(({ queue }) => queue.depth > 0),
    async stop() {
      await live.stop();
      connection.close();
    },
  };
}
