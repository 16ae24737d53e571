/** What a Deployment waits for, through its ReplicaSets and their pods. */
import { Pods, ReplicaSets } from "../api/kinds.ts";
import { selectorOf } from "../api/labels.ts";
import { readTime } from "../api/time.ts";
import type { Deployment, Pod, ReplicaSet } from "../api/types.ts";
import { type Examined, type Finding, inNamespace, type Item, kubectl, refOf, since } from "./diagnosis.ts";
import { unseenDeletions, unseenGeneration } from "./generations.ts";
import { aside, isControlledBy, type Listed, type Look } from "./look.ts";
import { podFindings, isServing } from "./pods.ts";
import { replicaFailure } from "./refusals.ts";
import { availability, minReady } from "./replicas.ts";
import { formatAge } from "../api/duration.ts";
import { pluralize } from "../api/pluralize.ts";
import { ofAll } from "./spans.ts";

const revisionAnnotation = "deployment.kubernetes.io/revision";
const desiredReplicasAnnotation = "deployment.kubernetes.io/desired-replicas";

/** By its status, the conditions of its ReplicaSets, and its pods. */
export function examineDeployment(look: Look, item: Item<Deployment>): Examined {
  const deployment = item.object;
  const { spec } = deployment;
  const sets = replicaSetsOf(look, deployment);
  const [newest, ...older] = sets.objects;
  const pods = podsOf(look, deployment, sets.objects);
  const done = isRolledOut(deployment);
  const unseenSpec = unseenGeneration(look, item);
  const isPaused = spec?.paused === true && (!done || (sets.unseen.length === 0 && newest === undefined));
  const late = deadlineExceeded(item);
  const stuck = done || isPaused || unseenSpec.length > 0 ? [] : stuckBySize(item, sets.objects);
  const refused = sets.objects.flatMap((object) => replicaFailure({ kind: ReplicaSets, object }));
  const reached = done && unseenSpec.length === 0 && !isPaused;
  const ofSet = (set: ReplicaSet): readonly Pod[] => pods.objects.filter((pod) => isControlledBy(pod, set));
  const ordered = sets.objects.flatMap(ofSet);
  const gone = reached ? goneOf(look, { item, sets, pods }) : [];
  const findings = [
    ...unseenSpec,
    ...(isPaused ? [paused(item)] : []),
    ...gone,
    ...stuck,
    ...(refused.length > 0 ? refused : replicaFailure(item)),
    ...podFindings(look, reached ? ordered.filter(isServing) : ordered),
    ...(reached ? [] : late),
  ];
  const isLate = !reached && (stuck.length > 0 || late.some(({ why }) => why.startsWith("ProgressDeadlineExceeded")));
  const says = summaryOf(deployment, newest, older);
  return {
    says: isLate ? `its rollout does not progress, ${says}` : says,
    reached,
    findings,
    seen: ["its status", pluralize(sets.objects.length, "ReplicaSet"), pluralize(pods.objects.length, "Pod")],
    unseen: aside([...sets.unseen, ...pods.unseen]),
    isFailed: isLate,
    next: reached ? [] : [...minReady(look, item, ordered), ...progressDeadline(deployment, look.now)],
  };
}

function isRolledOut({ spec, status }: Deployment): boolean {
  const desired = spec?.replicas ?? 1;
  return (
    (status?.updatedReplicas ?? 0) === desired &&
    (status?.replicas ?? 0) === desired &&
    (status?.availableReplicas ?? 0) === desired
  );
}

interface Below {
  readonly item: Item<Deployment>;
  readonly sets: Listed<ReplicaSet>;
  readonly pods: Listed<Pod>;
}

/** Pods that a status counts although they are gone: that of a ReplicaSet, or, if these are right, that of the Deployment. */
function goneOf(look: Look, { item, sets, pods }: Below): readonly Finding[] {
  if (sets.unseen.length > 0) return [];
  const ofSets = sets.objects.flatMap((object) => {
    const own = { objects: pods.objects.filter((pod) => isControlledBy(pod, object)), unseen: pods.unseen };
    const counted = object.status?.replicas ?? 0;
    return unseenDeletions(look, { item: { kind: ReplicaSets, object }, counted, pods: own });
  });
  const counted = item.object.status?.replicas ?? 0;
  return ofSets.length > 0 ? ofSets : unseenDeletions(look, { item, counted, pods });
}

/** Newest first. */
export function replicaSetsOf(
  look: Look,
  deployment: Deployment,
): { readonly objects: readonly ReplicaSet[]; readonly unseen: Examined["unseen"] } {
  const { namespace = "" } = deployment.metadata;
  const { objects, unseen } = look.list(ReplicaSets, namespace, selectorOf(deployment.spec?.selector));
  const own = objects.filter((set) => isControlledBy(set, deployment));
  return { objects: own.sort((a, b) => revisionOf(b) - revisionOf(a)), unseen };
}

