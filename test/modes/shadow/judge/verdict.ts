/** What the judge found. */
import type { OwnerWrite, Write } from "./round.ts";

export interface Finding {
  /** Whose write it is. */
  readonly of: "owner" | "ours";
  readonly write: Write | OwnerWrite;
  readonly why: string;
}

export interface Verdict {
  /** The owner's writes that we intended too. */
  readonly same: readonly OwnerWrite[];
  readonly differs: readonly Finding[];
  /** The owner's writes that cannot be judged, each with the reason. */
  readonly notComparable: readonly Finding[];
  /** Number of writes that a sync decided and a later one of the same key, based on a newer state, did not. */
  readonly movedOn: number;
}

/** Why a write of ours differs. */
export const neverDone = "the owner never did it";

/** `the owner's delete of pods shop/web-x7k2p: not meant here`, for a failure message. */
export function textOf({ of, write, why }: Finding): string {
  const { verb, resource, namespace, name } = write;
  const which = "given" in write ? write.given : name;
  return `${of === "owner" ? "the owner's" : "our"} ${verb} of ${resource} ${namespace}/${which}: ${why}`;
}
