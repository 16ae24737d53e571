/** Work that controllers have left undone in a settled cluster, one sentence each; derived only from the objects. */
import type { ClusterResponse } from "../../support/cluster.ts";

interface Owner {
  readonly uid: string;
  readonly kind: string;
  readonly name: string;
  readonly controller?: boolean;
}

interface Seen {
  readonly metadata: {
    readonly namespace?: string;
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly Owner[];
  };
  // oxlint-disable-next-line typescript/no-explicit-any -- each check reads only fields that it knows to exist
  readonly spec: any;
  // oxlint-disable-next-line typescript/no-explicit-any -- see spec
  readonly status: any;
  readonly endpoints?:
    readonly { readonly conditions: { readonly ready?: boolean }; readonly addresses: string[] }[] | null;
}

const collections = {
  namespaces: "/api/v1/namespaces",
  nodes: "/api/v1/nodes",
  pods: "/api/v1/pods",
  services: "/api/v1/services",
  serviceaccounts: "/api/v1/serviceaccounts",
  configmaps: "/api/v1/configmaps",
  resourcequotas: "/api/v1/resourcequotas",
  deployments: "/apis/apps/v1/deployments",
  replicasets: "/apis/apps/v1/replicasets",
  statefulsets: "/apis/apps/v1/statefulsets",
  daemonsets: "/apis/apps/v1/daemonsets",
  jobs: "/apis/batch/v1/jobs",
  cronjobs: "/apis/batch/v1/cronjobs",
  budgets: "/apis/policy/v1/poddisruptionbudgets",
  autoscalers: "/apis/autoscaling/v2/horizontalpodautoscalers",
  slices: "/apis/discovery.k8s.io/v1/endpointslices",
} as const;

type World = Readonly<Record<keyof typeof collections, readonly Seen[]>>;

/** Checks all namespaces whose name `isOurs` accepts. */
export async function undoneOn(
  request: (method: string, path: string) => Promise<ClusterResponse>,
  isOurs: (namespace: string) => boolean,
): Promise<string[]> {
  const entries = await Promise.all(
    Object.entries(collections).map(async ([name, path]) => {
      const { status, body } = await request("GET", path);
      if (status !== 200) throw new Error(`GET ${path}: ${status}`);
      const items = (body as { readonly items: readonly Seen[] }).items;
      return [name, items.filter(({ metadata }) => isOurs(metadata.namespace ?? metadata.name) || name === "nodes")];
    }),
  );
  return problemsIn(Object.fromEntries(entries) as World);
}

const isReady = ({ status }: Seen): boolean =>
  (status.conditions ?? []).some(
    (each: { type: string; status: string }) => each.type === "Ready" && each.status === "True",
  );
const isLeaving = ({ metadata }: Seen): boolean => metadata.deletionTimestamp !== undefined;
const hasEnded = ({ status }: Seen): boolean => ["Succeeded", "Failed"].includes(status.phase);
const nameOf = ({ metadata: { namespace, name } }: Seen): string => `${namespace}/${name}`;

function controls(owner: Seen): (object: Seen) => boolean {
  return ({ metadata }) =>
    metadata.ownerReferences?.some((each) => each.controller === true && each.uid === owner.metadata.uid) === true;
}

function selects(selector: Readonly<Record<string, string>>, namespace = ""): (object: Seen) => boolean {
  return ({ metadata }) =>
    metadata.namespace === namespace &&
    Object.entries(selector).every(([key, value]) => metadata.labels?.[key] === value);
}

/** `what: is, not should` if they differ; an absent number counts as 0. */
function unless(what: string, is: unknown, should: unknown): string[] {
  return JSON.stringify(is ?? 0) === JSON.stringify(should)
    ? []
    : [`${what}: ${JSON.stringify(is ?? 0)}, not ${JSON.stringify(should)}`];
}

function problemsIn(world: World): string[] {
  return [
    ...world.namespaces.flatMap((namespace) => namespaceProblems(namespace, world)),
    ...workloadProblems(world),
    ...jobProblems(world),
    ...ownerProblems(world),
    ...world.services.flatMap((service) => serviceProblems(service, world)),
    ...world.resourcequotas.flatMap((quota) => quotaProblems(quota, world)),
    ...world.budgets.flatMap((budget) => budgetProblems(budget, world)),
    ...world.autoscalers.flatMap((each) =>
      unless(`autoscaler ${nameOf(each)} has conditions`, (each.status.conditions ?? []).length > 0, true),
    ),
  ];
}

function namespaceProblems(namespace: Seen, { serviceaccounts, configmaps }: World): string[] {
  const { name } = namespace.metadata;
  if (isLeaving(namespace)) return [`namespace ${name} does not go`];
  const isIn =
    (what: string) =>
    ({ metadata }: Seen): boolean =>
      metadata.namespace === name && metadata.name === what;
  return [
    ...unless(`namespace ${name} has its ServiceAccount`, serviceaccounts.some(isIn("default")), true),
    ...unless(`namespace ${name} has its root certificate`, configmaps.some(isIn("kube-root-ca.crt")), true),
  ];
}

