/** A kind in random requests. */
import type { Step } from "../case.ts";
import type { Dice } from "./dice.ts";

export type Body = Record<string, unknown>;
export type RandomPatch = readonly [type: "json" | "merge" | "strategic", body: unknown];

export interface RandomKind {
  readonly name: string;
  /** Path of the collection. */
  readonly path: string;
  /** Cluster-scoped objects have the case's namespace in their names and as a label, so that lists can exclude those of other cases. */
  readonly clusterWide?: true;
  /** An object, which is valid most of the time. Labels and finalizers are added to its metadata. */
  body(dice: Dice, name: string): Body;
  /** Patches in addition to those for all kinds. */
  patches?(dice: Dice): readonly RandomPatch[];
  /** A status, for a merge patch of `/status`. */
  status?(dice: Dice): Body;
  /** Requests to other subresources of an object. */
  others?(dice: Dice, object: string, name: string): Step;
  /** Field selectors, including some that the kind does not support. */
  readonly fields?: readonly string[];
}

/** Names of objects within a namespace. */
export const names: readonly string[] = ["a", "b", "c", "d"];
