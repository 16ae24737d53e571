/** The words of a telling: what a step did, as it is compared. */
import type { Json } from "./objects.ts";

/** Names by which a stage's uids and generated names are told. */
export interface Names {
  readonly namespace: string;
  /** When the script began, in ms since 1970: the times that it writes are counted back from then. */
  readonly base: number;
  /** `uid of ReplicaSet web`, with a number from the second of that name on. */
  readonly uids: Map<string, string>;
  readonly incarnations: Map<string, number>;
  /** `web-x7k2p` → `web-SUFFIX`. */
  readonly generated: Map<string, string>;
}

/** A kind of effect with its content: `create pods 201` and what was sent. */
export interface Told {
  readonly what: string;
  readonly content: Json;
}

export interface StepTold {
  /** Creates, patches and deletes; those that were refused once each. */
  readonly writes: readonly Told[];
  /** Events; warnings once each and without counts, since what is refused is tried again when its time comes. */
  readonly events: readonly Told[];
  /** The objects and their pods as they stand when all is quiet. */
  readonly objects: readonly Told[];
  /** For each owner, what came after what, `patch, create`, and how much of it was one sync. */
  readonly order: readonly Told[];
  readonly refused: boolean;
  /** What was written that counts once above, or is not told there: `create pods 403`, `update replicasets.apps/status web`. */
  readonly counted: readonly string[];
}
