/** The loopback client: requests of the server to itself, as kube-apiserver makes for its own objects. */
import { routeOf } from "../../api/route.ts";
import { collectionOf, type Server } from "../context/server.ts";
import { bytesOf } from "../serialization/encoding.ts";
import { handleOwn } from "./handler.ts";

const master = { name: "system:apiserver", groups: ["system:masters"] } as const;

/** A write by the server itself. */
export interface LoopbackRequest {
  /** `APPLY`: a forced server-side apply. */
  readonly method: "POST" | "PUT" | "PATCH" | "APPLY" | "DELETE";
  readonly path: string;
  readonly body: object;
  /** The field manager. Default: `kube-apiserver`. */
  readonly by?: string;
}

/** The server's response: an object as JSON, or a `Status`. */
export interface LoopbackResponse {
  readonly status: number;
  readonly text: string;
}

const contentTypes: Readonly<Record<LoopbackRequest["method"], string>> = {
  POST: "application/json",
  PUT: "application/json",
  PATCH: "application/merge-patch+json",
  APPLY: "application/apply-patch+yaml",
  DELETE: "application/json",
};

/** Sends the request as `system:apiserver`. */
export function sendLoopback(
  server: Server,
  { method, path, body, by = "kube-apiserver" }: LoopbackRequest,
): LoopbackResponse {
  const { status, body: sent } = handleOwn(server, {
    method: method === "APPLY" ? "PATCH" : method,
    path,
    query: method === "APPLY" ? [["fieldManager", by] as const, ["force", "true"] as const] : [],
    headers: { "user-agent": by, "content-type": contentTypes[method] },
    body: bytesOf(JSON.stringify(body)),
    user: master,
    actor: "kube-apiserver",
  });
  return { status, text: sent instanceof Uint8Array ? new TextDecoder().decode(sent) : "" };
}

/** The same for a write that must succeed. @throws Error if it is rejected. */
export function loopbackRequest(server: Server, request: LoopbackRequest): void {
  const { status, text } = sendLoopback(server, request);
  if (status >= 300) throw new Error(`Cannot make ${request.path}: ${text}`);
}

/** A new object of the server itself. */
export interface OwnObject {
  /** The path of its collection. */
  readonly path: string;
  readonly body: {
    readonly metadata: { readonly name: string; readonly [field: string]: unknown };
    readonly [field: string]: unknown;
  };
  /** The field manager. Default: `kube-apiserver`. */
  readonly by?: string;
}

/** Creates an object unless it exists, as in a loaded state. Returns true if it was created. @throws Error if it is rejected. */
export function createMissing(server: Server, { path, ...object }: OwnObject): boolean {
  const route = routeOf(path);
  const resource = route.is === "resource" ? server.registry.find(route.apiVersion, route.plural) : undefined;
  if (route.is !== "resource" || resource === undefined) throw new Error(`Cannot make ${path}: it is not served`);
  if (collectionOf(server, resource).get(route.namespace, object.body.metadata.name) !== undefined) return false;
  loopbackRequest(server, { method: "POST", path, ...object });
  return true;
}

/** The server with its clock fixed at its start: objects created lazily are as old as those created then. */
export function asStarted(server: Server): Server {
  const startedAt = server.timeline.now();
  return { ...server, timeline: { ...server.timeline, now: () => startedAt } };
}
