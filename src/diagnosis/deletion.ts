/** What blocks a deletion, down to the first finalizer. */
import { formatAge } from "../api/duration.ts";
import { Pods } from "../api/kinds.ts";
import { readTime } from "../api/time.ts";
import type { Pod } from "../api/types.ts";
import { type Examined, type Finding, findingsOf, type Item, refOf, refText } from "./diagnosis.ts";
import { asKind } from "./kinds.ts";
import type { Look } from "./look.ts";
import { examineProtection } from "./protection.ts";

const foreground = "foregroundDeletion";
const orphan = "orphan";
const namedBlockers = 5;
/** How many blockers of a foreground deletion are diagnosed. */
const followedBlockers = 50;

/** For an object with a deletionTimestamp; its metadata suffices, except for a Pod and a PersistentVolume. */
export function examineDeletion(look: Look, item: Item): Examined {
  const { metadata } = item.object;
  const finalizers = metadata.finalizers ?? [];
  const at = readTime(metadata.deletionTimestamp) ?? look.now;
  const begun = at - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  const foreign = finalizers.filter((name) => name !== foreground && name !== orphan);
  const kept = foreign.map((name) => ({ name, protection: examineProtection(look, { item, finalizer: name }) }));
  const own = kept.flatMap(({ name, protection }): readonly Finding[] => {
    const why = protection === undefined ? finalizerText(name) : `finalizer ${name}: ${protection.why}`;
    return [...(protection?.below ?? []), { at: refOf(item), why, since: begun }];
  });
  const blocked = finalizers.includes(foreground) ? examineForeground(look, item, begun) : undefined;
  const orphaned: readonly Finding[] = finalizers.includes(orphan)
    ? [{ at: refOf(item), why: "finalizer orphan: the garbage collector orphans its dependents first", since: begun }]
    : [];
  const pod = finalizers.length === 0 ? asKind(item, Pods) : undefined;
  const ending: readonly Finding[] =
    pod === undefined ? [] : [{ at: refOf(item), why: terminating(pod), since: begun }];
  const graceLeftMs = at - look.now;
  return {
    says: heldText(finalizers),
    reached: false,
    findings: [...own, ...(blocked?.findings ?? []), ...orphaned, ...ending],
    seen: ["its metadata", ...kept.flatMap(({ protection }) => protection?.seen ?? [])],
    unseen: [...kept.flatMap(({ protection }) => protection?.unseen ?? []), ...(blocked?.unseen ?? [])],
    next: graceLeftMs > 0 ? [`its grace period ends in ${formatAge(Math.ceil(graceLeftMs / 1000) * 1000)}`] : [],
  };
}

/** The summary for an object with these finalizers. */
export function heldText(finalizers: readonly string[]): string {
  if (finalizers.length === 0) return "it is about to be removed";
  return `${finalizers.length === 1 ? "a finalizer blocks" : `${finalizers.length} finalizers block`} it`;
}

/** The finding for a finalizer of an unknown controller. */
export function finalizerText(name: string): string {
  return `finalizer ${name}: the controller that set it has to remove it`;
}

/** Its dependents are deleted first: what blocks them is the cause. */
function examineForeground(look: Look, item: Item, begun: number): Pick<Examined, "findings" | "unseen"> {
  const { objects, unseen } = look.dependents(item);
  const { uid } = item.object.metadata;
  const blocking = objects.filter(({ object }) =>
    object.metadata.ownerReferences?.some((each) => each.uid === uid && each.blockOwnerDeletion === true),
  );
  const below = blocking.slice(0, followedBlockers).flatMap((each) => blockerFindings(look, each));
  const names = blocking.slice(0, namedBlockers).map((each) => refText(refOf(each)));
  const more = blocking.length > namedBlockers ? ` and ${blocking.length - namedBlockers} more` : "";
  const why =
    blocking.length === 0
      ? `finalizer ${foreground}: the garbage collector deletes its dependents first${unseen.length === 0 ? ", and none is left" : ""}`
      : `finalizer ${foreground}: waiting for its dependents to be deleted: ${names.join(", ")}${more}`;
  return { findings: uniqueFindings([...below, { at: refOf(item), why, since: begun }]), unseen };
}

function blockerFindings(look: Look, blocker: Item): readonly Finding[] {
  if (blocker.object.metadata.deletionTimestamp === undefined) {
    return [{ at: refOf(blocker), why: "not deleted yet: the garbage collector has to delete it first" }];
  }
  const diagnosis = look.diagnose(wholePod(look, blocker));
  return diagnosis === undefined ? [] : findingsOf(diagnosis);
}

/** The complete Pod, whose status shows whether its containers run; for other kinds the metadata suffices. */
export function wholePod(look: Look, item: Item): Item {
  if (asKind(item, Pods) === undefined) return item;
  const { namespace = "", name } = item.object.metadata;
  const found = look.get(Pods, namespace, name);
  return found.is === "found" ? { kind: Pods, object: found.object } : item;
}

function terminating({ metadata, spec, status }: Pod): string {
  const running = status?.containerStatuses?.some(({ state }) => state?.running !== undefined) === true;
  const until = running ? "until its containers have terminated" : "until the kubelet confirms that it has terminated";
  const where = (spec?.nodeName ?? "") === "" ? "" : ` on node ${spec?.nodeName}`;
  return `being deleted, ${until}${where} (grace period ${metadata.deletionGracePeriodSeconds ?? 0} s)`;
}

/** Each finding once, even if several paths lead to it. */
export function uniqueFindings(findings: readonly Finding[]): readonly Finding[] {
  const byText = new Map(findings.map((each) => [`${refText(each.at)} ${each.at.namespace} ${each.why}`, each]));
  return [...byText.values()];
}
