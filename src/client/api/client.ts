/** The verbs of `Client`, over any Transport. */
import { acceptMetadata, acceptMetadataList } from "../http/accept-metadata.ts";
import { fieldChanges, type FieldChange } from "../../api/field-changes.ts";
import type { NamespacedName } from "../../api/key.ts";
import { apiVersionOf, pathOf, type Kind } from "../../api/kind.ts";
import { Pods } from "../../api/kinds.ts";
import type { ObjectMeta, StoredObject } from "../../api/object.ts";
import type { Transport } from "../../api/transport.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { TraceBus } from "../../trace/bus.ts";
import { parseResponse, readRaw } from "./responses.ts";
import { createListerWatcher, createMetadataListerWatcher, listPage } from "./lists.ts";
import { patchChanges } from "../../api/patch-changes.ts";
import {
  bodyRequest,
  deleteBody,
  getRequest,
  listQuery,
  patchType,
  writeQuery,
  type Query,
  type RequestContext,
} from "./requests.ts";
import type { Patch } from "../../api/patch.ts";
import type { Client, DeleteOptions, ReadOptions, Scale, WriteOptions } from "./verbs.ts";
import { send, type Write } from "./writes.ts";

/** Options of `createClient`. */
export interface ClientOptions {
  readonly transport: Transport;
  /** Receives a `write` event for every write. */
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  /** The field manager of its writes. Default `kubectl-reconcile`. */
  readonly fieldManager?: string;
  /** The transport responds to writes without sending them: their events are marked as hypothetical. */
  readonly wouldBe?: true;
}

const none = (): readonly FieldChange[] => [];

/** A client over a transport; it has no state. */
export function createClient(options: ClientOptions): Client {
  const context: RequestContext = {
    transport: options.transport,
    bus: options.bus,
    timeline: options.timeline,
    fieldManager: options.fieldManager ?? "kubectl-reconcile",
    ...(options.wouldBe === true && { wouldBe: true }),
  };
  return { ...readingVerbs(context), ...writingVerbs(context), ...podVerbs(context) };
}

type Reading = Pick<
  Client,
  | "get"
  | "getMetadata"
  | "list"
  | "listMetadata"
  | "getScale"
  | "review"
  | "raw"
  | "listerWatcher"
  | "metadataListerWatcher"
>;

function readingVerbs(context: RequestContext): Reading {
  const read = async (path: string, options: ReadOptions | undefined): Promise<unknown> =>
    (await parseResponse(await context.transport.send(getRequest(path, [], options)))).value;
  return {
    get: async <T extends StoredObject>(kind: Kind<T>, at: NamespacedName, options?: ReadOptions) =>
      (await read(objectPath(kind, at), options)) as T,
    getMetadata: async (kind, at, options) => {
      const request = { ...getRequest(objectPath(kind, at), [], options), headers: acceptMetadata };
      return (await parseResponse(await context.transport.send(request))).value as StoredObject;
    },
    list: <T extends StoredObject>(kind: Kind<T>, options: Parameters<Client["list"]>[1] = {}) =>
      listPage<T>(context, getRequest(collectionPath(kind, options.namespace), listQuery(options), options)),
    listMetadata: (kind, options = {}) => {
      const request = getRequest(collectionPath(kind, options.namespace), listQuery(options), options);
      return listPage(context, { ...request, headers: acceptMetadataList });
    },
    getScale: async (kind, at, options) => (await read(objectPath(kind, at, "scale"), options)) as Scale,
    review: async <T>(kind: Kind, body: T, options?: ReadOptions) => {
      const request = bodyRequest(
        { method: "POST", path: pathOf(kind, {}), body: named(kind, body as object) },
        options,
      );
      return (await parseResponse(await context.transport.send(request))).value as T;
    },
    raw: async (path, options) => {
      const [bare = "", search] = path.split("?", 2);
      const query: Query = search === undefined ? [] : [...new URLSearchParams(search)];
      const request = getRequest(bare, query, options);
      const headers = options?.accept === undefined ? request.headers : { accept: options.accept };
      return readRaw(await context.transport.send({ ...request, ...(headers !== undefined && { headers }) }));
    },
    listerWatcher: (kind, scope) => createListerWatcher(context, kind, scope ?? {}),
    metadataListerWatcher: (kind, scope) => createMetadataListerWatcher(context, kind, scope ?? {}),
  };
}

