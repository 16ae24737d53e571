/** Services while all of their pods are replaced: Deployments, ReplicaSets, Endpoints and EndpointSlices, with kwok's nodes. */
import { post } from "./api-server.ts";
import { inLanes } from "./lanes.ts";
import { type ObjectWatch, watchObjects } from "./object-watch.ts";
import type { Scene, Stage } from "./scenes.ts";
import { watchStates } from "./state-watch.ts";

const services = 200;
const podsEach = 50;
const lanes = 16;
/** How long no slice has to change for the last change to be the last one. */
const quietMs = 3000;
/** An upper bound, not a measurement. */
const longestMs = 300_000;

interface Slice {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly endpoints: readonly { readonly conditions: { readonly ready?: boolean } }[] | null;
}

/** From the first change of a template to the last write of an Endpoints object or an EndpointSlice. */
export const servicesThroughRollout: Scene = {
  name: `${services} Services of ${podsEach} pods through a rollout`,
  controllers: ["deployment", "replicaset", "endpoints", "endpointslice"],
  warm: (stage) => makeServices(stage),
  play: rollout,
  leaves: (namespace) => [
    `/apis/apps/v1/namespaces/${namespace}/deployments`,
    `/apis/apps/v1/namespaces/${namespace}/replicasets`,
    `/api/v1/namespaces/${namespace}/pods`,
    `/api/v1/namespaces/${namespace}/endpoints`,
    `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`,
  ],
};

const nameOf = (n: number): string => `web-${n}`;
const deploymentsIn = (namespace: string): string => `/apis/apps/v1/namespaces/${namespace}/deployments`;
const slicesIn = (namespace: string): string => `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;

function templateOf(n: number, version: number): object {
  const containers = [{ name: "main", image: `registry.example.com/main:${version}` }];
  return { metadata: { labels: { app: nameOf(n) } }, spec: { terminationGracePeriodSeconds: 0, containers } };
}

/** Creates all and waits until every pod is an endpoint. */
async function makeServices({ cluster, namespace }: Stage): Promise<void> {
  await withWatches({ cluster, namespace }, 1, async () => {
    await inLanes({ count: services, lanes }, async (n) => {
      const selector = { app: nameOf(n) };
      await post(cluster, `/api/v1/namespaces/${namespace}/services`, {
        metadata: { name: nameOf(n) },
        spec: { selector, ports: [{ port: 80, targetPort: 8080 }] },
      });
      const spec = { replicas: podsEach, selector: { matchLabels: selector }, template: templateOf(n, 1) };
      await post(cluster, deploymentsIn(namespace), { metadata: { name: nameOf(n) }, spec });
    });
  });
}

async function rollout(stage: Stage): Promise<number> {
  const { cluster, namespace } = stage;
  const merge = { "content-type": "application/merge-patch+json" };
  return withWatches(stage, 2, async () => {
    await inLanes({ count: services, lanes }, async (n) => {
      const path = `${deploymentsIn(namespace)}/${nameOf(n)}`;
      const { status } = await cluster.request("PATCH", path, { spec: { template: templateOf(n, 2) } }, merge);
      if (status !== 200) throw new Error(`PATCH ${path}: ${status}`);
    });
  });
}

/**
 * Does something that makes all Deployments observe `generation` of their spec, and waits for it, then for the Endpoints and
 * EndpointSlices. Resolves with the time until the last write of those, in ms.
 */
async function withWatches(stage: Stage, generation: number, act: () => Promise<void>): Promise<number> {
  const { cluster, namespace } = stage;
  const deployments = await watchStates(cluster, {
    path: deploymentsIn(namespace),
    isReached: ({ metadata, spec, status }) =>
      (metadata.generation ?? 0) >= generation &&
      status?.observedGeneration === metadata.generation &&
      (["replicas", "updatedReplicas", "availableReplicas"] as const).every(
        (count) => status?.[count] === spec?.replicas,
      ),
  });
  const lists = await Promise.all([
    watchObjects(cluster, slicesIn(namespace)),
    watchObjects(cluster, `/api/v1/namespaces/${namespace}/endpoints`),
  ]);
  try {
    const from = performance.timeOrigin + performance.now();
    await Promise.all([deployments.reached(services), act()]);
    await quiet(lists);
    await expectEndpoints(stage);
    return Math.max(...lists.map((list) => list.lastAt())) - from;
  } finally {
    deployments.stop();
    for (const list of lists) list.stop();
  }
}

/** @throws Error after five minutes. */
async function quiet(watches: readonly ObjectWatch[]): Promise<void> {
  const until = performance.now() + longestMs;
  while (watches.some((watch) => watch.now() - watch.lastAt() < quietMs)) {
    if (performance.now() > until) throw new Error("Endpoints do not come to rest");
    await Bun.sleep(100);
  }
}

/** @throws Error if a Service has another number of ready endpoints than pods. */
async function expectEndpoints({ cluster, namespace }: Stage): Promise<void> {
  const { items } = (await cluster.request("GET", slicesIn(namespace))).body as { readonly items: readonly Slice[] };
  const ready = new Map<string, number>();
  for (const { metadata, endpoints } of items) {
    const service = metadata.labels["kubernetes.io/service-name"] ?? "";
    const more = endpoints?.filter(({ conditions }) => conditions.ready === true).length ?? 0;
    ready.set(service, (ready.get(service) ?? 0) + more);
  }
  const wrong = Array.from({ length: services }, (_, n) => nameOf(n)).filter((name) => ready.get(name) !== podsEach);
  if (wrong.length > 0) throw new Error(`${wrong.length} Services without ${podsEach} ready endpoints: ${wrong[0]}`);
}
