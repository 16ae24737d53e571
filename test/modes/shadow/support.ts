/** A shadow next to a real kube-controller-manager: random changes, and the outcome of every intention. */
import { loadRestConfig } from "../../../src/client/config/load-rest-config.ts";
import { connect, type Connection } from "../../../src/client/connect.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { type Shadow, startShadow } from "../../../src/modes/shadow/shadow.ts";
import { realHost } from "../../../src/platform/host.ts";
import { realRandom } from "../../../src/platform/random.ts";
import { realTimeline } from "../../../src/platform/real-timeline.ts";
import { TraceBus } from "../../../src/trace/bus.ts";
import type { AgreementEvent, IntentionEvent, StageEvent } from "../../../src/trace/events.ts";
import type { Cluster } from "../../support/cluster.ts";

export const shadowAgent = "shadow-under-test";

export interface ShadowScene {
  readonly shadow: Shadow;
  readonly events: readonly StageEvent[];
  readonly agreements: readonly AgreementEvent[];
  readonly intentions: readonly IntentionEvent[];
  /** Resolves when no event has arrived for `ms`; after a minute at most. */
  quiet(ms: number): Promise<void>;
  /** Time since the last event, in ms. */
  quietFor(): number;
  /** Number of events so far. */
  eventCount(): number;
  stop(): Promise<void>;
}

/** Observes through a read-only connection. `isPeriodic`: continuous syncs without news do not count as events. */
export async function shadowBeside(
  cluster: Cluster,
  controllers: readonly ControllerDefinition[],
  { namespace, isPeriodic = false }: { readonly namespace?: string; readonly isPeriodic?: boolean } = {},
): Promise<ShadowScene> {
  const timeline = realTimeline();
  const bus = new TraceBus({ now: () => timeline.now() });
  const host = { ...realHost(), env: {} };
  const connection: Connection = connect(await loadRestConfig(host, { kubeconfig: cluster.kubeconfig }), {
    host,
    timeline,
    bus,
    qps: 0,
    readOnly: true,
    userAgent: shadowAgent,
  });
  const events: StageEvent[] = [];
  const agreements: AgreementEvent[] = [];
  const intentions: IntentionEvent[] = [];
  let lastAt = timeline.now();
  let eventCount = 0;
  bus.listen((event) => {
    if (!(isPeriodic ? !isNews(event) : isHum(event))) {
      lastAt = timeline.now();
      eventCount++;
    }
    if (event.stage === "agreement") agreements.push(event);
    else if (event.stage === "intention") intentions.push(event);
    events.push(event);
  });
  const shadow = await startShadow({
    controllers,
    transport: connection.transport,
    bus,
    timeline,
    random: realRandom(),
    freeze: true,
    serverCa: connection.serverCa,
    ownerOf: () => ({
      manager: "kube-controller-manager",
      found: true,
    }),
    ...(namespace !== undefined && { namespace }),
  });
  shadow.startWorkers();
  return {
    shadow,
    events,
    agreements,
    intentions,
    async quiet(ms) {
      for (let tries = 0; tries < 600 && timeline.now() - lastAt < ms; tries++) await Bun.sleep(100);
    },
    eventCount: () => eventCount,
    quietFor: () => timeline.now() - lastAt,
    async stop() {
      await shadow.stop();
      connection.close();
    },
  };
}

/** Lists, watches, and deltas of Leases and Nodes: they also occur when nothing else does. */
function isHum(event: StageEvent): boolean {
  if (event.stage === "list" || event.stage === "watch") return true;
  const isOfCluster = "of" in event && ["Lease", "Node"].includes(event.of.kind);
  return isOfCluster && ["delta", "store", "notify"].includes(event.stage);
}

/** Events caused by a change, but not by each of many syncs that find nothing new. */
function isNews(event: StageEvent): boolean {
  if (event.stage === "intention") return !event.again;
  return event.stage === "agreement" || (event.stage === "delta" && !isHum(event));
}
