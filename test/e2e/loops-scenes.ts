/**
 * Fights, hot loops and legitimate work on a real cluster: who writes what, how often, and what `loops` must report. Each scene has its own
 * namespace, so that all of them can run at once.
 */
import type { Cluster } from "../support/cluster.ts";

/** What the first loop reported for the namespace must be. */
export interface Culprit {
  readonly kind: string;
  readonly name: string;
  /** `recreated` for an object that is deleted and created again. */
  readonly path: string;
  /** Who changes the field, or creates the object, sorted; `undefined` for a writer that managedFields do not show. */
  readonly writers: readonly (string | undefined)[];
  /** The kinds whose loops may be consequences of this one. */
  readonly followers?: readonly string[];
}

export interface LoopScene {
  /** Also the name of its namespace. */
  readonly name: string;
  /** Interval between two writes. */
  readonly everyMs: number;
  /** Undefined for work that is not a loop. */
  readonly culprit: Culprit | undefined;
  readonly prepare: (act: Act) => Promise<void>;
  /** Maximum number of writes: rolling back and forth for longer is in fact a loop. */
  readonly most?: number;
  /** Makes write number n, counted from 0. */
  readonly write: (act: Act, n: number) => Promise<void>;
}

/** A client that writes in the namespace of a scene. */
export interface Act {
  /** `path` below the namespace: `configmaps/settings`, `apps/v1/deployments/web`. */
  create(path: string, body: object): Promise<{ readonly metadata: { readonly uid: string } }>;
  /** A merge patch, unless `type` says otherwise. */
  patch(path: string, by: string, body: object, type?: string): Promise<void>;
  delete(path: string): Promise<void>;
  /** The name of the only ReplicaSet. */
  replicaSet(): Promise<string>;
}

const strategic = "application/strategic-merge-patch+json";
const apply = "application/apply-patch+yaml";

