/** Namespaces that can be deleted immediately, whatever they contain. */
import { setPodState } from "../../acts.ts";
import { podNamed, replicaSet, replicationController, templateOf } from "../../objects.ts";
import type { PodObject } from "../../objects.ts";
import type { Script, Step } from "../../suite.ts";
import type { ResourceName } from "../../kinds.ts";
import type { Stage } from "../../stage.ts";
import { configMap, deleteNamespace, placedPod } from "./acts.ts";

const selector = { matchLabels: { app: "web" } };
const template = templateOf("web");
const jobTemplate = templateOf("web", { spec: { restartPolicy: "Never" } });

/** One object of each of many kinds. */
const oneOfEach: readonly (readonly [resource: ResourceName, object: object])[] = [
  ["configmaps", configMap("a")],
  ["secrets", { metadata: { name: "a" }, stringData: { a: "b" } }],
  ["services", { metadata: { name: "a" }, spec: { ports: [{ port: 80 }] } }],
  ["endpoints", { metadata: { name: "a" } }],
  ["serviceaccounts", { metadata: { name: "a" } }],
  ["podtemplates", { metadata: { name: "a" }, template }],
  ["limitranges", { metadata: { name: "a" }, spec: { limits: [] } }],
  ["resourcequotas", { metadata: { name: "a" }, spec: { hard: { configmaps: "9" } } }],
  ["replicationcontrollers", replicationController("a", { replicas: 0 })],
  ["replicasets", replicaSet("a", { replicas: 0 })],
  ["deployments", { metadata: { name: "a" }, spec: { replicas: 0, selector, template } }],
  ["statefulsets", { metadata: { name: "a" }, spec: { replicas: 0, serviceName: "a", selector, template } }],
  ["daemonsets", { metadata: { name: "a" }, spec: { selector, template } }],
  ["controllerrevisions", { metadata: { name: "a" }, revision: 1, data: {} }],
  ["jobs", { metadata: { name: "a" }, spec: { suspend: true, template: jobTemplate } }],
  [
    "cronjobs",
    { metadata: { name: "a" }, spec: { schedule: "0 0 * * *", jobTemplate: { spec: { template: jobTemplate } } } },
  ],
  ["leases", { metadata: { name: "a" } }],
  ["networkpolicies", { metadata: { name: "a" }, spec: { podSelector: {} } }],
  ["poddisruptionbudgets", { metadata: { name: "a" }, spec: { minAvailable: 1, selector } }],
  ["roles", { metadata: { name: "a" }, rules: [] }],
  [
    "rolebindings",
    { metadata: { name: "a" }, roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "a" } },
  ],
];

async function makeAll(stage: Stage): Promise<void> {
  for (const [resource, object] of oneOfEach) await stage.create(resource, object);
}

const pods = (names: readonly string[]): Step => ({
  name: `create the pods ${names.join(", ")}`,
  async act(stage) {
    for (const name of names) await stage.create("pods", podNamed(name, { app: name }));
  },
});

async function event(stage: Stage, name: string, group: "" | "events.k8s.io"): Promise<void> {
  const about = { kind: "ConfigMap", name: "a", namespace: stage.namespace, apiVersion: "v1" };
  const root = group === "" ? "/api/v1" : `/apis/${group}/v1`;
  const body =
    group === ""
      ? { metadata: { name }, involvedObject: about, reason: "Said", message: "something", type: "Normal" }
      : {
          metadata: { name },
          regarding: about,
          reason: "Said",
          note: "something",
          type: "Normal",
          action: "Say",
          eventTime: new Date(stage.base).toISOString().replace("Z", "000Z"),
          reportingController: "example.com/script",
          reportingInstance: "script",
        };
  const path = `${root}/namespaces/${stage.namespace}/events`;
  const { status, body: responseBody } = await stage.cluster.request("POST", path, body);
  if (status >= 400) throw new Error(`Cannot create the Event: ${JSON.stringify(responseBody)}`);
}

