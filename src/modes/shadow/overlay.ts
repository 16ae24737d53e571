/** The view of the cluster for one sync in shadow mode: reads come from the cluster, writes are simulated and visible to later reads. */
import { objectKey, type ObjectKey } from "../../api/key.ts";
import { type Kind, pathOf, resourceOf } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import {
  type ApiRequest,
  type ApiResponse,
  jsonResponse,
  readAll,
  type Transport,
  wholeBody,
} from "../../api/transport.ts";
import type { Lister } from "../../cache/lister.ts";
import { at } from "../../sandbox/meta/object.ts";
import type { Resource } from "../../sandbox/registry/resource.ts";
import type { Server } from "../../sandbox/context/server.ts";
import { overlaid, type Overlaid } from "./overlaid-lister.ts";
import { type ResourceRoute, InMemoryApiServer, targetOf } from "./in-memory-api-server.ts";
import { isGenerated, type WouldBeWrite } from "./would-be-write.ts";

/** Options of an `Overlay`. */
export interface OverlayOptions {
  /** Used for reads only. */
  readonly transport: Transport;
  /** Provides the registry that processes writes. */
  readonly registry: Server;
  readonly actor: string;
  /** The cached object; undefined if its kind is not cached. */
  readonly cached: (resource: Resource, key: ObjectKey) => StoredObject | undefined;
  /** The cached metadata of an object, for kinds of which only metadata is watched. */
  readonly cachedMetadata: (resource: Resource, key: ObjectKey) => StoredObject | undefined;
  readonly onWrite: (write: WouldBeWrite) => void;
}

