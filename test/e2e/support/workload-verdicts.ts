/** Problems of StatefulSets, DaemonSets, Jobs, CronJobs and budgets that should have converged, one sentence each. */

export interface Seen {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly {
      readonly uid: string;
      readonly kind: string;
      readonly controller?: boolean;
    }[];
  };
  readonly spec: {
    readonly replicas?: number;
    readonly completions?: number;
    readonly parallelism?: number;
    readonly completionMode?: string;
    readonly suspend?: boolean;
    readonly ttlSecondsAfterFinished?: number;
    readonly nodeName?: string;
    readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly containers?: readonly { readonly image: string }[];
    readonly template?: { readonly spec: Seen["spec"] };
    readonly taints?: readonly { readonly key: string }[];
    readonly maxUnavailable?: number | string;
    readonly minAvailable?: number | string;
  };
  readonly status: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
    readonly active?: number | readonly { readonly name: string }[];
    readonly completedIndexes?: string;
    readonly uncountedTerminatedPods?: Readonly<Record<string, readonly string[]>>;
    readonly currentRevision?: string;
    readonly updateRevision?: string;
    readonly disruptedPods?: Readonly<Record<string, string>>;
    readonly [count: string]: unknown;
  };
}

/** All objects in the scene's namespace, and the nodes. */
export interface World {
  readonly statefulsets: readonly Seen[];
  readonly daemonsets: readonly Seen[];
  readonly deployments: readonly Seen[];
  readonly replicasets: readonly Seen[];
  readonly jobs: readonly Seen[];
  readonly cronjobs: readonly Seen[];
  readonly poddisruptionbudgets: readonly Seen[];
  readonly persistentvolumeclaims: readonly Seen[];
  readonly controllerrevisions: readonly Seen[];
  readonly pods: readonly Seen[];
  readonly nodes: readonly Seen[];
}

const finalizer = "batch.kubernetes.io/job-tracking";
const indexName = "batch.kubernetes.io/job-completion-index";

export const isControlledBy =
  (owner: Seen) =>
  ({ metadata }: Seen): boolean =>
    metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === owner.metadata.uid) === true;
export const isLeaving = ({ metadata }: Seen): boolean => metadata.deletionTimestamp !== undefined;
export const hasCondition = ({ status }: Seen, type: string): boolean =>
  status.conditions?.some((condition) => condition.type === type && condition.status === "True") === true;
export const isFinished = (job: Seen): boolean => hasCondition(job, "Complete") || hasCondition(job, "Failed");
export const hasEnded = ({ status }: Seen): boolean => status.phase === "Succeeded" || status.phase === "Failed";
const imageOf = ({ spec }: Seen): string => (spec.template?.spec ?? spec).containers?.[0]?.image ?? "";
const names = (seen: readonly Seen[]): string =>
  seen
    .map(({ metadata }) => metadata.name)
    .toSorted()
    .join(" ");

/** `what: is, not should` if they differ; absent numbers count as 0. */
function unless(what: string, is: unknown, should: string | number | boolean): string[] {
  const actual = is ?? 0;
  return actual === should ? [] : [`${what}: ${JSON.stringify(actual)}, not ${JSON.stringify(should)}`];
}

function counts(of: Seen, should: Readonly<Record<string, number | undefined>>): string[] {
  const expected = { observedGeneration: of.metadata.generation, ...should };
  return Object.entries(expected).flatMap(([name, count]) =>
    unless(`${of.metadata.name} status.${name}`, of.status[name], count ?? 0),
  );
}

/** An object that is being deleted, and the objects that it owns: a deletion in the foreground waits for them. */
function stillThere(owner: Seen, world: World): string {
  const { name, uid } = owner.metadata;
  const isOwned = ({ metadata }: Seen): boolean => metadata.ownerReferences?.some((each) => each.uid === uid) === true;
  const { pods, persistentvolumeclaims, controllerrevisions } = world;
  const left = [...pods, ...persistentvolumeclaims, ...controllerrevisions].filter(isOwned).map(leftAs);
  return `${name} is still being deleted: ${leftAs(owner)}; it owns ${left.join(", ") || "nothing"}`;
}