export const content: readonly Script[] = [
  { name: "an empty namespace is removed", steps: [{ ...deleteNamespace, order: true }] },
  {
    name: "a namespace that is not deleted is left unchanged",
    steps: [
      { name: "create a ConfigMap", act: (stage) => stage.create("configmaps", configMap("a")) },
      {
        name: "add a label to the namespace",
        act: (stage) => stage.patch("namespaces", stage.namespace, { metadata: { labels: { a: "b" } } }),
        waitMs: 6000,
      },
    ],
  },
  {
    name: "objects of many kinds are deleted with their namespace",
    steps: [
      { name: "create one of each", act: makeAll },
      { ...deleteNamespace, order: true },
    ],
  },
  {
    name: "pods without a node are deleted before other objects",
    steps: [
      pods(["a", "b", "c"]),
      { name: "create a ConfigMap", act: (stage) => stage.create("configmaps", configMap("a")) },
      { ...deleteNamespace, order: true },
    ],
  },
  {
    name: "finished pods are deleted without a grace period",
    steps: [
      {
        name: "create two on a node",
        async act(stage) {
          await placedPod(stage, "a", 600);
          await placedPod(stage, "b", 600);
          for (const [name, phase] of [
            ["a", "Succeeded"],
            ["b", "Failed"],
          ] as const) {
            await setPodState(stage, (await stage.get("pods", name)) as unknown as PodObject, { phase });
          }
        },
      },
      { ...deleteNamespace, order: true },
    ],
  },
  {
    name: "Events of both API groups are deleted",
    steps: [
      {
        name: "create one of each group",
        async act(stage) {
          await event(stage, "old", "");
          await event(stage, "new", "events.k8s.io");
        },
      },
      deleteNamespace,
    ],
  },
  {
    name: "300 ConfigMaps are deleted",
    steps: [
      {
        name: "create 300 ConfigMaps",
        // In batches, because a busy machine cannot complete the handshakes of 300 new connections at once in time.
        async act(stage) {
          for (let first = 0; first < 300; first += 20)
            await Promise.all(
              Array.from({ length: 20 }, (_, n) => stage.create("configmaps", configMap(`map-${first + n}`))),
            );
        },
      },
      deleteNamespace,
    ],
  },
  {
    name: "owned objects are deleted with their owners",
    steps: [
      {
        name: "create a ConfigMap that another one owns",
        async act(stage) {
          const owner = (await stage.create("configmaps", configMap("owner"))) as { metadata: { uid: string } };
          const { uid } = owner.metadata;
          const ownerReferences = [
            { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid, blockOwnerDeletion: true },
          ];
          await stage.create("configmaps", configMap("owned", { ownerReferences }));
        },
      },
      deleteNamespace,
    ],
  },
  {
    name: "a namespace is recreated and deleted again",
    steps: [
      { name: "create a ConfigMap", act: (stage) => stage.create("configmaps", configMap("a")) },
      deleteNamespace,
      {
        name: "recreate it with another ConfigMap",
        async act(stage) {
          await stage.cluster.createNamespace(stage.namespace);
          await stage.create("configmaps", configMap("b"));
        },
      },
      deleteNamespace,
    ],
  },
  {
    name: "one of two namespaces is deleted",
    steps: [
      {
        name: "create a ConfigMap in each",
        async act(stage) {
          await stage.create("configmaps", configMap("a"));
          await (await stage.beside("other")).create("configmaps", configMap("a"));
        },
      },
      deleteNamespace,
      {
        name: "delete the other",
        act: async (stage) => stage.remove("namespaces", (await stage.beside("other")).namespace),
      },
    ],
  },
  {
    name: "a namespace is deleted twice",
    steps: [
      {
        name: "delete it twice",
        async act(stage) {
          await stage.remove("namespaces", stage.namespace);
          await stage.remove("namespaces", stage.namespace);
        },
      },
    ],
  },
  {
    name: "two namespaces are deleted with propagationPolicy Background",
    steps: [
      {
        name: "create a ConfigMap in each, and delete both",
        async act(stage) {
          const other = await stage.beside("other");
          await other.create("configmaps", configMap("a"));
          await stage.create("configmaps", configMap("a"));
          await stage.remove("namespaces", stage.namespace, { propagationPolicy: "Background" });
          await stage.remove("namespaces", other.namespace, { propagationPolicy: "Background" });
        },
      },
    ],
  },
];
