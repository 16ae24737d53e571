/** One request from its path to its answer. Synchronous: between reading the store and writing it nothing else happens. */
import { wholeBody } from "../../api/transport.ts";
import { StatusError } from "../../api/status-error.ts";
import { deprecationOf } from "./deprecations.ts";
import { discoveryAnswer, otherAnswer } from "./documents.ts";
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
import { jsonAnswer, jsonHeaders, movedAnswer, nobodyThere, refusalAnswer, textAnswer } from "./outgoing.ts";
import type { Incoming, Outgoing } from "./outgoing.ts";
import { authorize } from "../endpoints/authorization.ts";
import { userOf } from "./impersonation.ts";
import { checkWatchable, prefersYaml } from "../serialization/negotiation.ts";
import { checkShown, formatOf, shownTo, tableOptions } from "./shown.ts";
import { reviewOf } from "../endpoints/reviews.ts";
import { routeOf, type Route } from "../context/route.ts";
import type { Resource } from "../registry/resource.ts";
import { collectionOf, type Call, type Server, type User } from "../context/server.ts";
import type { Entry } from "../storage/entry.ts";
import { subresourceAnswer } from "../endpoints/subresources.ts";
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
function turnedAway(error: StatusError): Outgoing {
  const refused = refusalAnswer(error);
  return { ...refused, headers: { ...refused.headers, "x-content-type-options": "nosniff" } };
}

/** Answers a request; never throws. */
export function handle(server: Server, incoming: Incoming): Outgoing {
  const { headers, ...answered } = inMediaType(server, incoming);
  return { ...answered, headers: { ...headers, "audit-id": incoming.headers["audit-id"] ?? nextAuditId(server) } };
}

/** What an audit log would call a request that says no name of its own. Source: apiserver v0.36 endpoints/filters/audit_init.go. */
function nextAuditId({ requests }: Server): string {
  return `00000000-0000-4000-8000-${(++requests.count).toString(16).padStart(12, "0")}`;
}

function inMediaType(server: Server, incoming: Incoming): Outgoing {
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

function handled(server: Server, incoming: Incoming): Outgoing {
  try {
    if (incoming.body.length > maxBodyBytes) throw entityTooLarge(maxBodyBytes);
    return answer(server, incoming);
  } catch (error) {
    if (error instanceof StatusError) return refusalAnswer(error);
    if (error instanceof URIError) return textAnswer(400, "400 Bad Request");
    return refusalAnswer(internal(error instanceof Error ? error.message : String(error)));
  }
}

function answer(server: Server, asked: Incoming): Outgoing {
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
      return discoveryAnswer(server, incoming, route.parts);
    case "resource":
      return resourceAnswer(server, incoming, route);
    case "other":
      return otherAnswer(server, incoming);
  }
}