/**
 * Requires exactly the pods of its ordinals, of its template, and their claims. `most`: the most replicas it was ever scaled to. A claim
 * beyond the replicas may remain whatever the retention policy is, upstream too: it is deleted with its pod, which may never have been
 * created or may have been deleted by another client. A claim whose owner is gone must not remain (see `leftovers`).
 * Source: kubernetes v1.36 pkg/controller/statefulset/stateful_set_control.go processCondemned, fixPodClaim.
 */
export function statefulSetProblems(set: Seen, world: World, most: number): string[] {
  if (isLeaving(set)) return [stillThere(set, world)];
  const { name } = set.metadata;
  const { pods, persistentvolumeclaims } = world;
  const replicas = set.spec.replicas ?? 1;
  const ordinals = Array.from({ length: replicas }, (_, ordinal) => ordinal);
  const own = pods.filter(isControlledBy(set));
  const claims = persistentvolumeclaims
    .map(({ metadata }) => new RegExp(`^data-${name}-(\\d+)$`).exec(metadata.name)?.[1])
    .flatMap((ordinal) => (ordinal === undefined ? [] : [Number(ordinal)]));
  const few = ordinals.filter((ordinal) => !claims.includes(ordinal));
  const many = claims.filter((ordinal) => ordinal >= most);
  const rolledOut = replicas === 0 || set.status.currentRevision === set.status.updateRevision;
  return [
    ...unless(`${name} pods`, names(own), ordinals.map((ordinal) => `${name}-${ordinal}`).join(" ")),
    ...own.flatMap((pod) => unless(`${pod.metadata.name} image`, imageOf(pod), imageOf(set))),
    ...unless(`${name} claims too few`, few.join(), ""),
    ...unless(`${name} claims too many`, many.join(), ""),
    ...unless(`${name} rolled out`, rolledOut, true),
    ...counts(set, {
      replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
      updatedReplicas: replicas,
    }),
  ];
}

/** The taint of a cordoned node, which the extra node has; DaemonSet pods tolerate it. */
const cordoned = "node.kubernetes.io/unschedulable";

/**
 * Requires exactly one pod of its template on each fitting node. A pod that was orphaned and then adopted by a DaemonSet whose template has
 * the same generation counts as updated whatever its image is, upstream too.
 * Source: kubernetes v1.36 pkg/controller/daemon/util/daemonset_util.go IsPodUpdated.
 */
export function daemonSetProblems(set: Seen, world: World): string[] {
  if (isLeaving(set)) return [stillThere(set, world)];
  const { name } = set.metadata;
  const { pods, nodes } = world;
  const wanted = Object.entries(set.spec.template?.spec.nodeSelector ?? {});
  const fitting = nodes.filter(
    ({ metadata, spec }) =>
      (spec.taints ?? []).every(({ key }) => key === cordoned) &&
      wanted.every(([key, value]) => metadata.labels?.[key] === value),
  );
  const own = pods.filter(isControlledBy(set));
  const generation = set.metadata.annotations?.["deprecated.daemonset.template.generation"];
  const isOfGeneration = ({ metadata }: Seen): boolean => metadata.labels?.["pod-template-generation"] === generation;
  const places = own.map(({ spec }) => spec.nodeName ?? "none").toSorted();
  const elsewhere = unless(`${name} pods on`, places.join(" "), names(fitting));
  const taints = nodes.map(({ metadata, spec }) => `${metadata.name} ${JSON.stringify(spec.taints ?? [])}`).join(", ");
  return [
    ...elsewhere.map((problem) => `${problem}, with taints ${taints}`),
    ...own
      .filter((pod) => !isOfGeneration(pod))
      .flatMap((pod) => unless(`${pod.metadata.name} image`, imageOf(pod), imageOf(set))),
    ...counts(set, {
      desiredNumberScheduled: fitting.length,
      currentNumberScheduled: fitting.length,
      updatedNumberScheduled: fitting.length,
      numberAvailable: fitting.length,
      numberMisscheduled: 0,
    }),
  ];
}

