/**
 * The managed fields of an object that is scaled. They are tracked on the Scale, where the number of replicas has another path, and
 * brought back. Source: apimachinery v0.36 util/managedfields/scalehandler.go.
 */
import type { Fields } from "../meta/object.ts";
import { difference, has, isEmptySet, setOfPaths } from "./field-set.ts";
import { type Manager, readManagers, writeManagers } from "./managers.ts";

const scaleVersion = "autoscaling/v1";
const replicas = ["f:spec", "f:replicas"] as const;
const replicasSet = setOfPaths([["spec", "replicas"]]);

/** How an object is scaled. */
export interface Scaled {
  /** Of the request. */
  readonly apiVersion: string;
  /** The path to its number of replicas, as names, at a version; undefined for a version that is not known. */
  readonly replicasPath: (apiVersion: string) => readonly string[] | undefined;
}

const elementsOf = (path: readonly string[]): string[] => path.map((name) => `f:${name}`);

/** The managed fields of the Scale of an object with these. */
export function scaleManagers(entries: readonly Fields[], { replicasPath }: Scaled): Fields[] {
  const managers = new Map<string, Manager>();
  for (const [identity, manager] of readManagers(entries)) {
    const path = replicasPath(manager.apiVersion);
    if (path === undefined || !has(manager.set, elementsOf(path))) continue;
    managers.set(identity, { ...manager, apiVersion: scaleVersion, set: replicasSet });
  }
  return writeManagers(managers) ?? [];
}

/** The managed fields of an object before it is scaled, and of its Scale afterwards. */
export interface ManagedPair {
  readonly ofObject: readonly Fields[];
  readonly ofScale: readonly Fields[];
}

/**
 * The managed fields of the object after its Scale has these. Who updates is another manager there, at another version: the replicas
 * have an entry of their own afterwards, without a time. Who applies is the same.
 */
export function managersAfterScale(
  { ofObject, ofScale }: ManagedPair,
  { apiVersion, replicasPath }: Scaled,
): Fields[] | undefined {
  const parents = readManagers(ofObject);
  const scales = new Map(readManagers(ofScale));
  const managers = new Map<string, Manager>();
  for (const [identity, manager] of parents) {
    const path = replicasPath(manager.apiVersion);
    if (path === undefined) continue;
    const isKept = !has(manager.set, elementsOf(path)) || scales.delete(identity);
    const set = isKept ? manager.set : difference(manager.set, setOfPaths([path]));
    if (!isEmptySet(set)) managers.set(identity, { ...manager, set });
  }
  const set = setOfPaths([replicasPath(apiVersion) ?? []]);
  for (const [identity, manager] of scales) {
    if (!has(manager.set, replicas)) continue;
    managers.set(identity, { ...manager, apiVersion, set, time: parents.get(identity)?.time });
  }
  return writeManagers(managers);
}
