/** Subresources other than status. */
import { methodNotAllowed, noSuchPath } from "./refusal.ts";
import type { Outgoing } from "./handle.ts";
import type { Call } from "./server.ts";

/** @throws StatusError */
export function subresourceAnswer(call: Call, _method: string): Outgoing {
  if (!call.resource.subresources.has(call.subresource)) throw noSuchPath();
  throw methodNotAllowed();
}
