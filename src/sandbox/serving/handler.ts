/**
 * One HTTP request, from its route to an encoded response. Nothing else happens between reading the store and writing it, unless a
 * webhook is called on the way.
 */
import { messageOf } from "../../api/error-message.ts";
import { StatusError } from "../../api/status-error.ts";
import { discoveryResponse, nonResourceResponse } from "./documents.ts";
import { attributesOf, authorize } from "../access/authorize.ts";
import { impersonated, wantedUser } from "../access/impersonation.ts";
import type { RequestAudit } from "../context/audit.ts";
import type { Attributes, User } from "../context/authorizer.ts";
import { audited, auditedRequest, auditIdOf } from "./audited.ts";
import { bytesOf } from "../serialization/encoding.ts";
import { flagParam } from "../options/list-options.ts";
import { isFields } from "../meta/object.ts";
import { entityTooLarge, internal } from "../meta/refusal.ts";
import { run, runNow, type Steps } from "../meta/steps.ts";
import { notFoundPage, statusResponse, textResponse } from "./responses.ts";
import type { HttpRequest, HttpResponse, Result } from "./responses.ts";
import { needsProtobuf, prefersYaml } from "../serialization/negotiation.ts";
import { protobufType } from "../serialization/protobuf-body.ts";
import { requestScope } from "./request-scope.ts";
import { routeOf } from "../context/route.ts";
import type { AdmissionPlugin } from "../context/admission-plugins.ts";
import type { Server } from "../context/server.ts";
import { serveResource } from "./verbs.ts";
import { warningHeader } from "../meta/warnings.ts";
import { yamlType } from "../serialization/yaml/codec.ts";

/** The limit of kube-apiserver. */
export const maxBodyBytes: number = 3 * 1024 * 1024;

/** A request while it is served: what its response depends on, whether it succeeds or fails. */
interface Exchange {
  readonly server: Server;
  readonly request: HttpRequest;
  /** The texts of the `Warning` headers. */
  readonly warnings: string[];
  readonly auditId: string;
  /** What the audit log has of it, once it is known what it asks for. */
  audit: RequestAudit | undefined;
  phase: "reading" | "authorizing" | "serving";
}

/** True for a request that asks for a watch, whatever it is for. */
export const isWatch = ({ query }: Pick<HttpRequest, "query">): boolean => flagParam(query, "watch");

/**
 * Serves a request: at once, unless it has to wait for a webhook. All errors become responses here: it neither throws nor rejects.
 */
export function handle(server: Server, request: HttpRequest): HttpResponse | Promise<HttpResponse> {
  return run(responded(exchangeOf(server, request)));
}

/**
 * Serves a request that the server sends itself. Neither webhooks nor policies are asked, so that nothing waits and none keeps the server
 * from its own objects.
 */
export function handleOwn(server: Server, request: HttpRequest): HttpResponse {
  return runNow(responded(exchangeOf(unasked(server), request)));
}

const unaskedServers = new WeakMap<Server, Server>();

/** The server without what users have it ask. */
function unasked(server: Server): Server {
  let own = unaskedServers.get(server);
  if (own === undefined) {
    const admission = new Set([...server.admission].filter((plugin) => !configuredPlugins.has(plugin)));
    unaskedServers.set(server, (own = { ...server, webhooks: undefined, admission }));
  }
  return own;
}

const configuredPlugins: ReadonlySet<AdmissionPlugin> = new Set([
  "MutatingAdmissionPolicy",
  "MutatingAdmissionWebhook",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionWebhook",
]);

function exchangeOf(server: Server, request: HttpRequest): Exchange {
  const auditId = auditIdOf(server, request);
  return { server, request, warnings: [], auditId, audit: undefined, phase: "reading" };
}

function* responded(exchange: Exchange): Steps<HttpResponse> {
  try {
    return finished(exchange, yield* serve(exchange));
  } catch (error) {
    return finished(exchange, errorResponse(exchange, error));
  }
}

function finished(exchange: Exchange, result: Result): HttpResponse {
  const response = encoded(exchange, result);
  const { audit } = exchange;
  return audit === undefined ? response : audited(audit, { result, response });
}

/** @throws StatusError, URIError for a path or a header that is not well escaped. */
function* serve(exchange: Exchange): Steps<Result> {
  const { server, request, warnings } = exchange;
  if (request.body.length > maxBodyBytes) throw entityTooLarge(maxBodyBytes);
  const { method, path } = request;
  const route = routeOf(path);
  exchange.phase = "authorizing";
  const asked = attributesOf(route, { method, path, isWatch: isWatch(request) });
  const audit = server.auditor?.begin(auditedRequest(exchange, { asked, user: request.user }));
  exchange.audit = audit;
  const user = effectiveUser(exchange, asked);
  authorize(server.authorizer, { user, asked, decided: audit && ((decision) => audit.decided(decision)) });
  exchange.phase = "serving";
  switch (route.is) {
    case "discovery":
      return discoveryResponse(server, request, route.parts);
    case "other":
      return yield* nonResourceResponse(server, request);
    case "resource": {
      const scope = requestScope({ server, request: { ...request, user }, route, warnings, audit });
      return scope === undefined ? notFoundPage() : yield* serveResource(scope, request);
    }
  }
}

/** The user that a request acts as. @throws StatusError 400, 403. */
function effectiveUser({ server, request, audit }: Exchange, asked: Attributes): User {
  const wanted = wantedUser(request.headers);
  if (wanted === undefined) return request.user;
  const { authorizer } = server;
  const { user, constraint } = impersonated({ authorizer, requestor: request.user, wanted, asked });
  audit?.impersonated(user, constraint);
  return user;
}

function errorResponse({ phase }: Exchange, error: unknown): Result {
  if (error instanceof URIError) return textResponse(400, "400 Bad Request");
  const isStatus = error instanceof StatusError;
  const response = statusResponse(isStatus ? error : internal(messageOf(error)));
  if (phase !== "authorizing" || !isStatus) return response;
  // Source: apiserver v0.36 endpoints/handlers/responsewriters/errors.go Forbidden.
  return { ...response, headers: { ...response.headers, "x-content-type-options": "nosniff" } };
}

/** Encodes the content in the media type that the client accepts, and adds the headers of all responses. */
function encoded({ server, request, warnings, auditId }: Exchange, { status, headers, body }: Result): HttpResponse {
  const warning = warningHeader(warnings);
  const common = { ...headers, ...(warning === undefined ? {} : { warning }), "audit-id": auditId };
  if (body instanceof Uint8Array || "next" in body) return { status, headers: common, body };
  const as = (type: string, bytes: Uint8Array): HttpResponse => ({
    status,
    headers: { ...common, "content-type": type },
    body: bytes,
  });
  const accept = request.headers["accept"] ?? "";
  const { codec } = server.yaml;
  if (!hasOneForm(request.path)) {
    if (codec !== undefined && prefersYaml(accept)) return as(yamlType, bytesOf(codec.write(body.value())));
    // Documents that have no protobuf form are refused, in JSON.
    const value = needsProtobuf(accept) && status !== 406 ? body.value() : undefined;
    if (isFields(value)) return as(protobufType, server.protobuf.body(value));
  }
  return { status, headers: common, body: bytesOf(body.json()) };
}

/** True for paths whose documents and errors are JSON, whatever the client accepts. */
function hasOneForm(path: string): boolean {
  return path === "/version" || path.startsWith("/openapi/");
}
