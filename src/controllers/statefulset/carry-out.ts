/**
 * Carries out a plan: one pod at a time in an ordered set, otherwise in growing batches. Stops at the first error.
 * Source: kubernetes v1.36 pkg/controller/statefulset/stateful_set_control.go runForAll, slowStartBatch.
 */
import type { Decision } from "../../controller/api/rule.ts";
import { combinedError } from "../../controller/workload/combined-error.ts";
import { slowStart } from "../../controller/workload/slow-start.ts";
import { updateClaimOwners } from "./claim-control.ts";
import { awaitClaim } from "./claim-rules.ts";
import { claimUser, type ExistingMember, type Member } from "./members.ts";
import {
  blocksOthers,
  claimsFollowPolicy,
  type CondemnedAction,
  type Planned,
  type PlanInput,
  planPods,
  type PodsPlan,
  type ReplicaAction,
} from "./plan.ts";
import { completeClaims, createStatefulPod, deleteStatefulPod, updateStatefulPod } from "./pod-control.ts";
import {
  createPods,
  deleteEnded,
  repairPod,
  scaleDown,
  steady,
  updatePod,
  type WaitedFor,
  waitForPod,
  waitToScaleDown,
  waitToUpdate,
} from "./rules.ts";
import { cachedClaim, type SetSync } from "./set-sync.ts";
import { desiredReplicas, isOrdered, partition, rollsOut, startOrdinal } from "./spec.ts";

/** The most pods processed at once. */
const mostAtOnce = 500;
const namedInFacts = 8;

/** What carrying out a plan did. */
export interface CarriedOut {
  /** A pod was deleted to be updated: it no longer counts towards the current revision. */
  readonly updates: boolean;
}

/** A sync, with its pods arranged by ordinal. */
export interface PodsSync extends SetSync {
  readonly input: PlanInput;
}

/** Plans what to do about the pods, and does it. @throws the first error; the errors of one batch as one. */
export async function managePods(pods: PodsSync): Promise<CarriedOut> {
  const { set, input } = pods;
  const plan = planPods(input);
  const ordered = isOrdered(set);
  const sync = { ...pods, create: decideOnCreations(pods, plan) };
  await forEach({ items: plan.replicas, ordered }, (planned) => carryOutReplica(sync, planned));
  if (ordered && plan.replicas.some(({ action }) => blocksOthers(action))) return { updates: false };
  await forEach({ items: input.members.condemned, ordered }, (member) => fixClaims(sync, member));
  await forEach({ items: plan.condemned, ordered }, (planned) => carryOutCondemned(sync, planned));
  return carryOutUpdate(sync, plan);
}

async function forEach<T>(
  { items, ordered }: { readonly items: readonly T[]; readonly ordered: boolean },
  act: (item: T) => Promise<void>,
): Promise<void> {
  if (ordered) {
    for (const item of items) await act(item);
    return;
  }
  const one = async (n: number): Promise<void> => {
    for (const item of items.slice(n, n + 1)) await act(item);
  };
  const { failed, errors } = await slowStart(items.length, 1, one, mostAtOnce);
  if (failed) throw combinedError(errors);
}

/** One decision for all pods to be created; undefined if there are none. */
function decideOnCreations({ context, set }: SetSync, plan: PodsPlan): Decision | undefined {
  const members = plan.replicas.filter(({ action }) => action.do === "create").map(({ member }) => member);
  if (members.length === 0) return undefined;
  return context.decide(createPods, {
    pods: members.slice(0, namedInFacts).map(({ name }) => name),
    count: members.length,
    desired: desiredReplicas(set),
    ordered: isOrdered(set),
    before: plan.replicas.findIndex(({ action }) => action.do === "create"),
    revisions: [...new Set(members.map(({ revision }) => revision))],
  });
}

/** With the decision to create missing pods. */
interface CreatingSync extends PodsSync {
  readonly create: Decision | undefined;
}

async function carryOutReplica(sync: CreatingSync, { member, action }: Planned<Member, ReplicaAction>): Promise<void> {
  const { context, create } = sync;
  const { pod, name } = member;
  switch (action.do) {
    case "delete ended pod": {
      const because = context.decide(deleteEnded, { pod: name, phase: pod?.status?.phase ?? "" });
      return deleteStatefulPod(sync, { member, because });
    }
    case "await end":
      decideToWait(sync, { member, until: "is made anew" });
      return;
    case "await claim":
      context.decide(awaitClaim, { claim: action.claim, pod: name });
      return;
    case "create":
      return create === undefined ? undefined : createStatefulPod(sync, { member, because: create });
    case "wait":
      if (action.isPending) await completeClaims(sync, member);
      decideToWait(sync, { member, until: action.until });
      return;
    case "keep": {
      if (action.isPending) await completeClaims(sync, member);
      const { pod: existing } = member;
      if (existing === undefined || action.repairs.length === 0) return;
      const because = context.decide(repairPod, { pod: name, repairs: action.repairs });
      return updateStatefulPod(sync, { member: { ...member, pod: existing }, because });
    }
  }
}

function decideToWait(
  { context, set, input }: PodsSync,
  { member, until }: { readonly member: Member; readonly until: WaitedFor },
): void {
  // With Parallel, no other pod waits for it.
  if (!isOrdered(set)) return;
  const { replicas, condemned } = input.members;
  const after = replicas.length - 1 - replicas.indexOf(member);
  context.decide(waitForPod, { pod: member.name, until, after, condemned: condemned.length });
}

/** The claims of a condemned pod may be deleted with it. */
async function fixClaims(sync: PodsSync, member: ExistingMember): Promise<void> {
  const { set } = sync;
  if (claimsFollowPolicy({ set, claim: (name) => cachedClaim(sync, name) }, member)) return;
  await updateClaimOwners(sync, claimUser(member));
}

async function carryOutCondemned(
  sync: PodsSync,
  { member, action }: Planned<ExistingMember, CondemnedAction>,
): Promise<void> {
  const { context, set, input } = sync;
  switch (action.do) {
    case "nothing":
      return;
    case "wait":
      context.decide(waitToScaleDown, { condemned: member.name, pod: action.pod, until: action.until });
      return;
    case "delete": {
      const { condemned } = input.members;
      const facts = { desired: desiredReplicas(set), start: startOrdinal(set), condemned: condemned.length };
      const because = context.decide(scaleDown, { pod: member.name, ...facts });
      return deleteStatefulPod(sync, { member, because });
    }
  }
}

async function carryOutUpdate(sync: PodsSync, { replicas, condemned, update }: PodsPlan): Promise<CarriedOut> {
  const { context, set, input } = sync;
  const outdated = input.members.replicas.filter(({ revision }) => revision !== input.updateRevision);
  switch (update.do) {
    case "delete": {
      const { name, revision } = update.member;
      const facts = { pod: name, from: revision, to: input.updateRevision, partition: partition(set) };
      await deleteStatefulPod(sync, { member: update.member, because: context.decide(updatePod, facts) });
      return { updates: true };
    }
    case "wait":
      if (isOrdered(set) || outdated.length > 0)
        context.decide(waitToUpdate, { pod: update.member.name, outdated: outdated.length });
      return { updates: false };
    case "nothing": {
      const acts = replicas.some(({ action }) => action.do !== "keep" || action.repairs.length > 0);
      if (acts || condemned.length > 0) return { updates: false };
      const because = outdated.length === 0 ? undefined : rollsOut(set) ? "partition" : "on delete";
      context.decide(steady, { pods: replicas.length, outdated: outdated.length, because });
      return { updates: false };
    }
  }
}
