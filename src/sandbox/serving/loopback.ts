/** The loopback client: requests that the server sends itself, as kube-apiserver does for the objects that it owns. */
import { routeOf } from "../../api/route.ts";
import { collectionOf, type Server } from "../context/server.ts";
import { bytesOf } from "../serialization/encoding.ts";
import { handleOwn } from "./handler.ts";

const master = { name: "system:apiserver", groups: ["system:masters"] } as const;

/** A write of the server itself. */
export interface LoopbackRequest {
  /** `APPLY`: a forced server-side apply. */
  readonly method: "POST" | "PUT" | "PATCH" | "APPLY" | "DELETE";
  readonly path: string;
  readonly body: object;
  /** The field manager; `kube-apiserver` by default. */
  readonly by?: string;
}

/** What the server sent back: an object as JSON, or a `Status`. */
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
export function askLoopback(
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

/** The same for a write that must succeed. @throws Error if it is refused. */
export function loopbackRequest(server: Server, request: LoopbackRequest): void {
  const { status, text } = askLoopback(server, request);
  if (status >= 300) throw new Error(`Cannot make ${request.path}: ${text}`);
}

/** A new object of the server's own. */
export interface OwnObject {
  /** Of its collection. */
  readonly path: string;
  readonly body: {
    readonly metadata: { readonly name: string; readonly [field: string]: unknown };
    readonly [field: string]: unknown;
  };
  /** The field manager; `kube-apiserver` by default. */
  readonly by?: string;
}

/** Creates an object unless it is there, as in a state that was loaded. True if it was not. @throws Error if it is refused. */
export function createMissing(server: Server, { path, ...object }: OwnObject): boolean {
  const route = routeOf(path);
  const resource = route.is === "resource" ? server.registry.find(route.apiVersion, route.plural) : undefined;
  if (route.is !== "resource" || resource === undefined) throw new Error(`Cannot make ${path}: it is not served`);
  if (collectionOf(server, resource).get(route.namespace, object.body.metadata.name) !== undefined) return false;
  loopbackRequest(server, { method: "POST", path, ...object });
  return true;
}

/** The server at its start: what is filled in later is as old as what was made then. */
export function asStarted(server: Server): Server {
  const startedAt = server.timeline.now();
  return { ...server, timeline: { ...server.timeline, now: () => startedAt } };
}
