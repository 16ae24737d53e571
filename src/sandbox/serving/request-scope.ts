/** From a route to the resource that it names. Source: apiserver v0.36 endpoints/installer.go, endpoints/handlers/rest.go RequestScope. */
import { deprecationOf } from "./deprecations.ts";
import { param } from "../options/list-options.ts";
import { badRequest, noSuchPath, notFound, refusal } from "../meta/refusal.ts";
import type { HttpRequest } from "./responses.ts";
import type { RequestAudit } from "../context/audit.ts";
import type { Route } from "../../api/route.ts";
import type { Resource } from "../registry/resource.ts";
import { collectionOf, type RequestScope, type Server } from "../context/server.ts";

type ResourceRoute = Route & { readonly is: "resource" };

/** What a scope is made from. */
export interface ScopeOptions {
  readonly server: Server;
  readonly request: HttpRequest;
  readonly route: ResourceRoute;
  /** The scope adds its warnings to these. */
  readonly warnings: string[];
  readonly audit: RequestAudit | undefined;
}

/** The scope of a request for a resource; undefined for an API group that is not served. @throws StatusError 400, 404, 500. */
export function requestScope({ server, request, route, warnings, audit }: ScopeOptions): RequestScope | undefined {
  const { registry } = server;
  const served = registry.find(route.apiVersion, route.plural);
  if (served === undefined) {
    const [group = ""] = route.apiVersion.split("/");
    if (route.apiVersion.includes("/") && !registry.builtInGroups.has(group)) return undefined;
    throw noSuchPath();
  }
  const resource = registry.stored(served);
  // In groups that come and go, what is not served is no path at all.
  if (!isServed(route, resource)) {
    if (served.form !== undefined) return undefined;
    throw noSuchPath();
  }
  if (route.subresource !== "" && !resource.subresources.has(route.subresource))
    throw served.form === undefined ? noSuchPath() : notFound(served.asResource, route.name);
  checkName(route, resource);
  const deprecation = served.form?.deprecation ?? deprecationOf(resource.storage);
  if (deprecation !== undefined) warnings.push(deprecation);
  const { namespace, name, subresource } = route;
  const { query, headers, body, user } = request;
  return {
    server,
    resource,
    served,
    collection: collectionOf(server, resource),
    namespace,
    name,
    subresource,
    query,
    headers,
    body,
    user,
    dryRun: param(query, "dryRun") === "All",
    deadline: server.timeline.now() + timeoutMsOf(query),
    strict: [],
    literals: new Map(),
    warnings,
    audit,
  };
}

/** How long a write may take. Source: apiserver v0.36 endpoints/handlers/rest.go requestTimeoutUpperBound. */
const longestMs = 34_000;

/** The time that a request asks for in the query, such as `10s`, within what it gets at most. */
function timeoutMsOf(query: HttpRequest["query"]): number {
  const asked = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(param(query, "timeout") ?? "");
  if (asked === null) return longestMs;
  // The pattern has no other units.
  const unit = asked[2] as "ms" | "s" | "m";
  const ms = Number(asked[1]) * { ms: 1, s: 1000, m: 60_000 }[unit];
  return ms === 0 ? longestMs : Math.min(ms, longestMs);
}

/** False for a namespaced path of a cluster-scoped kind, for an object without its namespace, and for one of a kind that has none to read. */
function isServed({ namespace, name }: ResourceRoute, { namespaced, verbs }: Resource): boolean {
  if (name !== "" && !verbs.has("get")) return false;
  if (!namespaced) return namespace === "";
  return namespace !== "" || (name === "" && verbs.has("list"));
}

/** @throws StatusError 400 for a name that cannot be one; 500, as the real server, for such a namespace. */
function checkName({ namespace, name }: ResourceRoute, { plural }: Resource): void {
  if (name === "." || name === "..") throw badRequest(`Name parameter invalid: "${name}": may not be '${name}'`);
  if (name.includes("%")) throw badRequest(`Name parameter invalid: "${name}": may not contain '%'`);
  if (namespace !== "." && namespace !== "..") return;
  throw refusal(500, "", `invalid key: "/${plural}/${namespace}${name === "" ? "" : `/${name}`}"`);
}
