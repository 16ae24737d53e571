/** Who wrote an object last, according to managedFields. */
import { pathStep } from "../api/field-changes.ts";
import { readTime } from "../api/time.ts";
import type { ManagedFieldsEntry, StoredObject } from "../api/object.ts";

/** The last writers of one part of an object. */
export interface LastWrite {
  /** `spec`, `status`: the part of the object. */
  readonly part: string;
  /** Field managers of the latest time: one, or several within the same second. */
  readonly managers: readonly string[];
  readonly agoMs: number;
  /** Managers of entries without a time, which `kubectl scale` leaves: they may have written later. */
  readonly untimed: readonly string[];
  /** The only field that the manager owns, if it is one: `.spec.replicas`. */
  readonly field?: string;
}

/**
 * The managers of the latest time, for the status and for the rest. Times are whole seconds, a write that only removes
 * fields may leave no entry, and a deletion leaves none: this is the latest recorded write.
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
  return [{ part, managers, untimed, agoMs: Math.max(0, Math.round(now - at)), ...(field !== undefined && { field }) }];
}

function namesOf(entries: readonly ManagedFieldsEntry[]): readonly string[] {
  const names = entries.flatMap(({ manager, subresource }) =>
    manager === undefined
      ? []
      : [subresource === undefined || subresource === "status" ? manager : `${manager} (${subresource})`],
  );
  return [...new Set(names)];
}

/** The path of the only field in a field set. */
function onlyField(set: unknown, path = ""): string | undefined {
  if (typeof set !== "object" || set === null) return undefined;
  const members = Object.keys(set).filter((name) => name !== ".");
  const [first, second] = members;
  if (first === undefined) return path === "" ? undefined : path;
  if (second !== undefined || !first.startsWith("f:")) return undefined;
  return onlyField((set as Readonly<Record<string, unknown>>)[first], `${path}${pathStep(first.slice(2))}`);
}
