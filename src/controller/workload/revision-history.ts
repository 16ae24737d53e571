/**
 * Which revision of its owner an object stands for, and which it stood for before: annotations, so that an earlier revision can be
 * found again and gone back to.
 * Source: kubernetes v1.36 pkg/controller/deployment/util/deployment_util.go Revision, MaxRevision, LastRevision,
 * SetNewReplicaSetAnnotations.
 */
import type { ObjectMeta } from "../../api/object.ts";

/** On a ReplicaSet: its revision; on its Deployment: the newest one. */
export const revisionAnnotation = "deployment.kubernetes.io/revision";
/** Revisions that it had before, with commas, oldest first. */
export const revisionHistoryAnnotation = "deployment.kubernetes.io/revision-history";

/** The longest text of a history: about 400 revisions of four digits. */
const longestHistory = 2000;

/** A whole number of 64 bits, as Go reads it; undefined for any other text. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** 0 without the annotation; undefined if it is no whole number. */
export function revisionOf(object: { readonly metadata: ObjectMeta }): bigint | undefined {
  const text = object.metadata.annotations?.[revisionAnnotation];
  return text === undefined ? 0n : parseInt64(text);
}

/** The greatest revision among the objects; 0 if there is none. Unreadable ones are passed over. */
export function maxRevision(objects: readonly { readonly metadata: ObjectMeta }[]): bigint {
  return objects.map(revisionOf).reduce<bigint>((max, one) => (one !== undefined && one > max ? one : max), 0n);
}

/** The revision before the greatest one; 0 if there is none. */
export function lastRevision(objects: readonly { readonly metadata: ObjectMeta }[]): bigint {
  let [max, second] = [0n, 0n];
  for (const revision of objects.map(revisionOf)) {
    if (revision === undefined) continue;
    if (revision >= max) [second, max] = [max, revision];
    else if (revision > second) second = revision;
  }
  return second;
}

/**
 * The annotations with a newer revision, and the one that it takes the place of in the history; undefined if the revision there is
 * not older. When the history is too long its oldest entries are given up.
 */
export function withNewerRevision(
  annotations: Readonly<Record<string, string>>,
  revision: bigint,
): Readonly<Record<string, string>> | undefined {
  const old = annotations[revisionAnnotation];
  const oldRevision = parseInt64(old === undefined || old === "" ? "0" : old);
  if (oldRevision === undefined || oldRevision >= revision) return undefined;
  const newer = { ...annotations, [revisionAnnotation]: String(revision) };
  if (old === undefined) return newer;
  const history = historyWith(annotations[revisionHistoryAnnotation] ?? "", old);
  return history === undefined ? newer : { ...newer, [revisionHistoryAnnotation]: history };
}

/** Undefined if there is no room for the revision even alone. */
function historyWith(history: string, revision: string): string | undefined {
  const entries = history.split(",");
  if (entries[0] === "") return revision;
  let length = history.length + revision.length + 1;
  let start = 0;
  for (; length > longestHistory && start < entries.length; start++) length -= (entries[start] ?? "").length + 1;
  return length > longestHistory ? undefined : [...entries.slice(start), revision].join(",");
}
