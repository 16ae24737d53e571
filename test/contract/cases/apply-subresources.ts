/** Server-side apply of status, scale and other subresources that support it, and the fields of which it does not take ownership. */
import { apply, type Case, get, pass, patch, paths, post, put, type Table } from "../case.ts";

type Json = Record<string, unknown>;

const web = `${paths.deployments}/a`;
const pod = `${paths.pods}/a`;
const labels = { app: "a" };
const deployment = (more: Json, metadata: Json = {}): Json => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "a", ...metadata },
  ...more,
});
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
const whole = (more: Json = {}): Json => deployment({ spec: { selector: { matchLabels: labels }, template, ...more } });
const podOf = (more: Json, metadata: Json = {}): Json => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", ...metadata },
  ...more,
});
const running = podOf({ spec: { containers: [{ name: "c", image: "i" }] } });
const condition = (type: string, status = "True"): Json => ({
  type,
  status,
  reason: "R",
  message: "m",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  lastUpdateTime: "2026-01-01T00:00:00Z",
});
const podCondition = (type: string, status = "True"): Json => ({ type, status });
const scale = (spec: Json, more: Json = {}): Json => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "a", ...more },
  spec,
});
const status = (body: Json): Json => deployment({ status: body });
const made = apply(web, "one", whole());
const scaled = (kind: string, apiVersion: string, collection: string, spec: Json): Case => ({
  name: `the scale of ${kind}`,
  steps: [
    apply(`${collection}/a`, "one", { apiVersion, kind, metadata: { name: "a" }, spec: { ...spec, replicas: 1 } }),
    apply(`${collection}/a/scale`, "two", scale({ replicas: 2 })),
    apply(`${collection}/a/scale`, "two", scale({ replicas: 2 }), "force=true"),
    apply(`${collection}/a/scale`, "two", scale({ replicas: 3 })),
    get(`${collection}/a`),
  ],
});
const spec = { selector: { matchLabels: labels }, template };

