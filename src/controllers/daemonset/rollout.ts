/** Replaces pods of an earlier template. Source: kubernetes v1.36 pkg/controller/daemon/update.go rollingUpdate. */
import { Nodes } from "../../api/kinds.ts";
import type { Node } from "../../api/types.ts";
import { podsByNode } from "./daemon-pods.ts";
import type { DaemonSync } from "./daemon-sync.ts";
import { namesOf } from "./manage.ts";
import { isUpToDate } from "./new-pod.ts";
import { planRollout, type RolloutPlan } from "./plan-rollout.ts";
import { deleteSuperseded, onDelete, replaceOutdated, surge, waitToReplace, waitToSurge } from "./rollout-rules.ts";
import { rollsOut } from "./spec.ts";
import { burstReplicas, writePods } from "./write-pods.ts";

/** Advances the rollout by one step. @throws the errors of the writes, as one; Error for invalid bounds. */
export async function rollOut(sync: DaemonSync, hash: string): Promise<void> {
  const { context, set, nodes, fitOf } = sync;
  const pods = await podsByNode(sync);
  if (!rollsOut(set)) {
    const outdated = [...pods.values()].flat().filter((pod) => !isUpToDate(pod, { set, hash })).length;
    if (outdated > 0) context.decide(onDelete, { outdated });
    return;
  }
  const node = (name: string): Node | undefined => context.cache(Nodes).get(name);
  const plan = planRollout({ set, nodes, pods, fitOf, hash, now: context.now(), node });
  if (plan.bounds.maxSurge === 0) await replace(sync, { plan, hash });
  else await addSecondPods(sync, { plan, hash });
}

interface Planned {
  readonly plan: RolloutPlan;
  readonly hash: string;
}

async function replace(sync: DaemonSync, { plan, hash }: Planned): Promise<void> {
  const { outdated, counted: unavailable, bounds } = plan;
  const facts = { outdated, unavailable, maxUnavailable: bounds.maxUnavailable };
  const pods = plan.remove.slice(0, burstReplicas);
  if (pods.length === 0) {
    if (outdated > 0) sync.context.decide(waitToReplace, facts);
    await writePods(sync, { create: undefined, remove: [], hash });
    return;
  }
  const names = namesOf(pods.map(({ metadata }) => metadata.name));
  const because = sync.context.decide(replaceOutdated, { ...facts, ...names });
  await writePods(sync, { create: undefined, remove: pods.map((pod) => ({ pod, because })), hash });
}

async function addSecondPods(sync: DaemonSync, { plan, hash }: Planned): Promise<void> {
  const { context } = sync;
  const { outdated, counted: surging, bounds } = plan;
  const facts = { outdated, surging, maxSurge: bounds.maxSurge };
  const nodes = plan.create.slice(0, burstReplicas);
  const create =
    nodes.length === 0 ? undefined : { nodes, because: context.decide(surge, { ...facts, ...namesOf(nodes) }) };
  const pods = plan.remove.slice(0, burstReplicas);
  if (nodes.length === 0 && pods.length === 0 && outdated > 0) context.decide(waitToSurge, facts);
  const superseded = pods.map(({ metadata }) => metadata.name);
  const because = pods.length === 0 ? undefined : context.decide(deleteSuperseded, namesOf(superseded));
  const remove = because === undefined ? [] : pods.map((pod) => ({ pod, because }));
  await writePods(sync, { create, remove, hash });
}
