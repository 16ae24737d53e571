/** The transport of a fork: follows the resources that a request needs, then lets the sandbox or the cluster respond. */
import { objectKey } from "../../api/key.ts";
import { routeOf, type Route } from "../../api/route.ts";
import type { StatusError } from "../../api/status-error.ts";
import { formatTime } from "../../api/time.ts";
import { type ApiRequest, type ApiResponse, jsonResponse, type Transport } from "../../api/transport.ts";
import type { Attributes } from "../../sandbox/context/authorizer.ts";
import { denial } from "../../sandbox/meta/denial.ts";
import { refusal } from "../../sandbox/meta/refusal.ts";
import type { Resource } from "../../sandbox/registry/resource.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { isWatch, requestAttributes } from "../../sandbox/serving/request-attributes.ts";
import type { Followers } from "./followers.ts";
import { needsOf } from "./needs.ts";
import type { OwnerGate } from "./owner-gate.ts";
import type { UserRights } from "./rights.ts";

/** Options of a `ForkTransport`. */
export interface ForkTransportOptions {
  readonly sandbox: Sandbox;
  /** The read-only transport to the cluster. */
  readonly live: Transport;
  readonly followers: Followers;
  readonly rights: UserRights;
  /** Notified of each request, to keep the process in step. */
  readonly gate: OwnerGate | undefined;
  /** Whether a CustomResourceDefinition was written in the fork: then the fork serves discovery itself. */
  readonly definesKinds: () => boolean;
}

type ResourceRoute = Route & { readonly is: "resource" };
type ResourceAttributes = Attributes & { readonly is: "resource" };

/** A request for a resource. */
interface ResourceRequest {
  readonly request: ApiRequest;
  readonly route: ResourceRoute;
}

/** Self reviews, which only the cluster can evaluate. */
const selfReviews: ReadonlySet<string> = new Set([
  "selfsubjectaccessreviews",
  "selfsubjectrulesreviews",
  "selfsubjectreviews",
]);
/** Subresources that are read from running containers. */
const ofContainers: ReadonlySet<string> = new Set(["log", "logs"]);

/** The Transport of a fork. */
export class ForkTransport implements Transport {
  readonly #options: ForkTransportOptions;
  readonly #fork: Transport;

  constructor(options: ForkTransportOptions) {
    this.#options = options;
    this.#fork = options.sandbox.transport({ actor: "fork" });
  }

  send(request: ApiRequest): Promise<ApiResponse> {
    const { live, gate } = this.#options;
    let route: Route;
    try {
      route = routeOf(request.path);
    } catch {
      // The sandbox refuses a malformed path as an API server does.
      return this.#fork.send(request);
    }
    if (route.is !== "resource") return this.#document(request, route);
    if (selfReviews.has(route.plural)) return live.send(request);
    const resourceRequest: ResourceRequest = { request, route };
    return gate === undefined ? this.#routed(resourceRequest) : this.#inStep(gate, resourceRequest);
  }

