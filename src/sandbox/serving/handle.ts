/** One request from its path to its answer. Synchronous: between reading the store and writing it nothing else happens. */
import { wholeBody } from "../../api/transport.ts";
import { StatusError } from "../../api/status-error.ts";
import { deprecationOf } from "./deprecations.ts";
import { discoveryResponse, nonResourceResponse } from "./documents.ts";
import { bytesOf, partialOf, wholeFormat } from "../serialization/encoding.ts";
import type { ApiObject } from "../meta/object.ts";
import { listed, listMetadata, listText } from "../endpoints/list.ts";
import { flagParam, listOptionsOf, param, refuseExport, revisionOf, type Query } from "../options/list-options.ts";
import {
  badRequest,
  entityTooLarge,
  internal,
  methodNotAllowed,
  noSuchPath,
  notFound,
  refusal,
} from "../meta/refusal.ts";
import { jsonResponse, jsonHeaders, redirect, notFoundPage, statusResponse, textResponse } from "./responses.ts";
import type { HttpRequest, HttpResponse } from "./responses.ts";
import { authorize } from "../endpoints/authorization.ts";
import { userOf } from "./impersonation.ts";
import { checkWatchable, prefersYaml } from "../serialization/negotiation.ts";
import { checkShown, formatOf, shownTo, tableOptions } from "./shown.ts";
import { reviewOf } from "../endpoints/reviews.ts";
import { routeOf, type Route } from "../context/route.ts";
import type { Resource } from "../registry/resource.ts";
import { collectionOf, type RequestScope, type Server, type User } from "../context/server.ts";
import type { Entry } from "../storage/entry.ts";
import { serveSubresource } from "../endpoints/subresources.ts";
import { scaleTable, tableText } from "../printers/table.ts";
import { bindByName } from "../endpoints/bind.ts";
import { create } from "../endpoints/create.ts";
import { deleteCollection, deleteOne, deleteOptionsOf } from "../endpoints/delete.ts";
import { patch } from "../endpoints/patch.ts";
import { proxied } from "../endpoints/proxy.ts";
import { update } from "../endpoints/update.ts";
import { openWatch } from "../endpoints/watch.ts";
import { warningHeader } from "../meta/warnings.ts";
import { yamlType } from "../serialization/yaml/codec.ts";

/** As kube-apiserver has it. */
export const maxBodyBytes: number = 3 * 1024 * 1024;

/** A refusal before anything is looked at. Source: apiserver v0.36 endpoints/handlers/responsewriters/errors.go. */
function turnedAway(error: StatusError): HttpResponse {
  const refused = statusResponse(error);
  return { ...refused, headers: { ...refused.headers, "x-content-type-options": "nosniff" } };
}

/** Answers a request; never throws. */
export function handle(server: Server, incoming: HttpRequest): HttpResponse {
  const { headers, ...answered } = inMediaType(server, incoming);
  return { ...answered, headers: { ...headers, "audit-id": incoming.headers["audit-id"] ?? nextAuditId(server) } };
}

/** What an audit log would call a request that brings no ID. Source: apiserver v0.36 endpoints/filters/audit_init.go. */
function nextAuditId({ requests }: Server): string {
  return `00000000-0000-4000-8000-${(++requests.count).toString(16).padStart(12, "0")}`;
}

function inMediaType(server: Server, incoming: HttpRequest): HttpResponse {
  const outgoing = handled(server, incoming);
  const { codec } = server.yaml;
  if (codec === undefined || !prefersYaml(incoming.headers["accept"] ?? "")) return outgoing;
  const { headers, body } = outgoing;
  // Some documents are made beforehand, and served as they are.
  const isFixed = incoming.path === "/version" || incoming.path.startsWith("/openapi/");
  if (isFixed || !(body instanceof Uint8Array) || headers["content-type"] !== "application/json") return outgoing;
  const text = codec.write(JSON.parse(new TextDecoder().decode(body)));
  return { ...outgoing, headers: { ...headers, "content-type": yamlType }, body: bytesOf(text) };
}

function handled(server: Server, incoming: HttpRequest): HttpResponse {
  try {
    if (incoming.body.length > maxBodyBytes) throw entityTooLarge(maxBodyBytes);
    return answer(server, incoming);
  } catch (error) {
    if (error instanceof StatusError) return statusResponse(error);
    if (error instanceof URIError) return textResponse(400, "400 Bad Request");
    return statusResponse(internal(error instanceof Error ? error.message : String(error)));
  }
}

