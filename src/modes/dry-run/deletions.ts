/** What is deleted for good, and what may be. */
import { controllerOf } from "../../api/owner-references.ts";
import type { Unseen } from "../../verdict/verdict.ts";
import type { ChangeGroup, ObjectChange } from "../../views/outcome.ts";
import type { State } from "../../views/state.ts";
import type { AppliedChange } from "./apply.ts";
import type { Scope } from "./scope.ts";

/** The result of a run. */
export interface Changed {
  readonly groups: readonly ChangeGroup[];
  readonly state: State;
}

/** Objects that are deleted for good: those without an owner that would recreate them, not pods or ReplicaSets that their owner replaces. */
export function lostObjects({ groups, state }: Changed): readonly ObjectChange[] {
  const uids = new Set([...state.values()].map(({ object }) => object.metadata.uid));
  return groups
    .flatMap(({ changes }) => changes)
    .filter((change) => {
      if (change.before === undefined || !(change.did === "deleted" || isGoing(change))) return false;
      const owner = controllerOf(change.before);
      return owner === undefined || !uids.has(owner.uid);
    });
}

/** Whether its deletion has begun, and only a finalizer or its node keeps it. */
function isGoing({ before, after }: ObjectChange): boolean {
  return before?.metadata.deletionTimestamp === undefined && after?.metadata.deletionTimestamp !== undefined;
}

/** The deleted namespaces that contain, or may contain, objects which are not known here: their contents are not deleted in a dry run. */
export function deletedYetHeld(done: readonly AppliedChange[], { held }: Scope): readonly Unseen[] {
  return done.flatMap(({ of, key, did }) => {
    const why = of.group === "" && of.kind === "Namespace" && did === "deleted" ? held.get(key) : undefined;
    return why === undefined ? [] : [{ what: `Namespace ${key}`, why, isDecisive: true }];
  });
}