const cases: readonly Case[] = [
  {
    name: "a status",
    steps: [
      made,
      apply(`${web}/status`, "two", status({ observedGeneration: 1, replicas: 1 })),
      get(web),
      apply(`${web}/status`, "two", status({ replicas: 1 })),
      get(web),
    ],
  },
  {
    name: "a status by the manager of the spec",
    steps: [
      made,
      apply(`${web}/status`, "one", status({ replicas: 1 })),
      apply(web, "one", whole({ paused: true })),
      apply(`${web}/status`, "one", deployment({})),
      get(web),
    ],
  },
  {
    name: "a status with a spec",
    steps: [made, apply(`${web}/status`, "two", { ...whole({ replicas: 7 }), status: { replicas: 1 } }), get(web)],
  },
  {
    name: "an object with a status",
    steps: [
      apply(web, "one", { ...whole(), status: { replicas: 1 } }),
      apply(`${web}/status`, "two", status({ replicas: 2 })),
      apply(web, "one", { ...whole(), status: { replicas: 1 } }),
    ],
  },
  {
    name: "an object with a status again, in another second",
    ordersTimes: true,
    steps: [
      apply(web, "one", { ...whole(), status: { replicas: 1 } }),
      pass,
      apply(web, "one", { ...whole(), status: { replicas: 1 } }),
      pass,
      apply(web, "one", whole()),
    ],
  },
  {
    name: "conflicts of statuses",
    steps: [
      made,
      apply(`${web}/status`, "two", status({ replicas: 1, conditions: [condition("A")] })),
      apply(`${web}/status`, "three", status({ replicas: 2, conditions: [condition("A", "False"), condition("B")] })),
      apply(
        `${web}/status`,
        "three",
        status({ replicas: 2, conditions: [condition("A", "False"), condition("B")] }),
        "force=true",
      ),
      get(web),
    ],
  },
  {
    name: "a status that an update wrote",
    steps: [
      made,
      patch("merge", `${web}/status`, { status: { replicas: 1 } }, "fieldManager=kubelet"),
      apply(`${web}/status`, "two", status({ replicas: 2 })),
      apply(`${web}/status`, "two", status({ replicas: 1 })),
      get(web),
    ],
  },
  {
    name: "conditions by type",
    steps: [
      made,
      apply(`${web}/status`, "two", status({ conditions: [condition("A")] })),
      apply(`${web}/status`, "three", status({ conditions: [condition("B")] })),
      apply(`${web}/status`, "two", deployment({})),
      get(web),
    ],
  },
  {
    name: "a status with labels and annotations",
    steps: [
      made,
      apply(
        `${web}/status`,
        "two",
        deployment(
          { status: { replicas: 1 } },
          { labels: { x: "1" }, annotations: { y: "1" }, finalizers: ["example.com/a"] },
        ),
      ),
      get(web),
    ],
  },
  {
    name: "a status with an invalid body",
    steps: [apply(`${web}/status`, "one", status({ replicas: 1 })), apply(`${web}/status`, "one", "[")],
  },
  {
    name: "an invalid status",
    steps: [
      made,
      apply(`${web}/status`, "two", status({ replicas: -1 })),
      apply(`${web}/status`, "two", status({ nonsense: 1 })),
      get(web),
    ],
  },
  {
    name: "a status as a dry run",
    steps: [made, apply(`${web}/status`, "two", status({ replicas: 1 }), "dryRun=All"), get(web)],
  },
  {
    name: "a status of a kind without one",
    steps: [
      apply(`${paths.configmaps}/a/status`, "one", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }),
    ],
  },
  {
    name: "the status of a pod, with fields that it cannot change",
    steps: [
      apply(pod, "one", running),
      apply(
        `${pod}/status`,
        "two",
        podOf(
          {
            spec: { nodeName: "n" },
            status: { phase: "Running", podIP: "10.1.2.3", conditions: [podCondition("Ready")] },
          },
          { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "1" }], labels: { x: "1" } },
        ),
      ),
      get(pod),
    ],
  },
  {
    name: "the status of a namespace",
    steps: [
      apply("/api/v1/namespaces/{ns}/status", "one", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "{ns}" },
        status: { phase: "Active", conditions: [{ type: "A", status: "True" }] },
      }),
      get("/api/v1/namespaces/{ns}"),
    ],
  },
  {
    name: "the status of a Service",
    steps: [
      apply(`${paths.services}/a`, "one", {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "a" },
        spec: { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] },
      }),
      apply(`${paths.services}/a/status`, "two", {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "a" },
        status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } },
      }),
      get(`${paths.services}/a`),
    ],
  },
  {
    name: "the status of a budget",
    steps: [
      apply(`${paths.poddisruptionbudgets}/a`, "one", {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: "a" },
        spec: { maxUnavailable: 1 },
      }),
      apply(`${paths.poddisruptionbudgets}/a/status`, "two", {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: "a" },
        status: { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 },
      }),
      get(`${paths.poddisruptionbudgets}/a`),
    ],
  },
  {
    name: "the status of a claim, which does not include metadata",
    steps: [
      apply("/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims/a", "one", {
        apiVersion: "resource.k8s.io/v1",
        kind: "ResourceClaim",
        metadata: { name: "a" },
        spec: {},
      }),
      apply("/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims/a/status", "two", {
        apiVersion: "resource.k8s.io/v1",
        kind: "ResourceClaim",
        metadata: { name: "a", labels: { x: "1" } },
        status: {},
      }),
      get("/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims/a"),
    ],
  },
  {
    name: "a status update with labels, by a manager that owns none of them",
    steps: [
      made,
      patch(
        "merge",
        `${web}/status`,
        { metadata: { labels: { x: "1" }, annotations: { y: "1" } }, status: { replicas: 1 } },
        "fieldManager=two",
      ),
      get(web),
    ],
  },
  {
    name: "a status update of a pod with owners, by a manager that owns none of them",
    steps: [
      post(paths.pods, running),
      patch(
        "merge",
        `${pod}/status`,
        {
          metadata: { labels: { x: "1" }, ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "1" }] },
          status: { phase: "Running" },
        },
        "fieldManager=two",
      ),
      get(pod),
    ],
  },
  {
    name: "the status of a flow schema, which does not include metadata",
    steps: [
      post("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", {
        metadata: { name: "{ns}", labels: { x: "1" } },
        spec: { priorityLevelConfiguration: { name: "exempt" }, matchingPrecedence: 5000 },
      }),
      patch(
        "merge",
        "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/{ns}/status",
        { metadata: { labels: { y: "1" } }, status: { conditions: [{ type: "A", status: "True" }] } },
        "fieldManager=two",
      ),
      get("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/{ns}"),
    ],
  },
  scaled("Deployment", "apps/v1", paths.deployments, spec),
  scaled("ReplicaSet", "apps/v1", paths.replicasets, spec),
  scaled("StatefulSet", "apps/v1", paths.statefulsets, { ...spec, serviceName: "s" }),
  scaled("ReplicationController", "v1", paths.replicationcontrollers, { selector: labels, template }),
  {
    name: "a scale by the manager of the replicas",
    steps: [
      apply(web, "one", whole({ replicas: 1 })),
      apply(`${web}/scale`, "one", scale({ replicas: 2 })),
      apply(`${web}/scale`, "one", scale({ replicas: 1 })),
      get(web),
      apply(web, "one", whole({ replicas: 4 })),
    ],
  },
  {
    name: "a scale of replicas without an owner",
    steps: [
      made,
      apply(`${web}/scale`, "two", scale({ replicas: 2 })),
      apply(`${web}/scale`, "two", scale({ replicas: 2 }), "force=true"),
      get(web),
      apply(`${web}/scale`, "two", scale({ replicas: 3 })),
    ],
  },
  {
    name: "a scale to 0",
    steps: [
      apply(web, "one", whole({ replicas: 1 })),
      apply(`${web}/scale`, "two", scale({ replicas: 0 }), "force=true"),
      get(web),
      apply(`${web}/scale`, "two", scale({ replicas: 1 })),
      get(web),
    ],
  },
  {
    name: "a scale without replicas",
    steps: [
      apply(web, "one", whole({ replicas: 1 })),
      apply(`${web}/scale`, "two", scale({})),
      apply(`${web}/scale`, "two", scale({ replicas: 1 })),
      apply(`${web}/scale`, "two", scale({})),
      get(web),
    ],
  },
  {
    name: "a scale by update after an apply",
    steps: [
      apply(web, "one", whole({ replicas: 1 })),
      patch("merge", `${web}/scale`, { spec: { replicas: 2 } }, "fieldManager=two"),
      get(web),
      apply(web, "one", whole({ replicas: 1 })),
      apply(web, "one", whole()),
      get(web),
    ],
  },
  {
    name: "a scale by apply after an update",
    steps: [
      post(paths.deployments, whole({ replicas: 1 }), "fieldManager=maker"),
      apply(`${web}/scale`, "two", scale({ replicas: 2 })),
      apply(`${web}/scale`, "two", scale({ replicas: 2 }), "force=true"),
      get(web),
      put(`${web}/scale`, scale({ replicas: 5 }), "fieldManager=maker"),
      get(web),
    ],
  },
  {
    name: "an invalid scale",
    steps: [
      made,
      apply(`${web}/scale`, "two", whole()),
      apply(`${web}/scale`, "two", scale({ replicas: -1 }), "force=true"),
      apply(`${web}/scale`, "two", { ...scale({ replicas: 2 }), metadata: { name: "b" } }),
      apply(`${web}/scale`, "two", { ...scale({ replicas: 2 }), status: { replicas: 2 } }, "force=true"),
      apply(`${web}/scale`, "two", scale({ replicas: 2 }, { resourceVersion: "1" }), "force=true"),
      patch("apply", `${web}/scale`, scale({ replicas: 2 })),
    ],
  },
  { name: "a scale of a missing object", steps: [apply(`${web}/scale`, "one", scale({ replicas: 1 }))] },
  {
    name: "a scale as a dry run",
    steps: [
      apply(web, "one", whole({ replicas: 1 })),
      apply(`${web}/scale`, "two", scale({ replicas: 2 }), "force=true&dryRun=All"),
      get(web),
    ],
  },
  {
    name: "ephemeral containers",
    steps: [
      apply(pod, "one", running),
      apply(`${pod}/ephemeralcontainers`, "two", podOf({ spec: { ephemeralContainers: [{ name: "e", image: "i" }] } })),
      get(pod),
      apply(`${pod}/ephemeralcontainers`, "two", podOf({ spec: {} })),
    ],
  },
  {
    name: "a resize",
    steps: [
      apply(
        pod,
        "one",
        podOf({
          spec: {
            containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1" }, limits: { cpu: "2" } } }],
          },
        }),
      ),
      apply(
        `${pod}/resize`,
        "two",
        podOf({ spec: { containers: [{ name: "c", resources: { requests: { cpu: "2" } } }] } }),
      ),
      apply(
        `${pod}/resize`,
        "two",
        podOf({ spec: { containers: [{ name: "c", resources: { requests: { cpu: "2" } } }] } }),
        "force=true",
      ),
      get(pod),
    ],
  },
];

export const appliedSubresources: Table = {
  name: "apply-subresources",
  cases: cases.map((one: Case) => ({ ...one, name: `apply: ${one.name}` })),
};
