/**
 * What a ControllerRevision keeps of its owner: a strategic merge patch that brings back the pod template of that time.
 * Source: kubernetes v1.36 pkg/controller/statefulset/stateful_set_utils.go getPatch, ApplyRevision;
 * pkg/controller/history/controller_history.go EqualRevision.
 */
import { fieldChanges } from "../../../api/field-changes.ts";
import { sortedGoJson } from "../../../api/go-json.ts";
import { isObject } from "../../../api/json.ts";
import { strategicMerge } from "../../../api/strategic-merge.ts";
import type { ControllerRevision, PodTemplateSpec } from "../../../api/types.ts";

/** The data of a revision, as JSON. */
export type RevisionData = Readonly<Record<string, unknown>>;

/** The data of the revision that has this template. */
export function revisionData(template: PodTemplateSpec | undefined): RevisionData {
  return { spec: { template: { ...withoutNullTimes(template ?? {}), $patch: "replace" } } };
}

/** The bytes by which revisions are compared and hashed, as text. Keys are in order, so that their order does not count. */
export function revisionText(data: unknown): string {
  return sortedGoJson(data);
}

/** Whether two revisions have the same data. */
export function isSameRevision(
  one: Pick<ControllerRevision, "data">,
  other: Pick<ControllerRevision, "data">,
): boolean {
  return revisionText(one.data) === revisionText(other.data);
}

/**
 * The object with what the revision kept of it.
 * @throws PatchError for data that is no patch.
 */
export function withRevision<T extends object>(object: T, { data }: Pick<ControllerRevision, "data">): T {
  // Data of controllers replaces the template as a whole: how its lists would be merged does not matter.
  // What a patch of a T makes is a T again.
  return strategicMerge(object, data, undefined) as T;
}

/** Paths at which the owner's template differs from that of its latest revision; none without one. */
export function changedPaths(
  owner: { readonly spec?: { readonly template: PodTemplateSpec } },
  latest: Pick<ControllerRevision, "data"> | undefined,
): string[] {
  if (latest === undefined) return [];
  return fieldChanges(withRevision(owner, latest).spec?.template, owner.spec?.template).map(({ path }) => path);
}

/** Servers before 1.34 write unset creation times as null; today's encoder leaves them out, and so do the bytes that are compared. */
function withoutNullTimes(object: object): object {
  const fields = Object.entries(object).filter(([key, item]) => !(key === "creationTimestamp" && item === null));
  return Object.fromEntries(fields.map(([key, item]: [string, unknown]) => [key, cleaned(item)]));
}

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  return isObject(value) ? withoutNullTimes(value) : value;
}
