/** What an object owns, and what that owns. */
import type { StoredObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { State } from "../../views/state.ts";

/** Deployments own ReplicaSets, which own pods: nothing is nested deeper than a few levels. */
const mostFloors = 6;

/** Its children, then theirs. */
export function ownedBy(owner: StoredObject, state: State): StoredObject[] {
  const byOwner = new Map<string, StoredObject[]>();
  for (const { object } of state.values()) {
    const uid = controllerOf(object)?.uid;
    if (uid === undefined) continue;
    const siblings = byOwner.get(uid);
    if (siblings === undefined) byOwner.set(uid, [object]);
    else siblings.push(object);
  }
  const owned: StoredObject[] = [];
  let floor: readonly StoredObject[] = [owner];
  for (let depth = 0; depth < mostFloors && floor.length > 0; depth++) {
    floor = floor.flatMap(({ metadata }) => byOwner.get(metadata.uid) ?? []);
    owned.push(...floor);
  }
  return owned;
}
