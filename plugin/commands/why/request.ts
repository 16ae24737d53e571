/** The request of `why`. */
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { Selector } from "../../../src/api/labels.ts";
import type { Scope } from "../../cli/scope.ts";
import type { Globals } from "../../connections/globals.ts";
import type { TypeAndName } from "../../names/object-names.ts";

/** The formats of `-o`. */
export const outputs = ["text", "json", "yaml", "markdown"] as const;

/** A controller and its name on the command line. */
export interface NamedController {
  /** `replicaset`, `./tenant.ts`. */
  readonly word: string;
  readonly definition: ControllerDefinition;
}

/** The request with defaults filled in. Objects are looked up later. */
export interface WhyRequest {
  /** Empty for everything in the namespace, or with -A in the cluster. */
  readonly words: readonly TypeAndName[];
  /** Built-in and user-defined controllers that determine what they would do. */
  readonly controllers: readonly NamedController[];
  /** The cluster, user and namespace. */
  readonly flags: Globals & Scope;
  readonly selector: Selector;
  /** How long to repeat the request, in ms; 0 for once. */
  readonly waitMs: number;
  readonly sandbox: boolean;
  /** How long the sandbox runs before it is examined, in ms; undefined until nothing is left to do. */
  readonly settleMs: number | undefined;
  readonly output: (typeof outputs)[number];
}
