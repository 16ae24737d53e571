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
        name: "the orphan",
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
    name: "an orphan with another template is adopted, and is old",
    steps: [
      {
        name: "the orphan",
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
    name: "a ReplicaSet loses its owner reference and is adopted again",
    steps: [
      create(),
      allReady,
      toReplicaSet("it loses it", 0, (stage, name) => stage.patch("replicasets", name, orphaned)),
    ],
  },
  {
    name: "a ReplicaSet is relabelled: it is released and another is made, with another name",
    steps: [
      create(),
      allReady,
      toReplicaSet("its label", 0, (stage, name) =>
        stage.patch("replicasets", name, { metadata: { labels: { app: "aside" } } }),
      ),
      toReplicaSet("it comes back", 0, (stage, name) =>
        stage.patch("replicasets", name, { metadata: { labels: { app: "web" } } }),
      ),
    ],
  },
  {
    name: "a ReplicaSet is deleted and made anew",
    steps: [
      create(),
      allReady,
      toReplicaSet("it goes", 0, (stage, name) =>
        stage.remove("replicasets", name, { propagationPolicy: "Background" }),
      ),
    ],
  },
  {
    name: "an old ReplicaSet is deleted amid a rollout",
    steps: [
      create({ strategy: [1, 0] }),
      allReady,
      image(2),
      toReplicaSet("it goes", 0, (stage, name) =>
        stage.remove("replicasets", name, { propagationPolicy: "Background" }),
      ),
      ...readyOneByOne(3),
    ],
  },
  {
    name: "two Deployments with one selector and one template: each its own",
    steps: [
      create({ labels: { app: "same" } }),
      create({ labels: { app: "same" }, replicas: 2 }, "shop"),
      allReady,
      replicas(1),
    ],
  },
  {
    name: "a Deployment that is deleted in the foreground only keeps its status",
    steps: [
      create(),
      allReady,
      {
        name: "it is deleted",
        act: (stage) => stage.remove("deployments", "web", { propagationPolicy: "Foreground" }),
      },
      replicas(5),
      image(2),
    ],
  },
  {
    name: "a Deployment that is deleted and made anew finds the ReplicaSet of the first one in its way",
    steps: [
      create(),
      allReady,
      {
        name: "it is deleted",
        act: (stage) => stage.remove("deployments", "web", { propagationPolicy: "Background" }),
      },
      create({ replicas: 2 }),
    ],
  },
  {
    name: "a Deployment whose ReplicaSets were left as orphans takes them back",
    steps: [
      create(),
      allReady,
      {
        name: "it is deleted",
        act: (stage) => stage.remove("deployments", "web", { propagationPolicy: "Background" }),
      },
      toReplicaSet("an orphan", 0, (stage, name) => stage.patch("replicasets", name, orphaned)),
      create({ replicas: 2 }),
    ],
  },
  {
    name: "a name that is taken: the collision is counted, twice",
    steps: [create(), allReady, { name: "the name", act: takeName }, image(2), ...readyOneByOne(2)],
  },
  {
    name: "a quota refuses pods: ReplicaFailure comes, and goes with the quota",
    steps: [
      { name: "the quota", act: (stage) => quota(stage, { pods: "1" }) },
      create(),
      {
        name: "the quota goes",
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
    name: "a quota refuses the ReplicaSet: Progressing is False",
    steps: [
      { name: "the quota", act: (stage) => quota(stage, { "count/replicasets.apps": "0" }) },
      create({ replicas: 1 }),
      {
        name: "the quota goes",
        // The retry needs no trigger. If the step changed the Deployment too, its new annotation would reach the ReplicaSet in the create
        // or in a later update, at random.
        act: (stage) => stage.remove("resourcequotas", "small"),
        until: async (stage) => (await stage.list("replicasets")).length > 0,
      },
    ],
  },
  {
    name: "a namespace that is being deleted takes no ReplicaSet, and nobody complains",
    steps: [
      create({ spec: { paused: true } }),
      {
        name: "the namespace goes",
        act: (stage) => stage.cluster.request("DELETE", `/api/v1/namespaces/${stage.namespace}`),
      },
      resume,
    ],
  },
  {
    name: "a long name leaves room for the hash",
    steps: [
      {
        name: "of 253 letters",
        order: true,
        act: (stage) =>
          stage.create("deployments", deploymentNamed("w".repeat(253), { replicas: 1, labels: { app: "long" } })),
      },
    ],
  },
  {
    name: "a template with a bit of everything has upstream's hash",
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
      spec("no surge", { strategy: { rollingUpdate: { maxSurge: 0 } } }),
    ],
  },
];