type Writing = Pick<
  Client,
  "create" | "update" | "updateStatus" | "patch" | "delete" | "deleteCollection" | "updateScale"
>;

function writingVerbs(context: RequestContext): Writing {
  return {
    create: async <T extends StoredObject>(
      kind: Kind<T>,
      object: { readonly metadata: ObjectMeta },
      options?: WriteOptions,
    ) => {
      const { namespace, name = "" } = object.metadata;
      if (kind.namespaced && (namespace ?? "") === "") {
        throw new RangeError(`Cannot create a ${kind.kind}: its metadata names no namespace`);
      }
      const request = bodyRequest(
        {
          method: "POST",
          path: collectionPath(kind, namespace),
          query: writeQuery(context, options),
          body: named(kind, object),
        },
        options,
      );
      const base = baseOf(context, options, undefined);
      return (await send(context, { ...base, verb: "create", kind, namespace, name, request, changes: none })) as T;
    },
    update: (kind, object, options) => put(context, kind, object, options?.subresource, options),
    updateStatus: (kind, object, options) => put(context, kind, object, "status", options),
    patch: async <T extends StoredObject>(
      kind: Kind<T>,
      at: NamespacedName,
      patch: Patch,
      options?: WriteOptions & { readonly subresource?: string },
    ) => (await sendPatch(context, kind, at, patch, options)) as T,
    delete: (kind, at, options) => sendDelete(context, kind, at, options),
    deleteCollection: (kind, options = {}) => {
      const query = listQuery({ ...selectorsOf(options) });
      const path = collectionPath(kind, options.namespace);
      const request = bodyRequest({ method: "DELETE", path, query, body: deleteBody(options) }, options);
      const { namespace } = options;
      const base = baseOf(context, options, undefined);
      return send(context, { ...base, verb: "deletecollection", kind, namespace, name: "", request, changes: none });
    },
    updateScale: async (kind, at, scale, options) => {
      const path = objectPath(kind, at, "scale");
      const body = { apiVersion: "autoscaling/v1", kind: "Scale", ...scale };
      const request = bodyRequest({ method: "PUT", path, query: writeQuery(context, options), body }, options);
      const base = baseOf(context, options, scale.metadata.resourceVersion);
      const changes = changesFrom(options?.basedOn, { spec: scale.spec }, ".spec.replicas");
      return (await send(context, {
        ...base,
        verb: "update",
        kind,
        ...at,
        subresource: "scale",
        request,
        changes,
      })) as Scale;
    },
  };
}

type PodVerbs = Pick<Client, "evict" | "bind">;

function podVerbs(context: RequestContext): PodVerbs {
  const post = (
    at: NamespacedName,
    subresource: string,
    body: object,
    options: DeleteOptions | undefined,
    changes: readonly FieldChange[] = [],
  ): Promise<unknown> => {
    const path = objectPath(Pods, at, subresource);
    const query: Query = options?.dryRun === true ? [["dryRun", "All"]] : [];
    const request = bodyRequest({ method: "POST", path, query, body }, options);
    const base = baseOf(context, options, options?.preconditions?.resourceVersion);
    return send(context, { ...base, verb: "create", kind: Pods, ...at, subresource, request, changes: () => changes });
  };
  return {
    evict: (at, options) => {
      const deleteOptions = deleteBody(options);
      return post(
        at,
        "eviction",
        {
          apiVersion: "policy/v1",
          kind: "Eviction",
          metadata: at,
          ...(deleteOptions !== undefined && { deleteOptions }),
        },
        options,
      );
    },
    bind: (at, nodeName, options) =>
      post(
        at,
        "binding",
        { apiVersion: "v1", kind: "Binding", metadata: at, target: { apiVersion: "v1", kind: "Node", name: nodeName } },
        options,
        [{ path: ".spec.nodeName", after: nodeName }],
      ),
  };
}

/** An object to replace a stored one; its resourceVersion is optional. */
interface Replacing {
  readonly metadata: ObjectMeta & { readonly name: string };
}

