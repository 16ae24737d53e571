/** When a step is over: all is as its owners say it is, and nothing more was written for a while. */
import { matches, type Selector, selectorOf, selectorOfLabels } from "../../src/api/labels.ts";
import type { Effect } from "../support/audit-log.ts";
import type { PodObject, ReplicatedObject } from "./objects.ts";
import type { SideLog } from "./side-log.ts";
import type { Stage } from "./stage.ts";
import type { Suite } from "./suite.ts";

/** Nothing was written for so long. */
const quietMs = 350;
/** The same where something is not as its owner says: it may stay so, or a controller may still be on its way. */
const unsettledQuietMs = 4000;
/** The same where something is sure to be written: a busy machine may take its time. */
const owedQuietMs = 15_000;
/** A step ends so long after its patience would have, whatever goes on. */
const longestMs = 30_000;
const pollMs = 50;
/** Where all is silent and yet not settled, it is asked again so often, unless something is written. */
const askAgainMs = 400;

/**
 * Resolves when the controllers are done with what was asked of them so far; after 30 s and the suite's patience at most. A controller that is refused
 * tries again and again: tries that are refused, and what they tell in Events and status, count as nothing written.
 */
export async function untilQuiet(suite: Suite, stage: Stage, log: SideLog, actedAt: number): Promise<void> {
  const startedAt = performance.now();
  let lastAt = startedAt;
  let seen = log.effects.length;
  let unsettledAt = -askAgainMs;
  const owes = async (): Promise<boolean> => (await suite.owes?.(log, stage)) === true;
  while (performance.now() - startedAt < longestMs + (suite.patienceMs ?? 0)) {
    await Bun.sleep(pollMs);
    const added = log.effects.slice(seen);
    seen = log.effects.length;
    if (added.some(({ code, resource, verb }) => code < 300 && !(resource.startsWith("events") && verb === "patch"))) {
      lastAt = performance.now();
    }
    const silentMs = log.readUntil() - lastAt;
    const patienceMs = suite.patienceMs ?? unsettledQuietMs;
    if (silentMs >= patienceMs && (silentMs >= owedQuietMs || !(await owes()))) return;
    if (silentMs < (suite.quietMs ?? quietMs)) continue;
    if (await owes()) continue;
    if (suite.isSettled === undefined) return;
    const askedAt = performance.now();
    if (added.length === 0 && askedAt - unsettledAt < askAgainMs) continue;
    if (!(await suite.isSettled(stage, log, actedAt))) {
      unsettledAt = askedAt;
      continue;
    }
    // What has just settled it may stand in a part of the log that is not read yet.
    await readUpToNow(log, askedAt);
    if (log.effects.length === seen) return;
  }
}

/** Resolves when the log has been read up to a moment; 10 s later at most. */
export async function readUpToNow(log: SideLog, now: number = performance.now()): Promise<void> {
  while (log.readUntil() <= now && performance.now() < now + 10_000) await Bun.sleep(pollMs);
}

/** So many Events about one object before the spam filter may hold some back. */
export const spamBurst = 25;

/**
 * Whether an Event says that something was done, `SuccessfulCreate` or `ScalingReplicaSet`, and not that it failed or why. Of a repetition only the
 * count is written: it counts.
 */
export function tellsOfSuccess({ request }: Effect): boolean {
  const { reason } = (request ?? {}) as { readonly reason?: string };
  return reason === undefined || reason === "ScalingReplicaSet" || reason.startsWith("Successful");
}

/** Whether fewer Events than these writes were written, though none may have been held back: they are written in the background. */
export function owesEvents(effects: readonly Effect[], isTold: (effect: Effect) => boolean): boolean {
  const done = effects.filter((effect) => effect.code < 300 && isTold(effect)).length;
  const events = effects.filter(({ resource }) => resource.startsWith("events"));
  const told = events.filter(tellsOfSuccess).length;
  const others = events.length - told;
  return done + others < spamBurst && told < done;
}

/** The same for pods alone. */
export function owesPodEvents({ effects }: SideLog): boolean {
  return owesEvents(effects, ({ resource, verb }) => resource === "pods" && verb !== "patch");
}

/** Whether every ReplicaSet and ReplicationController has its pods, and says so in its status. */
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
