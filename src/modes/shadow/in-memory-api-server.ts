/**
 * An API server for the writes of one sync: the sandbox's registry over the objects known here, discarded afterwards.
 * It applies defaults, generates names, patches and counts generations like a real one; other objects that admission
 * would check (quotas, limits, ServiceAccounts) are assumed to permit the write.
 */
import type { ApiRequest, ApiResponse, Transport } from "../../api/transport.ts";
import { formatTime } from "../../api/time.ts";
import { randomUuid } from "../../platform/random.ts";
import { type ApiObject, at, copyOf } from "../../sandbox/meta/object.ts";
import type { Resource } from "../../sandbox/registry/resource.ts";
import { type Route, routeOf } from "../../api/route.ts";
import { collectionOf, type Server } from "../../sandbox/context/server.ts";
import { Store } from "../../sandbox/storage/store.ts";
import { transportTo } from "../../sandbox/transport.ts";

/** The route of a request for a resource. */
export type ResourceRoute = Extract<Route, { readonly is: "resource" }>;

/** The target of a request; undefined for paths that name no known resource. */
export function targetOf(
  server: Server,
  request: ApiRequest,
): { route: ResourceRoute; resource: Resource } | undefined {
  const route = routeOf(request.path);
  if (route.is !== "resource") return undefined;
  const resource = server.registry.find(route.apiVersion, route.plural);
  return resource === undefined ? undefined : { route, resource };
}

/** Holds the objects that one sync reads and writes. */
export class InMemoryApiServer {
  readonly #server: Server;
  readonly #transport: Transport;

  /** `like` provides registry, time and randomness; its objects are neither read nor written. */
  constructor(like: Server, actor: string) {
    this.#server = { ...like, store: new Store(like.timeline, {}), watches: new Set() };
    this.#transport = transportTo(this.#server, () => false, { actor });
  }

  has(resource: Resource, namespace: string, name: string): boolean {
    return this.get(resource, namespace, name) !== undefined;
  }

  /** The current object. It must not be modified. */
  get(resource: Resource, namespace: string, name: string): ApiObject | undefined {
    return collectionOf(this.#server, resource).get(namespace, name)?.object;
  }

  /** Stores a known object; objects of a cache have no kind and apiVersion. */
  put(resource: Resource, object: object): void {
    const { kind, apiVersion, ...rest } = copyOf(object) as ApiObject;
    const whole: ApiObject = { kind: kind ?? resource.kind, apiVersion: apiVersion ?? resource.apiVersion, ...rest };
    const version = Number(whole.metadata.resourceVersion) || 1;
    this.#server.store.load(
      collectionOf(this.#server, resource),
      whole,
      Math.max(version, this.#server.store.revision),
    );
  }

  /** Stores a minimal object that a request requires, unless it exists. */
  addPlaceholder(apiVersion: string, plural: string, namespace: string, name: string, fields: object = {}): void {
    const resource = this.#server.registry.find(apiVersion, plural);
    if (resource === undefined || name === "" || this.has(resource, namespace, name)) return;
    const { timeline, random } = this.#server;
    const metadata = {
      name,
      uid: randomUuid(random),
      creationTimestamp: formatTime(timeline.now()),
      ...(namespace !== "" && { namespace }),
    };
    this.put(resource, { metadata, ...fields });
  }

  /** Stores placeholders for the objects that admission of a pod requires. */
  seedPodDependencies(namespace: string, body: unknown): void {
    const text = (value: unknown): string => (typeof value === "string" ? value : "");
    this.addPlaceholder("v1", "serviceaccounts", namespace, text(at(body, "spec", "serviceAccountName")) || "default");
    const priority = text(at(body, "spec", "priorityClassName"));
    this.addPlaceholder("scheduling.k8s.io/v1", "priorityclasses", "", priority, { value: 0 });
    this.addPlaceholder("node.k8s.io/v1", "runtimeclasses", "", text(at(body, "spec", "runtimeClassName")), {
      handler: "any",
    });
  }

  send(request: ApiRequest): Promise<ApiResponse> {
    return this.#transport.send(request);
  }
}
