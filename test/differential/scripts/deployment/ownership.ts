/** Owners and names of ReplicaSets, and rejected requests. */
import { podTemplateHash } from "../../../../src/controller/workload/pod-template/hash.ts";
import { replicaSet } from "../../objects.ts";
import type { Script } from "../../play.ts";
import type { Stage } from "../../stage.ts";
import {
  allReady,
  containersOf,
  create,
  deploymentNamed,
  image,
  readyOneByOne,
  replicas,
  resume,
  spec,
  toReplicaSet,
} from "./acts.ts";

const orphaned = { metadata: { ownerReferences: null } };

async function quota(stage: Stage, hard: Readonly<Record<string, string>>): Promise<void> {
  await stage.create("resourcequotas", { metadata: { name: "small" }, spec: { hard } });
  const used = Object.fromEntries(Object.keys(hard).map((name) => [name, "0"]));
  await stage.patch("resourcequotas", "small/status", { status: { hard, used } });
}

/** Creates a ReplicaSet of another template under the name that the Deployment's next ReplicaSet, for image 2, would get. */
async function takeName(stage: Stage): Promise<void> {
  const web = (await stage.get("deployments", "web")) as {
    readonly spec: { readonly template: object };
    readonly status?: { readonly collisionCount?: number };
  };
  const collisionCount = web.status?.collisionCount;
  const template = {
    ...web.spec.template,
    spec: {
      ...(web.spec.template as { spec: object }).spec,
      containers: [{ ...firstContainer(web), image: "main:2" }],
    },
  };
  const hash = podTemplateHash(template, collisionCount === undefined ? {} : { collisionCount });
  await stage.create(
    "replicasets",
    replicaSet(`web-${hash}`, { replicas: 0, labels: { other: "yes" }, selector: { matchLabels: { other: "yes" } } }),
  );
}

function firstContainer(web: { readonly spec: { readonly template: object } }): object {
  return (web.spec.template as { readonly spec: { readonly containers: readonly object[] } }).spec.containers[0] ?? {};
}