const verbs = { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete", GET: undefined } as const;

/**
 * A transport for one sync. A GET goes to the API server, unless the sync has written the object. A write is handled by the
 * registry, based on the cached object or, if it is not cached, on the live one. No write is sent to the cluster.
 */
export class Overlay implements Transport {
  readonly #options: OverlayOptions;
  readonly #server: InMemoryApiServer;
  /** Objects that the sync has written, by resource and key; undefined for deleted ones. */
  readonly #written = new Map<string, Map<ObjectKey, StoredObject | undefined>>();

  readonly #madeUp = { uids: new Set<string>(), names: new Map<string, string>() };

  constructor(options: OverlayOptions) {
    this.#options = options;
    this.#server = new InMemoryApiServer(options.registry, options.actor);
  }

  /** A cache overlaid with the sync's writes. */
  lister<T extends StoredObject>(kind: Kind<T>, lister: Lister<T>, indexes: Overlaid<T>["indexes"]): Lister<T> {
    return overlaid(lister, {
      // The written objects of a kind are of that kind.
      written: () => this.#written.get(resourceOf(kind)) as ReadonlyMap<ObjectKey, T | undefined> | undefined,
      indexes,
    });
  }

  async send(request: ApiRequest): Promise<ApiResponse> {
    const target = targetOf(this.#options.registry, request);
    const verb = verbs[request.method];
    if (verb === undefined || target === undefined || isReview(target.route)) return this.#read(request, target);
    const { route, resource } = target;
    const body = bodyOf(request);
    if (verb === "create" && route.subresource === "") await this.#loadForAdmission(request, target, body);
    else await this.#loadTarget(request, target);
    if (verb === "delete" && route.name === "") return this.#deleteAll(request, target);
    const before = route.name === "" ? undefined : this.#server.get(resource, route.namespace, route.name);
    const response = await this.#server.send(request);
    const bytes = await readAll(response.body);
    if (response.status < 300) this.#recordWrite(request, target, verb, { body, before, bytes });
    return { status: response.status, header: (name) => response.header(name), body: wholeBody(bytes) };
  }

  async #read(request: ApiRequest, target: ReturnType<typeof targetOf>): Promise<ApiResponse> {
    const { transport } = this.#options;
    if (target === undefined || target.route.name === "") return transport.send(request);
    const { route, resource } = target;
    const written = this.#written.get(resourceOf(resource))?.has(objectKey(route.namespace, route.name)) === true;
    if (written) return this.#server.send(request);
    // A controller that watches metadata must see the state of its watch.
    if (isForMetadata(request) && route.subresource === "") {
      const cached = this.#options.cachedMetadata(resource, objectKey(route.namespace, route.name));
      if (cached !== undefined) return metadataResponse(cached);
    }
    const response = await transport.send(request);
    const bytes = await readAll(response.body);
    // The sync's writes are based on what it has read.
    if (response.status === 200 && route.subresource === "") this.#learn(resource, bytes);
    return { status: response.status, header: (name) => response.header(name), body: wholeBody(bytes) };
  }

  #learn(resource: Resource, bytes: Uint8Array): void {
    const object = parsed(bytes);
    if (isStored(object) && object.kind === resource.kind) this.#server.put(resource, object);
  }

  /** Loads the object of a write into the in-memory server. */
  async #loadTarget(request: ApiRequest, { route, resource }: Target): Promise<void> {
    const { namespace, name } = route;
    if (this.#loadCached({ route, resource }, name)) return;
    const live = await this.#get(pathOf(resource, { namespace, name }), request.signal);
    const known = this.#options.cachedMetadata(resource, objectKey(namespace, name));
    // The owner may have written since, but the sync has seen the cached metadata.
    if (known !== undefined) this.#server.put(resource, { ...(isStored(live) ? live : {}), metadata: known.metadata });
    else if (isStored(live)) this.#server.put(resource, live);
  }

  /** Loads what admission of a create requires: the real namespace, and placeholders for the rest. */
  async #loadForAdmission(request: ApiRequest, { route, resource }: Target, body: unknown): Promise<void> {
    const { namespace } = route;
    if (namespace !== "") {
      const namespaces = this.#options.registry.registry.find("v1", "namespaces");
      if (namespaces !== undefined && !this.#server.has(namespaces, "", namespace)) {
        const found = await this.#get(pathOf(namespaces, { name: namespace }), request.signal);
        if (isStored(found)) this.#server.put(namespaces, found);
        else this.#server.addPlaceholder("v1", "namespaces", "", namespace, { status: { phase: "Active" } });
      }
    }
    if (resource.storage === "pods") this.#server.seedPodDependencies(namespace, body);
    const name = at(body, "metadata", "name");
    if (typeof name === "string") this.#loadCached({ route, resource }, name);
  }

  /**
   * Loads an object from the cache into the in-memory server, unless the sync has written it, so that creating an existing object is
   * refused. Returns whether the object is now loaded, or was deleted by the sync.
   */
  #loadCached({ route: { namespace }, resource }: Target, name: string): boolean {
    if (name === "" || this.#server.has(resource, namespace, name)) return true;
    const key = objectKey(namespace, name);
    if (this.#written.get(resourceOf(resource))?.has(key) === true) return true;
    const cached = this.#options.cached(resource, key);
    if (cached !== undefined) this.#server.put(resource, cached);
    return cached !== undefined;
  }

  /** Reads a live object; undefined if it does not exist, or the user may not read it. */
  async #get(path: string, signal: AbortSignal): Promise<unknown> {
    const headers = { accept: "application/json" };
    const response = await this.#options.transport.send({ method: "GET", path, headers, signal });
    const bytes = await readAll(response.body);
    return response.status === 200 ? parsed(bytes) : undefined;
  }

  /** Simulates a deletecollection; each deleted object is a separate would-be write. */
  async #deleteAll(request: ApiRequest, { route, resource }: Target): Promise<ApiResponse> {
    const path = pathOf(resource, { namespace: route.namespace });
    const list = await this.#options.transport.send({ ...withoutBody(request), method: "GET", path });
    const items = (parsed(await readAll(list.body)) as { readonly items?: readonly StoredObject[] }).items ?? [];
    for (const item of items) this.#server.put(resource, item);
    const response = await this.#server.send(request);
    const bytes = await readAll(response.body);
    for (const before of response.status < 300 ? items : []) {
      this.#recordObject(request, { route, resource }, "delete", {
        sent: undefined,
        before,
        name: before.metadata.name,
      });
    }
    return { status: response.status, header: (name) => response.header(name), body: wholeBody(bytes) };
  }

  #recordWrite(
    request: ApiRequest,
    target: Target,
    verb: WouldBeWrite["verb"],
    {
      body,
      before,
      bytes,
    }: { readonly body: unknown; readonly before: object | undefined; readonly bytes: Uint8Array },
  ): void {
    const created = target.route.name === "" ? parsed(bytes) : undefined;
    const name = isStored(created) ? created.metadata.name : target.route.name;
    // The in-memory server holds stored objects.
    this.#recordObject(request, target, verb, { sent: body, before: before as StoredObject | undefined, name });
  }

  #recordObject(
    request: ApiRequest,
    { route, resource }: Target,
    verb: WouldBeWrite["verb"],
    {
      sent,
      before,
      name,
    }: { readonly sent: unknown; readonly before: StoredObject | undefined; readonly name: string },
  ): void {
    const { namespace, subresource } = route;
    const after = this.#server.get(resource, namespace, name) as StoredObject | undefined;
    const target = objectKey(namespace, name);
    const written = this.#written.get(resourceOf(resource)) ?? new Map<ObjectKey, StoredObject | undefined>();
    this.#written.set(resourceOf(resource), written.set(target, after));
    const { group, kind } = resource;
    const { uids, names } = this.#madeUp;
    const madeUp = uids.size === 0 ? {} : { madeUp: { uids: new Set(uids), names: new Map(names) } };
    this.#options.onWrite({ request, group, kind, subresource, target, verb, sent, before, after, ...madeUp });
    if (verb !== "create" || after === undefined) return;
    uids.add(after.metadata.uid);
    const { name: given, generateName } = after.metadata;
    if (generateName !== undefined && isGenerated({ verb, sent })) names.set(given, generateName);
  }
}

interface Target {
  readonly route: ResourceRoute;
  readonly resource: Resource;
}

function isForMetadata({ headers }: ApiRequest): boolean {
  return headers?.["accept"]?.includes("as=PartialObjectMetadata") === true;
}

function metadataResponse({ metadata }: StoredObject): ApiResponse {
  return jsonResponse(200, { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata });
}

function isReview({ plural }: ResourceRoute): boolean {
  return plural.endsWith("reviews");
}

function withoutBody({ signal, query }: ApiRequest): Pick<ApiRequest, "signal" | "headers" | "query"> {
  return { signal, headers: { accept: "application/json" }, ...(query !== undefined && { query }) };
}

function bodyOf({ body }: ApiRequest): unknown {
  return body === undefined ? undefined : parsed(body);
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function isStored(value: unknown): value is StoredObject & { readonly kind: string } {
  const { kind, metadata } = (value ?? {}) as {
    readonly kind?: unknown;
    readonly metadata?: { readonly uid?: unknown };
  };
  return typeof kind === "string" && typeof metadata?.uid === "string" && kind !== "Status";
}