function answer(server: Server, asked: HttpRequest): HttpResponse {
  const route = routeOf(asked.path);
  const { method, path, query, headers } = asked;
  let user: User;
  try {
    user = userOf(headers, asked.user);
    authorize(server, user, route, { method, path, isWatch: flagParam(query, "watch") });
  } catch (error) {
    if (error instanceof StatusError) return turnedAway(error);
    throw error;
  }
  const incoming = { ...asked, user };
  switch (route.is) {
    case "discovery":
      return discoveryResponse(server, incoming, route.parts);
    case "resource":
      return resourceAnswer(server, incoming, route);
    case "other":
      return nonResourceResponse(server, incoming);
  }
}

function resourceAnswer(
  server: Server,
  incoming: HttpRequest,
  route: Route & { readonly is: "resource" },
): HttpResponse {
  const { registry } = server;
  const served = registry.find(route.apiVersion, route.plural);
  if (served === undefined) {
    const group = route.apiVersion.split("/")[0] ?? "";
    if (route.apiVersion.includes("/") && !registry.data.groups.some(({ name }) => name === group))
      return notFoundPage();
    throw noSuchPath();
  }
  const resource = registry.stored(served);
  // A namespaced path of a cluster-scoped kind, or an object without its namespace, leads nowhere.
  if (!resource.namespaced && route.namespace !== "") throw noSuchPath();
  const isEverywhere = route.name === "" && resource.verbs.has("list");
  if (resource.namespaced && route.namespace === "" && !isEverywhere) throw noSuchPath();
  checkSegments(route, resource);
  const scope: RequestScope = {
    server,
    resource,
    served,
    collection: collectionOf(server, resource),
    namespace: route.namespace,
    name: route.name,
    subresource: route.subresource,
    query: incoming.query,
    headers: incoming.headers,
    body: incoming.body,
    user: incoming.user,
    dryRun: dryRunOf(incoming.query),
    strict: [],
    literals: new Map(),
    warnings: [],
  };
  const deprecation = deprecationOf(resource.storage);
  if (deprecation !== undefined) scope.warnings.push(deprecation);
  const outgoing = orRefused(() => verbAnswer(scope, incoming));
  const warning = warningHeader(scope.warnings);
  if (warning === undefined) return outgoing;
  return { ...outgoing, headers: { ...outgoing.headers, warning } };
}

/** A namespace or a name that would lead elsewhere. @throws StatusError 400, and 500 as the real server. */
function checkSegments(route: Route & { readonly is: "resource" }, { plural, subresources }: Resource): void {
  const { namespace, name, subresource } = route;
  if (subresource !== "" && !subresources.has(subresource)) throw noSuchPath();
  if (name === "." || name === "..") throw badRequest(`Name parameter invalid: "${name}": may not be '${name}'`);
  if (name.includes("%")) throw badRequest(`Name parameter invalid: "${name}": may not contain '%'`);
  if (namespace !== "." && namespace !== "..") return;
  throw refusal(500, "", `invalid key: "/${plural}/${namespace}${name === "" ? "" : `/${name}`}"`);
}

/** A refusal keeps the warnings that came before it. */
function orRefused(answered: () => HttpResponse): HttpResponse {
  try {
    return answered();
  } catch (error) {
    if (error instanceof StatusError) return statusResponse(error);
    throw error;
  }
}

function dryRunOf(query: Query): boolean {
  const value = param(query, "dryRun");
  return value === "All";
}

function verbAnswer(scope: RequestScope, incoming: HttpRequest): HttpResponse {
  if (scope.subresource === "proxy")
    return redirect(proxied(scope, incoming.method, incoming.path).location, incoming.query);
  if (scope.subresource !== "" && scope.subresource !== "status") {
    shownTo(scope);
    const said = serveSubresource(scope, incoming.method);
    return "entry" in said ? objectAnswer(scope, said.status, said.entry) : saidAnswer(scope, said.status, said.value);
  }
  if (scope.subresource === "status" && !scope.resource.subresources.has("status")) throw noSuchPath();
  if (scope.name === "") return collectionAnswer(scope, incoming);
  const verbs =
    scope.subresource === "" ? scope.resource.verbs : new Set(scope.resource.subresources.get("status")?.verbs ?? []);
  const verb = { GET: "get", PUT: "update", PATCH: "patch", DELETE: "delete" }[incoming.method];
  if (verb === undefined || !verbs.has(verb)) throw methodNotAllowed();
  // Before anything is written.
  shownTo(scope);
  switch (verb) {
    case "get":
      return get(scope);
    case "update": {
      const { entry, created } = update(scope);
      return objectAnswer(scope, created ? 201 : 200, entry);
    }
    case "patch": {
      const { entry, created } = patch(scope);
      return objectAnswer(scope, created ? 201 : 200, entry);
    }
    default:
      return remove(scope);
  }
}

