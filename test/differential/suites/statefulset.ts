/** StatefulSets with their pods, claims and revisions. Pods do not run: scripts bind them, make them ready, and terminate them. */
import { ControllerRevisions, PersistentVolumeClaims, Pods, StatefulSets } from "../../../src/api/kinds.ts";
import { statefulset } from "../../../src/controllers/statefulset/statefulset.ts";
import type { Effect } from "../../support/audit-log.ts";
import { type Allowed, namespaceInBody, noBodyOfDelete, ownFieldManager } from "../differences.ts";
import { type AnyObject, type Json, type Meta, podClass, type PodObject } from "../objects.ts";
import { randomScript } from "../scripts/statefulset/grammar.ts";
import { scripts } from "../scripts/statefulset/index.ts";
import { hasPendingEvents } from "../quiet.ts";
import type { SideLog } from "../side-log.ts";
import type { Stage } from "../stage.ts";
import type { Suite } from "../suite.ts";
import type { Names, Entry } from "../step-record.ts";

interface CountedSet {
  readonly metadata: Meta;
  readonly spec: { readonly replicas: number };
  readonly status?: Readonly<Record<string, number | string | undefined>>;
}

const revisionLabel = "controller-revision-hash";

const isReady = ({ status }: PodObject): boolean =>
  status?.phase === "Running" &&
  status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;

/** Whether every StatefulSet has observed its spec, and its status matches its pods. */
async function setsAreSettled(stage: Stage): Promise<boolean> {
  const [sets, pods] = await Promise.all([stage.list("statefulsets"), stage.pods()]);
  return (sets as unknown as readonly CountedSet[]).every(({ metadata, status }) => {
    const own = pods.filter((pod) => pod.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid));
    const remaining = own.filter((pod) => pod.metadata.deletionTimestamp === undefined);
    const of = (name: unknown): number =>
      remaining.filter((pod) => pod.metadata.labels?.[revisionLabel] === name).length;
    return (
      status?.["observedGeneration"] === metadata.generation &&
      (status?.["replicas"] ?? 0) === own.length &&
      (status?.["readyReplicas"] ?? 0) === own.filter(isReady).length &&
      (status?.["updatedReplicas"] ?? 0) === of(status?.["updateRevision"])
    );
  });
}

/** Whether there are fewer Events than writes of pods and creations of claims. */
function hasPendingSetEvents({ effects }: SideLog): boolean {
  return hasPendingEvents(
    effects,
    ({ resource, verb }) =>
      (resource === "pods" && verb !== "patch") || (resource === "persistentvolumeclaims" && verb === "create"),
  );
}

/** Whether a pod could not be created because of one with its name that is gone by now: the set retries after a back-off. */
async function hasPendingRetry({ effects }: SideLog, stage: Stage): Promise<boolean> {
  const latest = new Map<string, number>();
  for (const { verb, resource, name, code } of effects) {
    if (verb === "create" && resource === "pods") latest.set(name, code);
  }
  const refused = [...latest].flatMap(([name, code]) => (code === 409 ? [name] : []));
  if (refused.length === 0 || (await stage.list("statefulsets")).length === 0) return false;
  const taken = new Set((await stage.pods()).map(({ metadata }) => metadata.name));
  return refused.some((name) => !taken.has(name));
}

/** A pod by its name, which is not generated, plus the parts that the StatefulSet sets. */
function podState(object: AnyObject): Json {
  const pod = object as unknown as PodObject & { readonly spec: Json };
  const { hostname, subdomain, volumes } = pod.spec;
  return { ...podClass(pod), name: pod.metadata.name, hostname, subdomain, volumes };
}

/**
 * Creations and deletions of pods and claims, and updates of pods, in order. The order in which orphans are adopted is random, and so is
 * the sync in which a claim gets its owner.
 */
function order(effects: readonly Effect[], _names: Names): Entry[] {
  const steps = effects
    .filter(({ resource, code, verb }) => {
      if (code >= 300 || verb === "patch") return false;
      return resource === "pods" || (resource === "persistentvolumeclaims" && verb !== "update");
    })
    .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`)
    // A pod can be deleted twice, see below.
    .filter((step, n, all) => step !== all[n - 1]);
  return [{ what: "order", content: { steps } }];
}

const staleHistory: Allowed = {
  id: "a revision is created or deleted twice",
  category: "noise",
  upstream: "pkg/controller/statefulset/stateful_set_control.go:truncateHistory",
  why: "a sync does not wait for earlier writes of revisions: it may begin before the cache contains them",
  matches: ({ what }) =>
    /^(?:(?:create|update) controllerrevisions\.apps 409|delete controllerrevisions\.apps 404)$/.test(what),
};

const adoptedOnRetry: Allowed = {
  id: "a revision is adopted by the retry of a failed sync",
  category: "noise",
  upstream: "pkg/controller/statefulset/stateful_set.go:adoptOrphanRevisions",
  why: "revisions enqueue nothing: the back-off decides in which step the retry happens",
  matches: ({ what, path, refused }) =>
    refused &&
    (what === "patch controllerrevisions.apps 200" ||
      (what === "final ControllerRevision" && path === ".metadata.ownerReferences")),
};

const deletedTwice: Allowed = {
  id: "a pod is deleted twice",
  category: "noise",
  upstream: "pkg/controller/statefulset/stateful_pod_control.go:DeletePod",
  why: "kube-controller-manager does not wait for earlier deletions: the next sync may begin before the cache contains them",
  matches: ({ what, path, theirs, ours }) => {
    // Its Event is counted one higher, and continues from there when the next pod of that name is deleted.
    if (what === "patch Event 200" && path === ".patch.count") return Math.abs(Number(theirs) - Number(ours)) <= 2;
    const isDeletion =
      /^delete pods (?:200|404)$/.test(what) ||
      (what === "patch Event 200" && JSON.stringify(theirs ?? ours).includes('"reason":"SuccessfulDelete"'));
    return path === "" && (theirs === undefined || ours === undefined) && isDeletion;
  },
};

const staleClaim: Allowed = {
  id: "a claim gets its owner twice",
  category: "noise",
  upstream: "pkg/controller/statefulset/stateful_set_control.go:processReplica",
  why: "with Parallel, the claims of a pod that was just created are processed again in the same sync, when the cache may or may not contain them and their last write: the second write is rejected, and recorded",
  matches: ({ what, theirs, ours }) =>
    what === "update persistentvolumeclaims 409" ||
    (what === "Event Warning" &&
      /could not update claim .* the object has been modified/.test(JSON.stringify(theirs ?? ours))),
};

export const statefulSets: Suite = {
  name: "statefulset",
  oracle: "statefulset-controller",
  ours: [statefulset],
  // Scripts remove claims of pods, which are protected in a cluster.
  runsWithout: ["garbage-collector", "persistentvolumeclaim-protection", "pod-garbage-collector"],
  kinds: [
    { kind: StatefulSets },
    { kind: Pods, compared: podState },
    { kind: PersistentVolumeClaims },
    { kind: ControllerRevisions },
  ],
  hasPendingWrites: async (log, stage) => hasPendingSetEvents(log) || (await hasPendingRetry(log, stage)),
  isSettled: setsAreSettled,
  order,
  scripts,
  random: randomScript,
  seeds: { short: 6, long: 100 },
  differences: [
    namespaceInBody,
    noBodyOfDelete,
    ownFieldManager,
    staleHistory,
    adoptedOnRetry,
    deletedTwice,
    staleClaim,
  ],
};
