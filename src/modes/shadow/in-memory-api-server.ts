/**
 * A server for the writes of one sync: the sandbox's registry over the objects as they are known here, asked once and thrown
 * away. It defaults, names, patches and counts generations as an API server does; what admission would look up beyond the object
 * itself (quotas, limits, whether a ServiceAccount is there) is taken to be well.
 */
import type { ApiRequest, ApiResponse, Transport } from "../../api/transport.ts";
import { formatTime } from "../../api/time.ts";
import { randomUuid } from "../../platform/random.ts";
import { type ApiObject, at, copyOf } from "../../sandbox/meta/object.ts";
import type { Resource } from "../../sandbox/registry/resource.ts";
import { type Route, routeOf } from "../../sandbox/context/route.ts";
import { collectionOf, type Server } from "../../sandbox/context/server.ts";
import { Store } from "../../sandbox/storage/store.ts";
import { transportTo } from "../../sandbox/transport.ts";

export type ResourceRoute = Extract<Route, { readonly is: "resource" }>;

/** What a request is about; undefined for paths that name no resource that the registry knows. */
export function targetOf(
  server: Server,
  request: ApiRequest,
): { route: ResourceRoute; resource: Resource } | undefined {
  const route = routeOf(request.path);
  if (route.is !== "resource") return undefined;
  const resource = server.registry.find(route.apiVersion, route.plural);
  return resource === undefined ? undefined : { route, resource };
}

export class InMemoryApiServer {
  readonly #server: Server;
  readonly #transport: Transport;

  /** `like` lends its registry, its time and its chance; nothing is read from it or written to it. */
  constructor(like: Server, actor: string) {
    this.#server = { ...like, store: new Store(like.timeline, {}), watches: new Set() };
    this.#transport = transportTo(this.#server, () => false, { actor });
  }

  has(resource: Resource, namespace: string, name: string): boolean {
    return this.get(resource, namespace, name) !== undefined;
  }

  /** The object as it stands here now. It must not be changed. */
  get(resource: Resource, namespace: string, name: string): ApiObject | undefined {
    return collectionOf(this.#server, resource).get(namespace, name)?.object;
  }

  /** Puts an object in as somebody knows it: of a cache it comes without kind and apiVersion. */
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

  /** Stands an object in that a request needs around it, unless there is one. */
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

  /** What a pod's admission looks up. */
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