async function put<T extends StoredObject>(
  context: RequestContext,
  kind: Kind<T>,
  object: Replacing,
  subresource: string | undefined,
  options: WriteOptions | undefined,
): Promise<T> {
  const { namespace, name, resourceVersion } = object.metadata;
  const path = objectPath(kind, { namespace: namespace ?? "", name }, subresource);
  const query = writeQuery(context, options);
  const request = bodyRequest({ method: "PUT", path, query, body: named(kind, object) }, options);
  const stored = await send(context, {
    ...baseOf(context, options, resourceVersion),
    verb: "update",
    kind,
    namespace,
    name,
    ...(subresource !== undefined && { subresource }),
    request,
    // The server ignores everything else in a status update.
    changes: changesFrom(options?.basedOn, object, subresource === "status" ? ".status" : ""),
  });
  return stored as T;
}

function sendPatch(
  context: RequestContext,
  kind: Kind,
  at: NamespacedName,
  patch: Patch,
  options: (WriteOptions & { readonly subresource?: string }) | undefined,
): Promise<unknown> {
  const query = writeQuery(context, options);
  if (patch.type === "apply" && patch.force === true) query.push(["force", "true"]);
  const path = objectPath(kind, at, options?.subresource);
  const body = patch.type === "apply" ? named(kind, patch.body as object) : patch.body;
  const request = bodyRequest({ method: "PATCH", path, query, type: patchType(patch.type), body }, options);
  const base = options?.basedOn;
  const sent = (patch.body as { readonly metadata?: ObjectMeta } | null)?.metadata?.resourceVersion;
  return send(context, {
    ...baseOf(context, options, sent),
    verb: "patch",
    kind,
    ...at,
    ...(options?.subresource !== undefined && { subresource: options.subresource }),
    request,
    changes: () => (base === undefined ? [] : patchChanges(base, patch)),
  });
}

function sendDelete(
  context: RequestContext,
  kind: Kind,
  at: NamespacedName,
  options: DeleteOptions | undefined,
): Promise<unknown> {
  const request = bodyRequest({ method: "DELETE", path: objectPath(kind, at), body: deleteBody(options) }, options);
  const base = baseOf(context, options, options?.preconditions?.resourceVersion);
  return send(context, { ...base, verb: "delete", kind, ...at, request, changes: none });
}

/** The version that a write is based on: the one in its precondition, or else the one it was computed from. */
function baseOf(
  context: RequestContext,
  options: WriteOptions | undefined,
  named: string | undefined,
): Pick<Write, "before" | "conditional" | "fieldManager"> {
  const conditional = (named ?? "") !== "";
  return {
    before: conditional ? (named ?? "") : (options?.basedOn?.metadata.resourceVersion ?? ""),
    conditional,
    fieldManager: options?.fieldManager ?? context.fieldManager,
  };
}

/** Items of lists have no apiVersion and kind, but the server requires them. */
function named(kind: Kind, object: object): object {
  return { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind };
}

function objectPath(kind: Kind, at: NamespacedName, subresource?: string): string {
  if (at.name === "") throw new RangeError(`Cannot address a ${kind.kind} without a name`);
  if (kind.namespaced && at.namespace === "") {
    throw new RangeError(`Cannot address ${kind.kind} ${at.name}: its namespace is not given`);
  }
  return pathOf(kind, { ...at, ...(subresource !== undefined && { subresource }) });
}

function collectionPath(kind: Kind, namespace: string | undefined): string {
  return pathOf(kind, { ...(namespace !== undefined && { namespace }) });
}

function selectorsOf(options: { readonly labelSelector?: string; readonly fieldSelector?: string }): {
  labelSelector?: string;
  fieldSelector?: string;
} {
  return {
    ...(options.labelSelector !== undefined && { labelSelector: options.labelSelector }),
    ...(options.fieldSelector !== undefined && { fieldSelector: options.fieldSelector }),
  };
}

/** The changes below `under` from the known state to the sent one. */
function changesFrom(base: StoredObject | undefined, sent: object, under: string): () => readonly FieldChange[] {
  return () => (base === undefined ? [] : fieldChanges(base, sent).filter((change) => change.path.startsWith(under)));
}
