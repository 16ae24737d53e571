/**
 * Handles one HTTP request, from its route to an encoded response. Between reading and writing the store, nothing else happens, unless a
 * webhook is called.
 */
import { messageOf } from "../../api/error-message.ts";
import { StatusError } from "../../api/status-error.ts";
import { discoveryResponse, nonResourceResponse } from "./documents.ts";
import { authorize } from "../access/authorize.ts";
import { impersonated, wantedUser } from "../access/impersonation.ts";
import type { RequestAudit } from "../context/audit.ts";
import type { Attributes, User } from "../context/authorizer.ts";
import { audited, auditedRequest, auditIdOf } from "./audited.ts";
import { bytesOf } from "../serialization/encoding.ts";
import { requestAttributes } from "./request-attributes.ts";
import { derived } from "../meta/derived.ts";
import { isFields } from "../meta/object.ts";
import { entityTooLarge, internal } from "../meta/refusal.ts";
import { run, runNow, waitFor, type Steps } from "../meta/steps.ts";
import { metricsResponse } from "./metrics.ts";
import { notFoundPage, statusResponse, textResponse } from "./responses.ts";
import type { HttpRequest, HttpResponse, Result } from "./responses.ts";
import { needsProtobuf, prefersYaml } from "../serialization/negotiation.ts";
import { protobufType } from "../../api/wire/envelope.ts";
import { requestScope } from "./request-scope.ts";
import { routeOf } from "../../api/route.ts";
import { configuredPlugins } from "../context/admission-plugins.ts";
import type { Server } from "../context/server.ts";
import { serveResource } from "./verbs.ts";
import { warningHeader } from "../meta/warnings.ts";
import { kindsReady } from "../registry/loading.ts";
import { yamlReadyFor, yamlType } from "../serialization/yaml/codec.ts";

/** kube-apiserver's limit. */
export const maxBodyBytes: number = 3 * 1024 * 1024;

/** The state of a request: what its response depends on, in success and failure. */
interface Exchange {
  readonly server: Server;
  readonly request: HttpRequest;
  /** A request of the server itself: it does not wait. */
  readonly isOwn: boolean;
  /** The texts of the `Warning` headers. */
  readonly warnings: string[];
  readonly auditId: string;
  /** Its part of the audit log, set once the request's attributes are known. */
  audit: RequestAudit | undefined;
  phase: "reading" | "authorizing" | "serving";
}

/**
 * Serves a request: synchronously, unless it must wait for a webhook or for code that is not loaded yet. All errors become responses here:
 * it neither throws nor rejects.
 */
export function handle(server: Server, request: HttpRequest): HttpResponse | Promise<HttpResponse> {
  return run(responded(exchangeOf(server, { request, isOwn: false })));
}

/**
 * Serves a request of the server itself. Webhooks and policies are not called, so nothing waits, and none can block the server's own
 * objects.
 */
export function handleOwn(server: Server, request: HttpRequest): HttpResponse {
  return runNow(responded(exchangeOf(withoutHooks(server), { request, isOwn: true })));
}

/** The server without webhooks and policies. */
const withoutHooks = derived((server: Server): Server => {
  const admission = new Set(server.admission);
  for (const plugin of configuredPlugins) admission.delete(plugin);
  return { ...server, webhooks: undefined, admission };
});

function exchangeOf(server: Server, { request, isOwn }: Pick<Exchange, "request" | "isOwn">): Exchange {
  const auditId = auditIdOf(server, request);
  return { server, request, isOwn, warnings: [], auditId, audit: undefined, phase: "reading" };
}

/** Loads code that only few requests need. */
function* codeReady({ server, request }: Exchange): Steps<void> {
  const yaml = yamlReadyFor(server.yaml, request);
  if (yaml !== undefined) yield* waitFor(yaml);
  const kinds = kindsReady(request.method, request.path);
  if (kinds !== undefined) yield* waitFor(kinds);
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

/** @throws StatusError, URIError for a path or a header with invalid escapes. */
function* serve(exchange: Exchange): Steps<Result> {
  const { server, request, warnings, isOwn } = exchange;
  if (!isOwn) yield* codeReady(exchange);
  if (request.body.length > maxBodyBytes) throw entityTooLarge(maxBodyBytes);
  const route = routeOf(request.path);
  exchange.phase = "authorizing";
  const attributes = requestAttributes(route, request);
  const audit = server.auditor?.begin(auditedRequest(exchange, { attributes, user: request.user }));
  exchange.audit = audit;
  const user = effectiveUser(exchange, attributes);
  authorize(server.authorizer, { user, attributes, decided: audit && ((decision) => audit.decided(decision)) });
  exchange.phase = "serving";
  switch (route.is) {
    case "discovery":
      return discoveryResponse(server, request, route.parts);
    case "other":
      return yield* nonResourceResponse(server, request);
    case "resource": {
      const metrics = server.servesMetrics ? metricsResponse(server, { request, route }) : undefined;
      if (metrics !== undefined) return metrics;
      const { verb } = attributes;
      const scope = requestScope({ server, request: { ...request, user }, route, verb, warnings, audit });
      return scope === undefined ? notFoundPage() : yield* serveResource(scope, request);
    }
  }
}

/** The user after impersonation. @throws StatusError 400, 403. */
function effectiveUser({ server, request, audit }: Exchange, attributes: Attributes): User {
  const wanted = wantedUser(request.headers);
  if (wanted === undefined) return request.user;
  const { authorizer } = server;
  const { user, constraint } = impersonated({ authorizer, requestor: request.user, wanted, attributes });
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

/** Encodes the content in the accepted media type, and adds the common headers. */
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
  if (accept !== "" && accept !== "application/json" && !hasOneForm(request.path)) {
    if (codec !== undefined && prefersYaml(accept)) return as(yamlType, bytesOf(codec.write(body.value())));
    // Documents without a protobuf form get an error, in JSON.
    const value = needsProtobuf(accept) && status !== 406 ? body.value() : undefined;
    if (isFields(value)) return as(protobufType, server.protobuf.body(value));
  }
  return { status, headers: common, body: bytesOf(body.json()) };
}

/** True for paths whose documents and errors are always JSON, whatever the client accepts. */
function hasOneForm(path: string): boolean {
  return path === "/version" || path.startsWith("/openapi/");
}
