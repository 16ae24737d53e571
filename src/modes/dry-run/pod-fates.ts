/** What happens to each pod of a node that falls silent or is drained, derived from the state that the controllers reached. Pure. */
import { objectKey, type ObjectKey } from "../../api/key.ts";
import { Nodes, Pods } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { Node, Pod } from "../../api/types.ts";
import { isPodReady, isPodTerminal } from "../../controller/workload/pod-status.ts";
import { evictingTaints, toleranceOf } from "../../controllers/taint-eviction/toleration.ts";
import type { KindName } from "../../trace/names.ts";
import { entryName, kindNameOf, type State } from "../../views/state.ts";
import { countsOf, podReason, waitsForOtherScheduler } from "./availability.ts";
import { isStaticPod } from "./node-drain.ts";
import type { NodeQuestions } from "./node-questions.ts";
import type { NodeRecord } from "./node-record.ts";

/**
 * - `moves`: another pod runs in its place, on the node `to`.
 * - `cannot move`: another pod was created but does not become ready.
 * - `waits`: it is being deleted, and nothing takes its place before it is gone, which its silent node does not report.
 * - `held`: a budget refuses its eviction, or a finalizer keeps it after that: `kubectl drain` does not end.
 * - `lost`: nothing recreates it.
 * - `unclear`: its creator, or the scheduler of its replacement, does not run here.
 * - `later`: it tolerates the taint of its node for longer than the run.
 * - `not replaced`: it is deleted, and its owner wants no replacement.
 * - `ended`: it had already terminated.
 * - `stays`: it is left on its node.
 */
export type Fate =
  "moves" | "cannot move" | "waits" | "held" | "lost" | "unclear" | "later" | "not replaced" | "ended" | "stays";

/** What happens to one pod. */
export interface PodFate {
  readonly pod: ObjectKey;
  readonly node: string;
  /** The top-level workload that it belongs to: a Deployment, or the pod itself. */
  readonly workload: { readonly of: KindName; readonly key: ObjectKey };
  readonly fate: Fate;
  /** The node of its replacement. */
  readonly to?: string;
  readonly why?: string;
  /** When it was marked for deletion, in ms since the node fell silent or was cordoned. */
  readonly deletedAfterMs?: number;
  /** Its replacement, if there is one. */
  readonly replacement?: Pod & StoredObject;
  /** Its emptyDir volumes, which are lost with it, including those in memory. */
  readonly emptyDirs: readonly string[];
}

/** What fates are derived from. */
export interface FateInput {
  readonly before: State;
  readonly state: State;
  readonly questions: NodeQuestions;
  readonly record: NodeRecord;
  /** What keeps a pod's containers from starting. */
  readonly lacks: (pod: Pod & StoredObject) => string | undefined;
  /** Whether a running controller creates pods for objects of the kind. */
  readonly isFollowed: (of: KindName) => boolean;
}

type FullPod = Pod & StoredObject;

/** The fates of all pods that were on these nodes, in the order of the state. */
export function fatesOf(nodes: readonly string[], input: FateInput): readonly PodFate[] {
  const pods = podsIn(input.before).filter(({ spec }) => nodes.includes(spec?.nodeName ?? ""));
  const fresh = new Map<string, FullPod[]>();
  const there = new Set(podsIn(input.before).map(({ metadata }) => metadata.uid));
  for (const pod of podsIn(input.state)) {
    const owner = controllerOf(pod)?.uid;
    if (owner === undefined || there.has(pod.metadata.uid)) continue;
    fresh.set(owner, [...(fresh.get(owner) ?? []), pod]);
  }
  // Running pods first: a pod that does not run is what its owner is short of.
  for (const each of fresh.values()) each.sort((a, b) => rank(a) - rank(b));
  return pods.map((pod) => fateOf({ ...input, fresh, pod, node: pod.spec?.nodeName ?? "" }));
}

function rank(pod: Pod): number {
  return isPodReady(pod) || pod.status?.phase === "Succeeded" ? 0 : 1;
}

