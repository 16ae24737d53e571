/** Which objects belong together: an object, what owns it, and what it owns, at any depth. */
import type { ObjectKey } from "../api/key.ts";
import { objectKey } from "../api/key.ts";
import type { StoredObject } from "../api/object.ts";
import { controllerOf } from "../api/owner-references.ts";

/** An object by its kind and key; of two groups with the same kind it names either. */
export interface ObjectName {
  /** `ReplicaSet` */
  readonly kind: string;
  readonly key: ObjectKey;
}

/** An object as a cache knows it. */
export type FindObject = (name: ObjectName) => StoredObject | undefined;

/** Owners of owners are followed so far: a cycle of references has no end. */
const deepest = 10;

/** The controllers above an object, the nearest first. */
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
 * Tells whether objects belong to the chain of one: it, its owners, and what it owns. What was once seen in the chain stays in it,
 * so that its deletion is still shown.
 */
export class Chain {
  #target: ObjectName;
  #find: FindObject;
  #members = new Set<string>();
  /** The target and what was found below it: what these own is below it too, also when they are gone. */
  #below = new Set<string>();

  constructor(target: ObjectName, find: FindObject) {
    this.#target = target;
    this.#find = find;
    this.#members.add(text(target));
    this.#below.add(text(target));
  }

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