function collectionAnswer(scope: RequestScope, incoming: HttpRequest): HttpResponse {
  const { verbs } = scope.resource;
  switch (incoming.method) {
    case "GET":
      if (!verbs.has("list")) throw methodNotAllowed();
      return listOrWatch(scope, incoming);
    case "POST": {
      if (!verbs.has("create")) throw methodNotAllowed();
      if (scope.resource.namespaced && scope.namespace === "") throw methodNotAllowed();
      shownTo(scope);
      if (scope.resource.storage === "bindings") {
        const { status, value } = bindByName(scope);
        return jsonResponse(status, value);
      }
      const review = reviewOf(scope);
      return review === undefined ? objectAnswer(scope, 201, create(scope)) : jsonResponse(201, review);
    }
    case "DELETE":
      if (!verbs.has("deletecollection")) throw methodNotAllowed();
      return removeCollection(scope);
    default:
      throw methodNotAllowed();
  }
}

export function objectAnswer(scope: RequestScope, status: number, entry: Entry): HttpResponse {
  const shown = shownTo(scope);
  checkShown(scope, shown, false);
  const format = formatOf(scope, shown);
  const text = (format.first ?? format).text(entry);
  return { status, headers: jsonHeaders, body: bytesOf(`${text}\n`) };
}

/** What a subresource says without storing it: Scales may be shown as others. */
function saidAnswer(scope: RequestScope, status: number, value: object): HttpResponse {
  const { as, version } = shownTo(scope);
  if (as === "" || !("kind" in value) || value.kind !== "Scale") return jsonResponse(status, value);
  const scale = value as ApiObject;
  const shown = as === "Table" ? scaleTable(scale, tableOptions(scope, version)) : partialOf(scale, version);
  return jsonResponse(status, shown);
}

function get(scope: RequestScope): HttpResponse {
  refuseExport(scope.query);
  revisionOf(param(scope.query, "resourceVersion") ?? "", false);
  const entry = scope.collection.get(scope.namespace, scope.name);
  if (entry === undefined) throw notFound(scope.resource.asResource, scope.name);
  return objectAnswer(scope, 200, entry);
}

function listOrWatch(scope: RequestScope, incoming: HttpRequest): HttpResponse {
  const { served: resource, server, collection } = scope;
  const namespace = scope.namespace === "" ? undefined : scope.namespace;
  const options = listOptionsOf(scope.query, resource, namespace);
  const shown = shownTo(scope, true);
  const format = formatOf(scope, shown);
  if (options.watch) {
    checkWatchable(scope.headers["accept"] ?? "");
    // The real server finds out at the first event, and ends there.
    if (shown.as === "PartialObjectMetadataList")
      return { status: 200, headers: jsonHeaders, body: wholeBody(new Uint8Array(0)) };
    return { status: 200, headers: jsonHeaders, body: openWatch(scope, options, format, incoming.actor) };
  }
  const list = listed(collection, options, server.store.revision);
  checkShown(scope, shown, true);
  if (shown.as === "Table") {
    const columns = { ...tableOptions(scope, shown.version), withColumns: true };
    const text = tableText(resource, list.entries, listMetadata(list), columns);
    return { status: 200, headers: jsonHeaders, body: bytesOf(text) };
  }
  const [kind, apiVersion] =
    shown.as === "" ? [resource.kind, resource.apiVersion] : ["PartialObjectMetadata", `meta.k8s.io/${shown.version}`];
  return { status: 200, headers: jsonHeaders, body: bytesOf(listText(kind, apiVersion, list, format)) };
}

function remove(scope: RequestScope): HttpResponse {
  const options = deleteOptionsOf(scope);
  const { entry, gone, asObject } = deleteOne(scope, options);
  const status = !gone && options.orphanDependents === false ? 202 : 200;
  if (!gone || asObject === true || scope.resource.strategy.returnsDeletedObject)
    return objectAnswer(scope, status, entry);
  const { group, plural } = scope.served;
  return jsonResponse(200, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name: scope.name, ...(group === "" ? {} : { group }), kind: plural, uid: entry.object.metadata.uid },
  });
}

function removeCollection(scope: RequestScope): HttpResponse {
  const { served: resource, server } = scope;
  const list = listOptionsOf(scope.query, resource, scope.namespace === "" ? undefined : scope.namespace);
  // The list is as it was before anything was deleted.
  const { revision } = server.store;
  if (list.continueToken !== "" || list.resourceVersion !== "") listed(scope.collection, list, revision);
  const entries = deleteCollection(scope, list, deleteOptionsOf(scope));
  const answered = { entries, revision, continueToken: "", remaining: undefined };
  const format = wholeFormat(resource, server.registry.schema);
  return {
    status: 200,
    headers: jsonHeaders,
    body: bytesOf(listText(resource.kind, resource.apiVersion, answered, format)),
  };
}
