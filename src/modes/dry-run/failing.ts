/** Keys that a controller could not sync: what it would have done is unknown. */
import { messageOf } from "../../api/error-message.ts";
import type { ObjectKey } from "../../api/key.ts";
import { isConflict, StatusError } from "../../api/status-error.ts";
import { CacheBehindError } from "../../controller/api/consistency.ts";
import type { ControllerManager } from "../../controller/runtime/controller-manager.ts";
import type { KindName } from "../../trace/names.ts";
import type { Unseen } from "../../verdict/verdict.ts";
import type { ChangeGroup } from "../../views/outcome.ts";

/** A key whose last sync failed. */
export interface FailingKey {
  readonly controller: string;
  readonly key: ObjectKey;
  /** The kind of the controller's objects, if it is for one. */
  readonly of?: KindName | undefined;
  readonly error: string;
  /** The API server refused a write, and would refuse it again. */
  readonly isRefusal: boolean;
}

/** A key that could not be synced. */
export interface NotSynced extends Pick<FailingKey, "controller" | "key" | "error"> {
  /** Whether the verdicts depend on it. They do not if it failed before the changes as well, and its object did not change. */
  readonly isDecisive: boolean;
}

/** The keys whose last sync failed, without errors that a retry resolves. */
export function failingKeys({ controllers }: Pick<ControllerManager, "controllers">): readonly FailingKey[] {
  return controllers.flatMap(({ definition, failing }) =>
    [...failing].flatMap(([key, error]): readonly FailingKey[] => {
      if (isConflict(error) || error instanceof CacheBehindError) return [];
      const of = definition.for === undefined ? undefined : { group: definition.for.group, kind: definition.for.kind };
      return [{ controller: definition.name, key, of, error: messageOf(error), isRefusal: isRefusal(error) }];
    }),
  );
}

const refusals: ReadonlySet<number> = new Set([400, 403, 422, 429]);

function isRefusal(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isRefusal);
  return error instanceof StatusError && refusals.has(error.code);
}

/** What failing keys are weighed with. */
export interface FailingInput {
  /** The keys that failed before the changes. */
  readonly before: readonly FailingKey[];
  readonly done: readonly NamedObject[];
  readonly groups: readonly ChangeGroup[];
  readonly availability: readonly NamedObject[];
}

interface NamedObject {
  readonly of: KindName;
  readonly key: ObjectKey;
}

/**
 * The keys that could not be synced. A refused write is reported as such, and is no gap where the availability of the object is judged, or
 * where it was refused before as well.
 */
export function notSynced(
  failing: readonly FailingKey[],
  { before, done, groups, availability }: FailingInput,
): readonly NotSynced[] {
  const failedBefore = new Set(before.map(nameOf));
  const changed = [...done, ...groups.flatMap(({ changes }) => changes)];
  return failing.flatMap((each) => {
    const { controller, key, error, of, isRefusal } = each;
    const isIt = (other: NamedObject): boolean =>
      other.key === key && (of === undefined || (other.of.kind === of.kind && other.of.group === of.group));
    const isOld = failedBefore.has(nameOf(each));
    if (isRefusal && (isOld || availability.some(isIt))) return [];
    return [{ controller, key, error, isDecisive: !isOld || changed.some(isIt) }];
  });
}

function nameOf({ controller, key, error }: FailingKey): string {
  return JSON.stringify([controller, key, error]);
}

/** For the verdicts that rest on the syncs of all controllers. */
export function unsyncedAsUnseen(unsynced: readonly NotSynced[]): readonly Unseen[] {
  return unsynced.map(({ controller, key, error, isDecisive }) => ({
    what: `${controller} ${key}`,
    why: `its last sync failed: ${error}`,
    isDecisive,
  }));
}
