/**
 * DELETE of an object and of a collection: grace periods, finalizers, propagation.
 * Source: apiserver v0.36 registry/generic/registry/store.go Delete, registry/rest/delete.go.
 */
import { deepEqual } from "../../api/field-changes.ts";
import { formatTime, parseTime } from "../../api/time.ts";
import { deletionAdmission, isAsked } from "../admission/admit.ts";
import { admitNamespaceDeletion } from "../admission/namespace-lifecycle.ts";
import { written } from "../serialization/decode.ts";
import { jsonNameOf, readJson } from "../meta/json.ts";
import { isNotFound } from "../../api/status-error.ts";
import { invalid, invalidObject, type FieldError } from "../meta/field-errors.ts";
import { at, isFields, type ApiObject, type Fields } from "../meta/object.ts";
import type { Steps } from "../meta/steps.ts";
import { protobufType } from "../../api/wire/envelope.ts";
import { badRequest, conflict, notFound, unsupportedMediaType } from "../meta/refusal.ts";
import { servedEntry } from "../context/conversion.ts";
import type { RequestScope } from "../context/server.ts";
import { numberParam, param, type ListOptions } from "../options/list-options.ts";
import { dryRunErrors } from "../options/write-options.ts";
import { selects } from "../options/selection.ts";
import type { GarbageCollectionPolicy } from "../registry/strategy/rest-strategy.ts";
import { Entry } from "../storage/entry.ts";
import { yamlType } from "../serialization/yaml/codec.ts";
import { mediaTypeOf, yamlJson } from "./body.ts";
import { checkUnmoved, retried } from "./retry.ts";

/** The options of a deletion, from the body or the query. */
export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: string | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly dryRun: boolean;
}

/** The result of a deletion: the object is gone, or marked for deletion. */
export interface Deleted {
  readonly entry: Entry;
  readonly gone: boolean;
  /** The response is the object, even for kinds that normally respond with a Status. */
  readonly asObject?: true;
}

/** The name of the options in the audit log. */
const optionsKind = { kind: "DeleteOptions", apiVersion: "meta.k8s.io/__internal" };

/** @throws StatusError 400, 415, 422. */
export function deleteOptionsOf(scope: RequestScope): DeleteOptions {
  const body = optionsBody(scope);
  if (scope.body.length > 0) scope.audit?.sentBody(() => JSON.stringify({ ...optionsKind, ...body, ...optionsKind }));
  // Options in the body replace those in the query.
  const fromQuery = (name: string): string | undefined =>
    scope.body.length > 0 ? undefined : param(scope.query, name);
  const preconditions = body["preconditions"];
  if (preconditions !== undefined && !isFields(preconditions)) {
    throw badRequest(
      `json: cannot unmarshal ${jsonNameOf(preconditions)} into Go struct field DeleteOptions.preconditions of type v1.Preconditions`,
    );
  }
  const orphan = body["orphanDependents"] ?? fromQuery("orphanDependents");
  const grace =
    body["gracePeriodSeconds"] ?? (scope.body.length > 0 ? undefined : numberParam(scope.query, "gracePeriodSeconds"));
  if (grace !== undefined && (typeof grace !== "number" || !Number.isInteger(grace))) {
    throw badRequest(
      `json: cannot unmarshal ${typeof grace} into Go struct field DeleteOptions.gracePeriodSeconds of type int64`,
    );
  }
  const dryRun = body["dryRun"];
  const asked = body["propagationPolicy"] ?? fromQuery("propagationPolicy");
  const policy = typeof asked === "string" ? asked : undefined;
  const options: DeleteOptions = {
    gracePeriodSeconds: grace === undefined ? undefined : grace < 0 ? 1 : grace,
    propagationPolicy: policy,
    orphanDependents: orphan === undefined ? undefined : orphan === true || orphan === "true" || orphan === "1",
    uid: given(at(body, "preconditions", "uid")),
    resourceVersion: given(at(body, "preconditions", "resourceVersion")),
    dryRun: scope.body.length > 0 ? Array.isArray(dryRun) && dryRun.includes("All") : scope.dryRun,
  };
  checkOptions(options, dryRunProblems(scope, dryRun));
  return options;
}

const given = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Those in a body replace those in the query. */
function dryRunProblems({ body, query }: RequestScope, dryRun: unknown): FieldError[] {
  if (body.length === 0) return dryRunErrors(query);
  return dryRunErrors(Array.isArray(dryRun) ? dryRun.map((value) => ["dryRun", String(value)] as const) : []);
}

