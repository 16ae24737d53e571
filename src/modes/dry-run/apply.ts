/**
 * Changes by a user: applying manifests as `kubectl apply` does, scaling, deleting.
 * Source: kubectl v0.36 pkg/cmd/apply/{apply,patcher}.go, pkg/util/apply.go.
 */
import { deepEqual, type FieldChange, fieldChanges } from "../../api/field-changes.ts";
import { apiVersionOf, groupOf, type Kind, kindOf } from "../../api/kind.ts";
import { ResourceQuotas } from "../../api/kinds.ts";
import { keyOf, type ObjectKey, objectKey } from "../../api/key.ts";
import type { ObjectMeta, StoredObject, CreateInput } from "../../api/object.ts";
import { isNotFound, StatusError } from "../../api/status-error.ts";
import { threeWayPatch } from "../../api/three-way-merge.ts";
import type { Patch } from "../../api/patch.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { Resource } from "../../sandbox/registry/resource.ts";
import { rulesOf } from "../../sandbox/endpoints/patch-strategic.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { maskChanges } from "../../trace/mask.ts";
import type { KindName } from "../../trace/names.ts";
import type { CustomObjects } from "./custom-objects.ts";
import type { NodeQuestions } from "./node-questions.ts";
import { untilQuotaCounted } from "./quota-counted.ts";

