/** Who wrote an object last, as far as managedFields tell. */
import { pathStep } from "../api/field-changes.ts";
import { readTime } from "../api/time.ts";
import type { ManagedFieldsEntry, StoredObject } from "../api/object.ts";

export interface LastWrite {
  /** `spec`, `status`: which part of the object. */
  readonly part: string;
  /** Field managers whose entries carry the latest time of this part: more than one wrote within the same second, or one did. */
  readonly managers: readonly string[];
  readonly agoMs: number;
  /** Managers of entries without a time, as `kubectl scale` leaves one: they may have written later. */
  readonly untimed: readonly string[];
  /** What the manager owns, where that is one field: `.spec.replicas`. */
  readonly field?: string;
}

/**
 * For the status and for the rest, the managers of the latest time. Times are whole seconds, a write that only removes fields may
 * leave no entry, and a deletion never does: it is the latest that is recorded.
 */
export function lastWrites({ metadata }: StoredObject, now: number): readonly LastWrite[] {
  const entries = metadata.managedFields ?? [];
  const status = entries.filter(({ subresource }) => subresource === "status");
  const rest = entries.filter(({ subresource }) => subresource !== "status");
  return [...latest("spec", rest, now), ...latest("status", status, now)];
}

function latest(part: string, entries: readonly ManagedFieldsEntry[], now: number): readonly LastWrite[] {
  const timed = entries.flatMap((entry) =>
    entry.manager === undefined || readTime(entry.time) === undefined ? [] : [{ at: readTime(entry.time) ?? 0, entry }],
  );
  const at = Math.max(0, ...timed.map((each) => each.at));
  const last = timed.filter((each) => each.at === at).map(({ entry }) => entry);
  const managers = namesOf(last);
  const untimed = namesOf(entries.filter(({ time }) => time === undefined));
  if (managers.length === 0 && untimed.length === 0) return [];
  const field = last.length === 1 && untimed.length === 0 ? onlyField(last[0]?.fieldsV1) : undefined;
  return [{ part, managers, untimed, agoMs: Math.max(0, now - at), ...(field !== undefined && { field }) }];
}

function namesOf(entries: readonly ManagedFieldsEntry[]): readonly string[] {
  const names = entries.flatMap(({ manager, subresource }) =>
    manager === undefined
      ? []
      : [subresource === undefined || subresource === "status" ? manager : `${manager} (${subresource})`],
  );
  return [...new Set(names)];
}

/** The path of a field set that holds one field only. */
function onlyField(set: unknown, path = ""): string | undefined {
  if (typeof set !== "object" || set === null) return undefined;
  const members = Object.keys(set).filter((name) => name !== ".");
  const [first, second] = members;
  if (first === undefined) return path === "" ? undefined : path;
  if (second !== undefined || !first.startsWith("f:")) return undefined;
  return onlyField((set as Readonly<Record<string, unknown>>)[first], `${path}${pathStep(first.slice(2))}`);
}
