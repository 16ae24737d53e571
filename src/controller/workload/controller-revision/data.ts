/**
 * The data of a ControllerRevision: a strategic merge patch that restores its owner's pod template of that time.
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

/** The revision data for a template. */
export function revisionData(template: PodTemplateSpec | undefined): RevisionData {
  return { spec: { template: { ...withoutNullTimes(template ?? {}), $patch: "replace" } } };
}

/** The text by which revisions are compared and hashed, with sorted keys. */
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
 * The object with the template of a revision.
 * @throws PatchError if the data is not a valid patch.
 */
export function withRevision<T extends object>(object: T, { data }: Pick<ControllerRevision, "data">): T {
  // No merge keys are needed, because the data replaces the template as a whole. Patching a T gives a T.
  return strategicMerge(object, data, undefined) as T;
}

/** The paths at which the owner's template differs from that of its latest revision; none if there is no revision. */
export function changedPaths(
  owner: { readonly spec?: { readonly template: PodTemplateSpec } },
  latest: Pick<ControllerRevision, "data"> | undefined,
): string[] {
  if (latest === undefined) return [];
  return fieldChanges(withRevision(owner, latest).spec?.template, owner.spec?.template).map(({ path }) => path);
}

/** Removes null creation times, which servers before 1.34 wrote and today's encoder omits. */
function withoutNullTimes(object: object): object {
  const fields = Object.entries(object).filter(([key, item]) => !(key === "creationTimestamp" && item === null));
  return Object.fromEntries(fields.map(([key, item]: [string, unknown]) => [key, cleaned(item)]));
}

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  return isObject(value) ? withoutNullTimes(value) : value;
}
