/** Verdicts that look right at first sight, and are not carried by what was read. */
import { expect, test } from "bun:test";
import {
  CronJobs,
  CustomResourceDefinitions,
  DaemonSets,
  EndpointSlices,
  Ingresses,
  Nodes,
  PersistentVolumeClaims,
  Pods,
  Services,
  ValidatingWebhookConfigurations,
} from "../../src/api/kinds.ts";
import type { Kind } from "../../src/api/kind.ts";
import type { StoredObject } from "../../src/api/object.ts";
import { findingsOf, type Item } from "../../src/diagnosis/diagnosis.ts";
import { ago, diagnose, type Json, objectOf, Widgets } from "./world.ts";

const item = (kind: Kind, object: StoredObject): Item => ({ kind, object });
const app = { app: "web" };

const service = (ports: readonly Json[] = [{ port: 443 }]): Item =>
  item(Services, objectOf("hook", { spec: { selector: app, ports } }));
const slice = item(
  EndpointSlices,
  objectOf("hook-1", {
    meta: { labels: { "kubernetes.io/service-name": "hook" } },
    endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true } }],
    ports: [{ port: 443, name: "" }],
  }),
);
const pod = item(
  Pods,
  objectOf("hook-pod", {
    meta: { labels: app },
    spec: { nodeName: "n", containers: [] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  }),
);
const webhook = objectOf("hooks", {
  webhooks: [{ name: "a.example.com", clientConfig: { service: { namespace: "shop", name: "hook" } } }],
});
const node = (parts: { readonly taints?: readonly Json[]; readonly conditions?: readonly Json[] }): StoredObject =>
  objectOf("n", {
    spec: { taints: parts.taints ?? [] },
    status: { conditions: [{ type: "Ready", status: "True" }, ...(parts.conditions ?? [])] },
  });
const taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
const claim = (status: Json): StoredObject =>
  objectOf("data", { spec: { volumeName: "pv", resources: { requests: { storage: "10Gi" } } }, status });
const zeros = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
const daemons = objectOf("agent", {
  meta: { generation: 1 },
  spec: { selector: { matchLabels: app }, template: { metadata: { labels: app }, spec: { containers: [] } } },
  status: zeros,
});
const address = { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } };
const backend = { service: { name: "hook", port: { number: 443 } } };
const widget = (...types: readonly string[]): StoredObject =>
  objectOf("w", { status: { conditions: types.map((type) => ({ type, status: "True" })) } });
const event = (reason: string, type: string, seconds: number): Json => ({
  ...objectOf(`${reason}-${seconds}`),
  reason,
  type,
  message: "m",
  lastTimestamp: ago(seconds),
  involvedObject: {
    kind: "CronJob",
    name: "nightly",
    namespace: "shop",
    uid: "uid-nightly",
  },
});
const nightly = objectOf("nightly", {
  meta: { creationTimestamp: ago(7200) },
  spec: { schedule: "0 * * * *", timeZone: "Etc/UTC" },
  status: { lastScheduleTime: ago(0), active: [{ name: "nightly-1" }] },
});

interface Row {
  readonly name: string;
  readonly of: readonly [Kind, StoredObject];
  readonly world?: Parameters<typeof diagnose>[2];
  readonly is: string;
  readonly why?: string;
}

