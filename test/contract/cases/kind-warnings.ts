/** Warnings for objects that are accepted: old labels, annotations and fields, and requests above limits. */
import { del, patch, paths, post, type Case, type Step, type Table } from "../case.ts";

type Json = Readonly<Record<string, unknown>>;

const named = (name: string, more: Json = {}): Json => ({ metadata: { name, ...more } });
const dry = (path: string, body: Json): Step => post(path, body, "dryRun=All");
const relabelled = (path: string): Step => patch("merge", path, { metadata: { labels: { a: "b" } } }, "dryRun=All");

/** Creates an object, relabels it and, if it is not in the namespace of the case, deletes it. */
const written = (path: string, body: Json, name = "{ns}"): readonly Step[] => [
  post(path, { metadata: { name }, ...body }),
  relabelled(`${path}/${name}`),
  ...(name === "{ns}" ? [del(`${path}/${name}`)] : []),
];

const runtimeClasses = "/apis/node.k8s.io/v1/runtimeclasses";
const storageClasses = "/apis/storage.k8s.io/v1/storageclasses";
const capacities = "/apis/storage.k8s.io/v1/namespaces/{ns}/csistoragecapacities";
const nodes = "/api/v1/nodes";
const accounts = paths.serviceaccounts;
const quotas = paths.resourcequotas;

const expression = (key: string): Json => ({ key, values: ["v"] });
const quota = (hard: Json): Step => dry(quotas, { ...named("q"), spec: { hard } });

const cases: readonly Case[] = [
  {
    name: "old labels of nodes in a RuntimeClass",
    steps: written(runtimeClasses, {
      handler: "h",
      scheduling: { nodeSelector: { "beta.kubernetes.io/os": "linux", other: "a" } },
    }),
  },
  {
    name: "old labels of nodes in a StorageClass",
    steps: written(storageClasses, {
      provisioner: "p",
      allowedTopologies: [
        { matchLabelExpressions: [expression("topology.kubernetes.io/zone")] },
        {
          matchLabelExpressions: [
            expression("a"),
            expression("failure-domain.beta.kubernetes.io/zone"),
            expression("node-role.kubernetes.io/master"),
          ],
        },
      ],
    }),
  },
  {
    name: "old labels of nodes in a CSIStorageCapacity",
    steps: written(
      capacities,
      {
        storageClassName: "s",
        nodeTopology: {
          matchLabels: { "failure-domain.beta.kubernetes.io/region": "r", a: "b" },
          matchExpressions: [
            { key: "a", operator: "Exists" },
            { key: "beta.kubernetes.io/arch", operator: "In", values: ["x"] },
          ],
        },
      },
      "c",
    ),
  },
  {
    name: "old fields of a node",
    steps: [
      ...written(nodes, { spec: { externalID: "x" } }),
      post(nodes, { ...named("{ns}-c"), spec: { configSource: { configMap: { name: "a" } } } }),
      patch("merge", `${nodes}/{ns}-c`, { spec: { configSource: { configMap: { name: "b" } } } }),
      del(`${nodes}/{ns}-c`),
    ],
  },
  {
    name: "an old annotation of a ServiceAccount, when it is new",
    steps: [
      post(accounts, named("a", { annotations: { "kubernetes.io/enforce-mountable-secrets": "" } })),
      relabelled(`${accounts}/a`),
      post(accounts, named("b")),
      patch("merge", `${accounts}/b`, {
        metadata: { annotations: { "kubernetes.io/enforce-mountable-secrets": "false" } },
      }),
    ],
  },
  {
    name: "a ResourceQuota that requests more than it limits",
    steps: [
      quota({ cpu: "2", "limits.cpu": "1" }),
      quota({ "requests.cpu": "2", cpu: "1", "limits.cpu": "1500m" }),
      quota({ memory: "2Gi", "limits.memory": "1024Mi" }),
      quota({ "requests.memory": "2048Mi", "limits.memory": "2Gi" }),
      quota({ "requests.ephemeral-storage": "2Gi", "limits.ephemeral-storage": "1Gi", "requests.storage": "1Gi" }),
      quota({ "ephemeral-storage": "2Gi", "limits.ephemeral-storage": "1Gi" }),
      post(quotas, { ...named("q"), spec: { hard: { cpu: "1", "limits.cpu": "1" } } }),
      patch("merge", `${quotas}/q`, { spec: { hard: { cpu: "2" } } }),
    ],
  },
];

export const kindWarnings: Table = { name: "kind-warnings", cases };
