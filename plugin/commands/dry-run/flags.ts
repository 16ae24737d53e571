import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { Globals } from "../../connections/globals.ts";
import type { Format } from "./report/print.ts";
import type { FailConditions } from "./report/verdict.ts";

/** The options of `dry-run`, as given. */
export interface DryRunFlags extends Globals {
  readonly manifests?: readonly string[];
  readonly kustomize?: readonly string[];
  readonly recursive?: true;
  readonly prune?: true;
  /** The number of nodes of an empty cluster. */
  readonly nodes?: number;
  readonly delete?: readonly string[];
  readonly scale?: readonly string[];
  readonly nodeDown?: readonly string[];
  readonly drain?: readonly string[];
  readonly from?: "manifests" | "cluster" | "both";
  readonly baseline?: readonly string[];
  readonly output?: Format;
  readonly steps?: true;
  readonly fold?: boolean;
  readonly failOn?: readonly string[];
  readonly exitCode?: "never";
  readonly serverValidate?: true;
  readonly seed?: number;
  /** In ms. */
  readonly horizon?: number;
  readonly showGenerated?: true;
  readonly showManagedFields?: true;
  readonly showIds?: true;
  readonly showTimes?: true;
  /** The baseline program, as a shell command. */
  readonly baselineCommand?: string;
  /** For a program, in milliseconds. */
  readonly quiet?: number;
  /** For a program, in milliseconds. */
  readonly timeout?: number;
  readonly quietChild?: true;
}

/** The request of `dry-run`, with words resolved and defaults filled in. */
export interface DryRunRequest {
  readonly flags: DryRunFlags;
  readonly controllers: readonly ControllerDefinition[];
  /** The user has named the controllers, so all of them must run. */
  readonly named: boolean;
  readonly failOn: FailConditions | undefined;
  readonly output: Format;
  /** The program and its arguments, if there is one. */
  readonly program: readonly string[] | undefined;
}
