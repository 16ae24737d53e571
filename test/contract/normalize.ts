/** Normalizes responses so that servers and runs can be compared: everything that differs between runs is replaced by a name. */
import {
  address,
  type TimedResponse,
  deletionRequestedAt,
  isListObject,
  isObject,
  type Json,
  type Names,
  time,
  uid,
} from "./names.ts";

/** When the request was sent and the response received, on the server's clock, and the names of the case. */
export interface Context extends Pick<TimedResponse, "from" | "until"> {
  readonly names: Names;
}

/** The error message for a refused patch contains the whole patched object. */
const patched = /Invalid value: ("\{\\"(?:action|apiVersion|kind)\\".*\}"): /;
/** The real server shows a diff of its Go types; the sandbox omits exactly these lines. */
const goDifference = /\n(?:@@ .*\n(?:[ +-].*\n)*)*/g;
const endsBeforeDifference = /(?:previously negative\)|for bound claims|may not be changed|immutable after creation)$/;
/** The time of a manager's last write, in a message that contains metadata. */
const managedAt = /(?<="time":")[^"]+(?=")/g;
/** The ID of a token. */
const credential = /(?<![\w])JTI=[0-9a-f-]{36}/g;
const word = /[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?/g;
const versionInText =
  /(?<=resource version: |ResourceVersion in (?:(?:the )?precondition|object meta|record)(?:: | \())\d+/g;
/** The current resourceVersion of the server, which other writers also advance. */
const newestInText = /(?<=resource version: [\w ]+(?:, current: | \())\d+/g;

/** Normalizes a string of a response. */
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

/** Normalizes the object in a message, whose keys the sandbox orders differently. */
function patchedIn(quoted: string, context: Context): string {
  return JSON.stringify(normalized(JSON.parse(JSON.parse(quoted) as string), context));
}

/** The name of an object's resourceVersion; one that the case itself made up is returned as it is. */
function versionNamed(version: string, names: Names): string {
  const own = names.versions.get(version) ?? (names.sentVersions.has(version) ? version : undefined);
  return own ?? serverVersion(version, names);
}

/** The name of a resourceVersion that other writers also advance: the latest resourceVersion of the case that is not newer. */
function serverVersion(version: string, { versions }: Names): string {
  const known = [...versions].filter(([one, name]) => name.startsWith("v") && Number(one) <= Number(version)).length;
  return known === 0 ? "VERSION" : `VERSION since v${known}`;
}

const jsonWebToken = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The claims of a service account token, with times relative to its issuance; its key and its ID depend on the server. */
function tokenClaims(token: string, context: Context): unknown {
  const [, payload = ""] = token.split(".");
  const { iat, exp, nbf, jti, ...claims } = JSON.parse(Buffer.from(payload, "base64url").toString()) as Json;
  const since = (time: unknown): number => Number(time) - Number(iat);
  const own = { ...claims, exp: since(exp), nbf: since(nbf), jti: uid.test(String(jti)) ? "UID" : jti };
  return normalized(own, context);
}

/** The lifetime from the request to the expiration, in minutes. */
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
    // The managers with which an apply conflicts are iterated in the order of a Go map.
    case "causes":
      return Array.isArray(item)
        ? byManager(item.map((cause) => normalized(cause, context)))
        : normalized(item, context);
    // Roles are iterated in the order of a Go map.
    case "resourceRules":
    case "nonResourceRules":
      return Array.isArray(item) ? inAnyOrder(item, context) : normalized(item, context);
    case "metadata":
      // Its metadata contains the UID of the ServiceAccount, but its own creation time.
      if (isObject(item) && object["kind"] === "TokenRequest")
        return {
          ...(normalized({ ...item, creationTimestamp: undefined }, context) as Json),
          creationTimestamp: "TIME",
        };
      // The resourceVersion of a list or bookmark can come from another writer, and is not that of an object even if it equals one.
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
    // The sandbox uses column names as descriptions, because the texts of the real server are not stored.
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

/** Whether the metadata belongs to the bookmark after the initial events. */
function isInitialEventsEnd({ annotations }: Json): boolean {
  return isObject(annotations) && annotations["k8s.io/initial-events-end"] === "true";
}

function listVersion({ resourceVersion }: Json, names: Names): Json {
  return typeof resourceVersion === "string" && /^\d+$/.test(resourceVersion)
    ? { resourceVersion: serverVersion(resourceVersion, names) }
    : {};
}

/** Managers are ordered by time in whole seconds, so without waits between writes the order of two managers depends on the clock. */
function managers(entries: readonly unknown[], context: Context): unknown[] {
  return context.names.ordersTimes ? entries.map((entry) => normalized(entry, context)) : inAnyOrder(entries, context);
}

function inAnyOrder(entries: readonly unknown[], context: Context): unknown[] {
  return entries
    .map((entry) => JSON.stringify(normalized(entry, context)))
    .sort()
    .map((entry) => JSON.parse(entry) as unknown);
}

/** Sorts causes of conflicts by manager; the fields of each manager keep their order. */
function byManager(causes: readonly unknown[]): unknown[] {
  if (!causes.every((cause) => isObject(cause) && cause["reason"] === "FieldManagerConflict")) return [...causes];
  const messageOf = (cause: unknown): string => (isObject(cause) ? String(cause["message"]) : "");
  return [...causes].sort((a, b) => (messageOf(a) < messageOf(b) ? -1 : messageOf(a) > messageOf(b) ? 1 : 0));
}

/**
 * The entries of a Go map are validated in any order, so consecutive causes about entries of the same map are sorted by key, also in the
 * message.
 */
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
    some.map(({ field: at, message: text }) => `${at}: ${text}`).join(", ");
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

/** Whether the field ends with a map key instead of a list index. */
function isKeyed({ field: at }: Cause): boolean {
  return !/\[\d+\]$/.test(at);
}

/** Whether the creationTimestamp of an object differs from an earlier response. */
function isMoved({ uid: of, creationTimestamp }: Json, { created }: Names): boolean {
  return typeof of === "string" && created.has(of) && created.get(of) !== creationTimestamp;
}

/** `TIME + 30 s`: requested during the case, with a grace period of 30 s. */
function deletion(meta: Json, { times }: Names): string | undefined {
  const requestedAt = deletionRequestedAt(meta);
  const name = requestedAt === undefined ? undefined : times.get(requestedAt);
  return name === undefined ? undefined : `${name} + ${Number(meta["deletionGracePeriodSeconds"] ?? 0)} s`;
}

/** Sorts the finalizers of a namespace that the garbage collector must process: the real server adds them in the order of a Go map. */
function collectedNamespace({ metadata }: Json): void {
  if (!isObject(metadata) || metadata["namespace"] !== undefined) return;
  const { finalizers } = metadata;
  if (!Array.isArray(finalizers)) return;
  if (finalizers.includes("foregroundDeletion") || finalizers.includes("orphan"))
    finalizers.sort((a, b) => (String(a) < String(b) ? -1 : 1));
}

/** Normalizes a cell of a table: every age that matches a time of the case becomes AGE. */
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
  // Ages are truncated to their last unit.
  const cut = parts.at(-1)?.unit ?? 1;
  return names.instants.some(
    (instant) => (until - instant) / 1000 >= seconds && (from - instant) / 1000 - 1 <= seconds + cut,
  );
}