function optionsBody(scope: RequestScope): Fields {
  if (scope.body.length === 0) return {};
  const media = mediaTypeOf(scope);
  const expected = { kind: "DeleteOptions", apiVersion: "v1" };
  if (media === protobufType) return checkedOptions(scope.server.readProtobuf(scope.body, expected));
  if (media === yamlType) return checkedOptions(yamlJson(scope, (problem) => problem));
  if (media !== "application/json") throw unsupportedMediaType(["application/json", "application/yaml", protobufType]);
  const { value, literals } = readJson(
    scope.body,
    (problem) => `couldn't get version/kind; json parse error: ${problem}`,
  );
  const grace = literals.get("gracePeriodSeconds");
  if (grace !== undefined) {
    const field = "Go struct field DeleteOptions.gracePeriodSeconds of type int64";
    throw badRequest(`json: cannot unmarshal number ${grace} into ${field}`);
  }
  return checkedOptions(value);
}

function checkedOptions(json: unknown): Fields {
  json ??= {};
  if (!isFields(json)) throw badRequest("couldn't get version/kind; json parse error");
  const { kind = "", apiVersion = "meta.k8s.io/v1" } = json as { kind?: unknown; apiVersion?: unknown };
  if (kind !== "DeleteOptions" && kind !== "") {
    throw badRequest(
      `no kind "${String(kind)}" is registered for version "${String(apiVersion)}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const clean: Fields = {};
  for (const [key, value] of Object.entries(json)) if (value !== null) clean[key] = value;
  return clean;
}

/** @throws StatusError 422 */
export function checkOptions(
  { propagationPolicy, orphanDependents }: DeleteOptions,
  dryRun: readonly FieldError[] = [],
): void {
  const errors: FieldError[] = [];
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    const why = "orphanDependents and deletionPropagation cannot be both set";
    errors.push(invalid("propagationPolicy", propagationPolicy, why));
  }
  const policies = ["Foreground", "Background", "Orphan", "nil"];
  if (propagationPolicy !== undefined && !policies.slice(0, 3).includes(propagationPolicy)) {
    const listed = policies.map((policy) => JSON.stringify(policy)).join(", ");
    const message = `Unsupported value: ${JSON.stringify(propagationPolicy)}: supported values: ${listed}`;
    errors.push({ reason: "FieldValueNotSupported", field: "propagationPolicy", message });
  }
  errors.push(...dryRun);
  if (errors.length > 0) throw invalidObject({ group: "meta.k8s.io", name: "DeleteOptions" }, "", errors);
}

/** @throws StatusError */
export function* deleteOne(scope: RequestScope, options: DeleteOptions): Steps<Deleted> {
  warnOfOrphans(scope, options);
  admitNamespaceDeletion(scope, scope.name);
  return yield* deleteNamed(scope, { options, name: scope.name });
}

/** A deletion that goes through admission. */
interface AskedDeletion {
  readonly options: DeleteOptions;
  /** The name in the request, for admission: `""` if a collection is deleted. */
  readonly name: string;
}

/** @throws StatusError */
function* deleteNamed(scope: RequestScope, { options, name }: AskedDeletion): Steps<Deleted> {
  return yield* retried(scope, function* () {
    const entry = scope.collection.get(scope.namespace, scope.name);
    if (entry === undefined) throw notFound(scope.resource.asResource, scope.name);
    return yield* deleteEntry(scope, {
      entry,
      options,
      *admit(stored) {
        const asked = askedOf(scope, { entry: stored, options });
        const shown = (yield* servedEntry(scope, isAsked(scope) ? stored : undefined)) ?? stored;
        yield* deletionAdmission({ scope, name, old: shown.object, options: asked, dryRun: options.dryRun });
        checkUnmoved(scope, stored);
      },
    });
  });
}

/** The options as admission sees them: completed by the kind. */
function askedOf(
  { resource }: RequestScope,
  { entry: { object }, options }: Pick<Deletion, "entry" | "options">,
): Fields {
  const { strategy, storage } = resource;
  const isNew = object.metadata.deletionTimestamp === undefined;
  const period = isNew ? strategy.checkGracefulDelete?.(object, options.gracePeriodSeconds) : undefined;
  // A deletion in two steps must delete the same object in both.
  const isPinned = storage === "namespaces" || strategy.beginDelete !== undefined;
  return fieldsOf({
    ...options,
    ...(period === undefined ? {} : { gracePeriodSeconds: period }),
    ...(isPinned ? { uid: options.uid ?? object.metadata.uid } : {}),
  });
}

/** The options as a DeleteOptions object. */
function fieldsOf(options: DeleteOptions): Fields {
  const { gracePeriodSeconds, uid, resourceVersion, orphanDependents, propagationPolicy, dryRun } = options;
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  return {
    kind: "DeleteOptions",
    apiVersion: "meta.k8s.io/v1",
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(dryRun ? { dryRun: ["All"] } : {}),
  };
}

/** Warns about deleting a Job without a propagation policy. */
function warnOfOrphans(
  { resource, warnings }: RequestScope,
  { propagationPolicy, orphanDependents }: DeleteOptions,
): void {
  if (resource.storage !== "jobs.batch" || propagationPolicy !== undefined || orphanDependents !== undefined) return;
  warnings.push(jobWarning);
}

const jobWarning =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";

/** Deletes the objects of a list one by one. Returns them as they were listed. */
export function* deleteCollection(scope: RequestScope, list: ListOptions, options: DeleteOptions): Steps<Entry[]> {
  warnOfOrphans(scope, options);
  const listed = [...scope.collection.range({ namespace: list.selection.namespace })].filter((e) =>
    selects(list.selection, e),
  );
  for (const { namespace, name } of listed) {
    try {
      yield* deleteNamed({ ...scope, namespace, name }, { options, name: "" });
    } catch (error) {
      // It may have been deleted while another deletion waited.
      if (!isNotFound(error)) throw error;
    }
  }
  return listed;
}

/** A deletion of a stored object. */
export interface Deletion {
  readonly entry: Entry;
  readonly options: DeleteOptions;
  /** Called before each write with the stored object; by default there is no admission. */
  readonly admit?: (stored: Entry) => Steps<void>;
}

/** Deletes a stored object, or marks it for deletion. @throws StatusError 409, and errors of `admit`. */
export function* deleteEntry(scope: RequestScope, { entry, options, admit }: Deletion): Steps<Deleted> {
  checkPreconditions(scope, entry, options);
  if (isEnding(scope, { entry, options })) return { entry, gone: false };
  if (admit !== undefined) yield* admit(entry);
  const object = copyOfStored(entry);
  if (scope.resource.storage === "namespaces" && object.metadata.deletionTimestamp === undefined)
    return { entry: endNamespace(scope, entry, object, options), gone: false };
  const { strategy } = scope.resource;
  if (strategy.beginDelete !== undefined && object.metadata.deletionTimestamp === undefined) {
    strategy.beginDelete(object, scope.server.timeline.now());
    return { entry: mark(scope, object, entry, options), gone: false };
  }
  const graceful = beGraceful(scope, object, options);
  setFinalizers(scope, object, options);
  const waits = (object.metadata.finalizers ?? []).length > 0;
  // An object that is deleted immediately is deleted as stored, without finalizer changes.
  if (graceful === "no" && !waits) {
    const had = (entry.object.metadata.finalizers ?? []).length > 0;
    return had && options.dryRun ? untold(scope) : remove(scope, copyOfStored(entry), options);
  }
  if (graceful === "no") markAsDeleting(scope, object);
  const marked = mark(scope, object, entry, options);
  if (waits || (object.metadata.deletionGracePeriodSeconds ?? 0) > 0) return { entry: marked, gone: false };
  if (options.dryRun) return { entry: marked, gone: true };
  if (admit !== undefined) yield* admit(marked);
  return remove(scope, { ...object, metadata: { ...object.metadata } }, options);
}

/** True if the object is already being deleted and this deletion would change nothing. */
function isEnding(scope: RequestScope, { entry, options }: Pick<Deletion, "entry" | "options">): boolean {
  const { object } = entry;
  if (scope.resource.storage === "namespaces")
    return object.metadata.deletionTimestamp !== undefined && keptBySpec(object);
  return beGraceful(scope, copyOfStored(entry), options) === "pending";
}

/** Marks a namespace for deletion; it stays until its spec has no finalizers. */
function endNamespace(scope: RequestScope, entry: Entry, object: ApiObject, options: DeleteOptions): Entry {
  object.metadata.deletionTimestamp = formatTime(scope.server.timeline.now());
  object.status = { ...object.status, phase: "Terminating" };
  setFinalizers(scope, object, options);
  return mark(scope, object, entry, options);
}

/** A copy whose top-level fields and metadata may be changed. */
function copyOfStored({ object }: Entry): ApiObject {
  return { ...object, metadata: { ...object.metadata } };
}

function mark(scope: RequestScope, object: ApiObject, entry: Entry, options: DeleteOptions): Entry {
  if (deepEqual(object, entry.object)) return entry;
  return options.dryRun ? new Entry(object, entry.revision) : scope.server.store.put(scope.collection, object);
}

function remove(scope: RequestScope, object: ApiObject, options: DeleteOptions): Deleted {
  if (options.dryRun) return { entry: new Entry(object, Number(object.metadata.resourceVersion)), gone: true };
  return { entry: scope.server.store.remove(scope.collection, object), gone: true };
}

/** The dry run of a deletion that drops finalizers and deletes immediately: the real server responds with an empty object. */
function untold({ resource, server }: RequestScope): Deleted {
  const { kind, apiVersion, struct } = resource;
  const object: ApiObject = { kind, apiVersion, metadata: {} };
  return { entry: new Entry(written(object, struct, server.registry.schema), 0), gone: true, asObject: true };
}

/** @throws StatusError 409 */
export function checkPreconditions(
  scope: RequestScope,
  { object }: Entry,
  { uid, resourceVersion }: DeleteOptions,
): void {
  const { metadata } = object;
  const { asKind, asResource, storage } = scope.resource;
  if (storage === "namespaces") {
    const pairs = [
      ["UID", uid, metadata.uid],
      ["ResourceVersion", resourceVersion, metadata.resourceVersion],
    ] as const;
    for (const [what, asked, is] of pairs) {
      if (asked === undefined || asked === is) continue;
      const why = `Precondition failed: ${what} in precondition: ${asked}, ${what} in object meta: ${is}`;
      throw conflict(asResource, metadata.name ?? "", why);
    }
  }
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      asKind,
      metadata.name ?? "",
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      asKind,
      metadata.name ?? "",
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
}

/** True if finalizers in the spec of a namespace keep it. */
function keptBySpec(object: ApiObject): boolean {
  if (object.kind !== "Namespace" || object.apiVersion !== "v1") return false;
  const finalizers = object.spec?.["finalizers"];
  return Array.isArray(finalizers) && finalizers.length > 0;
}

/**
 * Sets the grace period of a graceful deletion. `pending`: it is already being deleted, with a period no longer than the requested one;
 * there is nothing to do.
 */
function beGraceful(scope: RequestScope, object: ApiObject, options: DeleteOptions): "yes" | "no" | "pending" {
  const { strategy } = scope.resource;
  if (strategy.checkGracefulDelete === undefined) return "no";
  const { metadata } = object;
  const now = scope.server.timeline.now();
  const { deletionTimestamp, deletionGracePeriodSeconds: left } = metadata;
  if (deletionTimestamp !== undefined) {
    if (left === undefined || left === 0) return "no";
    const asked = options.gracePeriodSeconds;
    if (asked === undefined || asked >= left) return "pending";
    const earlier = parseTime(deletionTimestamp) + (asked - left) * 1000;
    metadata.deletionTimestamp = formatTime(Math.max(earlier, now));
    // Even if the time is up, the kubelet gets one second.
    metadata.deletionGracePeriodSeconds = earlier < now && asked !== 0 ? 1 : asked;
    return "yes";
  }
  const period = strategy.checkGracefulDelete(object, options.gracePeriodSeconds);
  metadata.deletionTimestamp = formatTime(now + period * 1000);
  metadata.deletionGracePeriodSeconds = period;
  if ((metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1;
  return "yes";
}

/** Sets the finalizers of the garbage collector according to the options. */
function setFinalizers(scope: RequestScope, { metadata }: ApiObject, options: DeleteOptions): void {
  const before = metadata.finalizers ?? [];
  const after = before.filter((finalizer) => finalizer !== "orphan" && finalizer !== "foregroundDeletion");
  const own = scope.resource.strategy.defaultGarbageCollectionPolicy;
  const policy = own === "unsupported" ? "" : policyOf(before, options, own);
  if (policy === "Orphan") after.push("orphan");
  if (policy === "Foreground") after.push("foregroundDeletion");
  if (after.length === before.length && after.every((finalizer) => before.includes(finalizer))) return;
  if (after.length === 0) delete metadata.finalizers;
  else metadata.finalizers = after;
}

function policyOf(
  finalizers: readonly string[],
  { orphanDependents, propagationPolicy }: DeleteOptions,
  byDefault: GarbageCollectionPolicy,
): string {
  if (orphanDependents !== undefined) return orphanDependents ? "Orphan" : "Background";
  if (propagationPolicy !== undefined) return propagationPolicy;
  const own = finalizers.find((finalizer) => finalizer === "orphan" || finalizer === "foregroundDeletion");
  if (own === undefined) return byDefault === "orphan dependents" ? "Orphan" : "Background";
  return own === "orphan" ? "Orphan" : "Foreground";
}

function markAsDeleting(scope: RequestScope, object: ApiObject): void {
  const { metadata } = object;
  const now = scope.server.timeline.now();
  if (metadata.deletionTimestamp === undefined && (metadata.generation ?? 0) > 0) {
    metadata.generation = (metadata.generation ?? 0) + 1;
  }
  if (metadata.deletionTimestamp === undefined || parseTime(metadata.deletionTimestamp) > now) {
    metadata.deletionTimestamp = formatTime(now);
  }
  metadata.deletionGracePeriodSeconds = 0;
}
