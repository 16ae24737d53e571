/** Why a write of the owner cannot be judged: our syncs cannot have seen what it is based on, or what it saw is chance. */
import type { ObjectMeta } from "../../../../src/api/object.ts";
import { controllerOf } from "../../../../src/api/owner-references.ts";
import type { PodDisruptionBudget } from "../../../../src/api/types.ts";
import { targetOf } from "./essence.ts";
import type { OwnerWrite, Read, Round } from "./round.ts";

/** Time after the owner's write, by the API server's clock, within which one of our syncs can still decide the same. */
export const graceMs = 5000;

/** Undefined if the write can be judged. */
export function whyNotComparable(write: OwnerWrite, round: Round): string | undefined {
  return (
    whyUnseen(write, round) ?? whyByChance(write, round) ?? whyEvicting(write, round) ?? whyReportedAgain(write, round)
  );
}

/**
 * Why no sync of ours has seen the state on which the owner's write is based, by the versions of the object and of its dependents;
 * undefined if one has, or if the versions are inconclusive.
 */
function whyUnseen(write: OwnerWrite, { syncs, changes }: Round): string | undefined {
  const { metadata } = (write.body ?? {}) as { readonly metadata?: ObjectMeta };
  const [from, to] = [metadata?.resourceVersion, Number(write.responseObject?.metadata.resourceVersion)];
  if (write.verb === "delete" || write.verb === "patch") return whyUnread(write, { syncs, changes });
  // A scale is read from the server, and has the version of the scaled object.
  if (write.verb !== "update" || from === undefined || write.resource.endsWith("/scale")) return undefined;
  const key = write.namespace === "" ? write.name : `${write.namespace}/${write.name}`;
  const looked = `${write.resource.replace(/\/.*/, "")} ${key} ${from}`;
  const known = syncs.filter(
    ({ primary, versions, lookedUp }) =>
      [primary?.resourceVersion, String(versions.get(write.name))].includes(from) || lookedUp.has(looked),
  );
  if (known.length === 0) return `no sync of ours saw version ${from}, which it is based on`;
  const uid = known[0]?.primary?.uid;
  // The owner may have seen any state of its dependents between the first that we saw with this version and the write.
  const seen = new Set(known.flatMap(({ versions }) => [...versions.values()]));
  const first = Math.min(...known.map(({ versions }) => Math.max(0, ...versions.values())));
  for (const change of changes) {
    if (change.is === "left") {
      const isSeen = known.at(-1)?.versions.has(change.name) !== true;
      if (!isSeen && change.namespace === write.namespace && change.at <= write.at)
        return `no sync of ours saw version ${from} without ${change.name}`;
    } else if (
      change.is === "controlled" &&
      change.ownerUid === uid &&
      change.version > first &&
      change.version < to &&
      !seen.has(change.version)
    )
      return `no sync of ours saw version ${from} with ${change.version} of what it controls`;
  }
  return undefined;
}

/** The first status that the owner writes soon after its writes to pods is from the same sync. */
function whyByChance(write: OwnerWrite, { owner, looksTwice }: Round): string | undefined {
  if (looksTwice !== true || !write.resource.endsWith("/status")) return undefined;
  const uid = write.responseObject?.metadata.uid;
  const isItsPod = ({ verb, resource, responseObject }: OwnerWrite): boolean =>
    resource === "pods" &&
    verb !== "update" &&
    responseObject !== undefined &&
    controllerOf(responseObject)?.uid === uid;
  const isStatus = (each: OwnerWrite): boolean =>
    each.resource === write.resource && each.responseObject?.metadata.uid === uid;
  const before = owner.filter(({ at }) => at < write.at && write.at - at < graceMs);
  const pod = before.slice(before.findLastIndex(isStatus) + 1).find(isItsPod);
  return pod === undefined
    ? undefined
    : `whether its cache shows by then that it has ${pod.verb}d ${pod.given} is chance`;
}

/**
 * The API server counts an eviction in the budget's status, then deletes the pod: two watches show this, in any order. Applies only if the
 * owner itself later removes the pod from the status.
 */
function whyEvicting(write: OwnerWrite, { owner, changes }: Round): string | undefined {
  const granted = ({ body }: OwnerWrite): object =>
    ((body ?? {}) as Partial<PodDisruptionBudget>).status?.disruptedPods ?? {};
  const later = owner.filter((each) => each.at > write.at && targetOf(each) === targetOf(write));
  const pod = changes.find(
    (each) =>
      each.is === "evicted" &&
      each.namespace === write.namespace &&
      each.name in granted(write) &&
      later.some((next) => !(each.name in granted(next))),
  );
  return pod?.is === "evicted" ? `whether its cache shows by then that ${pod.name} goes is chance` : undefined;
}

/**
 * If our controller acts on live reads: that it did not read the object of an owner's write before that write, or not since the last of the
 * object's dependents went: the owner may have deleted that one itself a moment before. Undefined if it did, or reads nothing.
 */
function whyUnread(
  { resource, namespace, name, at, responseObject }: OwnerWrite,
  { syncs, changes }: Pick<Round, "syncs" | "changes">,
): string | undefined {
  const reads = syncs.flatMap((sync) => sync.reads);
  const isOfIt = (read: Read): boolean =>
    read.resource === resource && read.namespace === namespace && read.name === name;
  if (reads.length === 0) return undefined;
  const readAt = Math.max(...reads.filter((read) => isOfIt(read) && read.at <= at).map((read) => read.at));
  if (readAt === -Infinity) return "no sync of ours read it before the owner wrote";
  const uid = responseObject?.metadata.uid;
  const missed = changes.find(
    (change) =>
      change.is === "left" &&
      uid !== undefined &&
      change.ownerUids.includes(uid) &&
      readAt < change.at &&
      change.at <= at,
  );
  return missed?.is === "left"
    ? `no sync of ours read it after its dependent ${missed.name} went and before the owner wrote`
    : undefined;
}

/**
 * Several volumes are attached and detached at once, and reported every 100 ms. Applies to all reports about a node in a round but the last.
 */
function whyReportedAgain(write: OwnerWrite, { owner }: Round): string | undefined {
  const isReport = ({ resource, body }: OwnerWrite): boolean =>
    resource === "nodes/status" && JSON.stringify(body).includes('"volumesAttached"');
  if (!isReport(write)) return undefined;
  const isLater = owner.some((each) => each.at > write.at && isReport(each) && each.name === write.name);
  return isLater ? "how many volumes it reports between two attachments is chance" : undefined;
}
