/** A shadow beside a real kube-controller-manager: random changes, and what became of every intention. */
import type { ObjectKey } from "../../../src/api/key.ts";
import { accessCluster } from "../../../src/client/cluster-access.ts";
import { connect, type Connection } from "../../../src/client/connect.ts";
import type { ControllerDefinition } from "../../../src/controller/definition.ts";
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
  /** Resolves when nothing has been told for so long; within a minute. */
  quiet(ms: number): Promise<void>;
  stop(): Promise<void>;
}

/** Looks on over a connection that only reads. */
export async function shadowBeside(
  cluster: Cluster,
  controllers: readonly ControllerDefinition[],
  namespace?: string,
): Promise<ShadowScene> {
  const timeline = realTimeline();
  const bus = new TraceBus({ now: () => timeline.now() });
  const host = { ...realHost(), env: {} };
  const connection: Connection = connect(await accessCluster(host, { kubeconfig: cluster.kubeconfig }), {
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
  bus.listen((event) => {
    // Lists and bookmarks come in quiet times too.
    if (event.stage !== "list" && event.stage !== "watch") lastAt = timeline.now();
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
    async stop() {
      await shadow.stop();
      connection.close();
    },
  };
}

/** `replicaset shop/web: differs …`: each in a line, for the message of a failure. */
export function differencesIn(agreements: readonly AgreementEvent[]): string[] {
  return agreements
    .filter(({ is }) => is === "differs")
    .map(
      ({ controller, key, verb, of, target, why, sync }) =>
        `${controller} ${key} sync ${sync ?? "-"}: ${verb} ${of.kind} ${target}: ${why}`,
    );
}

/** The keys that something became of, and those of them that differ. */
export function episodesIn(agreements: readonly AgreementEvent[]): {
  readonly all: ReadonlySet<ObjectKey>;
  readonly differing: ReadonlySet<ObjectKey>;
} {
  const late = new Set(agreements.filter(({ is }) => is === "same").map(({ intention }) => intention));
  const name = ({ controller, key }: AgreementEvent): string => `${controller} ${key}`;
  const differing = agreements.filter(
    ({ is, intention }) => is === "differs" && (intention === undefined || !late.has(intention)),
  );
  return { all: new Set(agreements.map(name)), differing: new Set(differing.map(name)) };
}
