/** The loopback client: requests that the server sends itself, as kube-apiserver does for the objects that it owns. */
import { bytesOf } from "../serialization/encoding.ts";
import { handle } from "../serving/handler.ts";
import type { Server } from "../context/server.ts";

const master = { name: "system:apiserver", groups: ["system:masters"] } as const;

/** A write of the server itself. */
export interface LoopbackRequest {
  readonly method: "POST" | "PATCH";
  readonly path: string;
  readonly body: object;
  /** The field manager; `kube-apiserver` by default. */
  readonly by?: string;
}

/** Sends the request as `system:apiserver`. @throws Error if it is refused. */
export function loopbackRequest(server: Server, { method, path, body, by = "kube-apiserver" }: LoopbackRequest): void {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const { status, body: sent } = handle(server, {
    method,
    path,
    query: [],
    headers: { "user-agent": by, "content-type": type },
    body: bytesOf(JSON.stringify(body)),
    user: master,
    actor: "kube-apiserver",
  });
  if (status < 300) return;
  const reason = sent instanceof Uint8Array ? new TextDecoder().decode(sent) : "";
  throw new Error(`Cannot make ${path}: ${reason}`);
}
