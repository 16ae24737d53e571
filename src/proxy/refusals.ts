/** What the door itself responds, in the form in which API servers refuse. */
import type { ServedResponse } from "../platform/https-server.ts";

/** Why a request is refused. */
export interface Refusal {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

/** A refusal as a `Status`, whole and as the text of its body. */
export function statusResponse(refusal: Refusal): { readonly response: ServedResponse; readonly text: string } {
  const text = JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", ...refusal });
  const headers = { "content-type": "application/json" };
  return { response: { status: refusal.code, headers, body: new TextEncoder().encode(text) }, text };
}
