/**
 * Managers and the fields that they manage, parsed from `metadata.managedFields` and serialized.
 * Source: apimachinery v0.36 util/managedfields/internal/managedfields.go, capmanagers.go.
 */
import { textOf, type Fields } from "../meta/object.ts";
import { type FieldSet, readSet, union, writeSet } from "./field-set.ts";

/** A manager and its fields. */
export interface Manager {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  readonly set: FieldSet;
  /** The time of its last change of a value; undefined if unknown. */
  readonly time: string | undefined;
}

/** Managers by identity. */
export type Managers = ReadonlyMap<string, Manager>;

/** The key of a manager. For an apply it has no version: the manager stays the same when it applies at another version. */
export function identityOf({ manager, operation, apiVersion, subresource }: Omit<Manager, "set" | "time">): string {
  return JSON.stringify({
    ...(manager === "" ? {} : { manager }),
    operation,
    ...(operation === "Apply" ? {} : { apiVersion }),
    ...(subresource === "" ? {} : { subresource }),
  });
}

/** Parses managed fields; of two entries of one manager, the last counts. @throws SyntaxError if they are invalid. */
export function readManagers(entries: readonly Fields[]): Managers {
  const managers = new Map<string, Manager>();
  for (const entry of entries) {
    const operation = entry["operation"];
    if (operation !== "Apply" && operation !== "Update") throw new SyntaxError("operation must be `Apply` or `Update`");
    const apiVersion = textOf(entry["apiVersion"]);
    if (apiVersion === "") throw new SyntaxError("apiVersion must not be empty");
    if (entry["fieldsType"] !== "FieldsV1") throw new SyntaxError("missing or invalid fieldsType");
    const subresource = textOf(entry["subresource"]);
    const owner = { manager: textOf(entry["manager"]), operation, apiVersion, subresource } as const;
    const time = textOf(entry["time"]);
    const set = readSet(entry["fieldsV1"]);
    managers.set(identityOf(owner), { ...owner, set, time: time === "" ? undefined : time });
  }
  return managers;
}

/** Serializes managers, in order; undefined if there are none. */
export function writeManagers(managers: Managers): Fields[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers.values()].map(entryOf).sort(inOrder);
}

function entryOf({ manager, operation, apiVersion, subresource, set, time }: Manager): Fields {
  return {
    ...(manager === "" ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: writeSet(set),
    ...(subresource === "" ? {} : { subresource }),
  };
}

/** Apply before Update, then by time, then by manager. */
function inOrder(a: Fields, b: Fields): number {
  for (const key of ["operation", "time", "manager", "apiVersion", "subresource"]) {
    const [left, right] = [textOf(a[key]), textOf(b[key])];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/** The maximum number of update managers that are kept separate. */
const mostManagers = 10;
const oldUpdates = "ancient-changes";

/** If there are too many update managers, merges the oldest, per version. */
export function capped(managers: Managers): Managers {
  const updates = [...managers].filter(([, { operation }]) => operation === "Update");
  let tooMany = updates.length - mostManagers;
  if (tooMany <= 0) return managers;
  updates.sort(([a, { time: left = "" }], [b, { time: right = "" }]) =>
    left === right ? (a < b ? -1 : 1) : left < right ? -1 : 1,
  );
  const kept = new Map(managers);
  const firsts = new Map<string, string>();
  for (const [identity, update] of updates) {
    if (tooMany <= 0) break;
    const { apiVersion } = update;
    const first = firsts.get(apiVersion);
    if (first === undefined) {
      firsts.set(apiVersion, identity);
      continue;
    }
    const bucket: Manager = { ...update, manager: oldUpdates, subresource: "" };
    const into = identityOf(bucket);
    const before = kept.get(into) ?? kept.get(first);
    if (!kept.has(into)) kept.delete(first);
    kept.delete(identity);
    kept.set(into, { ...bucket, set: union(update.set, before?.set ?? update.set) });
    tooMany--;
  }
  return kept;
}
