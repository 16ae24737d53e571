/** Determines when a step is over: all objects are in their desired state, and nothing was written for a while. */
import { matches, type Selector, selectorOf, selectorOfLabels } from "../../src/api/labels.ts";
import type { Effect } from "../support/audit-log.ts";
import type { PodObject, ReplicatedObject } from "./objects.ts";
import type { SideLog } from "./side-log.ts";
import type { Stage } from "./stage.ts";
import type { Suite } from "./suite.ts";

/** How long nothing must have been written. */
const quietMs = 350;
/** The same if an object is not in its desired state: it may stay that way, or a controller may not be done yet. */
const unsettledQuietMs = 4000;
/** The same if a write is certain to follow: a busy machine can be slow. */
const pendingQuietMs = 15_000;
/** How long to wait for keys in our queues, which on a busy machine may be those of other scripts. */
const busyMs = 10_000;
/** A step ends at most this long, plus the suite's patience, after it began, no matter what still happens. */
const longestMs = 30_000;
const pollMs = 50;
/**
 * How much of the time between two polls counts as silence. The controllers run in this process: while it is held up, they cannot write
 * either, so that the time says nothing about them.
 */
const countedMs = 4 * pollMs;
/** While nothing is written, and writes are pending or something is not settled, that is checked again after this time, or sooner if something is written. */
const recheckMs = 400;

/**
 * Resolves when the controllers have finished reacting to all actions so far; at most 30 s plus the suite's patience later. A controller
 * whose requests are rejected keeps retrying: rejected requests, and repetitions of an Event, do not count as writes.
 */
export async function untilQuiet(suite: Suite, stage: Stage, log: SideLog, actedAt: number): Promise<void> {
  const startedAt = performance.now();
  let lastAt = startedAt;
  let polledAt = startedAt;
  let ranMs = 0;
  let seen = log.effects.length;
  let checkedAt = -recheckMs;
  const hasPendingWrites = async (): Promise<boolean> => (await suite.hasPendingWrites?.(log, stage)) === true;
  while (performance.now() - startedAt < longestMs + (suite.patienceMs ?? 0)) {
    await Bun.sleep(pollMs);
    ranMs += Math.min(performance.now() - polledAt, countedMs);
    polledAt = performance.now();
    const added = log.effects.slice(seen);
    seen = log.effects.length;
    if (added.some(({ code, resource, verb }) => code < 300 && !(resource.startsWith("events") && verb === "patch"))) {
      lastAt = performance.now();
      ranMs = 0;
    }
    const silentMs = Math.min(log.readUntil() - lastAt, ranMs);
    if (silentMs < (suite.quietMs ?? quietMs)) continue;
    if (log.isBusy?.() === true && performance.now() - lastAt < busyMs) continue;
    if (added.length === 0 && performance.now() - checkedAt < recheckMs) continue;
    checkedAt = performance.now();
    const patienceMs = suite.patienceMs ?? unsettledQuietMs;
    const isPending = silentMs < pendingQuietMs && (await hasPendingWrites());
    if (silentMs >= patienceMs && !isPending) return;
    if (isPending) continue;
    if (suite.isSettled === undefined) return;
    if (!(await suite.isSettled(stage, log, actedAt))) continue;
    // The write that has just settled it may be in a part of the log that has not been read yet.
    await readUpToNow(log, checkedAt);
    if (log.effects.length === seen) return;
  }
}

/** Resolves when the log has been read up to the given time, at most 10 s after it. */
export async function readUpToNow(log: SideLog, now: number = performance.now()): Promise<void> {
  while (log.readUntil() <= now && performance.now() < now + 10_000) await Bun.sleep(pollMs);
}

/** Number of Events about one object after which the spam filter can drop some. */
export const spamBurst = 25;

/**
 * Whether an Event reports a success (`SuccessfulCreate`, `ScalingReplicaSet`), as opposed to a failure or its reason. A repetition patches
 * only the count and has no reason: it counts as a success.
 */
export function reportsSuccess({ request }: Effect): boolean {
  const { reason } = (request ?? {}) as { readonly reason?: string };
  return reason === undefined || reason === "ScalingReplicaSet" || reason.startsWith("Successful");
}

/** Whether Events for these writes are still missing (they are written asynchronously) and cannot have been dropped as spam. */
export function hasPendingEvents(effects: readonly Effect[], hasEvent: (effect: Effect) => boolean): boolean {
  const done = effects.filter((effect) => effect.code < 300 && hasEvent(effect)).length;
  const events = effects.filter(({ resource }) => resource.startsWith("events"));
  const reported = events.filter(reportsSuccess).length;
  const others = events.length - reported;
  return done + others < spamBurst && reported < done;
}

/** The same for pods only. */
export function hasPendingPodEvents({ effects }: SideLog): boolean {
  return hasPendingEvents(effects, ({ resource, verb }) => resource === "pods" && verb !== "patch");
}

/** Whether every ReplicaSet and ReplicationController has its desired pods, and a status that reflects them. */
export async function replicasAreSettled(stage: Stage): Promise<boolean> {
  const [sets, controllers, pods] = await Promise.all([
    stage.list("replicasets"),
    stage.list("replicationcontrollers"),
    stage.pods(),
  ]);
  const settled = (object: unknown, selector: (object: ReplicatedObject) => Selector): boolean =>
    isOwnerSettled(object as ReplicatedObject, pods, selector(object as ReplicatedObject));
  return (
    sets.every((set) => settled(set, ({ spec }) => selectorOf(spec.selector))) &&
    controllers.every((one) =>
      settled(one, ({ spec }) => selectorOfLabels(spec.selector as Parameters<typeof selectorOfLabels>[0])),
    )
  );
}

function isActive({ metadata, status }: PodObject): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== "Failed" && status?.phase !== "Succeeded";
}

function isOwnerSettled(
  { metadata, spec, status }: ReplicatedObject,
  pods: readonly PodObject[],
  selector: Selector,
): boolean {
  const controller = (pod: PodObject): string | undefined =>
    pod.metadata.ownerReferences?.find((ref) => ref.controller === true)?.uid;
  const active = pods.filter(isActive);
  const owned = active.filter((pod) => controller(pod) === metadata.uid);
  const isDeleting = metadata.deletionTimestamp !== undefined;
  const free = active.filter((pod) => controller(pod) === undefined && matches(selector, pod.metadata.labels));
  const isClaimed = owned.every((pod) => matches(selector, pod.metadata.labels)) && free.length === 0;
  const isFailing = status?.conditions?.some(({ type }) => type === "ReplicaFailure") === true;
  return (
    status?.observedGeneration === metadata.generation &&
    (isClaimed || isDeleting) &&
    status?.replicas === owned.length &&
    (isFailing || isDeleting || owned.length === spec.replicas)
  );
}
