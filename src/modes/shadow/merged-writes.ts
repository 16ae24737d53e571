/** Several changes of one object by one sync, which the owner made in one write. */
import { differences, overtaken } from "./comparison.ts";
import { type Intention, isReplaced } from "./intention.ts";
import type { Observed } from "./acts.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Outcome } from "./outcome.ts";
import type { WouldBeWrite } from "./would-be-write.ts";

/** An intended change and all intentions of its key. */
interface Candidate {
  readonly intention: Intention;
  readonly standing: Iterable<Intention>;
}

/** The change and the following ones that one write of the owner, seen as a delta, makes together; empty if it does not. */
export function mergedBy({ after, before }: Observed, candidate: Candidate): readonly Intention[] {
  return merged(
    candidate,
    (write) => write.after !== undefined && after !== undefined && differences(write, after, before).length === 0,
  );
}

/** The outcome of a change that the owner made, merged with the next one, before ours was decided; undefined if it has not. */
export function overtakenWithNext(
  candidate: Candidate,
  now: (write: WouldBeWrite) => StoredObject | undefined,
): Pick<Outcome, "is" | "why"> | undefined {
  const together = merged(candidate, (write) => overtaken(write, now(write))?.is === "owner was faster");
  return together.length === 0 ? undefined : { is: "owner was faster", why: "it has the values of the next write" };
}

/** The change and the following ones of the same part, up to the first with which it `isMade`. */
function merged({ intention, standing }: Candidate, isMade: (write: WouldBeWrite) => boolean): readonly Intention[] {
  const { id, write } = intention;
  const next = [...standing].filter((each) => each.id > id && isReplaced(write, each.write));
  const last = next.findIndex((each) => isMade({ ...each.write, before: write.before }));
  return last < 0 ? [] : [intention, ...next.slice(0, last + 1)];
}
