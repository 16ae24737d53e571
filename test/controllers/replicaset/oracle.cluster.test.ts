/**
 * The same story told to kube-controller-manager and to our syncs, each on an API server of its own: what was sent is compared,
 * as the audit logs have it. Our side has no informers here: its caches are lists, taken before each sync.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { keyOf } from "../../../src/api/key.ts";
import { type Kind, ReplicaSets, ReplicationControllers } from "../../../src/api/kind.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import { accessCluster } from "../../../src/client/cluster-access.ts";
import { connect } from "../../../src/client/connect.ts";
import type { Client } from "../../../src/client/verbs.ts";
import type { ControllerDefinition } from "../../../src/controller/definition.ts";
import { EventRecorder } from "../../../src/controller/event-recorder.ts";
import type { SyncContext } from "../../../src/controller/sync-context.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { replicationcontroller } from "../../../src/controllers/replicaset/replicationcontroller.ts";
import { realHost } from "../../../src/platform/host.ts";
import { realRandom } from "../../../src/platform/random.ts";
import { realTimeline } from "../../../src/platform/real-timeline.ts";
import { TraceBus } from "../../../src/trace/bus.ts";
import { type Effect, effectsOf } from "../../support/audit-log.ts";
import { type Cluster, controllersMissing, startCluster } from "../../support/cluster.ts";
import { HandFilledCache } from "../../support/hand-filled-cache.ts";
import { syncScene } from "../../support/sync-context.ts";

const namespace = "/api/v1/namespaces/shop";
const patch = { "content-type": "application/merge-patch+json" };
const template = {
  metadata: { labels: { app: "web" }, annotations: { note: "x" }, finalizers: ["example.com/keep"] },
  spec: { containers: [{ name: "web", image: "web:1" }], terminationGracePeriodSeconds: 5 },
};

interface Story {
  readonly kind: Kind;
  readonly object: object;
  readonly path: string;
}

const stories: readonly Story[] = [
  {
    kind: ReplicaSets,
    path: "/apis/apps/v1/namespaces/shop/replicasets",
    object: { metadata: { name: "web" }, spec: { replicas: 3, selector: { matchLabels: { app: "web" } }, template } },
  },
  {
    kind: ReplicationControllers,
    path: `${namespace}/replicationcontrollers`,
    object: { metadata: { name: "web" }, spec: { replicas: 3, selector: { app: "web" }, template } },
  },
];

/** Each step is told to the server; then both sides may do what they do until they are quiet. */
const steps: readonly { readonly name: string; readonly does: (cluster: Cluster, story: Story) => Promise<unknown> }[] =
  [
    {
      name: "it comes, where a matching orphan is",
      does: async (cluster, { path, object }) => {
        const metadata = { name: "orphan", labels: { app: "web" }, finalizers: ["example.com/keep"] };
        await cluster.request("POST", `${namespace}/pods`, { metadata, spec: template.spec });
        await cluster.request("POST", path, object);
      },
    },
    {
      name: "a pod is relabelled",
      does: (cluster) =>
        cluster.request("PATCH", `${namespace}/pods/orphan`, { metadata: { labels: { app: "x" } } }, patch),
    },
    {
      name: "a pod ends",
      does: async (cluster) => {
        const [pod] = await podNames(cluster);
        await cluster.request("PATCH", `${namespace}/pods/${pod}/status`, { status: { phase: "Failed" } }, patch);
      },
    },
    {
      name: "a quota allows no more",
      does: async (cluster, { path }) => {
        const quota = { metadata: { name: "small" }, spec: { hard: { pods: "1" } } };
        await cluster.request("POST", `${namespace}/resourcequotas`, quota);
        const status = { status: { hard: { pods: "1" }, used: { pods: "5" } } };
        await cluster.request("PATCH", `${namespace}/resourcequotas/small/status`, status, patch);
        await cluster.request("PATCH", `${path}/web`, { spec: { replicas: 6 } }, patch);
      },
    },
    {
      name: "the quota goes, and less is desired",
      does: async (cluster, { path }) => {
        await cluster.request("DELETE", `${namespace}/resourcequotas/small`);
        await cluster.request("PATCH", `${path}/web`, { spec: { replicas: 1 } }, patch);
      },
    },
    {
      name: "none is desired",
      does: (cluster, { path }) => cluster.request("PATCH", `${path}/web`, { spec: { replicas: 0 } }, patch),
    },
  ];

