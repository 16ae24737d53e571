/** How ControllerRevisions are named. Source: kubernetes v1.36 pkg/controller/history/controller_history.go. */
import { fnv32, safeLetters } from "../safe-hash.ts";
import { type RevisionData, revisionText } from "./data.ts";

/** On a revision: the hash of its data. */
export const revisionHashLabel = "controller.kubernetes.io/hash";

const longestPrefix = 223;

/** Eight to ten letters and digits; the count of collisions makes another hash of the same data. */
export function revisionHash(data: RevisionData, collisionCount: number): string {
  return safeLetters(String(fnv32(new TextEncoder().encode(`${revisionText(data)}${collisionCount}`))));
}

/** `web-6d5f4c9d7b`; of a long owner's name 223 letters are used. */
export function revisionName(ownerName: string, hash: string): string {
  return `${ownerName.slice(0, longestPrefix)}-${hash}`;
}
