/** What an API server has against an object, in lines. */
import type { StatusError } from "../src/api/status-error.ts";

/** What the server says of a body that is none of its kind, before it comes to the point. */
const decodingPrefix = /^\w+ in version "\w+" cannot be handled as a \w+: (strict decoding error: )?/;

/** A line for each field that is wrong, or the server's message where it names none. `place` begins each. */
export function refusals(place: string, { status, message }: StatusError): string[] {
  const causes = (status.details?.causes ?? []).filter(({ field }) => field !== undefined && field !== "");
  if (causes.length === 0) return [`${place}: ${message.replace(decodingPrefix, "")}`];
  return causes.map((cause) => `${place}: ${cause.field}: ${cause.message ?? cause.reason ?? "refused"}`);
}
