/** What holds up a deletion, and what a namespace that is being deleted does to what is in it. */
import { readTime } from "../api/time.ts";
import type { Namespace, Pod } from "../api/types.ts";
import { podWait } from "./pod-waits.ts";
import { since, type Snapshot, type State, type Wait } from "./snapshot.ts";

const foreground = "foregroundDeletion";
const orphan = "orphan";
const named = 5;

/** Of an object that has a deletionTimestamp. */
export function deletionAnswer(snapshot: Snapshot): State {
  const { kind, object, now } = snapshot;
  const { deletionTimestamp = "" } = object.metadata;
  const finalizers = finalizersOf(snapshot);
  const at = readTime(deletionTimestamp) ?? now;
  const begun = at - (object.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  const waits: Wait[] = finalizers.map((finalizer) => ({
    about: "",
    since: begun,
    why: finalizerText(snapshot, finalizer),
  }));
  if (kind === "Namespace") waits.push(...namespaceContent(object));
  if (kind === "Pod" && finalizers.length === 0) {
    const pod: Pod = object;
    const wait = podWait(pod, "");
    if (wait !== undefined) waits.push(wait);
  }
  const held =
    finalizers.length === 0
      ? "it is about to go"
      : `${finalizers.length === 1 ? "a finalizer holds" : `${finalizers.length} finalizers hold`} it`;
  const graceLeft = at - now;
  const next = graceLeft > 0 ? [`its grace period ends in ${Math.ceil(graceLeft / 1000)} s`] : [];
  return { is: "being deleted", says: held, waits, next };
}

/** A namespace has its own ones in its spec. */
function finalizersOf({ kind, object }: Snapshot): readonly string[] {
  const { finalizers = [] } = object.metadata;
  if (kind !== "Namespace") return finalizers;
  const { spec }: Namespace = object;
  return [...finalizers, ...(spec?.finalizers ?? [])];
}

function finalizerText({ owned, object }: Snapshot, finalizer: string): string {
  if (finalizer === foreground) {
    const blocking = owned.filter((each) =>
      each.object.metadata.ownerReferences?.some(
        ({ uid, blockOwnerDeletion }) => uid === object.metadata.uid && blockOwnerDeletion === true,
      ),
    );
    if (blocking.length === 0) return `finalizer ${finalizer}: the garbage collector deletes what it owns first`;
    const names = blocking.slice(0, named).map((each) => `${each.kind} ${each.object.metadata.name}`);
    const more = blocking.length > named ? ` and ${blocking.length - named} more` : "";
    return `finalizer ${finalizer}: it goes when what it owns is gone: ${names.join(", ")}${more}`;
  }
  if (finalizer === orphan) return `finalizer ${finalizer}: the garbage collector frees what it owns first`;
  if (finalizer === "kubernetes") return "finalizer kubernetes: the namespace controller empties it first";
  return `finalizer ${finalizer}: whoever set it has to take it off`;
}

/** What the namespace controller says is left in it. */
function namespaceContent(object: Snapshot["object"]): readonly Wait[] {
  const { status }: Namespace = object;
  return (status?.conditions ?? [])
    .filter(({ status: is }) => is === "True")
    .map(({ type, message, lastTransitionTime }) => ({
      about: "",
      why: `${type}: ${message ?? ""}`,
      ...since(readTime(lastTransitionTime)),
    }));
}

/** What its surroundings do to an object: a namespace or an owner that is being deleted. */
export function namespaceWaits({ namespace, owners, object }: Snapshot): readonly Wait[] {
  const waits: Wait[] = [];
  const going = namespace?.metadata.deletionTimestamp;
  if (going !== undefined) {
    const why = "the namespace is being deleted: nothing new can be created in it, and everything in it goes";
    waits.push({ about: `Namespace ${namespace?.metadata.name ?? ""}`, why, ...since(readTime(going)) });
  }
  for (const { reference, owner } of owners) {
    const about = `${reference.kind} ${reference.name}`;
    if (owner === undefined) waits.push({ about, why: "its owner is gone: the garbage collector deletes it" });
    if (owner === undefined || owner === "unknown" || owner.metadata.deletionTimestamp === undefined) continue;
    const first = owner.metadata.finalizers?.includes(foreground) === true;
    const at = readTime(owner.metadata.deletionTimestamp);
    const held = (owner.metadata.finalizers ?? []).join(", ");
    const why = first
      ? "its owner is being deleted in the foreground, and this one first"
      : `its owner is being deleted${held === "" ? "" : `, held by finalizer ${held}`}`;
    if (object.metadata.deletionTimestamp === undefined) waits.push({ about, why, ...since(at) });
  }
  return waits;
}