function resourceAnswer(server: Server, incoming: Incoming, route: Route & { readonly is: "resource" }): Outgoing {
  const { catalogue } = server;
  const served = catalogue.find(route.apiVersion, route.plural);
  if (served === undefined) {
    const group = route.apiVersion.split("/")[0] ?? "";
    if (route.apiVersion.includes("/") && !catalogue.data.groups.some(({ name }) => name === group))
      return nobodyThere();
    throw noSuchPath();
  }
  const resource = catalogue.stored(served);
  // A namespaced path of a cluster-scoped kind, or an object without its namespace, leads nowhere.
  if (!resource.namespaced && route.namespace !== "") throw noSuchPath();
  const isEverywhere = route.name === "" && resource.verbs.has("list");
  if (resource.namespaced && route.namespace === "" && !isEverywhere) throw noSuchPath();
  checkSegments(route, resource);
  const call: Call = {
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
  if (deprecation !== undefined) call.warnings.push(deprecation);
  const outgoing = orRefused(() => verbAnswer(call, incoming));
  const warning = warningHeader(call.warnings);
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
function orRefused(answered: () => Outgoing): Outgoing {
  try {
    return answered();
  } catch (error) {
    if (error instanceof StatusError) return refusalAnswer(error);
    throw error;
  }
}

function dryRunOf(query: Query): boolean {
  const value = param(query, "dryRun");
  return value === "All";
}

function verbAnswer(call: Call, incoming: Incoming): Outgoing {
  if (call.subresource === "proxy")
    return movedAnswer(proxied(call, incoming.method, incoming.path).location, incoming.query);
  if (call.subresource !== "" && call.subresource !== "status") {
    shownTo(call);
    const said = subresourceAnswer(call, incoming.method);
    return "entry" in said ? objectAnswer(call, said.status, said.entry) : saidAnswer(call, said.status, said.value);
  }
  if (call.subresource === "status" && !call.resource.subresources.has("status")) throw noSuchPath();
  if (call.name === "") return collectionAnswer(call, incoming);
  const verbs =
    call.subresource === "" ? call.resource.verbs : new Set(call.resource.subresources.get("status")?.verbs ?? []);
  const verb = { GET: "get", PUT: "update", PATCH: "patch", DELETE: "delete" }[incoming.method];
  if (verb === undefined || !verbs.has(verb)) throw methodNotAllowed();
  // Before anything is written.
  shownTo(call);
  switch (verb) {
    case "get":
      return get(call);
    case "update": {
      const { entry, created } = update(call);
      return objectAnswer(call, created ? 201 : 200, entry);
    }
    case "patch": {
      const { entry, created } = patch(call);
      return objectAnswer(call, created ? 201 : 200, entry);
    }
    default:
      return remove(call);
  }
}

function collectionAnswer(call: Call, incoming: Incoming): Outgoing {
  const { verbs } = call.resource;
  switch (incoming.method) {
    case "GET":
      if (!verbs.has("list")) throw methodNotAllowed();
      return listOrWatch(call, incoming);
    case "POST": {
      if (!verbs.has("create")) throw methodNotAllowed();
      if (call.resource.namespaced && call.namespace === "") throw methodNotAllowed();
      shownTo(call);
      if (call.resource.storage === "bindings") {
        const { status, value } = bindByName(call);
        return jsonAnswer(status, value);
      }
      const review = reviewOf(call);
      return review === undefined ? objectAnswer(call, 201, create(call)) : jsonAnswer(201, review);
    }
    case "DELETE":
      if (!verbs.has("deletecollection")) throw methodNotAllowed();
      return removeCollection(call);
    default:
      throw methodNotAllowed();
  }
}

export function objectAnswer(call: Call, status: number, entry: Entry): Outgoing {
  const shown = shownTo(call);
  checkShown(call, shown, false);
  const format = formatOf(call, shown);
  const text = (format.first ?? format).text(entry);
  return { status, headers: jsonHeaders, body: bytesOf(`${text}\n`) };
}

/** What a subresource says without storing it: Scales may be shown as others. */
function saidAnswer(call: Call, status: number, value: object): Outgoing {
  const { as, version } = shownTo(call);
  if (as === "" || !("kind" in value) || value.kind !== "Scale") return jsonAnswer(status, value);
  const scale = value as ApiObject;
  const shown = as === "Table" ? scaleTable(scale, tableOptions(call, version)) : partialOf(scale, version);
  return jsonAnswer(status, shown);
}

function get(call: Call): Outgoing {
  refuseExport(call.query);
  revisionOf(param(call.query, "resourceVersion") ?? "", false);
  const entry = call.collection.get(call.namespace, call.name);
  if (entry === undefined) throw notFound(call.resource.asResource, call.name);
  return objectAnswer(call, 200, entry);
}

function listOrWatch(call: Call, incoming: Incoming): Outgoing {
  const { served: resource, server, collection } = call;
  const namespace = call.namespace === "" ? undefined : call.namespace;
  const options = listOptionsOf(call.query, resource, namespace);
  const shown = shownTo(call, true);
  const format = formatOf(call, shown);
  if (options.watch) {
    checkWatchable(call.headers["accept"] ?? "");
    // The real server finds out at the first event, and ends there.
    if (shown.as === "PartialObjectMetadataList")
      return { status: 200, headers: jsonHeaders, body: wholeBody(new Uint8Array(0)) };
    return { status: 200, headers: jsonHeaders, body: openWatch(call, options, format, incoming.actor) };
  }
  const list = listed(collection, options, server.store.revision);
  checkShown(call, shown, true);
  if (shown.as === "Table") {
    const columns = { ...tableOptions(call, shown.version), withColumns: true };
    const text = tableText(resource, list.entries, listMetadata(list), columns);
    return { status: 200, headers: jsonHeaders, body: bytesOf(text) };
  }
  const [kind, apiVersion] =
    shown.as === "" ? [resource.kind, resource.apiVersion] : ["PartialObjectMetadata", `meta.k8s.io/${shown.version}`];
  return { status: 200, headers: jsonHeaders, body: bytesOf(listText(kind, apiVersion, list, format)) };
}

function remove(call: Call): Outgoing {
  const options = deleteOptionsOf(call);
  const { entry, gone, asObject } = deleteOne(call, options);
  const status = !gone && options.orphanDependents === false ? 202 : 200;
  if (!gone || asObject === true || call.resource.behaviour.returnsDeleted) return objectAnswer(call, status, entry);
  const { group, plural } = call.served;
  return jsonAnswer(200, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name: call.name, ...(group === "" ? {} : { group }), kind: plural, uid: entry.object.metadata.uid },
  });
}

function removeCollection(call: Call): Outgoing {
  const { served: resource, server } = call;
  const list = listOptionsOf(call.query, resource, call.namespace === "" ? undefined : call.namespace);
  // The list is as it was before anything was deleted.
  const { revision } = server.store;
  if (list.continueToken !== "" || list.resourceVersion !== "") listed(call.collection, list, revision);
  const entries = deleteCollection(call, list, deleteOptionsOf(call));
  const answered = { entries, revision, continueToken: "", remaining: undefined };
  const format = wholeFormat(resource, server.catalogue.schema);
  return {
    status: 200,
    headers: jsonHeaders,
    body: bytesOf(listText(resource.kind, resource.apiVersion, answered, format)),
  };
}