/** Reasons why a Job can have more pods than it specifies. */
export interface JobPast {
  /** Pods deleted before they ended. */
  readonly deleted: number;
  /** Creates without a response, which are retried. */
  readonly unconfirmed: number;
  /** All pods ever created for it. */
  readonly created: number;
}

/** Requires that it is finished, with each of its pods counted once. */
export function jobProblems(job: Seen, { pods }: World, { deleted, unconfirmed, created }: JobPast): string[] {
  const { name, labels } = job.metadata;
  const { completions = 1, completionMode } = job.spec;
  if (!isFinished(job)) return [`Job ${name} is not finished: ${JSON.stringify(job.status)}`];
  const own = pods.filter(isControlledBy(job));
  const succeeded = own.filter(({ status }) => status.phase === "Succeeded");
  const failed = own.filter(({ status }) => status.phase === "Failed").length;
  const uncounted = Object.values(job.status.uncountedTerminatedPods ?? {}).flat();
  const reported = Number(job.status["failed"] ?? 0);
  const fails = labels?.["fails"] === "yes";
  // A Job that fails deletes its active pods and counts each as failed.
  const most = fails ? created - Number(job.status["succeeded"] ?? 0) : failed + deleted;
  const general = [
    ...unless(`Job ${name} active`, job.status.active, 0),
    ...unless(`Job ${name} uncounted`, uncounted.join(), ""),
    ...(reported >= failed && reported <= most
      ? []
      : [`Job ${name} failed: ${reported}, not from ${failed} to ${most}`]),
  ];
  if (fails) return [...general, ...unless(`Job ${name} fails`, hasCondition(job, "Failed"), true)];
  const extra = succeeded.length - completions;
  const excess = extra >= 0 && extra <= unconfirmed ? [] : [`Job ${name} has ${extra} succeeded pods too many`];
  if (completionMode !== "Indexed") {
    return [...general, ...excess, ...unless(`Job ${name} succeeded`, job.status["succeeded"], succeeded.length)];
  }
  const indexes = new Set(succeeded.map(({ metadata }) => Number(metadata.annotations?.[indexName])));
  return [
    ...general,
    ...excess,
    ...unless(`Job ${name} succeeded`, job.status["succeeded"], completions),
    ...unless(`Job ${name} indexes`, indexes.size, completions),
    ...unless(
      `Job ${name} completedIndexes`,
      job.status.completedIndexes,
      completions === 1 ? "0" : range(completions),
    ),
  ];
}

const range = (count: number): string => (count === 2 ? "0,1" : `0-${count - 1}`);

/** Requires that its status lists no finished Job as active, and that at most one finished Job is kept. */
export function cronJobProblems(cronJob: Seen, { jobs }: World): string[] {
  const { name } = cronJob.metadata;
  const finished = jobs.filter(isControlledBy(cronJob)).filter(isFinished);
  const { active = [] } = cronJob.status;
  const isActive = (job: Seen): boolean =>
    typeof active === "object" && active.some((each) => each.name === job.metadata.name);
  return [
    ...(finished.length <= 1 ? [] : [`CronJob ${name} keeps ${names(finished)}`]),
    ...unless(`CronJob ${name} active, but finished`, names(finished.filter(isActive)), ""),
  ];
}

/**
 * Requires a budget status that matches its pods and the StatefulSet of its name. An eviction is recorded by pod name: if the controller
 * misses the pod's deletion, the next pod of that name counts as disrupted for 2 minutes, upstream too.
 * Source: kubernetes v1.36 pkg/controller/disruption/disruption.go buildDisruptedPodMap, DeletionTimeout.
 */