export function actIn(cluster: Pick<Cluster, "request">, namespace: string): Act {
  const pathOf = (path: string): string => {
    const [group = "", version = "", ...rest] = path.split("/");
    const isCore = !/^v\d/.test(version);
    return isCore
      ? `/api/v1/namespaces/${namespace}/${path}`
      : `/apis/${group}/${version}/namespaces/${namespace}/${rest.join("/")}`;
  };
  const send = async (method: string, path: string, body?: object, type?: string): Promise<unknown> => {
    const response = await cluster.request(method, path, body, type === undefined ? {} : { "content-type": type });
    if (response.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(response.body)}`);
    return response.body;
  };
  return {
    create: async (path, body) =>
      (await send("POST", `${pathOf(path)}?fieldManager=creator`, body)) as { metadata: { uid: string } },
    async patch(path, by, body, type = "application/merge-patch+json") {
      const force = type === apply ? "&force=true" : "";
      const whole = path === "" ? `/api/v1/namespaces/${namespace}` : pathOf(path);
      await send("PATCH", `${whole}?fieldManager=${by}${force}`, body, type);
    },
    delete: async (path) => void (await send("DELETE", pathOf(path))),
    async replicaSet() {
      const list = (await send("GET", pathOf("apps/v1/replicasets"))) as {
        items: readonly { metadata: { name: string } }[];
      };
      return list.items[0]?.metadata.name ?? "";
    },
  };
}

const web = "apps/v1/deployments/web";
const settings = "configmaps/settings";
const widget = "loops.example.com/v1/widgets/w";

function deployment(replicas: number, metadata: object = {}): object {
  const labels = { app: "web" };
  return {
    metadata: { name: "web", ...metadata },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "none:1" }] } },
    },
  };
}

async function makeDeployment(act: Act): Promise<void> {
  await act.create("apps/v1/deployments", deployment(2));
}

async function makeConfigMap(act: Act): Promise<void> {
  const metadata = { name: "settings", labels: { owner: "none" }, annotations: { owner: "none" } };
  await act.create("configmaps", { metadata, data: { mode: "none" } });
}

async function makeWidget(act: Act): Promise<void> {
  await act.create("loops.example.com/v1/widgets", {
    kind: "Widget",
    apiVersion: "loops.example.com/v1",
    metadata: { name: "w" },
    spec: { size: 1 },
  });
}

const now = (): string => new Date().toISOString();
const turn = <T>(n: number, one: T, other: T): T => (n % 2 === 0 ? one : other);
/** `operator-a` and `operator-b` in turn. */
const rival = (n: number): string => turn(n, "operator-a", "operator-b");
const rivals = ["operator-a", "operator-b"];
const image = (tag: string): object => ({
  spec: { template: { spec: { containers: [{ name: "c", image: `none:${tag}` }] } } },
});

/** A hot loop of one operator: a time in an annotation of the Deployment, to which kube-controller-manager responds. */
function hotAnnotation(name: string, everyMs: number): LoopScene {
  return {
    name,
    everyMs,
    culprit: {
      kind: "Deployment",
      name: "web",
      path: '.metadata.annotations["op/last-reconcile"]',
      writers: ["op"],
      followers: ["ReplicaSet"],
    },
    prepare: makeDeployment,
    write: (act) => act.patch(web, "op", { metadata: { annotations: { "op/last-reconcile": now() } } }),
  };
}

const inSettings = (path: string, writers: readonly (string | undefined)[] = rivals): Culprit => ({
  kind: "ConfigMap",
  name: "settings",
  path,
  writers,
});

const inWeb = (path: string, writers: readonly (string | undefined)[] = rivals): Culprit => ({
  kind: "Deployment",
  name: "web",
  path,
  writers,
  followers: ["ReplicaSet"],
});

export const fights: readonly LoopScene[] = [
  hotAnnotation("hot-annotation", 400),
  hotAnnotation("hottest-annotation", 25),
  {
    name: "hot-template",
    everyMs: 400,
    culprit: inWeb('.spec.template.metadata.annotations["op/restarted-at"]', ["op"]),
    prepare: makeDeployment,
    write: (act) =>
      act.patch(web, "op", { spec: { template: { metadata: { annotations: { "op/restarted-at": now() } } } } }),
  },
  {
    name: "replicas",
    everyMs: 700,
    culprit: inWeb(".spec.replicas"),
    prepare: makeDeployment,
    write: (act, n) =>
      act.patch(web, rival(n), { metadata: { annotations: { by: rival(n) } }, spec: { replicas: turn(n, 3, 2) } }),
  },
  {
    name: "scales",
    everyMs: 700,
    culprit: inWeb(".spec.replicas"),
    prepare: makeDeployment,
    write: (act, n) => act.patch(`${web}/scale`, rival(n), { spec: { replicas: turn(n, 3, 2) } }),
  },
  {
    name: "image",
    everyMs: 900,
    culprit: inWeb(".spec.template.spec.containers[c].image"),
    prepare: makeDeployment,
    write: (act, n) => act.patch(web, rival(n), image(turn(n, "2", "1")), strategic),
  },
  {
    name: "condition",
    everyMs: 500,
    culprit: inWeb(".status.conditions[example.com/Fought].status"),
    prepare: makeDeployment,
    write: (act, n) =>
      act.patch(
        `${web}/status`,
        rival(n),
        { status: { conditions: [{ type: "example.com/Fought", status: turn(n, "True", "False") }] } },
        strategic,
      ),
  },
  {
    name: "condition-message",
    everyMs: 500,
    culprit: inWeb(".status.conditions[example.com/Beat].message", ["op"]),
    prepare: makeDeployment,
    write: (act) =>
      act.patch(
        `${web}/status`,
        "op",
        { status: { conditions: [{ type: "example.com/Beat", status: "True", message: now() }] } },
        strategic,
      ),
  },
  {
    name: "replicaset",
    everyMs: 800,
    culprit: {
      kind: "ReplicaSet",
      name: "web-",
      path: ".spec.replicas",
      writers: ["kube-controller-manager", "tool"],
      followers: ["Deployment"],
    },
    prepare: makeDeployment,
    async write(act) {
      const name = await act.replicaSet();
      await act.patch(`apps/v1/replicasets/${name}`, "tool", { spec: { replicas: 3 } });
    },
  },
  {
    name: "label",
    everyMs: 500,
    culprit: inSettings(".metadata.labels.owner"),
    prepare: makeConfigMap,
    write: (act, n) => act.patch(settings, rival(n), { metadata: { labels: { owner: rival(n) } } }),
  },
  {
    name: "annotation",
    everyMs: 500,
    culprit: inSettings(".metadata.annotations.owner"),
    prepare: makeConfigMap,
    write: (act, n) => act.patch(settings, rival(n), { metadata: { annotations: { owner: rival(n) } } }),
  },
  {
    name: "data",
    everyMs: 500,
    culprit: inSettings(".data.mode"),
    prepare: makeConfigMap,
    write: (act, n) => act.patch(settings, rival(n), { data: { mode: turn(n, "blue", "green") } }),
  },
  {
    name: "apply",
    everyMs: 500,
    culprit: inSettings(".data.mode"),
    prepare: makeConfigMap,
    write: (act, n) =>
      act.patch(
        settings,
        rival(n),
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { mode: rival(n) } },
        apply,
      ),
  },
  {
    name: "renewed-data",
    everyMs: 500,
    culprit: inSettings(".data.at", ["op"]),
    prepare: makeConfigMap,
    write: (act) => act.patch(settings, "op", { data: { at: now() } }),
  },
  {
    name: "counted-up",
    everyMs: 500,
    culprit: inSettings(".metadata.annotations.attempt", ["op"]),
    prepare: makeConfigMap,
    write: (act, n) => act.patch(settings, "op", { metadata: { annotations: { attempt: String(n) } } }),
  },
  {
    name: "comes-and-goes",
    everyMs: 500,
    culprit: inSettings(".metadata.labels.new", ["op", undefined]),
    prepare: makeConfigMap,
    write: (act, n) =>
      act.patch(settings, turn(n, "op", "cleaner"), { metadata: { labels: { new: turn(n, "yes", null) } } }),
  },
  {
    name: "slow",
    everyMs: 3000,
    culprit: inSettings(".data.mode"),
    prepare: makeConfigMap,
    write: (act, n) => act.patch(settings, rival(n), { data: { mode: turn(n, "blue", "green") } }),
  },
  {
    name: "three-values",
    everyMs: 400,
    culprit: inSettings(".data.mode", ["op"]),
    prepare: makeConfigMap,
    write: (act, n) => act.patch(settings, "op", { data: { mode: ["a", "b", "c"][n % 3] } }),
  },
  {
    name: "service",
    everyMs: 600,
    culprit: {
      kind: "Service",
      name: "web",
      path: ".spec.selector.app",
      writers: rivals,
      followers: ["EndpointSlice"],
    },
    async prepare(act) {
      await act.create("services", {
        metadata: { name: "web" },
        spec: { selector: { app: "none" }, ports: [{ port: 80 }] },
      });
    },
    write: (act, n) => act.patch("services/web", rival(n), { spec: { selector: { app: rival(n) } } }),
  },
  {
    name: "namespace",
    everyMs: 500,
    culprit: { kind: "Namespace", name: "namespace", path: ".metadata.annotations.at", writers: ["op"] },
    prepare: () => Promise.resolve(),
    write: (act) => act.patch("", "op", { metadata: { annotations: { at: now() } } }),
  },
  {
    name: "custom-status",
    everyMs: 400,
    culprit: { kind: "Widget", name: "w", path: ".status.lastSync", writers: ["op"] },
    prepare: makeWidget,
    write: (act) => act.patch(`${widget}/status`, "op", { status: { lastSync: now() } }),
  },
  {
    name: "custom-answered",
    everyMs: 400,
    culprit: { kind: "Widget", name: "w", path: ".spec.size", writers: rivals },
    prepare: makeWidget,
    async write(act, n) {
      await act.patch(widget, rival(n), { spec: { size: turn(n, 2, 3) } });
      await act.patch(`${widget}/status`, "status-controller", {
        status: { observedGeneration: n + 2, phase: turn(n, "Grown", "Shrunk") },
      });
    },
  },
  {
    name: "custom-owner",
    everyMs: 400,
    culprit: { ...inWeb('.metadata.annotations["op/last-reconcile"]', ["op"]), followers: ["ReplicaSet", "Widget"] },
    async prepare(act) {
      await makeWidget(act);
      const { metadata } = await act.create("loops.example.com/v1/widgets", {
        kind: "Widget",
        apiVersion: "loops.example.com/v1",
        metadata: { name: "owner" },
        spec: { size: 1 },
      });
      const reference = {
        apiVersion: "loops.example.com/v1",
        kind: "Widget",
        name: "owner",
        uid: metadata.uid,
        controller: true,
      };
      await act.create("apps/v1/deployments", deployment(2, { ownerReferences: [reference] }));
    },
    async write(act) {
      // Concurrently: on a busy machine, sequential writes would be too slow to count as a loop.
      await Promise.all([
        act.patch(web, "op", { metadata: { annotations: { "op/last-reconcile": now() } } }),
        act.patch("loops.example.com/v1/widgets/owner/status", "op", { status: { lastSync: now() } }),
      ]);
    },
  },
  {
    name: "recreated",
    everyMs: 900,
    culprit: inSettings("recreated", ["creator"]),
    prepare: makeConfigMap,
    async write(act) {
      await act.delete(settings);
      await makeConfigMap(act);
    },
  },
];

/** Work that is just as busy but makes progress. */
export const honest: readonly LoopScene[] = [
  {
    name: "rollout",
    everyMs: 7000,
    most: 3,
    culprit: undefined,
    prepare: async (act) => void (await act.create("apps/v1/deployments", deployment(10))),
    // The third image is that of the first write: a rollback.
    write: (act, n) => act.patch(web, "deployer", image(turn(n, "2", "1")), strategic),
  },
  {
    name: "scale-up",
    everyMs: 3_600_000,
    culprit: undefined,
    prepare: makeDeployment,
    write: (act) => act.patch(`${web}/scale`, "somebody", { spec: { replicas: 200 } }),
  },
  {
    name: "election",
    everyMs: 500,
    culprit: undefined,
    prepare: makeConfigMap,
    write: (act, n) =>
      act.patch(settings, "leader", {
        metadata: { annotations: { "control-plane.alpha.kubernetes.io/leader": `{"renewTime":"${n}"}` } },
      }),
  },
  {
    name: "filling",
    everyMs: 400,
    culprit: undefined,
    prepare: makeConfigMap,
    write: (act, n) => act.patch(settings, "collector", { data: { [`key-${n}`]: "x" } }),
  },
];

/** An operator's own kind, with a status subresource. */
export const widgets: object = {
  metadata: { name: "widgets.loops.example.com" },
  spec: {
    group: "loops.example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { size: { type: "integer" } } },
              status: {
                type: "object",
                properties: {
                  lastSync: { type: "string" },
                  phase: { type: "string" },
                  observedGeneration: { type: "integer" },
                },
              },
            },
          },
        },
      },
    ],
  },
};
