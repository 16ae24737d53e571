/** What the random requests know of a kind. */
import type { Step } from "../case.ts";
import type { Dice } from "./dice.ts";

export type Body = Record<string, unknown>;
export type RandomPatch = readonly [type: "json" | "merge" | "strategic", body: unknown];

export interface RandomKind {
  readonly name: string;
  /** The path of its collection. */
  readonly path: string;
  /** Cluster-wide objects are named after the case, and are labelled with it, so that lists can leave out those of others. */
  readonly clusterWide?: true;
  /** An object, valid more often than not; its metadata's labels and finalizers are added. */
  body(dice: Dice, name: string): Body;
  /** Patches beyond those that suit every kind. */
  patches?(dice: Dice): readonly RandomPatch[];
  /** A status, for a merge patch of `/status`. */
  status?(dice: Dice): Body;
  /** Requests to other subresources of an object. */
  others?(dice: Dice, object: string, name: string): Step;
  /** Field selectors; some are none that the kind has. */
  readonly fields?: readonly string[];
}

/** The names of objects inside one namespace. */
export const names: readonly string[] = ["a", "b", "c", "d"];
