/** Responses of the proxy itself, in the form of an API server's errors. */
import type { ServedResponse } from "../platform/https-server.ts";

/** The fields of an error `Status`. */
export interface Refusal {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

/** A refusal as a `Status` response; `text` is its body. */
export function statusResponse(refusal: Refusal): { readonly response: ServedResponse; readonly text: string } {
  const text = JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", ...refusal });
  const headers = { "content-type": "application/json" };
  return { response: { status: refusal.code, headers, body: new TextEncoder().encode(text) }, text };
}
