/**
 * The managed fields of a scaled object. They are tracked on the Scale, where the replicas have another path, and converted back. Source:
 * apimachinery v0.36 util/managedfields/scalehandler.go.
 */
import type { Fields } from "../meta/object.ts";
import { difference, has, isEmptySet, setOfPaths } from "./field-set.ts";
import { type Manager, readManagers, writeManagers } from "./managers.ts";

const scaleVersion = "autoscaling/v1";
const replicas = ["f:spec", "f:replicas"] as const;
const replicasSet = setOfPaths([["spec", "replicas"]]);

/** How an object is scaled. */
export interface Scaled {
  /** The apiVersion of the request. */
  readonly apiVersion: string;
  /** The path of the replicas, as field names, at a version; undefined for an unknown version. */
  readonly replicasPath: (apiVersion: string) => readonly string[] | undefined;
}

const elementsOf = (path: readonly string[]): string[] => path.map((name) => `f:${name}`);

/** Converts an object's managed fields to those of its Scale. */
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
 * Converts the managed fields of a Scale back to those of its object. An update there has another manager, at another version: afterwards
 * the replicas have a separate entry, without a time. The manager of an apply stays the same.
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
