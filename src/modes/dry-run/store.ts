/** What the store of a sandbox contains, and how it changes. */
import { objectKey, splitKey, type ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import { collectionOf } from "../../sandbox/context/server.ts";
import type { Resource } from "../../sandbox/registry/resource.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { Change } from "../../sandbox/storage/watch-cache.ts";
import type { KindName } from "../../trace/names.ts";
import { entryName, type State, type StateEntry } from "../../views/state.ts";
import type { Lookup } from "./scope.ts";

/** A change of a stored object. */
export interface StoreChange {
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly at: number;
  readonly before: StoredObject | undefined;
  readonly after: StoredObject | undefined;
}

/** Listens to the changes of a store. */
export interface StoreListening {
  /** Includes the kinds defined since. */
  takeNewKinds(): void;
  end(): void;
}

/** Calls the listener for each change, synchronously. */
export function listenToStore({ server }: Sandbox, listener: (change: StoreChange) => void): StoreListening {
  const ends = new Map<string, () => void>();
  const listen = (resource: Resource): (() => void) => {
    const collection = collectionOf(server, resource);
    const of = { group: resource.group, kind: resource.kind };
    const onChange = ({ type, at, entry, previous }: Change): void => {
      // Objects in the store are complete.
      const [before, after] = [previous?.object, entry.object] as [StoredObject | undefined, StoredObject];
      const key = objectKey(entry.namespace, entry.name);
      listener({ of, key, at, before, after: type === "DELETED" ? undefined : after });
    };
    collection.listeners.add(onChange);
    return () => void collection.listeners.delete(onChange);
  };
  const listening: StoreListening = {
    takeNewKinds() {
      for (const resource of server.registry.resources) {
        if (!ends.has(resource.storage)) ends.set(resource.storage, listen(resource));
      }
    },
    end() {
      for (const end of ends.values()) end();
    },
  };
  listening.takeNewKinds();
  return listening;
}

/** Looks up objects in the store. */
export function lookupIn({ server }: Sandbox): Lookup {
  return ({ group, kind }, key) => {
    const resource = server.registry.resources.find((each) => each.group === group && each.kind === kind);
    if (resource === undefined) return undefined;
    const { namespace, name } = splitKey(key);
    return collectionOf(server, resource).get(namespace, name)?.object as StoredObject | undefined;
  };
}

/** All PersistentVolumes. */
export function volumesIn({ server }: Sandbox): readonly StoredObject[] {
  const resource = server.registry.ofKind("v1", "PersistentVolume");
  if (resource === undefined) return [];
  return [...collectionOf(server, resource).range({})].map(({ object }) => object as StoredObject);
}

/** All objects. Kinds that two groups serve are included once. */
export function stateOf({ server }: Sandbox): State {
  const state = new Map<string, StateEntry>();
  const seen = new Set<string>();
  for (const resource of server.registry.resources) {
    if (seen.has(resource.storage)) continue;
    seen.add(resource.storage);
    const of = { group: resource.group, kind: resource.kind };
    for (const { namespace, name, object } of collectionOf(server, resource).range({})) {
      const key = objectKey(namespace, name);
      // Objects in the store are complete.
      state.set(entryName(of, key), { of, key, object: object as StoredObject });
    }
  }
  return state;
}
