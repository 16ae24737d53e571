/** A request to the fork: what it needs is followed first, then the sandbox or the cluster responds. */
import { objectKey } from "../../api/key.ts";
import { routeOf, type Route } from "../../api/route.ts";
import type { StatusError } from "../../api/status-error.ts";
import { formatTime } from "../../api/time.ts";
import { type ApiRequest, type ApiResponse, jsonResponse, type Transport } from "../../api/transport.ts";
import { attributesOf, forbidden } from "../../sandbox/access/authorize.ts";
import type { Attributes } from "../../sandbox/context/authorizer.ts";
import { refusal } from "../../sandbox/meta/refusal.ts";
import type { Resource } from "../../sandbox/registry/resource.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { isWatch } from "../../sandbox/serving/handler.ts";
import type { Followers } from "./followers.ts";
import { needsOf } from "./needs.ts";
import type { OwnerGate } from "./owner-gate.ts";
import type { UserRights } from "./rights.ts";

/** What requests pass. */
export interface PassageOptions {
  readonly sandbox: Sandbox;
  /** Of the cluster; cannot write. */
  readonly live: Transport;
  readonly followers: Followers;
  readonly rights: UserRights;
  /** Hears of each request: it may be one of the process that is to be kept in step. */
  readonly gate: OwnerGate | undefined;
  /** True once a CustomResourceDefinition was written here: discovery is the fork's own from then on. */
  readonly definesKinds: () => boolean;
}

type ResourceRoute = Route & { readonly is: "resource" };
type ResourceAttributes = Attributes & { readonly is: "resource" };

/** A request for a resource. */
interface Asked {
  readonly request: ApiRequest;
  readonly route: ResourceRoute;
}

/** Reviews of the caller itself: only the cluster knows. */
const selfReviews: ReadonlySet<string> = new Set([
  "selfsubjectaccessreviews",
  "selfsubjectrulesreviews",
  "selfsubjectreviews",
]);
/** Subresources that are read from where the containers run. */
const ofContainers: ReadonlySet<string> = new Set(["log", "logs"]);

/** The Transport of a fork. */
export class Passage implements Transport {
  readonly #options: PassageOptions;
  readonly #fork: Transport;

  constructor(options: PassageOptions) {
    this.#options = options;
    this.#fork = options.sandbox.transport({ actor: "fork" });
  }

  send(request: ApiRequest): Promise<ApiResponse> {
    const { live, gate } = this.#options;
    let route: Route;
    try {
      route = routeOf(request.path);
    } catch {
      // A path that is not well escaped is refused in the server's words.
      return this.#fork.send(request);
    }
    if (route.is !== "resource") return this.#document(request, route);
    if (selfReviews.has(route.plural)) return live.send(request);
    const asked: Asked = { request, route };
    return gate === undefined ? this.#routed(asked) : this.#inStep(gate, asked);
  }

  async #inStep(gate: OwnerGate, asked: Asked): Promise<ApiResponse> {
    const { request, route } = asked;
    gate.learn(managerOf(request));
    // Leader election goes on whatever the process does.
    if (watches(request) || route.plural === "leases") return this.#routed(asked);
    const answered = gate.requested();
    try {
      return await this.#routed(asked);
    } finally {
      answered();
    }
  }

  /** Discovery, OpenAPI, the version, health. */
  #document(request: ApiRequest, route: Route): Promise<ApiResponse> {
    const { live, definesKinds } = this.#options;
    const listsKinds = route.is === "discovery" || request.path.startsWith("/openapi/");
    return (listsKinds && definesKinds() ? this.#fork : live).send(request);
  }

  #routed(asked: Asked): Promise<ApiResponse> {
    const { registry } = this.#options.sandbox.server;
    const { apiVersion, plural } = asked.route;
    const served = registry.find(apiVersion, plural);
    return served === undefined ? this.#unknown(asked) : this.#resource(asked, registry.stored(served));
  }

  /** A resource that the sandbox does not have: that of an aggregated API server, or a kind that is defined nowhere. */
  async #unknown({ request, route }: Asked): Promise<ApiResponse> {
    if (request.method === "GET") return this.#options.live.send(request);
    const what = `${route.plural} of ${route.apiVersion}`;
    return responseOf(refusal(405, "MethodNotAllowed", `the fork has no copy of ${what}: they can only be read`, {}));
  }

  async #resource(asked: Asked, resource: Resource): Promise<ApiResponse> {
    const { live } = this.#options;
    const { request, route } = asked;
    const denial = await this.#denial(asked);
    if (denial !== undefined) return denial;
    if (ofContainers.has(route.subresource)) return live.send(request);
    // Reviews and bindings: nothing is stored of them.
    if (!resource.verbs.has("list")) return this.#fork.send(request);
    const isThere = await this.#bringIn(route, resource);
    if (!isThere) return live.send(asRead(request));
    if (request.method !== "GET") await this.#bringInNeeds(route, resource);
    return this.#fork.send(request);
  }

  /** What a user without the right gets; a read is refused by the cluster itself. */
  async #denial({ request, route }: Asked): Promise<ApiResponse | undefined> {
    const { live, rights } = this.#options;
    const { method, path } = request;
    // Of a route of a resource.
    const attributes = attributesOf(route, { method, path, isWatch: watches(request) }) as ResourceAttributes;
    const decision = await rights.decide(attributes);
    if (decision.allowed) return undefined;
    if (method === "GET") return live.send(request);
    const user = { name: await rights.user(), groups: [] };
    return responseOf(forbidden({ user, asked: attributes }, decision.reason));
  }

  /** Brings the objects of a request into the fork. False where the cluster has no such resource, or they can only be read one by one. */
  async #bringIn(route: ResourceRoute, resource: Resource): Promise<boolean> {
    const { followers } = this.#options;
    const { namespace, name } = route;
    const following = await followers.follow(resource, resource.namespaced && namespace !== "" ? namespace : undefined);
    if (following !== "unlistable") return following === "followed";
    if (name === "") return false;
    await followers.refresh(resource, objectKey(namespace, name));
    return true;
  }

  /** What admission reads. What may not be read is not looked at: the write is admitted without. */
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

  /** A namespace that cannot be read is taken to be there: its user has the right to write in it. */
  async #bringInNamespace(namespaces: Resource, name: string): Promise<void> {
    const { followers } = this.#options;
    if (await followers.refresh(namespaces, name)) return;
    const metadata = { name, uid: "", resourceVersion: "0", creationTimestamp: formatTime(0) };
    const assumed = { metadata, spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } };
    followers.assume(namespaces, { apiVersion: "v1", kind: "Namespace", ...assumed });
  }
}

const watches = ({ query = [] }: ApiRequest): boolean => isWatch({ query });

/** A write of what the cluster does not serve gets the refusal that a read gets. */
function asRead(request: ApiRequest): ApiRequest {
  if (request.method === "GET") return request;
  const { path, signal } = request;
  return { method: "GET", path, headers: { accept: "application/json" }, signal };
}

/** Source: apiserver v0.36 endpoints/handlers/create.go managerOrUserAgent. */
function managerOf({ query = [], headers = {} }: ApiRequest): string {
  const asked = query.find(([name]) => name === "fieldManager")?.[1] ?? "";
  return asked === "" ? ((headers["user-agent"] ?? "").split("/")[0] ?? "") : asked;
}

function responseOf({ code, status }: StatusError): ApiResponse {
  return jsonResponse(code, status);
}
