/** Known differences: each has a reason, removes itself from both responses, and must occur in a long run. */
import type { Result, Step } from "../case.ts";

export interface KnownDifference {
  readonly reason: string;
  /** Returns the response without the differing part. */
  without(result: Result): Result;
}

export const knownDifferences: readonly KnownDifference[] = [
  {
    reason: "a field that may not change is shown as JSON: the real server prints templates as its own Go types",
    without(result) {
      const text = JSON.stringify(result.body);
      const shorter = text.replaceAll(goTemplate, "Invalid value: TEMPLATE: field is immutable");
      return shorter === text ? result : { ...result, body: JSON.parse(shorter) as unknown };
    },
  },
];

/** A template in an error message, whose quotes are escaped. */
const goTemplate =
  /Invalid value: \{\\"(?:metadata|spec|labels|Spec|creationTimestamp|containers|dnsPolicy|Volumes)\\".*?\}: field is immutable/g;

/** Both responses without known differences, and the differences that occurred. */
export function withoutKnown(theirs: Result, ours: Result): { theirs: Result; ours: Result; met: KnownDifference[] } {
  const met: KnownDifference[] = [];
  for (const known of knownDifferences) {
    if (Bun.deepEquals(theirs, ours)) break;
    const [left, right] = [known.without(theirs), known.without(ours)];
    if (left === theirs && right === ours) continue;
    met.push(known);
    [theirs, ours] = [left, right];
  }
  return { theirs, ours, met };
}

/** A wild request to which the servers respond with different statuses, and the two statuses. */
export interface StatusDifference {
  readonly step: Step;
  readonly theirs: number;
  readonly ours: number;
}

/** A wild request for which responses of different status classes are expected. */
export interface KnownStatusDifference {
  readonly reason: string;
  /** Depends on when the request is sent, so it does not have to occur. */
  readonly byChance?: true;
  is(difference: StatusDifference): boolean;
}

export const knownStatusDifferences: readonly KnownStatusDifference[] = [
  {
    reason:
      "a success policy of a Job that has no completions: the real server panics, the sandbox asks for completions",
    is: ({ step, theirs, ours }) =>
      theirs === 500 && ours === 422 && JSON.stringify(step.body).includes("successPolicy"),
  },
  {
    reason:
      "the oldest revision is compacted ten minutes after the start, and one server was started some seconds after the other",
    byChance: true,
    is: ({ step, theirs, ours }) =>
      Math.min(theirs, ours) === 200 &&
      Math.max(theirs, ours) === 410 &&
      (step.query ?? "").includes("resourceVersion=1&"),
  },
];
