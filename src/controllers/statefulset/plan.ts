/**
 * What to do about each pod: a pure comparison of the pods and their claims with the spec. In an ordered set, a plan ends at the first pod
 * that the others wait for.
 * Source: kubernetes v1.36 pkg/controller/statefulset/stateful_set_control.go processReplica, processCondemned, updateStatefulSet.
 */
import type { PersistentVolumeClaim, StatefulSet } from "../../api/types.ts";
import { isPodTerminal } from "../../controller/workload/pod-status.ts";
import { areOwnersCurrent, belongsToEarlierPod } from "./claim-owners.ts";
import { claimNames, storageMatches } from "./claims.ts";
import { identityMatches } from "./identity.ts";
import { claimUser, type ExistingMember, type Member, type Members } from "./members.ts";
import { isAvailable, isCreated, isRunningAndReady, isTerminating, isUnavailable } from "./pod-state.ts";
import { isOrdered, partition, retentionPolicy, rollsOut } from "./spec.ts";

/** What is awaited of a pod. */
export type Awaited = "is gone" | "is ready" | "is available";

/** What to do about a desired pod. */
export type ReplicaAction =
  /** Its containers have terminated: it is deleted, and recreated once it is gone. */
  | { readonly do: "delete ended pod" }
  /** It has terminated and is being deleted. */
  | { readonly do: "await end" }
  /** One of its claims is about to be deleted along with an earlier pod. */
  | { readonly do: "await claim"; readonly claim: string }
  | { readonly do: "create" }
  | { readonly do: "wait"; readonly until: Awaited; readonly isPending: boolean }
  /** It is as it should be, or is repaired: the label with its name, its volumes, the owners of its claims. */
  | { readonly do: "keep"; readonly repairs: readonly Repair[]; readonly isPending: boolean };

/** What of a pod differs from what the set requires. */
export type Repair = "identity" | "volumes" | "claim owners";

/** What to do about a condemned pod. */
export type CondemnedAction =
  | { readonly do: "delete" }
  /** `pod`: which one. */
  | { readonly do: "wait"; readonly until: Awaited; readonly pod: string }
  | { readonly do: "nothing" };

/** What to do to roll out the template. */
export type UpdateAction =
  | { readonly do: "delete"; readonly member: Member }
  | { readonly do: "wait"; readonly member: Member }
  | { readonly do: "nothing" };

/** A member, and what to do about it. */
export interface Planned<M extends Member, A> {
  readonly member: M;
  readonly action: A;
}

/** Everything that a sync does about pods if nothing fails. */
export interface PodsPlan {
  /** By ordinal. */
  readonly replicas: readonly Planned<Member, ReplicaAction>[];
  /** The highest ordinal first; none while waiting for a replica. */
  readonly condemned: readonly Planned<ExistingMember, CondemnedAction>[];
  readonly update: UpdateAction;
}

/** What a plan is based on. */
export interface PlanInput {
  readonly set: StatefulSet;
  readonly members: Members;
  /** The name of the revision of the set's template. */
  readonly updateRevision: string;
  /** A claim in the set's namespace, as cached. */
  readonly claim: (name: string) => PersistentVolumeClaim | undefined;
}

const nothing = { do: "nothing" } as const;

/** Plans a sync. */
export function planPods(input: PlanInput): PodsPlan {
  const { set, members } = input;
  const upTo = isOrdered(set) ? untilBlocked : <P>(planned: readonly P[]): readonly P[] => planned;
  const replicas = upTo(members.replicas.map((member) => ({ member, action: planReplica(input, member) })));
  if (isOrdered(set) && replicas.some(({ action }) => blocksOthers(action))) {
    return { replicas, condemned: [], update: nothing };
  }
  const condemned = upTo(members.condemned.map((member) => ({ member, action: planCondemned(input, member) })));
  if (isOrdered(set) && condemned.length > 0) return { replicas, condemned, update: nothing };
  return { replicas, condemned, update: planUpdate(input) };
}

