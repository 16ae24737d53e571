/** What the random requests need to know about a kind. */
import type { Step } from "../case.ts";
import type { Dice } from "./dice.ts";

export type Body = Record<string, unknown>;
export type RandomPatch = readonly [type: "json" | "merge" | "strategic", body: unknown];

export interface RandomKind {
  readonly name: string;
  /** The path of the collection. */
  readonly path: string;
  /** The objects of a case have its namespace in their names and a label with it, so that lists can exclude those of other cases. */
  readonly clusterWide?: true;
  /** An object that is usually valid; labels and finalizers are added to its metadata. */
  body(dice: Dice, name: string): Body;
  /** Patches in addition to those that suit every kind. */
  patches?(dice: Dice): readonly RandomPatch[];
  /** A status, for a merge patch of `/status`. */
  status?(dice: Dice): Body;
  /** Requests to other subresources of an object. */
  others?(dice: Dice, object: string, name: string): Step;
  /** Field selectors, some of which the kind does not support. */
  readonly fields?: readonly string[];
}

/** The names of objects within one namespace. */
export const names: readonly string[] = ["a", "b", "c", "d"];