  async #inStep(gate: OwnerGate, resourceRequest: ResourceRequest): Promise<ApiResponse> {
    const { request, route } = resourceRequest;
    gate.learn(managerOf(request));
    // Leader election continues even while the process is idle.
    if (watches(request) || route.plural === "leases") return this.#routed(resourceRequest);
    const done = gate.requested();
    try {
      return await this.#routed(resourceRequest);
    } finally {
      done();
    }
  }

  /** Serves discovery, OpenAPI, version and health requests. */
  #document(request: ApiRequest, route: Route): Promise<ApiResponse> {
    const { live, definesKinds } = this.#options;
    const listsKinds = route.is === "discovery" || request.path.startsWith("/openapi/");
    return (listsKinds && definesKinds() ? this.#fork : live).send(request);
  }

  #routed(resourceRequest: ResourceRequest): Promise<ApiResponse> {
    const { registry } = this.#options.sandbox.server;
    const { apiVersion, plural } = resourceRequest.route;
    const served = registry.find(apiVersion, plural);
    return served === undefined
      ? this.#unknown(resourceRequest)
      : this.#resource(resourceRequest, registry.stored(served));
  }

  /** Responds for a resource that the sandbox does not serve: one of an aggregated API server, or an undefined one. */
  async #unknown({ request, route }: ResourceRequest): Promise<ApiResponse> {
    if (request.method === "GET") return this.#options.live.send(request);
    const what = `${route.plural} of ${route.apiVersion}`;
    return responseOf(refusal(405, "MethodNotAllowed", `the fork has no copy of ${what}: they can only be read`, {}));
  }

  async #resource(resourceRequest: ResourceRequest, resource: Resource): Promise<ApiResponse> {
    const { live } = this.#options;
    const { request, route } = resourceRequest;
    const denied = await this.#denied(resourceRequest);
    if (denied !== undefined) return denied;
    if (ofContainers.has(route.subresource)) return live.send(request);
    // Reviews and bindings are not stored.
    if (!resource.verbs.has("list")) return this.#fork.send(request);
    const isThere = await this.#bringIn(route, resource);
    if (!isThere) return live.send(asRead(request));
    if (request.method !== "GET") await this.#bringInNeeds(route, resource);
    return this.#fork.send(request);
  }

  /** The refusal for a user without the right; undefined if the request is allowed. Reads are refused by the cluster itself. */
  async #denied({ request, route }: ResourceRequest): Promise<ApiResponse | undefined> {
    const { live, rights } = this.#options;
    const { method, path, query = [] } = request;
    // The route of a resource gives resource attributes.
    const attributes = requestAttributes(route, { method, path, query }) as ResourceAttributes;
    const decision = await rights.decide(attributes);
    if (decision.allowed) return undefined;
    if (method === "GET") return live.send(request);
    const user = { name: await rights.user(), groups: [] };
    return responseOf(denial({ user, attributes }, decision.reason));
  }

  /** Brings the objects of a request into the fork. Returns false if the cluster does not serve the resource, or a collection cannot be listed. */
  async #bringIn(route: ResourceRoute, resource: Resource): Promise<boolean> {
    const { followers } = this.#options;
    const { namespace, name } = route;
    const following = await followers.follow(resource, resource.namespaced && namespace !== "" ? namespace : undefined);
    if (following !== "unlistable") return following === "followed";
    if (name === "") return false;
    await followers.refresh(resource, objectKey(namespace, name));
    return true;
  }

  /** Brings in what admission reads. Objects that the user may not read are ignored by admission. */
  async #bringInNeeds({ namespace }: ResourceRoute, resource: Resource): Promise<void> {
    const { followers, sandbox } = this.#options;
    const { registry } = sandbox.server;
    const needs = needsOf(resource).map(async ({ apiVersion, plural, ofNamespace }) => {
      const needed = registry.find(apiVersion, plural);
      if (needed === undefined) return;
      const following = await followers.follow(needed, ofNamespace ? namespace : undefined);
      if (following === "unlistable" && plural === "namespaces") await this.#bringInNamespace(needed, namespace);
    });
    await Promise.all(needs);
  }

  /** A namespace that cannot be read is assumed to exist, because the user may write in it. */
  async #bringInNamespace(namespaces: Resource, name: string): Promise<void> {
    const { followers } = this.#options;
    if (await followers.refresh(namespaces, name)) return;
    const metadata = { name, uid: "", resourceVersion: "0", creationTimestamp: formatTime(0) };
    const assumed = { metadata, spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } };
    followers.assume(namespaces, { apiVersion: "v1", kind: "Namespace", ...assumed });
  }
}

const watches = ({ query = [] }: ApiRequest): boolean => isWatch({ query });

/** Turns a write of a resource that the cluster does not serve into a read, to get the cluster's refusal. */
function asRead(request: ApiRequest): ApiRequest {
  if (request.method === "GET") return request;
  const { path, signal } = request;
  return { method: "GET", path, headers: { accept: "application/json" }, signal };
}

/** The field manager of a request. Source: apiserver v0.36 endpoints/handlers/create.go managerOrUserAgent. */
function managerOf({ query = [], headers = {} }: ApiRequest): string {
  const fieldManager = query.find(([name]) => name === "fieldManager")?.[1] ?? "";
  return fieldManager === "" ? ((headers["user-agent"] ?? "").split("/")[0] ?? "") : fieldManager;
}

function responseOf({ code, status }: StatusError): ApiResponse {
  return jsonResponse(code, status);
}
