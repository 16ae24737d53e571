/** Resolves a route to its resource. Source: apiserver v0.36 endpoints/installer.go, endpoints/handlers/rest.go RequestScope. */
import { deprecationOf } from "./deprecations.ts";
import { param } from "../options/list-options.ts";
import { badRequest, noSuchPath, notFound, refusal } from "../meta/refusal.ts";
import type { HttpRequest } from "./responses.ts";
import type { RequestAudit } from "../context/audit.ts";
import type { Route } from "../../api/route.ts";
import type { Resource } from "../registry/resource.ts";
import { collectionOf, type RequestScope, type Server } from "../context/server.ts";

type ResourceRoute = Route & { readonly is: "resource" };

/** The input of a scope. */
export interface ScopeOptions {
  readonly server: Server;
  readonly request: HttpRequest;
  readonly route: ResourceRoute;
  /** As authorized. */
  readonly verb: string;
  /** The scope's warnings are appended to these. */
  readonly warnings: string[];
  readonly audit: RequestAudit | undefined;
}

/** The scope of a resource request; undefined if the API group is not served. @throws StatusError 400, 404, 500. */
export function requestScope(options: ScopeOptions): RequestScope | undefined {
  const { server, request, route, verb, warnings, audit } = options;
  const { registry } = server;
  const served = registry.find(route.apiVersion, route.plural);
  if (served === undefined) {
    const [group = ""] = route.apiVersion.split("/");
    if (route.apiVersion.includes("/") && !registry.builtInGroups.has(group)) return undefined;
    throw noSuchPath();
  }
  const resource = registry.stored(served);
  // For custom resources, a path that is not served gets a plain 404 page.
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
    verb,
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

/** The maximum duration of a write. Source: apiserver v0.36 endpoints/handlers/rest.go requestTimeoutUpperBound. */
const longestMs = 34_000;

/** The timeout in the query, such as `10s`, capped at the maximum. */
function timeoutMsOf(query: HttpRequest["query"]): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(param(query, "timeout") ?? "");
  if (match === null) return longestMs;
  // The pattern has no other units.
  const unit = match[2] as "ms" | "s" | "m";
  const ms = Number(match[1]) * { ms: 1, s: 1000, m: 60_000 }[unit];
  return ms === 0 ? longestMs : Math.min(ms, longestMs);
}

/** False for a namespaced path of a cluster-scoped kind, an object without its namespace, and an object of a kind without reads. */
function isServed({ namespace, name }: ResourceRoute, { namespaced, verbs }: Resource): boolean {
  if (name !== "" && !verbs.has("get")) return false;
  if (!namespaced) return namespace === "";
  return namespace !== "" || (name === "" && verbs.has("list"));
}

/** @throws StatusError 400 for an invalid name; 500, as in the real server, for an invalid namespace. */
function checkName({ namespace, name }: ResourceRoute, { plural }: Resource): void {
  if (name === "." || name === "..") throw badRequest(`Name parameter invalid: "${name}": may not be '${name}'`);
  if (name.includes("%")) throw badRequest(`Name parameter invalid: "${name}": may not contain '%'`);
  if (namespace !== "." && namespace !== "..") return;
  throw refusal(500, "", `invalid key: "/${plural}/${namespace}${name === "" ? "" : `/${name}`}"`);
}