const rows: readonly Row[] = [
  {
    name: "a DaemonSet with the zeros of a new status",
    of: [DaemonSets, daemons],
    is: "waiting",
    why: "has not been written",
  },
  {
    name: "a webhook whose Service has endpoints",
    of: [ValidatingWebhookConfigurations, webhook],
    world: { items: [service(), slice, pod] },
    is: "well",
  },
  {
    name: "a webhook whose Service lacks the port",
    of: [ValidatingWebhookConfigurations, webhook],
    world: { items: [service([{ port: 9443 }]), slice, pod] },
    is: "waiting",
    why: "it has no port 443, but webhook a.example.com calls it there",
  },
  {
    name: "a webhook whose endpoints cannot be read",
    of: [ValidatingWebhookConfigurations, webhook],
    world: { items: [service()], forbidden: [EndpointSlices, Pods] },
    is: "cannot tell",
  },
  {
    name: "a Service with endpoints of pods that are gone",
    of: [Services, service().object],
    world: { items: [slice] },
    is: "waiting",
    why: "no pod matches its selector any more",
  },
  {
    name: "a ready node with a taint of its life cycle",
    of: [Nodes, node({ taints: [taint] })],
    is: "waiting",
    why: "taint node.kubernetes.io/not-ready:NoSchedule keeps pods away",
  },
  {
    name: "a node with a condition of a good state",
    of: [Nodes, node({ conditions: [{ type: "NetworkingReady", status: "True" }] })],
    is: "well",
  },
  {
    name: "a node with a condition of a bad state",
    of: [Nodes, node({ conditions: [{ type: "KernelDeadlock", status: "True" }] })],
    is: "waiting",
    why: "condition KernelDeadlock is True",
  },
  {
    name: "a bound claim that nobody expands",
    of: [PersistentVolumeClaims, claim({ phase: "Bound", capacity: { storage: "1Gi" } })],
    is: "waiting",
    why: "it requests 10Gi and has 1Gi: nothing has begun to expand it",
  },
  {
    name: "a bound claim of its size",
    of: [PersistentVolumeClaims, claim({ phase: "Bound", capacity: { storage: "10Gi" } })],
    is: "well",
  },
  {
    name: "a custom resource in progress",
    of: [Widgets, widget("Reconciling")],
    is: "waiting",
    why: "condition Reconciling is True",
  },
  {
    name: "a custom resource with a condition of unknown meaning",
    of: [Widgets, widget("Frobbed")],
    is: "cannot tell",
  },
  {
    name: "a custom resource that is ready, whatever else is True",
    of: [Widgets, widget("Ready", "Frobbed")],
    is: "well",
  },
  {
    name: "an Ingress without a class that has an address",
    of: [Ingresses, objectOf("web", { spec: { defaultBackend: backend }, status: address })],
    world: { items: [service(), slice, pod] },
    is: "well",
  },
  {
    name: "an Ingress without a class and an address",
    of: [Ingresses, objectOf("web", { spec: { defaultBackend: backend } })],
    world: { items: [service(), slice, pod] },
    is: "waiting",
    why: "it names no class",
  },
  {
    name: "an Ingress with a backend that is not a Service",
    of: [
      Ingresses,
      objectOf("web", { spec: { defaultBackend: { resource: { kind: "Bucket", name: "b" } } }, status: address }),
    ],
    is: "cannot tell",
  },
  {
    name: "a CronJob whose run was refused, and then started",
    of: [CronJobs, nightly],
    world: { events: [event("FailedCreate", "Warning", -10), event("SuccessfulCreate", "Normal", -20)] as never },
    is: "well",
  },
  {
    name: "a CronJob whose run was refused after another had started",
    of: [CronJobs, nightly],
    world: { events: [event("SuccessfulCreate", "Normal", -10), event("FailedCreate", "Warning", -20)] as never },
    is: "waiting",
    why: "FailedCreate",
  },
];

test.each([...rows])("$name: $is", ({ of: [kind, object], world = {}, is, why }) => {
  const diagnosis = diagnose(kind, object, world);
  expect({ is: diagnosis.is, says: diagnosis.says }).toMatchObject({ is });
  if (why !== undefined)
    expect(
      findingsOf(diagnosis)
        .map((finding) => finding.why)
        .join("; "),
    ).toContain(why);
});

test("a definition whose conversion webhook is called at a port that its Service lacks is not well", () => {
  const clientConfig = { service: { namespace: "shop", name: "hook", port: 8443 } };
  const definition = objectOf("widgets.example.com", {
    spec: { names: { plural: "widgets" }, conversion: { webhook: { clientConfig } } },
    status: { conditions: [{ type: "Established", status: "True" }] },
  });
  const diagnosis = diagnose(CustomResourceDefinitions, definition, { items: [service(), slice, pod] });
  expect(
    findingsOf(diagnosis)
      .map(({ why }) => why)
      .join(),
  ).toContain("it has no port 8443");
});
