/** Requests that the server sends itself, as kube-apiserver does for the objects that are its own. */
import { bytesOf } from "../serialization/encoding.ts";
import { handle } from "../serving/handle.ts";
import type { Server } from "../context/server.ts";

const master = { name: "system:apiserver", groups: ["system:masters"] } as const;

export interface LoopbackRequest {
  readonly method: "POST" | "PATCH";
  readonly path: string;
  readonly body: object;
  /** The field manager; `kube-apiserver` by default. */
  readonly by?: string;
}

/** Sends itself a request, as the real server does. @throws Error where it is refused. */
export function loopbackRequest(server: Server, { method, path, body, by = "kube-apiserver" }: LoopbackRequest): void {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const outgoing = handle(server, {
    method,
    path,
    query: [],
    headers: { "user-agent": by, "content-type": type },
    body: bytesOf(JSON.stringify(body)),
    user: master,
    actor: "kube-apiserver",
  });
  if (outgoing.status < 300) return;
  const said = outgoing.body instanceof Uint8Array ? new TextDecoder().decode(outgoing.body) : "";
  throw new Error(`Cannot make ${path}: ${said}`);
}