/** One pod, and what its fate is derived from. */
interface Looking extends FateInput {
  readonly pod: FullPod;
  readonly node: string;
  /** Pods created since, by the uid of their owner; removed as they are accounted for. */
  readonly fresh: ReadonlyMap<string, FullPod[]>;
}

function fateOf(looking: Looking): PodFate {
  const { pod, node, before, record } = looking;
  const deletedAfterMs = record.deletedAfterMs(pod.metadata.uid);
  return {
    pod: objectKey(pod.metadata.namespace, pod.metadata.name),
    node,
    workload: workloadOf(pod, before),
    emptyDirs: (pod.spec?.volumes ?? []).flatMap(({ name, emptyDir }) => (emptyDir === undefined ? [] : [name])),
    ...(deletedAfterMs !== undefined && { deletedAfterMs }),
    ...outcomeFor(looking),
  };
}

type Outcome = Pick<PodFate, "fate" | "to" | "why" | "replacement">;

function outcomeFor(looking: Looking): Outcome {
  const { pod, node, state, questions } = looking;
  const now = state.get(entryName(kindName(Pods), objectKey(pod.metadata.namespace, pod.metadata.name)))?.object;
  const left = now?.metadata.uid === pod.metadata.uid ? now : undefined;
  if (left !== undefined && questions.drained.has(node) && isEvicted(pod) && isKept(left)) return kept(looking, left);
  if (isPodTerminal(pod)) return { fate: "ended" };
  return left !== undefined && left.metadata.deletionTimestamp === undefined
    ? staying(looking)
    : replaced(looking, left !== undefined);
}

/** Whether a drain evicts the pod and waits for it. */
function isEvicted(pod: FullPod): boolean {
  return !isStaticPod(pod) && controllerOf(pod)?.kind !== "DaemonSet";
}

/** Whether it is being deleted and has finalizers. */
function isKept({ metadata: { deletionTimestamp, finalizers = [] } }: StoredObject): boolean {
  return deletionTimestamp !== undefined && finalizers.length > 0;
}

/** `kubectl drain` waits until each pod that it evicted is gone. Source: kubectl v0.36 pkg/drain/drain.go waitForDelete. */
function kept(looking: Looking, { metadata: { finalizers = [] } }: StoredObject): Outcome {
  const names = finalizers.join(", ");
  const keeps = finalizers.length === 1 ? `finalizer ${names} keeps it` : `finalizers ${names} keep it`;
  const { to, replacement } = controllerOf(looking.pod) === undefined ? {} : replaced(looking, true);
  return {
    fate: "held",
    why: `${keeps} Terminating, and kubectl drain waits until it is gone`,
    ...(to !== undefined && { to }),
    ...(replacement !== undefined && { replacement }),
  };
}

/** The fate of a pod that nobody has deleted. */
function staying({ pod, node, state, questions }: Looking): Outcome {
  if (isStaticPod(pod)) return { fate: "stays", why: "a static pod" };
  const owner = controllerOf(pod);
  if (questions.drained.has(node)) {
    const refusal = questions.refusals.get(objectKey(pod.metadata.namespace, pod.metadata.name));
    if (refusal !== undefined) return { fate: "held", why: refusal };
    return { fate: "stays", why: owner?.kind === "DaemonSet" ? "kubectl drain leaves DaemonSets alone" : "" };
  }
  const object: Node | undefined = state.get(entryName(kindName(Nodes), node))?.object;
  const taints = object === undefined ? [] : evictingTaints(object);
  if (taints.length === 0) return { fate: "stays", why: "its node gets no taint that evicts" };
  const tolerance = toleranceOf(taints, pod.spec?.tolerations ?? []);
  if (tolerance.is === "limited") return { fate: "later", why: `it tolerates the taint for ${tolerance.seconds} s` };
  return { fate: "stays", why: "it tolerates the taint of its node" };
}

const untilGone = "Terminating until the node is back or somebody removes it";

