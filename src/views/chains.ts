/** Determines which objects belong together: an object, its owners and its dependents, at any depth. */
import type { ObjectKey } from "../api/key.ts";
import { objectKey } from "../api/key.ts";
import type { StoredObject } from "../api/object.ts";
import { controllerOf } from "../api/owner-references.ts";

/** An object by kind and key. The group is not part of it: if two groups have the kind, it matches both. */
export interface ObjectName {
  /** `ReplicaSet` */
  readonly kind: string;
  readonly key: ObjectKey;
}

/** Looks up an object in a cache. */
export type FindObject = (name: ObjectName) => StoredObject | undefined;

/** Owner references are followed to this depth, because they may form a cycle. */
const deepest = 10;

/** The controlling owners of an object, the nearest first. */
export function ownersAbove(name: ObjectName, find: FindObject): readonly ObjectName[] {
  const owners: ObjectName[] = [];
  for (let object = find(name); object !== undefined && owners.length < deepest;) {
    const controller = controllerOf(object);
    if (controller === undefined) break;
    const owner = { kind: controller.kind, key: objectKey(object.metadata.namespace, controller.name) };
    owners.push(owner);
    const found = find(owner);
    object = found?.metadata.uid === controller.uid ? found : undefined;
  }
  return owners;
}

/**
 * The ownership chain of one object: the object, its owners and its dependents. An object that was once found in the chain stays in it,
 * so that its deletion is still shown.
 */
export class Chain {
  #target: ObjectName;
  #find: FindObject;
  #members = new Set<string>();
  /** The target and its known dependents. Whatever these own is a dependent as well, even after they are deleted. */
  #below = new Set<string>();

  constructor(target: ObjectName, find: FindObject) {
    this.#target = target;
    this.#find = find;
    this.#members.add(text(target));
    this.#below.add(text(target));
  }

  /** Whether the object belongs to the chain. */
  has(name: ObjectName): boolean {
    if (this.#members.has(text(name))) return true;
    const below = ownersAbove(name, this.#find).some((owner) => this.#below.has(text(owner)));
    const above = ownersAbove(this.#target, this.#find).some((owner) => text(owner) === text(name));
    if (below) this.#below.add(text(name));
    if (below || above) this.#members.add(text(name));
    return below || above;
  }
}

function text({ kind, key }: ObjectName): string {
  return `${kind} ${key}`;
}
