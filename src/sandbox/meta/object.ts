/** Objects inside the server: plain JSON, mutable until committed. */

export type Fields = Record<string, unknown>;

/** An entry of `metadata.ownerReferences`. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** The server's view of `metadata`; types were checked when a client sent it. */
export interface Meta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: Fields[];
  [field: string]: unknown;
}

/** An object of any kind. */
export interface ApiObject {
  kind: string;
  apiVersion: string;
  metadata: Meta;
  spec?: Fields;
  status?: Fields;
  [field: string]: unknown;
}

/** True for a JSON object: not null, not a list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a JSON list. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** A JSON list; empty for anything else. */
export function listIn(value: unknown): readonly unknown[] {
  return isList(value) ? value : [];
}

/** The JSON objects in a list; everything else is dropped. */
export function fieldsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** A string; `""` for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The strings in a list; everything else is dropped. */
export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

/** The value at a path of keys; undefined if any is missing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const key of path) {
    if (!isFields(here) || !Object.hasOwn(here, key)) return undefined;
    here = here[key];
  }
  return here;
}

/** The JSON object at a key; an empty one is added if it is missing. */
export function child(parent: Fields, key: string): Fields {
  const there = parent[key];
  if (isFields(there)) return there;
  const made: Fields = {};
  parent[key] = made;
  return made;
}

/** A deep copy of plain JSON. Faster than structuredClone, which supports more than JSON. */
export function copyOf<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => copyOf(item)) as T;
  if (!isFields(value)) return value;
  const copy: Fields = {};
  for (const key of Object.keys(value)) copy[key] = copyOf(value[key]);
  return copy as T;
}

/** The name of a new object in admission, where it may not have been generated yet. */
export function nameOrGenerateName({ metadata }: ApiObject): string {
  return metadata.name || (metadata.generateName ?? "");
}
