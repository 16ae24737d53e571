/** All objects of a cluster at one moment, to be compared with those at another. */
import type { ObjectKey } from "../api/key.ts";
import type { StoredObject } from "../api/object.ts";
import type { KindName } from "../trace/names.ts";

/** One object of a state. */
export interface StateEntry {
  readonly of: KindName;
  readonly key: ObjectKey;
  /** Includes `apiVersion` and `kind`. Shared: do not modify. */
  readonly object: StoredObject;
}

/** Objects by their `entryName`. */
export type State = ReadonlyMap<string, StateEntry>;

/** `apps/ReplicaSet shop/web`: a unique name for an object. */
export function entryName(of: KindName, key: ObjectKey): string {
  return `${of.group}/${of.kind} ${key}`;
}

/** The group and kind for an `apiVersion` and kind. */
export function kindNameOf(apiVersion: string, kind: string): KindName {
  const slash = apiVersion.indexOf("/");
  return { group: slash < 0 ? "" : apiVersion.slice(0, slash), kind };
}
