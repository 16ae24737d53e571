/** `/scale`: the replicas of a workload as a Scale object. Source: kubernetes v1.36 pkg/registry/apps/replicaset/storage. */
import { invalid, invalidObject } from "../meta/field-errors.ts";
import { mutatingHooks } from "../admission/admit.ts";
import { canonicalize } from "../meta/canonical.ts";
import { at, copyOf, isFields, textOf, type ApiObject, type Fields } from "../meta/object.ts";
import { manageUpdate, type ManagedUpdate } from "../managedfields/managed-fields.ts";
import { managersAfterScale, type Scaled, scaleManagers } from "../managedfields/scale-fields.ts";
import { checkWriteOptions } from "../options/write-options.ts";
import type { Resource } from "../registry/resource.ts";
import type { ScalePaths } from "../registry/strategy/object-form.ts";
import type { Steps } from "../meta/steps.ts";
import { conflict, internal, notFound, optimisticLock } from "../meta/refusal.ts";
import type { RequestScope } from "../context/server.ts";
import type { Entry } from "../storage/entry.ts";
import { servedEntry } from "../context/conversion.ts";
import { applied, applyType } from "./apply.ts";
import { matchRequest, sentObject } from "./body.ts";
import { patchedBy, patchTypeOf } from "./patch.ts";
import { replaceObject } from "./update.ts";

interface ScaleResult {
  readonly status: number;
  readonly value: object;
}

/** `a=b,c in (d,e)`, sorted by key. */
function selectorText(selector: unknown): string {
  if (!isFields(selector)) return "";
  const plain = selector["matchLabels"] === undefined && selector["matchExpressions"] === undefined;
  const labels = (plain ? selector : (selector["matchLabels"] ?? {})) as Record<string, string>;
  const parts: [key: string, text: string][] = Object.entries(labels).map(([key, value]) => [key, `${key}=${value}`]);
  for (const expression of (selector["matchExpressions"] ?? []) as {
    key: string;
    operator: string;
    values?: string[];
  }[]) {
    const { key, operator, values = [] } = expression;
    const list = `(${[...values].sort().join(",")})`;
    const texts: Record<string, string> = {
      In: `${key} in ${list}`,
      NotIn: `${key} notin ${list}`,
      Exists: key,
      DoesNotExist: `!${key}`,
    };
    parts.push([key, texts[operator] ?? ""]);
  }
  return parts
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, text]) => text)
    .join(",");
}

/** The paths of a Scale's fields in workloads. */
const usual: ScalePaths = {
  specReplicas: ["spec", "replicas"],
  statusReplicas: ["status", "replicas"],
  labelSelector: undefined,
};

const pathsOf = ({ resource }: RequestScope): ScalePaths => resource.form?.scale ?? usual;

function selectorOf(object: ApiObject, { labelSelector }: ScalePaths): string {
  return labelSelector === undefined ? selectorText(object.spec?.["selector"]) : textOf(at(object, ...labelSelector));
}

function scaleOf(scope: RequestScope, { object }: Pick<Entry, "object">): ApiObject {
  const paths = pathsOf(scope);
  const { name = "", namespace = "", uid = "", resourceVersion = "", creationTimestamp = "" } = object.metadata;
  const replicas = at(object, ...paths.specReplicas);
  const selector = paths === usual || paths.labelSelector !== undefined ? selectorOf(object, paths) : "";
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === undefined || replicas === 0 ? {} : { replicas },
    status: { replicas: at(object, ...paths.statusReplicas) ?? 0, ...(selector === "" ? {} : { selector }) },
  };
}

function* entryOf(scope: RequestScope): Steps<Entry> {
  const entry = yield* servedEntry(scope, scope.collection.get(scope.namespace, scope.name));
  if (entry === undefined) throw notFound(scope.resource.asResource, scope.name);
  return entry;
}

/** GET of a Scale. @throws StatusError 404. */
export function* getScale(scope: RequestScope): Steps<ScaleResult> {
  const entry = yield* entryOf(scope);
  const { specReplicas } = pathsOf(scope);
  if (scope.resource.form !== undefined && at(entry.object, ...specReplicas) === undefined)
    throw internal(`the spec replicas field ".${specReplicas.join(".")}" does not exist`);
  return { status: 200, value: scaleOf(scope, entry) };
}

/** @throws StatusError */
export function* putScale(scope: RequestScope): Steps<ScaleResult> {
  checkWriteOptions(scope.query, "UpdateOptions");
  const scales = ofScales(scope);
  const scale = sentObject(scales);
  matchRequest(scales, scale);
  return yield* update(scope, yield* entryOf(scope), scale);
}

