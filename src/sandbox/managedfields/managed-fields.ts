/**
 * `metadata.managedFields`: who last set which field. Updates only; server-side apply is not served.
 * Source: apimachinery v0.36 util/managedfields, structured-merge-diff v6 merge/update.go.
 */
import { formatTime } from "../../api/time.ts";
import { canonicalize } from "../meta/canonical.ts";
import { param } from "../options/list-options.ts";
import { textOf, type ApiObject, type Fields } from "../meta/object.ts";
import type { Resource } from "../registry/resource.ts";
import type { RequestScope } from "../context/server.ts";
import { atStoredVersion, atVersion } from "../conversion/versions.ts";
import { compare, type Comparison } from "./compare.ts";
import { newFields } from "./new-fields.ts";
import { emptySet, isEmptySet, readSet, subtract, unite, writeSet } from "./field-set.ts";

/** The query's fieldManager, or the part of the user agent before the slash. */
export function managerOf(scope: RequestScope): string {
  const asked = param(scope.query, "fieldManager");
  if (asked !== undefined && asked !== "") return asked;
  return (scope.headers["user-agent"] ?? "").split("/")[0] ?? "";
}

const statusOnly = new Set(["status"]);
const specOnly = new Set(["spec"]);
const nothing: ReadonlySet<string> = new Set();
/** The server manages at most so many managers of updates apart. */
const mostManagers = 10;

/** The new object's managed fields: `object` as the client sent it, with defaults, canonical, before admission. */
export function manageCreate(scope: RequestScope, object: ApiObject): void {
  const { struct, kind, apiVersion } = scope.served;
  if (struct === undefined) return;
  if (!scope.server.managesFields) {
    delete object.metadata.managedFields;
    return;
  }
  const { schema } = scope.server.registry;
  const empty: Fields = { kind, apiVersion, metadata: {} };
  canonicalize(empty, struct, schema);
  const fieldsV1 = newFields(empty, atServed(scope, object), struct, schema, skippedBy(scope));
  if (Object.keys(fieldsV1).length === 0) delete object.metadata.managedFields;
  else object.metadata.managedFields = [entryOf(scope, ownerOf(scope), fieldsV1)];
}

/** Status belongs to those who write it through its subresource, and they manage nothing of the spec. */
function skippedBy({ subresource, served }: RequestScope): ReadonlySet<string> {
  if (subresource === "status") return specOnly;
  return subresource === "" && served.subresources.has("status") ? statusOnly : nothing;
}

function ownerOf(scope: RequestScope): Owner {
  return {
    manager: managerOf(scope),
    operation: "Update",
    apiVersion: scope.served.apiVersion,
    subresource: scope.subresource,
  };
}

/** The managed fields after an update of `old` to `object`. Those of an object that had none are not begun with. */
export function manageUpdate(scope: RequestScope, old: ApiObject, object: ApiObject): void {
  const entries = old.metadata.managedFields ?? [];
  if (entries.length > 0) managed(scope, old, object, entries);
  else delete object.metadata.managedFields;
}

/** The managed fields after a write of the server's own to the status of an object of another kind. */
export function manageOwnStatus(scope: RequestScope, resource: Resource, old: ApiObject, object: ApiObject): void {
  const query = [["fieldManager", "kube-apiserver"]] as const;
  manageUpdate({ ...scope, resource, served: resource, query, subresource: "status" }, old, object);
}

const atServed = ({ served, server }: RequestScope, stored: ApiObject): ApiObject =>
  atVersion(stored, served.apiVersion, served.struct, server.registry.schema);

/** A stored object as it would be stored once it was sent at the request's version, which may put lists in another order. */
function asSent(scope: RequestScope, stored: ApiObject): ApiObject {
  if (stored.apiVersion === scope.served.apiVersion) return stored;
  const back = atStoredVersion(atServed(scope, stored));
  const { struct } = scope.resource;
  if (struct !== undefined) canonicalize(back, struct, scope.server.registry.schema);
  return back;
}

/** Fields are counted as the version of the request has them; `old` may be at that one. */
function managed(scope: RequestScope, old: ApiObject, stored: ApiObject, entries: readonly Fields[]): void {
  const sent = atServed(scope, stored);
  entries = distinct(entries);
  manage(scope, atServed(scope, old), sent, ofOtherVersions(scope, old, stored, entries));
  if (sent.metadata.managedFields === undefined) delete stored.metadata.managedFields;
  else stored.metadata.managedFields = sent.metadata.managedFields;
}

const identityOf = ({ manager, operation, apiVersion, subresource }: Fields): string =>
  JSON.stringify([manager, operation, apiVersion, subresource]);

