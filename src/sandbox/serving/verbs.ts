/** Dispatches a method on a resource to its verb, and converts the result to a response. Source: apiserver v0.36 endpoints/handlers. */
import { type ApiBody, wholeBody } from "../../api/transport.ts";
import { servedEntries, servedEntry } from "../context/conversion.ts";
import { contentOf } from "../serialization/content.ts";
import { type Format, partialOf, wholeFormat } from "../serialization/encoding.ts";
import type { ApiObject } from "../meta/object.ts";
import { listContent, listed, listMetadata } from "../endpoints/list.ts";
import { type ListOptions, listOptionsOf, param, refuseExport, revisionOf } from "../options/list-options.ts";
import type { Steps } from "../meta/steps.ts";
import { methodNotAllowed, noSuchPath, notFound } from "../meta/refusal.ts";
import { contentResponse, jsonHeaders, jsonResponse, noBody, redirect, uncached } from "./responses.ts";
import type { HttpRequest, Result } from "./responses.ts";
import { checkWatchable, needsProtobuf } from "../serialization/negotiation.ts";
import { protobufType } from "../../api/wire/envelope.ts";
import { protobufFormat } from "../serialization/protobuf-response.ts";
import { checkOutputForm, formatOf, outputFormOf, tableOptions } from "./output-form.ts";
import { reviewOf } from "../endpoints/reviews.ts";
import type { RequestScope } from "../context/server.ts";
import { serveSubresource } from "../endpoints/subresources.ts";
import { scaleTable, tableOf } from "../printers/table.ts";
import { bindByName } from "../endpoints/bind.ts";
import { create } from "../endpoints/create.ts";
import { deleteOptionsOf } from "../endpoints/delete-options.ts";
import { deleteAll, deleteOne } from "../endpoints/delete.ts";
import { patch } from "../endpoints/patch.ts";
import { proxied } from "../endpoints/proxy.ts";
import { retried } from "../endpoints/retry.ts";
import { update, type UpdateResult } from "../endpoints/update.ts";
import { podLog } from "../endpoints/log.ts";
import { openWatch } from "../endpoints/watch.ts";
import { convertedBody } from "../endpoints/watch-conversion.ts";

const verbs: Readonly<Record<string, string>> = { GET: "get", PUT: "update", PATCH: "patch", DELETE: "delete" };

/** Serves a request for a resource or a subresource. @throws StatusError */
export function* serveResource(scope: RequestScope, request: HttpRequest): Steps<Result> {
  const { resource, subresource } = scope;
  if (subresource === "proxy") {
    const { location } = yield* proxied(scope, request.method, request.path);
    return redirect(location, request.query);
  }
  if (subresource === "log" && request.method === "GET") return logResponse(podLog(scope, request.actor));
  if (subresource !== "" && subresource !== "status") return yield* subresourceResponse(scope, request);
  if (subresource === "status" && !resource.subresources.has("status")) throw noSuchPath();
  return scope.name === "" ? yield* serveCollection(scope, request) : yield* serveObject(scope, request.method);
}

/** A pod without a node has no log, as no kubelet runs it. */
function logResponse(log: ApiBody | undefined): Result {
  if (log === undefined) return { status: 204, headers: uncached, body: noBody };
  return { status: 200, headers: { ...uncached, "content-type": "text/plain" }, body: log };
}

function* serveObject(scope: RequestScope, method: string): Steps<Result> {
  const { resource, subresource } = scope;
  const allowed = subresource === "" ? resource.verbs : new Set(resource.subresources.get(subresource)?.verbs ?? []);
  const verb = verbs[method];
  // A create-only kind has no paths with names.
  if (resource.verbs.size === 1 && resource.verbs.has("create")) throw noSuchPath();
  if (verb === undefined || !allowed.has(verb)) throw methodNotAllowed();
  // If the result cannot be shown, nothing is written.
  outputFormOf(scope);
  switch (verb) {
    case "get":
      return yield* get(scope);
    case "update":
      return yield* updateResponse(scope, yield* retried(scope, () => update(scope)));
    case "patch":
      return yield* updateResponse(scope, yield* retried(scope, () => patch(scope)));
    default:
      return yield* remove(scope);
  }
}

function* serveCollection(scope: RequestScope, request: HttpRequest): Steps<Result> {
  const { resource } = scope;
  const allow = (verb: string): void => {
    if (!resource.verbs.has(verb)) throw methodNotAllowed();
  };
  switch (request.method) {
    case "GET":
      allow("list");
      return yield* listOrWatch(scope, request.actor);
    case "POST":
      allow("create");
      if (resource.namespaced && scope.namespace === "") throw methodNotAllowed();
      return yield* post(scope);
    case "DELETE":
      allow("deletecollection");
      return yield* removeCollection(scope);
    default:
      throw methodNotAllowed();
  }
}

function* post(scope: RequestScope): Steps<Result> {
  outputFormOf(scope);
  if (scope.resource.storage === "bindings") {
    const { status, value } = yield* bindByName(scope);
    return jsonResponse(status, value);
  }
  const review = yield* reviewOf(scope);
  if (review !== undefined) return jsonResponse(201, review);
  return yield* objectResponse(scope, 201, yield* retried(scope, () => create(scope)));
}

