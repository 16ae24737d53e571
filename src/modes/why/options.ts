/** What reading needs, and how it takes a refusal. */
import { isForbidden, isMethodNotSupported, StatusError } from "../../api/status-error.ts";
import type { Transport } from "../../api/transport.ts";
import type { Discovery } from "../../client/api/discovery.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import type { Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { TraceBus } from "../../trace/bus.ts";

export interface ReaderOptions {
  /** One that only reads. */
  readonly transport: Transport;
  readonly client: Client;
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  readonly random: Random;
  /** What the server has. */
  readonly discovery: Discovery;
  readonly controllers: readonly ControllerDefinition[];
  /** Whether controllers of ours are asked what they would do: for one object, not for many. */
  readonly asksControllers: boolean;
  /** Kinds that nobody writes here, by their resource, and why: `endpointslices.discovery.k8s.io` in a sandbox. */
  readonly unwritten?: ReadonlyMap<string, string>;
}

/** Why something could not be read, where that is no failure of the connection; undefined for what is. */
export function reasonOf(error: unknown, verb: string): string | undefined {
  if (isForbidden(error)) return `no right to ${verb}`;
  // One kind whose own server or conversion fails does not hide the others.
  if (error instanceof StatusError && error.code >= 500) return `the server answers ${error.code}: ${error.message}`;
  return isMethodNotSupported(error) ? `it cannot be asked to ${verb}` : undefined;
}
