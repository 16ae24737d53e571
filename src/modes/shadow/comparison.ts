/** How what the owner did differs from what a sync of ours intended. */
import { deepEqual, fieldChanges } from "../../api/field-changes.ts";
import { Pods } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Agreement } from "../../trace/events.ts";
import { type Intention } from "./intention.ts";
import { isChange, type WouldBeWrite } from "./would-be-write.ts";
import { isIncidental, likeIn, wantedChanges, decidedPart } from "./significant.ts";

/**
 * The paths at which the owner's object differs from the intended one. Fields set by the server are ignored; unintended changes by the
 * owner since `was` are included.
 */
export function differences(
  write: WouldBeWrite,
  object: StoredObject,
  was: StoredObject | undefined,
): readonly string[] {
  if (write.verb === "create") {
    const paths: string[] = [];
    missing({ path: "", sent: withoutEmpty(write.sent), object }, { mayHaveMore: admissionAdds(write), paths });
    return paths;
  }
  if (write.after === undefined) return [".metadata"];
  const meant = likeIn(write, object);
  const changed = fieldChanges(was, object).filter(({ path }) => was !== undefined && isOfPart(write, path));
  const wanted = new Set([...wantedChanges(meant), ...changed].map(({ path }) => path));
  return fieldChanges(meant.after, object)
    .filter((change) => !isIncidental(change.path) && touches(wanted, change.path))
    .filter(({ before, after }) => !deepEqual(decidedPart(before), decidedPart(after)))
    .map(({ path }) => path);
}

/** The paths at which a created object differs from what the latest sync would create; none if an earlier sync would have created it. */
export function creationDifferences({ write, earlier }: Intention, object: StoredObject): readonly string[] {
  const isEarlier = earlier.some((each) => differences(each, object, undefined).length === 0);
  return isEarlier ? [] : differences(write, object, undefined);
}

/** Finalizers in which the server records the propagation policy of a deletion. */
const propagationFinalizers = ["foregroundDeletion", "orphan"];

/**
 * The propagation finalizers that only one of two deletions has set; none if the policies are equal, or if the object is already removed,
 * since the policy is then unknown.
 */
export function otherPropagation({ after }: WouldBeWrite, now: StoredObject | undefined): readonly string[] {
  if (now === undefined) return [];
  const has = (object: StoredObject | undefined, finalizer: string): boolean =>
    object?.metadata.finalizers?.includes(finalizer) === true;
  return propagationFinalizers.filter((finalizer) => has(after, finalizer) !== has(now, finalizer));
}

/** Whether a write can change the path: a status update changes only the status, any other write everything else. */
function isOfPart({ subresource }: WouldBeWrite, path: string): boolean {
  return path.startsWith(".status") === (subresource === "status");
}

/** Whether a path is equal to a wanted one, above it or below it. */
function touches(wanted: ReadonlySet<string>, path: string): boolean {
  for (const each of wanted) if (each.startsWith(path) || path.startsWith(each)) return true;
  return false;
}

/** Without values that the server ignores: null, `{}`, `[]`. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([, item]) => item !== null && !deepEqual(item, {}) && !deepEqual(item, []),
  );
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutEmpty(item)]));
}

/**
 * Whether a deletion or a change that was not observed has happened anyway or has lost its reason: the owner may have acted while ours was
 * still waiting for the server. `now` is the object as known when the key has been quiet.
 */
export function overtaken(
  write: WouldBeWrite,
  now: StoredObject | undefined,
): { readonly is: Agreement; readonly why: string } | undefined {
  const { verb, before, after } = write;
  if (verb === "create" || before === undefined) return undefined;
  if (now === undefined || now.metadata.uid !== before.metadata.uid) {
    const isRemoval = verb === "delete" || after === undefined;
    return { is: isRemoval ? "owner was faster" : "not comparable", why: "it is gone" };
  }
  if (isChange(write)) {
    const isDone = differences(write, now, before).length === 0;
    return isDone ? { is: "owner was faster", why: "it has these values" } : undefined;
  }
  if (now.metadata.deletionTimestamp !== undefined) return { is: "owner was faster", why: "it is being deleted" };
  const owners = ({ metadata }: StoredObject): readonly string[] =>
    (metadata.ownerReferences ?? []).map(({ uid }) => uid);
  return deepEqual(owners(now), owners(before)) ? undefined : { is: "not comparable", why: "its owners have changed" };
}

/** Whether admission adds items to lists of the object: volumes, tolerations and environment variables to a pod. */
function admissionAdds({ group, kind }: WouldBeWrite): boolean {
  return group === "" && kind === Pods.kind;
}

interface Part {
  readonly path: string;
  readonly sent: unknown;
  readonly object: unknown;
}

interface Found {
  /** Whether lists may have further items. */
  readonly mayHaveMore: boolean;
  readonly paths: string[];
}

/** Collects the paths of `sent` at which `object` differs. The order of lists is ignored. */
function missing({ path, sent, object }: Part, found: Found): void {
  const { mayHaveMore, paths } = found;
  if (Array.isArray(sent)) {
    const there: readonly unknown[] = Array.isArray(object) ? object : [];
    for (const [index, item] of sent.entries()) {
      if (!there.some((other) => has({ object: other, item, mayHaveMore }))) paths.push(`${path}[${index}]`);
    }
    if (!mayHaveMore && there.length > sent.length) paths.push(`${path}[${sent.length}]`);
    return;
  }
  if (typeof sent !== "object" || sent === null) {
    if (sent !== object) paths.push(path);
    return;
  }
  const there = (typeof object === "object" && object !== null ? object : {}) as Readonly<Record<string, unknown>>;
  for (const [key, item] of Object.entries(sent)) {
    if (path === "" && key === "status") continue;
    if (!isIncidental(key)) missing({ path: `${path}.${key}`, sent: item, object: there[key] }, found);
  }
}

function has({ object, item, mayHaveMore }: { object: unknown; item: unknown; mayHaveMore: boolean }): boolean {
  const paths: string[] = [];
  missing({ path: "", sent: item, object }, { mayHaveMore, paths });
  return paths.length === 0;
}
