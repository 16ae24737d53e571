/** What `why` is asked. */
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { Selector } from "../../../src/api/labels.ts";
import type { Scope } from "../../cli/scope.ts";
import type { Globals } from "../../connections/globals.ts";
import type { TypeAndName } from "../../names/object-names.ts";

/** The formats of `-o`. */
export const outputs = ["text", "json", "yaml", "markdown"] as const;

/** A controller, as a command line names it. */
export interface NamedController {
  /** `replicaset`, `./tenant.ts`. */
  readonly word: string;
  readonly definition: ControllerDefinition;
}

/** The request: flags read, defaults filled in. Whether the objects exist is asked of the server. */
export interface WhyRequest {
  /** None: what is in the namespace, or with -A in the cluster. */
  readonly words: readonly TypeAndName[];
  /** Those that are asked what they would do, each with the word that names it: the built-in ones and those of files. */
  readonly controllers: readonly NamedController[];
  /** Which cluster, as whom, and where in it. */
  readonly flags: Globals & Scope;
  readonly selector: Selector;
  /** How long to ask again; 0: once. */
  readonly waitMs: number;
  readonly sandbox: boolean;
  /** How long the sandbox runs before it is asked; undefined: until nothing is left to do. */
  readonly settleMs: number | undefined;
  readonly output: (typeof outputs)[number];
}
