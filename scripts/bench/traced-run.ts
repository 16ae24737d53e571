/** The ReplicaSet controller live, as `run` runs it, with nobody listening to its stage events or with `trace` at its full length. */
import { loadRestConfig } from "../../src/client/config/load-rest-config.ts";
import { connect } from "../../src/client/connect.ts";
import { replicaset } from "../../src/controllers/replicaset/replicaset.ts";
import { startLive } from "../../src/modes/run/live.ts";
import { realHost } from "../../src/platform/host.ts";
import { realRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import type { Output } from "../../src/platform/terminal.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import { linkedStages, Linker } from "../../src/trace/linker.ts";
import { tracedStages } from "../../src/views/sync-trace.ts";
import { TraceScreen } from "../../plugin/commands/trace/screen.ts";

/** Like a pipe whose reader keeps up. */
const taken: Output = {
  write: () => undefined,
  line: () => undefined,
  columns: undefined,
  rows: undefined,
  colours: false,
  pendingBytes: 0,
  flush: () => Promise.resolve(),
};

/** Runs until the process is terminated. */
export async function tracedRun(traced: boolean): Promise<void> {
  const [host, timeline] = [realHost(), realTimeline()];
  const bus = new TraceBus({ now: () => timeline.now() });
  if (traced) {
    const screen = new TraceScreen({
      out: taken,
      timeline,
      json: false,
      shadow: false,
      // As in `trace --sandbox`, where it acts itself.
      all: true,
      holdMs: 100,
      shows: () => true,
      origins: false,
      failOn: new Set(),
      onEnd: () => undefined,
    });
    bus.listen(new Linker(bus).listener, { stages: linkedStages });
    bus.listen(screen.listener, { stages: tracedStages });
  }
  const connection = connect(await loadRestConfig(host, {}), { host, timeline, bus, qps: 0 });
  await startLive(
    {
      controllers: [replicaset],
      clientFor: connection.clientFor,
      bus,
      timeline,
      random: realRandom(),
      trackFieldManagers: traced,
      // The previous run was killed, and released nothing.
      lease: { identity: `bench-${timeline.now()}`, isDead: () => true, force: true, onWait: () => undefined },
      preflight: () => Promise.resolve(),
      onLeaseLost: (why) => {
        throw new Error(`the Lease was lost: ${why}`);
      },
      onEventLost: () => undefined,
    },
    AbortSignal.timeout(60_000),
  );
}
