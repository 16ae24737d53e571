/** Reports requests and responses to the audit log. Source: apiserver v0.36 pkg/endpoints/filters/{audit,authn_audit}.go. */
import type { ApiBody } from "../../api/transport.ts";
import type { AuditedRequest, RequestAudit } from "../context/audit.ts";
import type { Attributes, User } from "../context/authorizer.ts";
import { routeOf, type Route, uriOf } from "../../api/route.ts";
import type { Server } from "../context/server.ts";
import type { StatusError } from "../../api/status-error.ts";
import { contentOf } from "../serialization/content.ts";
import { requestAttributes } from "./request-attributes.ts";
import type { HttpRequest, HttpResponse, Result } from "./responses.ts";

type Incoming = Pick<HttpRequest, "path" | "query" | "headers" | "uri" | "remoteAddress">;

/** The audit ID of a request: sent by the client, or the next one. Source: apiserver v0.36 endpoints/filters/audit_init.go. */
export function auditIdOf({ requests }: Server, { headers }: Pick<HttpRequest, "headers">): string {
  return headers["audit-id"] ?? `00000000-0000-4000-8000-${(++requests.count).toString(16).padStart(12, "0")}`;
}

/** A request in the form for the audit log. */
export function auditedRequest(
  { request, auditId }: { readonly request: Incoming; readonly auditId: string },
  { user, attributes }: { readonly user: User | undefined; readonly attributes: Attributes },
): AuditedRequest {
  const { path, headers, remoteAddress } = request;
  const route = routeOf(path);
  const apiVersion = route.is === "resource" ? route.apiVersion : "";
  return { uri: request.uri ?? uriOf(request), headers, remoteAddress, user, attributes, apiVersion, auditId };
}

/** A response, before and after it is encoded. */
export interface Responded {
  readonly result: Result;
  readonly response: HttpResponse;
}

/** Reports a response, and its end if that comes later. @returns the response. */
export function audited(audit: RequestAudit, { result, response }: Responded): HttpResponse {
  const { body, status } = result;
  const isStream = !(body instanceof Uint8Array) && "next" in body;
  const content = isStream || body instanceof Uint8Array ? undefined : body;
  audit.responded({ code: status, content, isStream });
  return isStream ? { ...response, body: endingIn(body, () => audit.ended()) } : response;
}

function endingIn(body: ApiBody, ended: () => void): ApiBody {
  let isOver = false;
  const end = (): void => {
    if (!isOver) ended();
    isOver = true;
  };
  return {
    async next() {
      const piece = await body.next();
      if (piece === undefined) end();
      return piece;
    },
    cancel(reason) {
      body.cancel(reason);
      end();
    },
  };
}

/** A request with invalid credentials. */
export interface RefusedRequest {
  readonly request: Incoming & Pick<HttpRequest, "method">;
  readonly refusal: StatusError;
}

/** Reports such a request: only its path is known. */
export function auditRefused(server: Server, { request, refusal }: RefusedRequest): void {
  if (server.auditor === undefined) return;
  const route = routeIn(request.path);
  if (route === undefined) return;
  const attributes = requestAttributes(route, request);
  const auditId = auditIdOf(server, request);
  const audit = server.auditor.begin(auditedRequest({ request, auditId }, { user: undefined, attributes }));
  audit?.responded({ code: 401, content: contentOf(refusal.status), isStream: true });
}

/** Undefined for a path with invalid escapes. */
function routeIn(path: string): Route | undefined {
  try {
    return routeOf(path);
  } catch {
    return undefined;
  }
}