function untilBlocked<P extends { readonly action: ReplicaAction | CondemnedAction }>(
  planned: readonly P[],
): readonly P[] {
  const end = planned.findIndex(({ action }) => blocksOthers(action));
  return end < 0 ? planned : planned.slice(0, end + 1);
}

/** Whether, in an ordered set, no pod after this one is touched in the same sync. */
export function blocksOthers(action: ReplicaAction | CondemnedAction): boolean {
  return action.do !== "keep";
}

/** What to do about a desired pod. */
function planReplica(input: PlanInput, member: Member): ReplicaAction {
  const { set, members } = input;
  const { pod } = member;
  if (pod === undefined || !isCreated(pod)) {
    const claim = staleClaim(input, member);
    return claim === undefined ? { do: "create" } : { do: "await claim", claim };
  }
  // An evicted pod may have any exit code, so Failed versus Succeeded means nothing.
  if (isPodTerminal(pod)) return { do: isTerminating(pod) ? "await end" : "delete ended pod" };
  const isPending = pod.status?.phase === "Pending";
  if (isOrdered(set)) {
    if (isTerminating(pod)) return { do: "wait", until: "is gone", isPending };
    if (!isRunningAndReady(pod)) return { do: "wait", until: "is ready", isPending };
    if (!isAvailable(pod, members.time)) return { do: "wait", until: "is available", isPending };
  }
  return { do: "keep", repairs: repairsOf(input, { ...member, pod }), isPending };
}

/** What of an existing pod differs from what the set requires. Missing claims are created elsewhere. */
function repairsOf(input: PlanInput, member: ExistingMember): Repair[] {
  const { set } = input;
  const { pod } = member;
  return [
    ...(identityMatches(set, pod) ? [] : (["identity"] as const)),
    ...(storageMatches(set, pod) ? [] : (["volumes"] as const)),
    ...(claimsFollowPolicy(input, member) ? [] : (["claim owners"] as const)),
  ];
}

/** Whether the claims of a pod have the owners that the retention policy requires; missing claims count as correct. */
export function claimsFollowPolicy({ set, claim }: Pick<PlanInput, "set" | "claim">, member: Member): boolean {
  const user = claimUser(member);
  return claimNames(set, member.ordinal).every(({ name }) => {
    const found = claim(name);
    return found === undefined || areOwnersCurrent({ claim: found, set, user });
  });
}

function staleClaim({ set, claim }: PlanInput, member: Member): string | undefined {
  if (retentionPolicy(set).whenScaled === "Retain") return undefined;
  const user = claimUser(member);
  return claimNames(set, member.ordinal).find(({ name }) => {
    const found = claim(name);
    return found !== undefined && belongsToEarlierPod(found, user);
  })?.name;
}

/** What to do about a condemned pod. */
function planCondemned({ set, members }: PlanInput, member: ExistingMember): CondemnedAction {
  const { pod, name } = member;
  const ordered = isOrdered(set);
  if (isTerminating(pod)) return ordered ? { do: "wait", until: "is gone", pod: name } : nothing;
  const { firstUnavailable, time } = members;
  // In an ordered set, the only unhealthy pod that may be deleted is the first one.
  if (ordered && member !== firstUnavailable) {
    const awaited = firstUnavailable?.name ?? name;
    if (!isRunningAndReady(pod)) return { do: "wait", until: "is ready", pod: awaited };
    if (!isAvailable(pod, time)) return { do: "wait", until: "is available", pod: awaited };
  }
  return { do: "delete" };
}

/** The pod to delete so that it is recreated from the new template: one at a time, the highest ordinal first. */
function planUpdate({ set, members, updateRevision }: PlanInput): UpdateAction {
  if (!rollsOut(set)) return nothing;
  const { replicas, time } = members;
  // By position, not ordinal: if the start is not 0, the partition counts from the start.
  for (const member of replicas.slice(partition(set)).reverse()) {
    const { pod } = member;
    const isGoing = pod !== undefined && isTerminating(pod);
    // Includes a pod just created from the current revision.
    if (member.revision !== updateRevision && !isGoing) return { do: "delete", member };
    if (pod === undefined || isUnavailable(pod, time)) return { do: "wait", member };
  }
  return nothing;
}
