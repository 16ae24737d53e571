/** When a step is over: the objects match their owners, and nothing was written for a while. */
import { matches, type Selector, selectorOf, selectorOfLabels } from "../../src/api/labels.ts";
import type { Effect } from "../support/audit-log.ts";
import type { PodObject, ReplicatedObject } from "./objects.ts";
import type { SideLog } from "./side-log.ts";
import type { Stage } from "./stage.ts";
import type { Suite } from "./suite.ts";

/** Length of the quiet period. */
const quietMs = 350;
/** The same if an object does not match its owner: it may stay so, or a controller may still be working. */
const unsettledQuietMs = 4000;
/** The same if a write is certain to come: a busy machine may take longer. */
const owedQuietMs = 15_000;
/** Upper limit for a step, in addition to its patience. */
const longestMs = 30_000;
const pollMs = 50;
/** If everything is quiet but not settled, the check is repeated at this interval. */
const askAgainMs = 400;

/**
 * Resolves when the controllers have finished; after 30 s plus the suite's patience at most. A controller whose requests are refused
 * retries indefinitely: its refused attempts, and the Events and statuses about them, do not count as writes.
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
    // The writes that settled it may be in a part of the log that was not read yet.
    await readUpToNow(log, askedAt);
    if (log.effects.length === seen) return;
  }
}

/** Resolves when the log has been read up to this time; 10 s later at most. */
export async function readUpToNow(log: SideLog, now: number = performance.now()): Promise<void> {
  while (log.readUntil() <= now && performance.now() < now + 10_000) await Bun.sleep(pollMs);
}

/** The number of Events about one object after which the spam filter may drop some. */
export const spamBurst = 25;

/**
 * Whether an Event reports a success, `SuccessfulCreate` or `ScalingReplicaSet`, and not a failure. A repetition, of which only the count
 * is written, counts as a success.
 */
export function tellsOfSuccess({ request }: Effect): boolean {
  const { reason } = (request ?? {}) as { readonly reason?: string };
  return reason === undefined || reason === "ScalingReplicaSet" || reason.startsWith("Successful");
}

/** Whether fewer Events than these writes were written, and none can have been dropped: Events are written in the background. */
export function owesEvents(effects: readonly Effect[], isTold: (effect: Effect) => boolean): boolean {
  const done = effects.filter((effect) => effect.code < 300 && isTold(effect)).length;
  const events = effects.filter(({ resource }) => resource.startsWith("events"));
  const told = events.filter(tellsOfSuccess).length;
  const others = events.length - told;
  return done + others < spamBurst && told < done;
}

/** The same only for pods. */
export function owesPodEvents({ effects }: SideLog): boolean {
  return owesEvents(effects, ({ resource, verb }) => resource === "pods" && verb !== "patch");
}

/** Whether every ReplicaSet and ReplicationController has its pods, and a matching status. */
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