export const ownership: readonly Script[] = [
  {
    name: "an orphan with the same template is adopted",
    steps: [
      {
        name: "create the orphan",
        act: (stage) =>
          stage.create(
            "replicasets",
            replicaSet("orphan", { replicas: 2, labels: { app: "web" }, selector: { matchLabels: { app: "web" } } }),
          ),
      },
      create(),
      allReady,
    ],
  },
  {
    name: "an orphan with another template is adopted as an old ReplicaSet",
    steps: [
      {
        name: "create the orphan",
        act: (stage) =>
          stage.create(
            "replicasets",
            replicaSet("orphan", {
              replicas: 2,
              labels: { app: "web" },
              selector: { matchLabels: { app: "web" } },
              spec: { containers: containersOf(9) },
            }),
          ),
      },
      create({ strategy: [1, 0] }),
      ...readyOneByOne(4),
    ],
  },
  {
    name: "a ReplicaSet whose owner reference was removed is adopted again",
    steps: [
      create(),
      allReady,
      toReplicaSet("remove its owner reference", 0, (stage, name) => stage.patch("replicasets", name, orphaned)),
    ],
  },
  {
    name: "a relabelled ReplicaSet is released, and another with another name is created",
    steps: [
      create(),
      allReady,
      toReplicaSet("relabel it", 0, (stage, name) =>
        stage.patch("replicasets", name, { metadata: { labels: { app: "aside" } } }),
      ),
      toReplicaSet("restore its label", 0, (stage, name) =>
        stage.patch("replicasets", name, { metadata: { labels: { app: "web" } } }),
      ),
    ],
  },
  {
    name: "a deleted ReplicaSet is recreated",
    steps: [
      create(),
      allReady,
      toReplicaSet("delete it", 0, (stage, name) =>
        stage.remove("replicasets", name, { propagationPolicy: "Background" }),
      ),
    ],
  },
  {
    name: "an old ReplicaSet is deleted during a rollout",
    steps: [
      create({ strategy: [1, 0] }),
      allReady,
      image(2),
      toReplicaSet("delete it", 0, (stage, name) =>
        stage.remove("replicasets", name, { propagationPolicy: "Background" }),
      ),
      ...readyOneByOne(3),
    ],
  },
  {
    name: "two Deployments with the same selector and template each have their own ReplicaSet",
    steps: [
      create({ labels: { app: "same" } }),
      create({ labels: { app: "same" }, replicas: 2 }, "shop"),
      allReady,
      replicas(1),
    ],
  },
  {
    name: "only the status of a Deployment in foreground deletion is updated",
    steps: [
      create(),
      allReady,
      {
        name: "delete the Deployment",
        act: (stage) => stage.remove("deployments", "web", { propagationPolicy: "Foreground" }),
      },
      replicas(5),
      image(2),
    ],
  },
  {
    name: "a recreated Deployment finds a ReplicaSet of its predecessor under the name it needs",
    steps: [
      create(),
      allReady,
      {
        name: "delete the Deployment",
        act: (stage) => stage.remove("deployments", "web", { propagationPolicy: "Background" }),
      },
      create({ replicas: 2 }),
    ],
  },
  {
    name: "a recreated Deployment adopts the ReplicaSet that its predecessor orphaned",
    steps: [
      create(),
      allReady,
      {
        name: "delete the Deployment",
        act: (stage) => stage.remove("deployments", "web", { propagationPolicy: "Background" }),
      },
      toReplicaSet("remove the owner of the ReplicaSet", 0, (stage, name) =>
        stage.patch("replicasets", name, orphaned),
      ),
      create({ replicas: 2 }),
    ],
  },
  {
    name: "the name of the next ReplicaSet exists: the collision is counted, twice",
    steps: [
      create(),
      allReady,
      { name: "create a ReplicaSet with that name", act: takeName },
      image(2),
      ...readyOneByOne(2),
    ],
  },
  {
    name: "a quota rejects pods: ReplicaFailure is set, and removed after the quota is deleted",
    steps: [
      { name: "create the quota", act: (stage) => quota(stage, { pods: "1" }) },
      create(),
      {
        name: "delete the quota",
        waitMs: 500,
        async act(stage) {
          await stage.remove("resourcequotas", "small");
          const [set] = (await stage.list("replicasets")) as unknown as readonly { metadata: { name: string } }[];
          await stage.patch("replicasets", set?.metadata.name ?? "", { metadata: { annotations: { touched: "yes" } } });
        },
      },
      allReady,
    ],
  },
  {
    name: "a quota rejects the ReplicaSet: Progressing is False",
    steps: [
      { name: "create the quota", act: (stage) => quota(stage, { "count/replicasets.apps": "0" }) },
      create({ replicas: 1 }),
      {
        name: "delete the quota",
        // The retry needs no trigger. If the step changed the Deployment too, its new annotation would reach the ReplicaSet in the create
        // or in a later update, at random.
        act: (stage) => stage.remove("resourcequotas", "small"),
        until: async (stage) => (await stage.list("replicasets")).length > 0,
      },
    ],
  },
  {
    name: "a terminating namespace rejects ReplicaSets, without an Event or a condition",
    steps: [
      create({ spec: { paused: true } }),
      {
        name: "delete the namespace",
        act: (stage) => stage.cluster.request("DELETE", `/api/v1/namespaces/${stage.namespace}`),
      },
      resume,
    ],
  },
  {
    name: "a long name is truncated to leave room for the hash",
    steps: [
      {
        name: "create a Deployment with a name of 253 characters",
        order: true,
        act: (stage) =>
          stage.create("deployments", deploymentNamed("w".repeat(253), { replicas: 1, labels: { app: "long" } })),
      },
    ],
  },
  {
    name: "a template with many kinds of fields has upstream's hash",
    steps: [
      create({
        replicas: 1,
        podMetadata: {
          annotations: { "example.com/b": "2", "example.com/a": '{"x": [1]}' },
          finalizers: ["example.com/f"],
        },
        podSpec: {
          containers: [
            {
              name: "main",
              image: "main:1",
              args: ["--port", "80"],
              env: [
                { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
                { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } } },
                { name: "KEY", valueFrom: { secretKeyRef: { name: "keys", key: "k", optional: true } } },
              ],
              ports: [{ name: "http", containerPort: 80 }],
              resources: { limits: { cpu: "1500m", memory: "128Mi" }, requests: { cpu: "100m", memory: "1000Ki" } },
              livenessProbe: {
                httpGet: { path: "/", port: "http", httpHeaders: [{ name: "A", value: "b" }] },
                periodSeconds: 3,
              },
              readinessProbe: { exec: { command: ["true"] } },
              lifecycle: { preStop: { sleep: { seconds: 3 } } },
              securityContext: { capabilities: { add: ["NET_ADMIN"], drop: ["ALL"] }, runAsNonRoot: true },
              volumeMounts: [{ name: "data", mountPath: "/data", readOnly: true }],
            },
          ],
          initContainers: [{ name: "side", image: "side:1", restartPolicy: "Always" }],
          volumes: [
            {
              name: "data",
              projected: { sources: [{ configMap: { name: "c", items: [{ key: "k", path: "p", mode: 256 }] } }] },
            },
            {
              name: "claim",
              ephemeral: {
                volumeClaimTemplate: {
                  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Pi" } } },
                },
              },
            },
          ],
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                {
                  weight: 5,
                  podAffinityTerm: {
                    topologyKey: "zone",
                    labelSelector: { matchExpressions: [{ key: "app", operator: "In", values: ["web"] }] },
                  },
                },
              ],
            },
          },
          tolerations: [{ key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 30 }],
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: "zone",
              whenUnsatisfiable: "ScheduleAnyway",
              labelSelector: { matchLabels: { app: "web" } },
            },
          ],
          securityContext: { fsGroup: 2000, sysctls: [{ name: "net.core.somaxconn", value: "1" }] },
          terminationGracePeriodSeconds: 5,
          nodeSelector: { b: "1", a: "2" },
          dnsConfig: { options: [{ name: "ndots", value: "2" }] },
          hostAliases: [{ ip: "127.0.0.1", hostnames: ["a", "b"] }],
        },
      }),
      spec("set maxSurge 0", { strategy: { rollingUpdate: { maxSurge: 0 } } }),
    ],
  },
];
