/** What readers need, and how they handle refusals. */
import { isForbidden, isMethodNotSupported, StatusError } from "../../api/status-error.ts";
import type { Transport } from "../../api/transport.ts";
import type { Discovery } from "../../client/api/discovery.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import type { Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { TraceBus } from "../../trace/bus.ts";

/** What a diagnosis is read with. */
export interface ReaderOptions {
  /** Must be read-only. */
  readonly transport: Transport;
  readonly client: Client;
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  readonly random: Random;
  /** PEM of the CAs that the API server is trusted by, if the connection names any. */
  readonly serverCa?: string | undefined;
  /** The kinds of the server. */
  readonly discovery: Discovery;
  readonly controllers: readonly ControllerDefinition[];
  /** Whether to find out what our controllers would do: for one object, not for many. */
  readonly evaluatesControllers: boolean;
}

/** Why something could not be read, unless the connection failed; undefined for other errors. */
export function reasonOf(error: unknown, verb: string): string | undefined {
  if (isForbidden(error)) return `no right to ${verb}`;
  // A kind whose server or conversion webhook fails does not hide the others.
  if (error instanceof StatusError && error.code >= 500) return `the server returned ${error.code}: ${error.message}`;
  return isMethodNotSupported(error) ? `it does not support ${verb}` : undefined;
}