/** An object of a manifest. */
export interface ToApply {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** A change that the user requests. */
export type RequestedChange =
  | { readonly is: "apply"; readonly object: ToApply; readonly namespace: string }
  | {
      readonly is: "scale";
      readonly kind: Kind;
      readonly namespace: string;
      readonly name: string;
      readonly replicas: number;
    }
  | {
      readonly is: "delete";
      readonly kind: Kind;
      readonly namespace: string;
      readonly name: string;
      /** It is in the baseline and no longer among the manifests. */
      readonly isPruned?: true;
    }
  /** The node's kubelet stops reporting, and nothing on it changes any more. */
  | { readonly is: "silence"; readonly kind: Kind; readonly namespace: ""; readonly name: string }
  /** `kubectl drain`, with all its forcing options. */
  | { readonly is: "drain"; readonly kind: Kind; readonly namespace: ""; readonly name: string };

/** What a requested change has done. */
export interface AppliedChange {
  readonly requested: RequestedChange;
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly did:
    "created" | "configured" | "unchanged" | "scaled" | "deleted" | "not compared" | "fell silent" | "cordoned";
  /** Of a kind that the sandbox does not serve: its fields are merged, but not validated. */
  readonly isCustom?: true;
  /** Of such a kind, with the defaults of its schema. */
  readonly hasDefaults?: true;
  /** Why the object of the cluster could not be read, if it was not compared. */
  readonly why?: string;
  /** The fields that it changed, including those that the server set; secrets are masked. */
  readonly changes?: readonly FieldChange[];
}

/** A requested change that was rejected, and why. */
export interface RejectedChange {
  readonly requested: RequestedChange;
  readonly error: StatusError;
}

const annotation = "kubectl.kubernetes.io/last-applied-configuration";

/** What changes are applied to. */
export interface ApplyTarget {
  readonly sandbox: Sandbox;
  /** Objects of kinds that the sandbox does not serve. */
  readonly customs: CustomObjects;
  /** The questions about nodes; unset if none can be asked. */
  readonly nodeQuestions?: NodeQuestions | undefined;
  /** The resourceVersion that an object had in the cluster when the dry run started; undefined if it did not exist. */
  versionAtStart(resource: Resource, key: ObjectKey): string | undefined;
  /** A client for applying manifests, with this field manager. */
  clientFor(fieldManager: string): Client;
  /** Lets time pass until the promise settles. @throws what it rejects with. */
  during<T>(promise: Promise<T>): Promise<T>;
}

/** One at a time; after a rejection, the rest is still tried. */
export async function applyChanges(
  world: ApplyTarget,
  requestedChanges: readonly RequestedChange[],
): Promise<{ readonly done: readonly AppliedChange[]; readonly refused: readonly RejectedChange[] }> {
  const done: AppliedChange[] = [];
  const refused: RejectedChange[] = [];
  for (const requested of requestedChanges) {
    try {
      const change = await world.during(applyOne(world, requested));
      done.push(change);
      if (isNewQuota(change)) await world.during(untilQuotaCounted(world.clientFor("kubectl"), change.key));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      refused.push({ requested, error });
    }
  }
  return { done, refused };
}

/** Whether it is a quota with new limits. */
function isNewQuota({ of, did }: AppliedChange): boolean {
  const isWritten = did === "created" || did === "configured";
  return isWritten && of.group === ResourceQuotas.group && of.kind === ResourceQuotas.kind;
}

function applyOne(world: ApplyTarget, requested: RequestedChange): Promise<AppliedChange> {
  switch (requested.is) {
    case "apply":
      return apply(world, requested);
    case "scale":
      return scale(world.clientFor("kubectl"), requested);
    case "delete":
      return remove(world, requested);
    case "silence":
      return fallSilent(world, requested);
    case "drain":
      return cordon(world, requested);
  }
}

type OfNode<Is extends string> = RequestedChange & { readonly is: Is };

function questionsOf({ nodeQuestions }: ApplyTarget): NodeQuestions {
  if (nodeQuestions === undefined) throw new RangeError("Cannot ask about a node: no kubelet reports in this run");
  return nodeQuestions;
}

/** Writes nothing: from here on, the node sends no heartbeats. @throws StatusError 404. */
async function fallSilent(world: ApplyTarget, requested: OfNode<"silence">): Promise<AppliedChange> {
  const { kind, name } = requested;
  await world.clientFor("kubectl").get(kind, { namespace: "", name });
  questionsOf(world).silent.add(name);
  return { requested, of: { group: kind.group, kind: kind.kind }, key: name, did: "fell silent" };
}

/** @throws StatusError 404. */
async function cordon(world: ApplyTarget, requested: OfNode<"drain">): Promise<AppliedChange> {
  const { kind, name } = requested;
  const client = world.clientFor("kubectl");
  const at = { namespace: "", name };
  const before = await client.get(kind, at);
  questionsOf(world).drained.add(name);
  const patch: Patch = { type: "strategic", body: { spec: { unschedulable: true } } };
  const after = await client.patch(kind, at, patch, { basedOn: before });
  const of = { group: kind.group, kind: kind.kind };
  return { requested, of, key: name, did: "cordoned", changes: changesBetween(before, after) };
}

async function scale(client: Client, requested: RequestedChange & { readonly is: "scale" }): Promise<AppliedChange> {
  const { kind, namespace, name, replicas } = requested;
  const before = await client.getScale(kind, { namespace, name });
  // Without a resourceVersion, like kubectl: a controller may write in between.
  const metadata = { ...before.metadata, resourceVersion: "" };
  await client.updateScale(
    kind,
    { namespace, name },
    { ...before, metadata, spec: { ...before.spec, replicas } },
    { basedOn: before },
  );
  return { requested, of: { group: kind.group, kind: kind.kind }, key: objectKey(namespace, name), did: "scaled" };
}

async function remove(
  world: ApplyTarget,
  requested: RequestedChange & { readonly is: "delete" },
): Promise<AppliedChange> {
  const { kind, namespace, name } = requested;
  const of = { group: kind.group, kind: kind.kind };
  const key = objectKey(namespace, name);
  const isCustom = world.sandbox.server.registry.ofKind(apiVersionOf(kind), kind.kind) === undefined;
  const why = isCustom ? world.customs.whyUnread(kind, key) : undefined;
  if (why !== undefined) return { requested, of, key, did: "not compared", isCustom: true, why };
  const client = world.clientFor("kubectl");
  await client.delete(kind, { namespace, name }, { propagationPolicy: "Background" });
  return { requested, of, key, did: "deleted", ...(isCustom && { isCustom }) };
}

async function apply(
  world: ApplyTarget,
  requested: RequestedChange & { readonly is: "apply" },
): Promise<AppliedChange> {
  const { object } = requested;
  const { registry } = world.sandbox.server;
  const resource = registry.ofKind(object.apiVersion, object.kind);
  const namespace = object.metadata.namespace ?? requested.namespace;
  const isCustom = resource === undefined;
  const kind = isCustom ? world.customs.kindOf(object.apiVersion, object.kind) : kindOfResource(resource);
  const at = { namespace: kind.namespaced ? namespace : "", name: object.metadata.name ?? "" };
  const of = { group: kind.group, kind: kind.kind };
  const why = world.customs.whyUnread(kind, objectKey(at.namespace, at.name));
  if (why !== undefined) {
    return { requested, of, key: objectKey(at.namespace, at.name), did: "not compared", isCustom: true, why };
  }
  const hasDefaults = isCustom && world.customs.hasSchema(kind);
  const about = { requested, of, ...(isCustom && { isCustom }), ...(hasDefaults && { hasDefaults }) };
  const client = world.clientFor("kubectl-client-side-apply");
  const modified = withAnnotation(object, at.namespace);
  const current = at.name === "" ? undefined : await getIfExists(client, kind, at);
  if (current === undefined) {
    const made = await client.create(kind, modified as unknown as CreateInput<StoredObject>, {
      fieldValidation: "Strict",
    });
    return { ...about, key: objectKey(made.metadata.namespace, made.metadata.name), did: "created" };
  }
  const key = objectKey(at.namespace, at.name);
  // kubectl merges custom resources by JSON merge patch, whether or not the sandbox knows their schema.
  const struct = resource?.form === undefined ? resource?.struct : undefined;
  const rules = struct === undefined ? undefined : rulesOf(struct, registry.schema);
  const whole = { ...current, apiVersion: apiVersionOf(kind), kind: kind.kind };
  const { resourceVersion } = object.metadata;
  const isVersioned = resource !== undefined && resourceVersion !== undefined;
  const isLatest = isVersioned && world.versionAtStart(resource, key) === resourceVersion;
  const wanted = isLatest ? basedOn(current, modified) : modified;
  const body = threeWayPatch(lastApplied(current), wanted, whole, rules);
  if (Object.keys(body).length === 0) return { ...about, key, did: "unchanged" };
  const patch: Patch = { type: rules === undefined ? "merge" : "strategic", body };
  const after = await client.patch(kind, at, patch, { fieldValidation: "Strict", basedOn: current });
  if (isUntouched(current, after)) return { ...about, key, did: "unchanged" };
  return { ...about, key, did: "configured", changes: maskChanges(of, changesBetween(current, after)) };
}

/**
 * A manifest whose resourceVersion is the cluster's is no conflict, although the object has another one here: a fork assigns its own, and
 * controllers may have written what those of the cluster have already done.
 */
function basedOn({ metadata }: StoredObject, manifest: Annotated): Annotated {
  const { resourceVersion } = metadata;
  return { ...manifest, metadata: { ...manifest.metadata, resourceVersion } };
}

/** The resourceVersion that an object has among these; undefined if it is not one of them. */
export function versionIn(
  objects: readonly StoredObject[],
  { resource, key }: { readonly resource: Resource; readonly key: ObjectKey },
): string | undefined {
  const { group, kind } = resource;
  const isMeant = (each: StoredObject): boolean =>
    each.kind === kind && keyOf(each) === key && groupOf(each.apiVersion ?? "") === group;
  return objects.find(isMeant)?.metadata.resourceVersion;
}

/** Without fields that every write changes. */
function changesBetween(before: StoredObject, after: StoredObject): readonly FieldChange[] {
  return fieldChanges(before, after).filter(
    ({ path }) => path !== ".metadata.generation" && !path.includes(annotation),
  );
}

/** Whether a patch changed nothing, because the server normalizes the fields. */
function isUntouched(before: StoredObject, after: StoredObject): boolean {
  const plain = ({ metadata, ...rest }: StoredObject): unknown => {
    const { resourceVersion: _version, managedFields: _managed, ...meta } = metadata;
    return { ...rest, apiVersion: "", kind: "", metadata: meta };
  };
  return deepEqual(plain(before), plain(after));
}

async function getIfExists(
  client: Client,
  kind: Kind,
  at: { readonly namespace: string; readonly name: string },
): Promise<StoredObject | undefined> {
  try {
    return await client.get(kind, at);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The kind of a resource that the sandbox serves. */
export function kindOfResource({ group, version, kind, plural, namespaced }: Resource): Kind {
  return kindOf({ group, version, kind, plural, namespaced });
}

type Annotated = Record<string, unknown> & { readonly metadata: object };

/** The manifest with its own text in the annotation that the next apply reads. */
function withAnnotation(object: ToApply, namespace: string): Annotated {
  const { [annotation]: _last, ...annotations } = object.metadata.annotations ?? {};
  const metadata = { ...object.metadata, annotations, ...(namespace !== "" && { namespace }) };
  const text = `${JSON.stringify(sorted({ ...object, metadata }))}\n`;
  return { ...object, metadata: { ...metadata, annotations: { ...annotations, [annotation]: text } } };
}

/** With keys in the order in which Go serializes a map. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

/** The last applied configuration; undefined if the object was not applied, or the annotation is invalid. */
function lastApplied({ metadata }: StoredObject): unknown {
  const text = metadata.annotations?.[annotation];
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    // The configuration does not contain the annotation itself.
    return value;
  } catch {
    return undefined;
  }
}
