/** The normalized record of what a step did, in the form in which it is compared. */
import type { Json } from "./objects.ts";

/** The names that replace a stage's uids and generated names. */
export interface Names {
  readonly namespace: string;
  /** When the script began, in ms since 1970: the times that it writes are relative to it. */
  readonly base: number;
  /** `uid of ReplicaSet web`, with a number from the second object of that name on. */
  readonly uids: Map<string, string>;
  readonly incarnations: Map<string, number>;
  /** `web-x7k2p` → `web-SUFFIX`. */
  readonly generated: Map<string, string>;
}

/** A type of effect with its content: `create pods 201` and the request body. */
export interface Entry {
  readonly what: string;
  readonly content: Json;
}

export interface StepRecord {
  /** Writes, except those of a status or an Event. Equal rejected or repeated ones are listed once. */
  readonly writes: readonly Entry[];
  /** Events. Equal warnings are listed once and without counts, because rejected requests are retried at arbitrary times. */
  readonly events: readonly Entry[];
  /** The objects of the compared kinds when all is quiet. */
  readonly objects: readonly Entry[];
  /** For each owner, the sequence of verbs (`patch, create`), and how many writes belonged to its first sync. */
  readonly order: readonly Entry[];
  readonly refused: boolean;
  /** Each write that `writes` lists once or not at all: `create pods 403`, `update replicasets.apps/status web`. */
  readonly counted: readonly string[];
}
