/** All objects of a cluster at one moment, as data: what two moments are compared by. */
import type { ObjectKey } from "../api/key.ts";
import type { StoredObject } from "../api/object.ts";
import type { KindName } from "../trace/names.ts";

/** One object of a state. */
export interface StateEntry {
  readonly of: KindName;
  readonly key: ObjectKey;
  /** With `apiVersion` and `kind`. Shared: not to be changed. */
  readonly object: StoredObject;
}

/** By `entryName`. */
export type State = ReadonlyMap<string, StateEntry>;

/** `apps/ReplicaSet shop/web`: a name that no other object has. */
export function entryName(of: KindName, key: ObjectKey): string {
  return `${of.group}/${of.kind} ${key}`;
}

/** Group and kind of an `apiVersion` and a kind. */
export function kindNameOf(apiVersion: string, kind: string): KindName {
  const slash = apiVersion.indexOf("/");
  return { group: slash < 0 ? "" : apiVersion.slice(0, slash), kind };
}
