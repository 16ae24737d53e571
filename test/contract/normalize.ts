/** Normalizes responses, so that they can be compared between servers and runs: names replace what differs in every run. */
import {
  address,
  type Answered,
  askedForDeletion,
  isListObject,
  isObject,
  type Json,
  type Names,
  time,
  uid,
} from "./names.ts";

/** The time from the request to the response, by the server's clock, and the names of the case. */
export interface Context extends Pick<Answered, "from" | "until"> {
  readonly names: Names;
}

/** The error of a rejected patch contains the whole patched object. */
const patched = /Invalid value: ("\{\\"(?:action|apiVersion|kind)\\".*\}"): /;
/** The real server prints the difference of its own Go types. The sandbox omits these lines, but no others. */
const goDifference = /\n(?:@@ .*\n(?:[ +-].*\n)*)*/g;
const endsBeforeDifference = /(?:previously negative\)|for bound claims|may not be changed|immutable after creation)$/;
/** The time of a manager's last write, in metadata in a message. */
const managedAt = /(?<="time":")[^"]+(?=")/g;
/** The identity of a token. */
const credential = /(?<![\w])JTI=[0-9a-f-]{36}/g;
const word = /[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?/g;
const versionInText =
  /(?<=resource version: |ResourceVersion in (?:(?:the )?precondition|object meta|record)(?:: | \())\d+/g;
/** The server's current version, which other writes increase, too. */
const newestInText = /(?<=resource version: [\w ]+(?:, current: | \())\d+/g;

/** Normalizes a string in a response. */
export function normalizedText(text: string, context: Context): string {
  const { uids, times, generated, addresses } = context.names;
  if (time.test(text)) return times.get(text) ?? text;
  return text
    .replace(patched, (_whole, quoted: string) => `Invalid value: ${patchedIn(quoted, context)}: `)
    .replaceAll(goDifference, (found, at: number) =>
      endsBeforeDifference.test(text.slice(0, at)) ? "\nDIFFERENCE\n" : found,
    )
    .replaceAll(credential, "JTI=UID")
    .replaceAll(managedAt, (found) => times.get(found) ?? "TIME")
    .replaceAll(uid, (found) => uids.get(found) ?? found)
    .replaceAll(word, (found) => generated.get(found) ?? found)
    .replaceAll(address, (found) => addresses.get(found) ?? found)
    .replaceAll(newestInText, (found) => serverVersion(found, context.names))
    .replaceAll(versionInText, (found) => versionNamed(found, context.names));
}

/** Normalizes the object in a message, whose keys have a different order here. */
function patchedIn(quoted: string, context: Context): string {
  return JSON.stringify(normalized(JSON.parse(JSON.parse(quoted) as string), context));
}

/** Replaces the version of an object of the case by its order; versions that the case invented are not changed. */
function versionNamed(version: string, names: Names): string {
  const own = names.versions.get(version) ?? (names.sentVersions.has(version) ? version : undefined);
  return own ?? serverVersion(version, names);
}

/** Replaces a version that other writes increase, too, by the number of the case's versions that are not newer. */
function serverVersion(version: string, { versions }: Names): string {
  const known = [...versions].filter(([one, name]) => name.startsWith("v") && Number(one) <= Number(version)).length;
  return known === 0 ? "VERSION" : `VERSION since v${known}`;
}

const jsonWebToken = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Returns the claims of a ServiceAccount token, with times relative to `iat`. The key and `jti` are specific to the server. */
function tokenClaims(token: string, context: Context): unknown {
  const [, payload = ""] = token.split(".");
  const { iat, exp, nbf, jti, ...claims } = JSON.parse(Buffer.from(payload, "base64url").toString()) as Json;
  const since = (time: unknown): number => Number(time) - Number(iat);
  const own = { ...claims, exp: since(exp), nbf: since(nbf), jti: uid.test(String(jti)) ? "UID" : jti };
  return normalized(own, context);
}

/** Returns the time from the request to the expiration, in minutes. */
function lifetime(expires: string, { from }: Context): string {
  return `${Math.round((Date.parse(expires) - from) / 60_000)} min`;
}

/** Normalizes a value of a response. */
export function normalized(value: unknown, context: Context): unknown {
  if (typeof value === "string" && jsonWebToken.test(value) && value.startsWith("ey"))
    return tokenClaims(value, context);
  if (typeof value === "string") return normalizedText(value, context);
  if (Array.isArray(value)) return value.map((item) => normalized(item, context));
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  const result = Object.fromEntries(keys.map((key) => [key, field(value, key, context)]));
  collectedNamespace(result);
  inOrderOfKeys(result);
  return result;
}

function field(object: Json, key: string, context: Context): unknown {
  const { names } = context;
  const item = object[key];
  switch (key) {
    case "managedFields":
      return Array.isArray(item) ? managers(item, context) : normalized(item, context);
    // The managers that an apply conflicts with are iterated in the order of a Go map.
    case "causes":
      return Array.isArray(item)
        ? byManager(item.map((cause) => normalized(cause, context)))
        : normalized(item, context);
    // Roles are iterated in the order of a Go map.
    case "resourceRules":
    case "nonResourceRules":
      return Array.isArray(item) ? inAnyOrder(item, context) : normalized(item, context);
    case "metadata":
      // It has the uid of its ServiceAccount, and its own creation time.
      if (isObject(item) && object["kind"] === "TokenRequest")
        return {
          ...(normalized({ ...item, creationTimestamp: undefined }, context) as Json),
          creationTimestamp: "TIME",
        };
      // The version of a list or a bookmark can be that of another case's write, and is not treated as an object's, even if the number is
      // equal.
      return isObject(item) && (isListObject(object) || isInitialEventsEnd(item))
        ? { ...(normalized(item, context) as Json), ...listVersion(item, names) }
        : normalized(item, context);
    case "resourceVersion":
      return typeof item === "string" && /^\d+$/.test(item) ? versionNamed(item, names) : normalized(item, context);
    case "creationTimestamp":
      return isMoved(object, names) ? `${normalizedText(String(item), context)}, moved` : normalized(item, context);
    case "deletionTimestamp":
      return deletion(object, names) ?? normalized(item, context);
    case "cells":
      return Array.isArray(item) ? item.map((cell) => cellOf(cell, context)) : normalized(item, context);
    // The sandbox describes columns by their names, without the text of the real server.
    case "columnDefinitions":
      return Array.isArray(item)
        ? item.map((column: Json) => ({ ...column, description: column["description"] === "" ? "" : "PROSE" }))
        : normalized(item, context);
    case "serverAddress":
      return "ADDRESS";
    case "expirationTimestamp":
      return typeof item === "string" ? lifetime(item, context) : normalized(item, context);
    case "continue":
      return item === "" ? item : "TOKEN";
    default:
      return normalized(item, context);
  }
}

/** Whether the metadata is that of the bookmark after the initial events. */
function isInitialEventsEnd({ annotations }: Json): boolean {
  return isObject(annotations) && annotations["k8s.io/initial-events-end"] === "true";
}

function listVersion({ resourceVersion }: Json, names: Names): Json {
  return typeof resourceVersion === "string" && /^\d+$/.test(resourceVersion)
    ? { resourceVersion: serverVersion(resourceVersion, names) }
    : {};
}

/** Entries are sorted by time in whole seconds: in cases that do not wait for seconds, their order depends on the clock. */
function managers(entries: readonly unknown[], context: Context): unknown[] {
  return context.names.ordersTimes ? entries.map((entry) => normalized(entry, context)) : inAnyOrder(entries, context);
}

function inAnyOrder(entries: readonly unknown[], context: Context): unknown[] {
  return entries
    .map((entry) => JSON.stringify(normalized(entry, context)))
    .sort()
    .map((entry) => JSON.parse(entry) as unknown);
}

/** Sorts causes of conflicts by manager, and keeps the order of each manager's fields. */
function byManager(causes: readonly unknown[]): unknown[] {
  if (!causes.every((cause) => isObject(cause) && cause["reason"] === "FieldManagerConflict")) return [...causes];
  const messageOf = (cause: unknown): string => (isObject(cause) ? String(cause["message"]) : "");
  return [...causes].sort((a, b) => (messageOf(a) < messageOf(b) ? -1 : messageOf(a) > messageOf(b) ? 1 : 0));
}

/** Sorts consecutive causes for entries of the same map by key, in the message, too, because a Go map is validated in random order. */
export function inOrderOfKeys(status: Record<string, unknown>): void {
  const { details, message } = status;
  if (!isObject(details) || !Array.isArray(details["causes"]) || typeof message !== "string") return;
  const causes = details["causes"].filter(isCause);
  if (causes.length < 2 || causes.length < details["causes"].length) return;
  const runs: Cause[][] = [];
  for (const cause of causes) {
    const [last] = runs.slice(-1);
    const map = mapOf(cause);
    if (last?.[0] !== undefined && map !== undefined && map === mapOf(last[0])) last.push(cause);
    else runs.push([cause]);
  }
  const sorted = runs.flatMap((run) =>
    run.some(isKeyed) ? run.toSorted((a, b) => (a.field < b.field ? -1 : a.field > b.field ? 1 : 0)) : run,
  );
  const textOf = (some: readonly Cause[]): string =>
    some.map(({ field: at, message: said }) => `${at}: ${said}`).join(", ");
  status["details"] = { ...details, causes: sorted };
  status["message"] = message.replace(textOf(causes), () => textOf(sorted));
}

interface Cause {
  readonly field: string;
  readonly message: string;
}

function isCause(value: unknown): value is Cause {
  return isObject(value) && typeof value["field"] === "string" && typeof value["message"] === "string";
}

/** Returns `spec.limits[0].min` for `spec.limits[0].min[cpu]`. */
function mapOf({ field: at }: Cause): string | undefined {
  return /^(.+)\[[^[\]]*\]$/.exec(at)?.[1];
}

/** Whether the entry has a key, and not an index in a list. */
function isKeyed({ field: at }: Cause): boolean {
  return !/\[\d+\]$/.test(at);
}

/** Whether an object's creation time differs from an earlier response. */
function isMoved({ uid: of, creationTimestamp }: Json, { created }: Names): boolean {
  return typeof of === "string" && created.has(of) && created.get(of) !== creationTimestamp;
}

/** Returns `TIME + 30 s` for a deletion that was requested during the case, with a grace period of 30 s. */
function deletion(meta: Json, { times }: Names): string | undefined {
  const asked = askedForDeletion(meta);
  const name = asked === undefined ? undefined : times.get(asked);
  return name === undefined ? undefined : `${name} + ${Number(meta["deletionGracePeriodSeconds"] ?? 0)} s`;
}

/** The finalizers of a namespace that is deleted by the garbage collector are added in the order of a Go map. */
function collectedNamespace({ metadata }: Json): void {
  if (!isObject(metadata) || metadata["namespace"] !== undefined) return;
  const { finalizers } = metadata;
  if (!Array.isArray(finalizers)) return;
  if (finalizers.includes("foregroundDeletion") || finalizers.includes("orphan"))
    finalizers.sort((a, b) => (String(a) < String(b) ? -1 : 1));
}

/** Normalizes a cell of a table: ages that match an object of the case are all equal. */
function cellOf(cell: unknown, context: Context): unknown {
  if (typeof cell !== "string") return normalized(cell, context);
  return isAge(cell, context) ? "AGE" : normalizedText(cell, context);
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, y: 365 * 86_400 };

function isAge(cell: string, { names, from, until }: Context): boolean {
  if (!/^(\d+[ydhms])+$/.test(cell)) return false;
  const parts = [...cell.matchAll(/(\d+)([ydhms])/g)].map(([, count, unit = "s"]) => ({
    seconds: Number(count) * (unitSeconds[unit] ?? 1),
    unit: unitSeconds[unit] ?? 1,
  }));
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0);
  // Fractions of the last unit are truncated.
  const cut = parts.at(-1)?.unit ?? 1;
  return names.instants.some(
    (instant) => (until - instant) / 1000 >= seconds && (from - instant) / 1000 - 1 <= seconds + cut,
  );
}
