/** Differences that are meant to be there: each says why, takes itself out of both answers, and must be met in a long run. */
import type { Result } from "../case.ts";

export interface KnownDifference {
  readonly reason: string;
  /** The answer without what differs. */
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

/** A template in a message, whose quotes are escaped. */
const goTemplate =
  /Invalid value: \{\\"(?:metadata|spec|labels|Spec|creationTimestamp|containers|dnsPolicy|Volumes)\\".*?\}: field is immutable/g;

/** Both answers without the differences that are known, and which of these were met. */
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