async function podNames(cluster: Cluster): Promise<string[]> {
  const { body } = await cluster.request("GET", `${namespace}/pods?labelSelector=app%3Dweb`);
  return (body as { items: StoredObject[] }).items.map(keyOf).map((key) => key.slice("shop/".length));
}

/** What varies from run to run is taken out; what was sent and what it says stays. */
function normal(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => {
    if (key === "resourceVersion" || key === "managedFields" || key === "uid") return undefined;
    if (key.endsWith("Timestamp") || key.endsWith("Time")) return "TIME";
    if (typeof inner === "string") return inner.replace(/\bweb-[a-z0-9]{5}\b/g, "web-SUFFIX");
    if (inner !== null && typeof inner === "object" && !Array.isArray(inner)) {
      return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
    }
    return inner;
  });
}

/** The spec effects of a step, sorted, retried ones once, and the last status that was written. */
function told(effects: readonly Effect[]): string[] {
  const spec = effects
    .filter(({ resource }) => resource === "pods")
    .map((effect) => `${effect.verb} ${effect.code} ${normal(bodyOf(effect))}`);
  const refused = new Set(spec.filter((line) => / [45]\d\d /.test(line)));
  const status = effects.findLast(({ resource, code }) => resource.endsWith("/status") && code === 200);
  return [
    ...spec.filter((line) => !refused.has(line)).sort(),
    ...refused,
    status === undefined ? "no status" : `status ${normal((status.request as { status: unknown }).status)}`,
  ];
}

/**
 * Two differences that change nothing: our client says the namespace in the body too, where kube-controller-manager says it in
 * the path alone, and it sends no body with a DELETE that has no options.
 */
function bodyOf({ verb, request }: Effect): unknown {
  if (verb === "delete") return request === undefined ? {} : { ...request, kind: undefined, apiVersion: undefined };
  if (verb !== "create") return request;
  const { metadata, ...rest } = request as { metadata: { namespace?: string } };
  return { metadata: { ...metadata, namespace: undefined }, ...rest };
}

/** The texts of the Events about the object, each once. */
function eventsTold(effects: readonly Effect[]): string[] {
  const texts = effects
    .filter(({ resource, verb }) => resource.startsWith("events") && verb === "create")
    .map(({ request }) => {
      const event = request as Record<string, unknown>;
      const { type, reason, message, source, involvedObject, reportingComponent } = event;
      return normal({ type, reason, message, source, involvedObject, reportingComponent });
    });
  return [...new Set(texts)].filter((text) => !text.includes("(combined")).sort();
}

/** Caches of what is in the namespace now. */
async function listedCaches(client: Client, definition: ControllerDefinition): Promise<(kind: Kind) => unknown> {
  const caches = new Map<Kind, HandFilledCache<StoredObject>>();
  for (const { kind, indexes = {} } of definition.watches) {
    const cache = new HandFilledCache<StoredObject>(indexes, "");
    for (const item of (await client.list(kind, { namespace: "shop" })).items) cache.set(item);
    caches.set(kind, cache);
  }
  return (kind) => caches.get(kind);
}