function* updateResponse(scope: RequestScope, { entry, created }: UpdateResult): Steps<Result> {
  return yield* objectResponse(scope, created ? 201 : 200, entry);
}

/** An object in the form that the client accepts. */
function* objectResponse(scope: RequestScope, status: number, stored: UpdateResult["entry"]): Steps<Result> {
  const form = outputFormOf(scope);
  checkOutputForm(scope, form, false);
  const whole = formatOf(scope, form);
  const format = whole.first ?? whole;
  const entry = (yield* servedEntry(scope, stored)) ?? stored;
  return contentResponse(status, { json: () => `${format.text(entry)}\n`, value: () => format.value(entry) });
}

function* subresourceResponse(scope: RequestScope, request: HttpRequest): Steps<Result> {
  const { as, version } = outputFormOf(scope);
  const result = yield* serveSubresource(scope, request);
  if ("entry" in result) return yield* objectResponse(scope, result.status, result.entry);
  const { status, value } = result;
  if (as === "" || !("kind" in value) || value.kind !== "Scale") return jsonResponse(status, value);
  // Checked above.
  const scale = value as ApiObject;
  return jsonResponse(
    status,
    as === "Table" ? scaleTable(scale, tableOptions(scope, version)) : partialOf(scale, version),
  );
}

function* get(scope: RequestScope): Steps<Result> {
  refuseExport(scope.query);
  revisionOf(param(scope.query, "resourceVersion") ?? "", false);
  const entry = scope.collection.get(scope.namespace, scope.name);
  if (entry === undefined) throw notFound(scope.resource.asResource, scope.name);
  return yield* objectResponse(scope, 200, entry);
}

const namespaceOf = ({ namespace }: RequestScope): string | undefined => (namespace === "" ? undefined : namespace);

function* listOrWatch(scope: RequestScope, actor: string): Steps<Result> {
  const { served: resource, server, collection } = scope;
  const options = listOptionsOf(scope.query, resource, namespaceOf(scope));
  const form = outputFormOf(scope, true);
  const format = formatOf(scope, form);
  if (options.watch) {
    checkWatchable(scope.headers["accept"] ?? "");
    // The real server notices this at the first event, and then ends the watch.
    const isList = form.as === "PartialObjectMetadataList";
    const isProtobuf = needsProtobuf(scope.headers["accept"] ?? "");
    const events = isProtobuf ? protobufFormat(format, server.protobuf) : format;
    const body = isList ? wholeBody(new Uint8Array(0)) : watchOf(scope, { options, format: events, actor });
    const headers = isProtobuf ? { ...jsonHeaders, "content-type": `${protobufType};stream=watch` } : jsonHeaders;
    return { status: 200, headers, body };
  }
  const found = listed(collection, options, server.store);
  const list = { ...found, entries: yield* servedEntries(scope, found.entries) };
  checkOutputForm(scope, form, true);
  if (form.as === "Table") {
    const columns = { ...tableOptions(scope, form.version), withColumns: true };
    return contentResponse(200, contentOf(tableOf(resource, list.entries, listMetadata(list), columns), ""));
  }
  const partial = { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${form.version}` };
  return contentResponse(200, listContent(form.as === "" ? resource : partial, list, format));
}

interface Watching {
  readonly options: ListOptions;
  readonly format: Format;
  readonly actor: string;
}

/** Opens a watch; if a webhook converts, the watch is of stored objects, converted on the way out. */
function watchOf(scope: RequestScope, { options, format, actor }: Watching): ApiBody {
  const { served, server } = scope;
  const webhook = served.form?.conversionWebhook;
  const stored = webhook === undefined ? undefined : server.registry.find(webhook.storedVersion, served.plural);
  if (stored === undefined) return openWatch(scope, options, format, actor);
  const body = openWatch(scope, options, wholeFormat(stored, server.registry.schema), actor);
  return convertedBody(scope, body, format);
}

function* remove(scope: RequestScope): Steps<Result> {
  const options = deleteOptionsOf(scope);
  const { entry, gone, asObject } = yield* deleteOne(scope, options);
  const status = !gone && options.orphanDependents === false ? 202 : 200;
  if (!gone || asObject === true || scope.resource.strategy.returnsDeletedObject)
    return yield* objectResponse(scope, status, entry);
  const { group, plural } = scope.served;
  return jsonResponse(200, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name: scope.name, ...(group === "" ? {} : { group }), kind: plural, uid: entry.object.metadata.uid },
  });
}

function* removeCollection(scope: RequestScope): Steps<Result> {
  const { served: resource, server } = scope;
  const list = listOptionsOf(scope.query, resource, namespaceOf(scope));
  // The list as it was before anything was deleted.
  const page = listed(scope.collection, list, server.store);
  yield* deleteAll(scope, page.entries, deleteOptionsOf(scope));
  const rest = list.limit > 0 ? {} : { continueToken: "", remaining: undefined };
  const deleted = { ...page, ...rest, entries: yield* servedEntries(scope, page.entries) };
  return contentResponse(200, listContent(resource, deleted, wholeFormat(resource, server.registry.schema)));
}