export function budgetProblems(budget: Seen, world: Pick<World, "pods" | "statefulsets">, now: number): string[] {
  const granted = Object.values(budget.status.disruptedPods ?? {}).map((time) => Date.parse(time));
  return [
    ...counts(budget, requiredCounts(budget, world)),
    ...unless(
      `budget ${budget.metadata.name} evictions granted too long ago`,
      granted.filter((at) => at < now - 150_000).length,
      0,
    ),
  ];
}

/** Whether a budget's status counts its pods correctly, but for another scale. */
export function keepsOldScale(budget: Seen, world: Pick<World, "pods" | "statefulsets">): boolean {
  const { expectedPods, currentHealthy } = requiredCounts(budget, world);
  const { status } = budget;
  return status["expectedPods"] !== expectedPods && status["currentHealthy"] === currentHealthy;
}

function requiredCounts(budget: Seen, { pods, statefulsets }: Pick<World, "pods" | "statefulsets">): BudgetCounts {
  const { name } = budget.metadata;
  const own = pods.filter(({ metadata }) => metadata.labels?.["app"] === name);
  const { replicas = 0 } = statefulsets.find(({ metadata }) => metadata.name === name)?.spec ?? {};
  const { maxUnavailable, minAvailable } = budget.spec;
  const expectedPods = typeof minAvailable === "number" ? own.length : replicas;
  const of = (limit: number | string): number =>
    typeof limit === "number" ? limit : Math.ceil((parseInt(limit, 10) / 100) * expectedPods);
  const desiredHealthy =
    maxUnavailable === undefined ? of(minAvailable ?? 1) : Math.max(0, expectedPods - of(maxUnavailable));
  const { disruptedPods = {} } = budget.status;
  const isHealthy = (pod: Seen): boolean =>
    !isLeaving(pod) && hasCondition(pod, "Ready") && !(pod.metadata.name in disruptedPods);
  const currentHealthy = own.filter(isHealthy).length;
  const disruptionsAllowed = expectedPods === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  return { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed };
}

type BudgetCounts = Readonly<
  Record<"expectedPods" | "desiredHealthy" | "currentHealthy" | "disruptionsAllowed", number>
>;

function leftAs({ metadata: { name, deletionTimestamp, finalizers, ownerReferences } }: Seen): string {
  return JSON.stringify({ name, deletionTimestamp, finalizers, ownerReferences });
}

/**
 * A claim of an earlier StatefulSet that is now used by the next one of the same name: it is being deleted, and disappears with its pod.
 * Upstream does the same: kubernetes v1.36 pkg/controller/statefulset/stateful_set_utils.go isClaimOwnerUpToDate ignores a stale owner, and
 * claims in use are protected.
 */
function isLeavingWithItsPod({ pods }: World): (claim: Seen) => boolean {
  const used = new Set(pods.map(({ metadata }) => `data-${metadata.name}`));
  return (claim) => isLeaving(claim) && used.has(claim.metadata.name);
}

/** Objects left behind by a deleted owner, and pods that wait forever to be counted. */
export function leftovers(world: World): string[] {
  const { nodes: _, ...owned } = world;
  const all = Object.values(owned).flat() as readonly Seen[];
  const uids = new Set(all.map(({ metadata }) => metadata.uid));
  const dangling = all
    .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => !uids.has(uid)) === true)
    .filter((left) => !isLeavingWithItsPod(world)(left));
  const running = world.jobs.filter((job) => !isFinished(job));
  const tracked = world.pods.filter(
    (pod) => pod.metadata.finalizers?.includes(finalizer) === true && !running.some((job) => isControlledBy(job)(pod)),
  );
  return [
    ...unless("left by their owners", dangling.map(leftAs).join(", "), ""),
    ...unless("never counted", names(tracked), ""),
  ];
}