function podsOf(
  look: Look,
  { metadata, spec }: Deployment,
  sets: readonly ReplicaSet[],
): { readonly objects: readonly Pod[]; readonly unseen: Examined["unseen"] } {
  const { objects, unseen } = look.list(Pods, metadata.namespace ?? "", selectorOf(spec?.selector));
  return { objects: objects.filter((pod) => sets.some((set) => isControlledBy(pod, set))), unseen };
}

/** The revision annotation of a ReplicaSet; 0 without a valid one. */
export function revisionOf({ metadata }: ReplicaSet): number {
  return Number(metadata.annotations?.[revisionAnnotation] ?? 0) || 0;
}

/** `0 of 2 pods of the new ReplicaSet web-2 are available, 2 of 2 old ones still serve`. */
function summaryOf({ spec, status }: Deployment, newest: ReplicaSet | undefined, older: readonly ReplicaSet[]): string {
  const desired = spec?.replicas ?? 1;
  const oldPods = older.reduce((sum, set) => sum + (set.status?.replicas ?? 0), 0);
  if (newest === undefined) {
    const without = availability(status?.availableReplicas ?? 0, desired, "");
    const updated = status?.updatedReplicas ?? 0;
    return updated === desired || desired === 0
      ? without
      : `${without}, ${ofAll(updated, desired, "pod", "up to date")}`;
  }
  const available = newest.status?.availableReplicas ?? 0;
  if (oldPods === 0) return availability(available, desired, ` of ReplicaSet ${newest.metadata.name}`);
  const serving = older.reduce((sum, set) => sum + (set.status?.availableReplicas ?? 0), 0);
  const still = `${serving} of ${oldPods} old ${oldPods === 1 ? "one still serves" : "ones still serve"}`;
  const old = serving === 0 ? "no old one serves" : still;
  return `${availability(available, desired, ` of the new ReplicaSet ${newest.metadata.name}`)}, ${old}`;
}

function paused(item: Item): Finding {
  const { name, namespace } = item.object.metadata;
  const advice = [kubectl(`rollout resume deployment/${name}${inNamespace(namespace)}`)];
  return { at: refOf(item), why: "it is paused: nothing is rolled out until it is resumed", advice };
}

/**
 * The controller takes every sync for a change of size, which ends before a rollout: the only active ReplicaSet is an old one of the right
 * size, but its annotation records another size. Nothing corrects it (kubernetes/kubernetes#138036).
 * Source: kubernetes v1.36 pkg/controller/deployment/sync.go isScalingEvent, scale.
 */
function stuckBySize(item: Item<Deployment>, sets: readonly ReplicaSet[]): readonly Finding[] {
  const { spec, status, metadata } = item.object;
  const desired = spec?.replicas ?? 1;
  const [only, ...more] = sets.filter((set) => (set.spec?.replicas ?? 1) > 0);
  if (only === undefined || more.length > 0 || (only.spec?.replicas ?? 1) !== desired) return [];
  const recorded = only.metadata.annotations?.[desiredReplicasAnnotation];
  const isUpToDate = (status?.updatedReplicas ?? 0) >= desired;
  if (isUpToDate || recorded === undefined || !/^\d+$/.test(recorded) || Number(recorded) === desired) return [];
  const { name } = only.metadata;
  const fix = `annotate rs/${name} ${desiredReplicasAnnotation}=${desired} --overwrite${inNamespace(metadata.namespace)}`;
  return [
    {
      at: refOf({ kind: ReplicaSets, object: only }),
      why: `its annotation desired-replicas says ${recorded}, the Deployment ${desired}: no rollout continues until they agree`,
      advice: [kubectl(fix)],
    },
  ];
}

/** Its condition Progressing is False: the deadline is exceeded, or a creation was refused. */
function deadlineExceeded(item: Item<Deployment>): readonly Finding[] {
  const { status } = item.object;
  const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
  if (progressing?.status !== "False") return [];
  const why = `${progressing.reason ?? "not progressing"}: ${progressing.message ?? ""}`;
  return [{ at: refOf(item), why, ...since(readTime(progressing.lastTransitionTime)) }];
}

function progressDeadline({ spec, status }: Deployment, now: number): string[] {
  const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
  const seconds = spec?.progressDeadlineSeconds;
  if (spec?.paused === true || progressing?.status !== "True" || progressing.lastUpdateTime === undefined) return [];
  // The maximum means no deadline.
  if (seconds === undefined || seconds >= 2147483647 || progressing.reason === "NewReplicaSetAvailable") return [];
  const leftMs = (readTime(progressing.lastUpdateTime) ?? 0) + seconds * 1000 - now;
  return leftMs > 0 ? [`progress deadline in ${formatAge(leftMs)}, then Progressing=False`] : [];
}
