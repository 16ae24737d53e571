/** Takes out of answers what differs from run to run: times, uids, versions, made-up names, addresses. */

type Json = Record<string, unknown>;

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A list, or a table, whose version is the server's. */
export function isListObject({ kind, items, rows }: Json): boolean {
  return Array.isArray(items) || Array.isArray(rows) || (typeof kind === "string" && /List$|^Table$/.test(kind));
}

/** What the answers of a case say that is another in every run, by what stands for it. */
export interface Names {
  /** Versions by their order: equal ones stay equal, later ones later. */
  readonly versions: ReadonlyMap<string, string>;
  /** Times by their order; empty where they are not compared. */
  readonly times: ReadonlyMap<string, string>;
}

/** For answers that are looked at alone. */
export const nothingNamed: Names = { versions: new Map(), times: new Map() };

/** The text of an answer, comparable between servers and runs. */
export function normalizedText(text: string, { times }: Names): string {
  if (time.test(text)) return times.get(text) ?? (text.includes(".") ? "MICROTIME" : "TIME");
  return (
    text
      // A refused patch shows the whole object, with its times and versions.
      .replace(/Invalid value: "\{\\"(action|apiVersion|kind)\\".*\}": /, "Invalid value: PATCHED: ")
      .replaceAll(uid, "UID")
      .replaceAll(/\bA_[a-z0-9]{5}\b/g, "A_RAND")
      // The real server shows the difference of its own types.
      .replace(/(previously negative\)|for bound claims|may not be changed|immutable after creation)\n[^]*/, "$1")
      .replaceAll(/\bmadeup-[a-z0-9]{5}\b/g, "madeup-RAND")
      .replaceAll(/kube-api-access-[a-z0-9]{5}/g, "kube-api-access-RAND")
      .replaceAll(/\b10\.0\.\d+\.\d+\b/g, "IP")
      .replaceAll(/too old resource version: \d+ \(\d+\)/g, "too old resource version: N (N)")
      .replaceAll(/resource version: \d+, current: \d+/g, "resource version: N, current: N")
      .replaceAll(/(ResourceVersion in (?:precondition|object meta)): \d+/g, "$1: N")
      .replaceAll(/the ResourceVersion in the precondition \(\d+\)/g, "the ResourceVersion in the precondition (N)")
      .replaceAll(/the ResourceVersion in record \(\d+\)/g, "the ResourceVersion in record (N)")
  );
}

/** What stands for versions, identities and times in the answers of a case. */
export function namesOf(results: readonly unknown[], { ordersTimes }: { readonly ordersTimes: boolean }): Names {
  const texts = results.flatMap(textsIn);
  const times = new Set(ordersTimes ? texts.filter((text) => time.test(text)) : []);
  return {
    versions: versionsOf(results),
    times: new Map([...times].sort().map((found, index) => [found, `TIME${index + 1}`])),
  };
}

/** All texts of an answer, with keys in order, so that they are found in the same one on both sides. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isObject(value)) return [];
  return Object.keys(value)
    .sort()
    .flatMap((key) => textsIn(value[key]));
}

function versionsOf(results: readonly unknown[]): ReadonlyMap<string, string> {
  const found = new Set<string>();
  const walk = (value: unknown, isList: boolean): void => {
    if (Array.isArray(value)) for (const item of value) walk(item, false);
    if (!isObject(value)) return;
    const { metadata } = value;
    const own = isObject(metadata) ? metadata["resourceVersion"] : undefined;
    const list = isList || isListObject(value) || value["type"] === "BOOKMARK";
    if (typeof own === "string" && !list) found.add(own);
    for (const item of Object.values(value)) walk(item, value["type"] === "BOOKMARK");
  };
  for (const result of results) walk(result, false);
  const sorted = [...found].sort((a, b) => Number(a) - Number(b));
  return new Map(sorted.map((version, index) => [version, `v${index + 1}`]));
}

/** An answer, comparable between servers and runs. */
export function normalized(value: unknown, names: Names): unknown {
  const { versions } = names;
  if (typeof value === "string") return normalizedText(value, names);
  if (Array.isArray(value)) return value.map((item) => normalized(item, names));
  if (!isObject(value)) return value;
  const result: Json = {};
  const isList = isListObject(value);
  for (const key of Object.keys(value).sort()) {
    const item = value[key];
    // Managers stand in the order of whole seconds: which of two is first depends on the clock.
    if (key === "managedFields" && Array.isArray(item)) {
      const entries = item.map((entry) => JSON.stringify(normalized(entry, names))).sort();
      result[key] = entries.map((entry) => JSON.parse(entry) as unknown);
    }
    // A list's own version is the server's, which others move on too.
    else if (key === "metadata" && isList && isObject(item))
      result[key] = normalized(
        { ...item, ...("resourceVersion" in item ? { resourceVersion: "VERSION" } : {}) },
        names,
      );
    else if (key === "resourceVersion" && typeof item === "string" && /^\d+$/.test(item))
      result[key] = versions.get(item) ?? "VERSION";
    else if (key === "cells" && Array.isArray(item)) result[key] = item.map((cell) => cellOf(cell, names));
    // The sandbox describes columns by their names: the real server's prose is not kept.
    else if (key === "columnDefinitions" && Array.isArray(item))
      result[key] = item.map((column) => normalized({ ...(column as Json), description: "PROSE" }, names));
    else if (key === "serverAddress") result[key] = "ADDRESS";
    else if (key === "continue" && item !== "") result[key] = "TOKEN";
    else result[key] = normalized(item, names);
  }
  madeUpName(result);
  collectedNamespace(result);
  return result;
}

/** A namespace that the garbage collector is to finish gets its finalizers in the order of a Go map: in any. */
function collectedNamespace({ metadata }: Json): void {
  if (!isObject(metadata) || metadata["namespace"] !== undefined) return;
  const { finalizers } = metadata;
  if (!Array.isArray(finalizers)) return;
  if (finalizers.includes("foregroundDeletion") || finalizers.includes("orphan"))
    finalizers.sort((a, b) => (String(a) < String(b) ? -1 : 1));
}

/** A cell of a table: ages differ. */
function cellOf(cell: unknown, names: Names): unknown {
  if (typeof cell !== "string") return cell;
  return /^(\d+[dhms])+$/.test(cell) ? "AGE" : normalizedText(cell, names);
}

function madeUpName(object: Json): void {
  const { name, generateName } = object;
  if (typeof name !== "string" || typeof generateName !== "string") return;
  // The stem of a made-up name is cut at 58.
  const stem = generateName.slice(0, 58);
  if (name.startsWith(stem) && name.length === stem.length + 5) object["name"] = `${stem}RAND`;
}