/** @param isLeft whether it still exists, being deleted. */
function replaced(looking: Looking, isLeft: boolean): Outcome {
  const { pod, node, questions, fresh, state } = looking;
  const owner = controllerOf(pod);
  if (owner === undefined) return { fate: "lost", why: `nothing recreates it${isLeft ? `; ${untilGone}` : ""}` };
  const made = fresh.get(owner.uid) ?? [];
  const same = made.findIndex(({ metadata }) => metadata.name === pod.metadata.name);
  const [replacement] = made.splice(Math.max(0, same), made.length > 0 ? 1 : 0);
  if (replacement !== undefined) return running(replacement, looking);
  const maker = kindNameOf(owner.apiVersion, owner.kind);
  const found = state.get(entryName(maker, objectKey(pod.metadata.namespace, owner.name)));
  if (found?.object.metadata.uid !== owner.uid || !makers.has(owner.kind) || !looking.isFollowed(maker))
    return { fate: "unclear", why: `${owner.kind} ${owner.name} is not followed here` };
  // A ReplicaSet ignores pods being deleted; others wait until they are gone.
  const waits = isLeft && questions.silent.has(node) && !atOnce.has(owner.kind);
  if (waits) return { fate: "waits", why: untilGone };
  return { fate: "not replaced", why: `${owner.kind} ${owner.name} wants no other pod` };
}

function running(pod: FullPod, { lacks, state }: Looking): Outcome {
  const { nodeName } = pod.spec ?? {};
  const at = { replacement: pod, ...(nodeName !== undefined && nodeName !== "" && { to: nodeName }) };
  if (rank(pod) === 0) return { fate: "moves", ...at };
  if (waitsForOtherScheduler(pod, lacks))
    return { fate: "unclear", ...at, why: `its scheduler, ${pod.spec?.schedulerName ?? ""}, does not run here` };
  // The report line shows which pod it is; its name is generated.
  const why = podReason(pod, lacks)?.replace(/^Pod \S+(?: is|:) /, "");
  const reasons = [
    ...(why === undefined ? [] : [why]),
    ...(at.to === undefined && mayPreempt(pod, state) ? [preemption] : []),
  ];
  return { fate: "cannot move", ...at, ...(reasons.length > 0 && { why: reasons.join(" ") }) };
}

const preemption = "kube-scheduler may preempt pods of lower priority for it, which is not simulated here.";

/** Whether running pods have a lower priority. */
function mayPreempt({ spec }: FullPod, state: State): boolean {
  const { priority = 0, preemptionPolicy } = spec ?? {};
  if (preemptionPolicy === "Never") return false;
  return podsIn(state).some(
    (other) => other.spec?.nodeName !== undefined && !isPodTerminal(other) && (other.spec.priority ?? 0) < priority,
  );
}

/** Owners whose pods a controller here creates. */
const makers: ReadonlySet<string> = new Set(["ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job"]);

/** Owners that replace a pod as soon as it is being deleted. */
const atOnce: ReadonlySet<string> = new Set(["ReplicaSet", "ReplicationController"]);

const mostFloors = 6;

/** The topmost of its owners that has an availability; an unknown owner is named as in the reference. */
function workloadOf(pod: FullPod, before: State): PodFate["workload"] {
  let top: PodFate["workload"] = { of: kindName(Pods), key: objectKey(pod.metadata.namespace, pod.metadata.name) };
  let object: StoredObject = pod;
  for (let floor = 0; floor < mostFloors; floor++) {
    const owner = controllerOf(object);
    if (owner === undefined || owner.kind === Nodes.kind) return top;
    const of = kindNameOf(owner.apiVersion, owner.kind);
    const key = objectKey(pod.metadata.namespace, owner.name);
    const found = before.get(entryName(of, key));
    if (found === undefined) return floor === 0 ? { of, key } : top;
    if (floor === 0 || countsOf(found.of, found.object) !== undefined) top = { of: found.of, key: found.key };
    object = found.object;
  }
  return top;
}

function podsIn(state: State): readonly FullPod[] {
  return [...state.values()].flatMap(({ of, object }) =>
    // The kind implies that it is a pod.
    of.group === "" && of.kind === Pods.kind ? [object as FullPod] : [],
  );
}

function kindName({ group, kind }: KindName): KindName {
  return { group, kind };
}
