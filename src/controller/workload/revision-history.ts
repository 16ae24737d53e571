/**
 * The annotations of a ReplicaSet with its current and former revision numbers, which allow a rollback to an earlier revision.
 * Source: kubernetes v1.36 pkg/controller/deployment/util/deployment_util.go Revision, MaxRevision, LastRevision,
 * SetNewReplicaSetAnnotations.
 */
import type { ObjectMeta } from "../../api/object.ts";

/** The revision of a ReplicaSet; on a Deployment, the newest revision. */
export const revisionAnnotation = "deployment.kubernetes.io/revision";
/** The former revisions of a ReplicaSet, separated by commas, oldest first. */
export const revisionHistoryAnnotation = "deployment.kubernetes.io/revision-history";

/** The maximum length of a history: about 400 revisions of four digits. */
const maxHistoryLength = 2000;

/** Parses a 64-bit integer like Go; undefined for any other text. */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** The revision of an object; 0 without the annotation, undefined if it is not an integer. */
export function revisionOf(object: { readonly metadata: ObjectMeta }): bigint | undefined {
  const text = object.metadata.annotations?.[revisionAnnotation];
  return text === undefined ? 0n : parseInt64(text);
}

/** The greatest revision of the objects; 0 if there is none. Invalid ones are ignored. */
export function maxRevision(objects: readonly { readonly metadata: ObjectMeta }[]): bigint {
  return objects.map(revisionOf).reduce<bigint>((max, one) => (one !== undefined && one > max ? one : max), 0n);
}

/** The second greatest revision; 0 if there is none. */
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
 * The annotations with a newer revision, and the previous one appended to the history; undefined if the current revision is not older. If the
 * history becomes too long, its oldest entries are dropped.
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

/** The history with a revision appended; undefined if the revision alone is too long. */
function historyWith(history: string, revision: string): string | undefined {
  const entries = history.split(",");
  if (entries[0] === "") return revision;
  let length = history.length + revision.length + 1;
  let start = 0;
  for (; length > maxHistoryLength && start < entries.length; start++) length -= (entries[start] ?? "").length + 1;
  return length > maxHistoryLength ? undefined : [...entries.slice(start), revision].join(",");
}