function workloadProblems({ deployments, replicasets, statefulsets, daemonsets, pods, nodes }: World): string[] {
  const counted = (kind: string, of: Seen, counts: Readonly<Record<string, number>>): string[] => {
    const what = `${kind} ${nameOf(of)}`;
    if (isLeaving(of)) return [`${what} does not go`];
    const status = Object.entries({ observedGeneration: of.metadata.generation, ...counts });
    return status.flatMap(([field, count]) => unless(`${what} ${field}`, of.status[field], count));
  };
  const own = (of: Seen): readonly Seen[] => pods.filter(controls(of));
  return [
    ...deployments.flatMap((each) => {
      const { replicas = 1 } = each.spec;
      const sets = replicasets.filter(controls(each)).filter(({ spec }) => spec.replicas > 0);
      return [
        ...counted("Deployment", each, { replicas, readyReplicas: replicas, availableReplicas: replicas }),
        ...unless(`Deployment ${nameOf(each)} updatedReplicas`, each.status.updatedReplicas, replicas),
        ...unless(`Deployment ${nameOf(each)}: ReplicaSets with pods`, sets.length, replicas === 0 ? 0 : 1),
      ];
    }),
    ...[...replicasets, ...statefulsets].flatMap((each) => {
      const { replicas = 1 } = each.spec;
      return [
        ...counted("set", each, { replicas, readyReplicas: replicas, availableReplicas: replicas }),
        ...unless(`set ${nameOf(each)}: pods`, own(each).length, replicas),
      ];
    }),
    ...daemonsets.flatMap((each) => {
      const count = nodes.length;
      return [
        ...counted("DaemonSet", each, {
          desiredNumberScheduled: count,
          numberReady: count,
          updatedNumberScheduled: count,
        }),
        ...unless(`DaemonSet ${nameOf(each)}: pods`, own(each).length, count),
      ];
    }),
  ];
}

function jobProblems({ jobs, pods }: World): string[] {
  return jobs
    .flatMap((job) => {
      const what = `Job ${nameOf(job)}`;
      if (isLeaving(job)) return [`${what} does not go`];
      // A Job that has just finished exists for a few more seconds.
      const ended = job.status.completionTime;
      if (ended === undefined) return [`${what} does not end`];
      const lives = job.spec.ttlSecondsAfterFinished * 1000 + graceMs;
      const late = Date.now() - Date.parse(String(ended)) > lives ? [`${what} has outlived its time`] : [];
      return [...late, ...unless(`${what} succeeded`, job.status.succeeded, job.spec.completions ?? 1)];
    })
    .concat(
      pods
        .filter((pod) => hasEnded(pod) && isLeaving(pod))
        .map((pod) => `Pod ${nameOf(pod)} has ended, and does not go`),
    );
}

const graceMs = 15_000;

/** No object outlives its owner. */
function ownerProblems(world: World): string[] {
  const { pods, replicasets, jobs } = world;
  const uids = new Set(Object.values(world).flatMap((objects) => objects.map(({ metadata }) => metadata.uid)));
  return [...pods, ...replicasets, ...jobs].flatMap((object) =>
    (object.metadata.ownerReferences ?? [])
      .filter(({ uid, kind }) => kind !== "Node" && !uids.has(uid))
      .map(({ kind, name }) => `${nameOf(object)} is left of ${kind} ${name}, which is gone`),
  );
}

function serviceProblems(service: Seen, { pods, slices }: World): string[] {
  const { namespace, name } = service.metadata;
  const backends = pods
    .filter(selects(service.spec.selector, namespace))
    .filter((pod) => isReady(pod) && !isLeaving(pod) && !hasEnded(pod));
  const own = slices.filter(selects({ "kubernetes.io/service-name": name }, namespace));
  const ready = own.flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions.ready === true);
  const addresses = (of: readonly string[]): string => of.toSorted().join(" ");
  return unless(
    `Service ${nameOf(service)}: ready endpoints`,
    addresses(ready.flatMap((endpoint) => endpoint.addresses)),
    addresses(backends.map(({ status }) => status.podIP)),
  );
}

function quotaProblems(quota: Seen, { pods }: World): string[] {
  const count = pods
    .filter(({ metadata }) => metadata.namespace === quota.metadata.namespace)
    .filter((pod) => !hasEnded(pod)).length;
  return unless(`quota ${nameOf(quota)} used pods`, quota.status.used?.pods, String(count));
}

function budgetProblems(budget: Seen, { pods }: World): string[] {
  const own = pods
    .filter(selects(budget.spec.selector.matchLabels, budget.metadata.namespace))
    .filter((pod) => !hasEnded(pod) && !isLeaving(pod));
  const healthy = own.filter(isReady).length;
  return [
    ...unless(
      `budget ${nameOf(budget)} observedGeneration`,
      budget.status.observedGeneration,
      budget.metadata.generation,
    ),
    ...unless(`budget ${nameOf(budget)} currentHealthy`, budget.status.currentHealthy, healthy),
  ];
}