/** @throws StatusError */
export function* patchScale(scope: RequestScope): Steps<ScaleResult> {
  const type = patchTypeOf(scope);
  checkWriteOptions(scope.query, type === applyType ? "ApplyOptions" : "PatchOptions");
  const entry = yield* entryOf(scope);
  if (type === applyType) return yield* apply(scope, entry);
  return yield* update(scope, entry, patchedBy(ofScales(scope), type, managedScaleOf(scope, entry)));
}

/** The path of the replicas in a kind; undefined for a kind of another group. */
function replicasPathAt(resource: Resource | undefined, group: string): readonly string[] | undefined {
  if (resource?.group !== group) return undefined;
  return (resource.form === undefined ? usual : resource.form.scale)?.specReplicas;
}

/** The path of the replicas, at each version of the kind. */
function scaledBy({ served, server }: RequestScope): Scaled {
  return {
    apiVersion: served.apiVersion,
    replicasPath: (version) => replicasPathAt(server.registry.ofKind(version, served.kind), served.group),
  };
}

/** A Scale as patches see it: with managed fields, which errors show but responses omit. */
function managedScaleOf(scope: RequestScope, entry: Entry): ApiObject {
  const scale = scaleOf(scope, entry);
  const managedFields = scaleManagers(entry.object.metadata.managedFields ?? [], scaledBy(scope));
  return managedFields.length === 0 ? scale : { ...scale, metadata: { ...scale.metadata, managedFields } };
}

/** The request's scope with the kind Scale: clients send Scales, whatever they scale. */
function ofScales(scope: RequestScope): RequestScope {
  const [apiVersion, kind] = ["autoscaling/v1", "Scale"];
  const struct = scope.server.registry.schema.kind(apiVersion, kind);
  const { form: _form, ...served } = scope.served;
  return { ...scope, served: { ...served, group: "autoscaling", version: "v1", apiVersion, kind, struct } };
}

interface Placed {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** A copy with another value at a path; everything else is shared. */
function withValue<T extends Fields>(object: T, { path: [key = "", ...path], value }: Placed): T {
  const inside = object[key];
  const made = path.length === 0 ? value : withValue(isFields(inside) ? inside : {}, { path, value });
  return { ...object, [key]: made };
}

/** Writes a Scale that was put or patched; its managed fields change as in any update. */
function* update(scope: RequestScope, entry: Entry, scale: ApiObject): Steps<ScaleResult> {
  const live = managedScaleOf(scope, entry);
  const scales = ofScales(scope);
  const object = copyOf(scale);
  // A Scale omits a zero: nobody manages the replicas after scaling to zero.
  canonicalScale(scales, object);
  manageUpdate({ scope: scales, live, object, sent: undefined });
  return yield* write(scope, entry, object);
}

/** Applies the request's configuration to the Scale. */
function* apply(scope: RequestScope, entry: Entry): Steps<ScaleResult> {
  const scales = ofScales(scope);
  const { object, manage } = applied(scales, managedScaleOf(scope, entry));
  canonicalScale(scales, object);
  matchRequest(scales, object);
  manage({ scope: scales, object, sent: undefined });
  return yield* write(scope, entry, object);
}

function canonicalScale({ served, server }: RequestScope, scale: ApiObject): void {
  if (served.struct !== undefined) canonicalize(scale, served.struct, server.registry.schema);
}

/** Writes the replicas of a Scale and the managed fields for them. */
function* write(scope: RequestScope, entry: Entry, scale: ApiObject): Steps<ScaleResult> {
  const shownAs = (object: ApiObject): ApiObject => scaleOf(scope, { object });
  yield* mutatingHooks({ scope, object: scale, old: managedScaleOf(scope, entry) });
  const version = at(scale, "metadata", "resourceVersion");
  if (typeof version === "string" && version !== "" && Number(version) !== entry.revision) {
    throw conflict(scope.resource.asResource, scope.name, optimisticLock);
  }
  const replicas = Number(at(scale, "spec", "replicas") ?? 0);
  if (replicas < 0) {
    throw invalidObject({ group: "autoscaling", name: "Scale" }, scope.name, [
      invalid("spec.replicas", replicas, "must be greater than or equal to 0"),
    ]);
  }
  const object = withValue(entry.object, { path: pathsOf(scope).specReplicas, value: replicas });
  object.metadata = { ...object.metadata };
  const [ofObject, ofScale] = [entry.object.metadata.managedFields ?? [], scale.metadata.managedFields ?? []];
  const managedFields = managersAfterScale({ ofObject, ofScale }, scaledBy(scope));
  const manage = ({ object: { metadata } }: ManagedUpdate): void => {
    if (managedFields === undefined) delete metadata.managedFields;
    else metadata.managedFields = managedFields;
  };
  const scaled = yield* replaceObject(scope, object, { old: entry, manage, shownAs });
  return { status: 200, value: scaleOf(scope, scaled) };
}