/** Runs syncs, each with fresh expectations, until two on end have written nothing or failed; at most 12. */
async function syncUntilQuiet(client: Client, bus: TraceBus, { kind }: Story): Promise<void> {
  const definition = kind === ReplicaSets ? replicaset : replicationcontroller;
  const { component } = definition;
  const recorder = new EventRecorder({ client, timeline: realTimeline(), random: realRandom(), component });
  let writes = 0;
  const stop = bus.listen((event) => {
    if (event.stage === "write" && event.of.kind !== "Event") writes++;
  });
  for (let round = 0, idle = 0; round < 12 && idle < 2; round++) {
    writes = 0;
    const context = {
      ...syncScene(definition).context("shop/web"),
      now: () => Date.now(),
      cache: await listedCaches(client, definition),
      client,
      event: (...event: Parameters<SyncContext["event"]>) => recorder.record(...event),
    };
    // The lists stand in for the declared caches: what each answers is of the kind it was asked for.
    const failed = await definition.sync("shop/web", context as unknown as SyncContext).then(
      () => false,
      () => true,
    );
    idle = writes === 0 || failed ? idle + 1 : 0;
  }
  stop();
  await recorder.flush(5000);
  recorder.stop();
}

/** Waits until the audit log has not grown for a second; at most 20 s. */
async function quiet(cluster: Cluster): Promise<void> {
  let before = -1;
  for (let turn = 0; turn < 20; turn++) {
    const { length } = effectsOf(await cluster.audit());
    if (length === before) return;
    before = length;
    await Bun.sleep(1000);
  }
}

describe.skipIf(controllersMissing !== undefined)("beside kube-controller-manager", () => {
  let oracle: Cluster;
  let ours: Cluster;
  beforeAll(async () => {
    [oracle, ours] = await Promise.all([
      startCluster({
        audit: true,
        nodes: 0,
        scheduler: false,
        controllers: "replicaset-controller,replicationcontroller-controller",
      }),
      startCluster({ audit: true }),
    ]);
    for (const cluster of [oracle, ours]) await cluster.createNamespace("shop");
  }, 120_000);
  afterAll(async () => {
    await Promise.all([oracle?.stop(), ours?.stop()]);
  });

  for (const story of stories) {
    test(`a ${story.kind.kind}'s story has the same writes and the same Events`, async () => {
      const host = realHost();
      const timeline = realTimeline();
      const access = await accessCluster(host, { kubeconfig: ours.kubeconfig });
      const bus = new TraceBus({ now: () => timeline.now() });
      const connection = connect(access, { host, timeline, bus, qps: 0 });
      const client = connection.clientFor("kubectl-reconcile-replicaset");
      for (const { name, does } of steps) {
        const [oracleFrom, oursFrom] = await Promise.all(
          [oracle, ours].map(async (cluster) => effectsOf(await cluster.audit()).length),
        );
        await Promise.all([does(oracle, story), does(ours, story)]);
        await Promise.all([quiet(oracle), syncUntilQuiet(client, bus, story)]);
        await quiet(ours);
        const theirs = effectsOf(await oracle.audit())
          .slice(oracleFrom)
          .filter(({ agent }) => agent.startsWith("kube-controller-manager"));
        const mine = effectsOf(await ours.audit())
          .slice(oursFrom)
          .filter(({ agent }) => agent.startsWith("kubectl-reconcile"));
        expect(theirs.some(({ resource }) => resource === "pods")).toBeTrue();
        expect({ step: name, writes: told(mine) }).toEqual({ step: name, writes: told(theirs) });
        expect({ step: name, events: eventsTold(mine) }).toEqual({ step: name, events: eventsTold(theirs) });
      }
      connection.close();
      await oracle.request("DELETE", `${story.path}/web?propagationPolicy=Orphan`);
      await ours.request("DELETE", `${story.path}/web?propagationPolicy=Orphan`);
      for (const cluster of [oracle, ours]) {
        const { body } = await cluster.request("GET", `${namespace}/pods`);
        for (const { metadata } of (body as { items: StoredObject[] }).items) {
          await cluster.request(
            "PATCH",
            `${namespace}/pods/${metadata.name}`,
            { metadata: { finalizers: null } },
            patch,
          );
          await cluster.request("DELETE", `${namespace}/pods/${metadata.name}?gracePeriodSeconds=0`);
        }
      }
    }, 240_000);
  }
});
