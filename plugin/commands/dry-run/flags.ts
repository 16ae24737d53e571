import type { ConfigFlags } from "../../../src/client/config/rest-config.ts";

/** The options of `dry-run`, as they are given. */
export interface DryRunFlags extends ConfigFlags {
  readonly manifests?: readonly string[];
  readonly kustomize?: readonly string[];
  readonly recursive?: true;
  readonly prune?: true;
  /** Of an empty cluster. */
  readonly nodes?: number;
  readonly delete?: readonly string[];
  readonly scale?: readonly string[];
  readonly from?: "manifests" | "cluster" | "both";
  readonly baseline?: readonly string[];
  readonly output?: "diff" | "yaml" | "json" | "markdown" | "github" | "junit";
  readonly steps?: true;
  readonly fold?: boolean;
  readonly failOn?: readonly string[];
  readonly exitCode?: "never";
  readonly serverValidate?: true;
  readonly seed?: number;
  /** Milliseconds. */
  readonly horizon?: number;
  readonly showGenerated?: true;
  readonly showManagedFields?: true;
  readonly showIds?: true;
  readonly showTimes?: true;
}
