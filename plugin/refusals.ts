/** What an API server has against an object, in lines. */
import type { StatusError } from "../src/api/status-error.ts";

/** A line for each field that is wrong, or the server's message where it names none. `place` begins each. */
export function refusals(place: string, { status, message }: StatusError): string[] {
  const causes = (status.details?.causes ?? []).filter(({ field }) => field !== undefined && field !== "");
  if (causes.length === 0) return [`${place}: ${message}`];
  return causes.map((cause) => `${place}: ${cause.field}: ${cause.message ?? cause.reason ?? "refused"}`);
}
