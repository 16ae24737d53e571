/** How ControllerRevisions are named. Source: kubernetes v1.36 pkg/controller/history/controller_history.go. */
import { fnv32, safeLetters } from "../safe-hash.ts";
import { type RevisionData, revisionText } from "./data.ts";

/** The label of a revision with the hash of its data. */
export const revisionHashLabel = "controller.kubernetes.io/hash";

const maxPrefixLength = 223;

/** The hash of revision data: eight to ten letters and digits. Another collision count gives another hash. */
export function revisionHash(data: RevisionData, collisionCount: number): string {
  return safeLetters(String(fnv32(new TextEncoder().encode(`${revisionText(data)}${collisionCount}`))));
}

/** `web-6d5f4c9d7b`; the owner's name is truncated to 223 characters. */
export function revisionName(ownerName: string, hash: string): string {
  return `${ownerName.slice(0, maxPrefixLength)}-${hash}`;
}
