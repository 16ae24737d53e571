/** The parts of a step's record, in the form in which it is compared. */
import type { Json } from "./objects.ts";

/** Replacements for a stage's uids and generated names. */
export interface Names {
  readonly namespace: string;
  /** Start of the script, in ms since 1970: its times are relative to that. */
  readonly base: number;
  /** `uid of ReplicaSet web`, with a number from the second object of that name on. */
  readonly uids: Map<string, string>;
  readonly incarnations: Map<string, number>;
  /** `web-x7k2p` → `web-SUFFIX`. */
  readonly generated: Map<string, string>;
}

/** A kind of effect with its content: `create pods 201` and the body. */
export interface Told {
  readonly what: string;
  readonly content: Json;
}

export interface StepTold {
  /** Creates, patches and deletes; refused ones once each. */
  readonly writes: readonly Told[];
  /** Events; warnings once each and without counts, because refused writes are retried at any time. */
  readonly events: readonly Told[];
  /** The final objects and their pods. */
  readonly objects: readonly Told[];
  /** For each owner the order of its writes, such as `patch, create`, and the size of a sync. */
  readonly order: readonly Told[];
  readonly refused: boolean;
  /** Writes that count once above, or are not recorded there: `create pods 403`, `update replicasets.apps/status web`. */
  readonly counted: readonly string[];
}
