/** An embedded cluster with the StatefulSet controller, and a StatefulSet `db`. */
import { ControllerRevisions, Events, PersistentVolumeClaims, Pods, StatefulSets } from "../../../src/api/kinds.ts";
import type { ControllerRevision, Event, PersistentVolumeClaim, Pod, StatefulSet } from "../../../src/api/types.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { isPodReady } from "../../../src/controller/workload/pod-status.ts";
import { ordinalOf, revisionOf } from "../../../src/controllers/statefulset/identity.ts";
import { statefulset } from "../../../src/controllers/statefulset/statefulset.ts";
import type { EmbeddedOptions } from "../../../src/modes/run/embedded.ts";
import { type EmbeddedScene, embeddedScene } from "../../support/embedded-scene.ts";

export interface StatefulSetParts {
  readonly replicas?: number;
  readonly image?: string;
  readonly metadata?: object;
  readonly spec?: object;
  readonly template?: { readonly metadata?: object; readonly spec?: object };
}

export interface StatefulSetScene extends EmbeddedScene {
  create(parts?: StatefulSetParts): Promise<StatefulSet>;
  /** Sends a merge patch of the StatefulSet. */
  patch(body: object): Promise<unknown>;
  setImage(image: string): Promise<unknown>;
  db(): Promise<StatefulSet>;
  /** Sorted by ordinal. */
  pods(): Promise<readonly Pod[]>;
  /** Entries such as `db-0 db:1`, with `…` for pods that are not ready and `†` for those being deleted; by ordinal. */
  images(): Promise<string[]>;
  /** Sorted by revision, lowest first. */
  revisions(): Promise<readonly ControllerRevision[]>;
  claims(): Promise<readonly PersistentVolumeClaim[]>;
  /** Events about the StatefulSet, such as `Normal SuccessfulCreate: …`, each message once. */
  eventTexts(): Promise<string[]>;
  /** Lets this virtual time pass, even if nothing happens. */
  pass(ms: number): Promise<void>;
  /** The results of repeated calls of `look` until `until` holds for one; waits at most a virtual minute. */
  watch<T>(look: () => Promise<T>, until: (seen: T) => boolean): Promise<T[]>;
  /** Sentences of the controller's decisions since the last call. */
  decisions(): string[];
}

const at = { namespace: "default", name: "db" };

export function statefulSetNamed(name: string, parts: StatefulSetParts = {}): StatefulSet {
  const { replicas = 3, image = "db:1", metadata, spec, template } = parts;
  return {
    metadata: { namespace: "default", name, ...metadata },
    spec: {
      replicas,
      serviceName: name,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name }, ...template?.metadata },
        spec: { containers: [{ name: "db", image }], ...template?.spec },
      },
      ...spec,
    },
    // The form in which it is sent: the server adds the remaining fields.
  } as unknown as StatefulSet;
}

/** A claim template with a request of 1Gi. */
export function claimTemplate(name: string): object {
  return {
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
}

const byOrdinal = (a: Pod, b: Pod): number => ordinalOf(a) - ordinalOf(b);

function textOf(pod: Pod): string {
  const { name, deletionTimestamp } = pod.metadata;
  const mark = deletionTimestamp === undefined ? (isPodReady(pod) ? "" : "…") : "†";
  return `${name} ${pod.spec?.containers[0]?.image}${mark}`;
}

export interface SceneOptions {
  readonly seed?: number;
  readonly wrap?: EmbeddedOptions["wrap"];
  /** Controllers in addition to the StatefulSet controller. */
  readonly controllers?: readonly ControllerDefinition[];
}

export async function statefulSetScene(options: SceneOptions = {}): Promise<StatefulSetScene> {
  const { seed = 1, wrap, controllers = [] } = options;
  const scene = await embeddedScene({
    controllers: [statefulset, ...controllers],
    seed,
    ...(wrap !== undefined && { wrap }),
  });
  let read = 0;
  const patch = (body: object): Promise<unknown> =>
    scene.during(scene.you.patch(StatefulSets, at, { type: "merge", body }));
  const pods = async (): Promise<readonly Pod[]> => [...(await scene.list(Pods))].sort(byOrdinal);
  const pass = async (ms: number): Promise<void> => {
    scene.timeline.after(ms, "test", () => undefined);
    await scene.run(ms);
  };
  return {
    ...scene,
    create: (parts) => scene.during(scene.you.create(StatefulSets, statefulSetNamed("db", parts))),
    patch,
    setImage: (image) => patch({ spec: { template: { spec: { containers: [{ name: "db", image }] } } } }),
    db: () => scene.during(scene.you.get(StatefulSets, at)),
    pods,
    images: async () => (await pods()).map(textOf),
    revisions: async () => [...(await scene.list(ControllerRevisions))].sort((a, b) => a.revision - b.revision),
    claims: () => scene.list(PersistentVolumeClaims),
    async eventTexts() {
      const events: readonly Event[] = await scene.list(Events);
      const about = events.filter(({ involvedObject }) => involvedObject.kind === "StatefulSet");
      return about.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
    },
    pass,
    async watch(look, until) {
      const seen = [];
      for (let n = 0; n < 3000; n++) {
        const now = await look();
        seen.push(now);
        if (until(now)) return seen;
        await pass(20);
      }
      throw new Error(`The expected state did not appear; the last one: ${JSON.stringify(seen.at(-1))}`);
    },
    decisions() {
      const sentences = scene.events
        .slice(read)
        .flatMap((event) => (event.stage === "decision" && event.controller === "statefulset" ? [event.sentence] : []));
      read = scene.events.length;
      return sentences;
    },
  };
}

export { revisionOf };
