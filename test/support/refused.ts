/** A refusal, for transports that wrap a real one. */
import type { ApiResponse } from "../../src/api/transport.ts";

/** A response with a Status of this code and reason: `403`, `Forbidden`. */
export function statusOf(code: number, reason: string): ApiResponse {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason, code, message: reason };
  const chunks = [new TextEncoder().encode(JSON.stringify(status))];
  return {
    status: code,
    header: (name) => (name === "content-type" ? "application/json" : undefined),
    body: { next: () => Promise.resolve(chunks.shift()), cancel: () => undefined },
  };
}