/** Of two entries of one manager the real server reads the last. */
export function distinct(entries: readonly Fields[]): readonly Fields[] {
  const last = new Map(entries.map((entry) => [identityOf(entry), entry]));
  return last.size === entries.length ? entries : [...last.values()];
}

/**
 * The managers' entries, those at other versions of the kind without what has changed there. What was managed in another group
 * is forgotten: the real server cannot read it here.
 */
function ofOtherVersions(scope: RequestScope, old: ApiObject, stored: ApiObject, entries: readonly Fields[]): Fields[] {
  const { served, server } = scope;
  return entries.flatMap((entry) => {
    const version = String(entry["apiVersion"]);
    if (version === served.apiVersion) return [entry];
    const other = server.registry.ofKind(version, served.kind);
    if (other?.struct === undefined || other.group !== served.group) return [];
    const { schema } = server.registry;
    const at = (object: ApiObject): ApiObject => atVersion(asSent(scope, object), version, other.struct, schema);
    const { changed, removed } = compare(at(old), at(stored), other.struct, schema, skippedBy(scope));
    const set = readSet(entry["fieldsV1"]);
    subtract(set, changed);
    subtract(set, removed);
    return isEmptySet(set) ? [] : [{ ...entry, fieldsV1: writeSet(set) }];
  });
}

function manage(scope: RequestScope, old: ApiObject, sent: ApiObject, entries: readonly Fields[]): void {
  const { struct } = scope.served;
  if (struct === undefined) return;
  const { schema } = scope.server.registry;
  const { changed, removed } = compare(old, sent, struct, schema, skippedBy(scope));
  const own = ownerOf(scope);
  const isOwn = (entry: Fields): boolean =>
    entry["manager"] === own.manager &&
    entry["operation"] === own.operation &&
    entry["apiVersion"] === own.apiVersion &&
    (entry["subresource"] ?? "") === own.subresource;
  const kept: Fields[] = [];
  for (const entry of entries) {
    if (isOwn(entry)) continue;
    if (entry["apiVersion"] !== own.apiVersion) {
      kept.push(entry);
      continue;
    }
    const set = readSet(entry["fieldsV1"]);
    subtract(set, changed);
    subtract(set, removed);
    if (!isEmptySet(set)) kept.push({ ...entry, fieldsV1: writeSet(set) });
  }
  const before = entries.find(isOwn);
  const mine = ownEntry(scope, before, own, { changed, removed });
  if (mine !== undefined) kept.push(mine);
  if (kept.length === 0) delete sent.metadata.managedFields;
  else sent.metadata.managedFields = merged(kept).sort(inOrder);
}

interface Owner {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly subresource: string;
}

/**
 * The entry of who writes: what was managed before without what is gone, with what has changed. Its time is that of its last change
 * of a value; a write that only removes does not move it. Source: apimachinery v0.36 util/managedfields/internal/managedfieldsupdater.go.
 */
function ownEntry(
  scope: RequestScope,
  before: Fields | undefined,
  owner: Owner,
  { changed, removed }: Comparison,
): Fields | undefined {
  const set = readSet(before?.["fieldsV1"]);
  subtract(set, removed);
  unite(set, changed);
  if (isEmptySet(set)) return undefined;
  return before !== undefined && isEmptySet(changed)
    ? { ...before, fieldsV1: writeSet(set) }
    : entryOf(scope, owner, writeSet(set));
}

function entryOf(scope: RequestScope, { subresource, ...owner }: Owner, fieldsV1: Fields): Fields {
  return {
    ...owner,
    time: formatTime(scope.server.timeline.now()),
    fieldsType: "FieldsV1",
    fieldsV1,
    ...(subresource === "" ? {} : { subresource }),
  };
}

/** Apply before Update, then by time, then by manager. */
export function inOrder(a: Fields, b: Fields): number {
  for (const key of ["operation", "time", "manager", "apiVersion", "subresource"]) {
    const [left, right] = [textOf(a[key]), textOf(b[key])];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/** Beyond ten managers the oldest become one. */
function merged(entries: Fields[]): Fields[] {
  const updates = entries.filter((entry) => entry["operation"] === "Update").sort(inOrder);
  const tooMany = updates.length - mostManagers;
  if (tooMany <= 0) return entries;
  const old = updates.slice(0, tooMany + 1);
  const set = emptySet();
  for (const entry of old) unite(set, readSet(entry["fieldsV1"]));
  const ancient = { ...old.at(-1), manager: "ancient-changes", fieldsV1: writeSet(set) };
  return [...entries.filter((entry) => !old.includes(entry)), ancient];
}
