/** What an object is: plain JSON as the API server sends it, deeply read-only, with the metadata that every stored object has. */

type Dash<S extends string> = S extends `${infer A}_${infer B}` ? `${A}-${Dash<B>}` : S;
type JsonKey<K> = K extends `_${infer R}` ? R : K extends `x_kubernetes_${string}` ? Dash<K> : K;

/**
 * The wire form of a client-node model: `Date` is a string, `_from` is `from`, `x_kubernetes_…` has dashes, `any` is
 * `unknown`; deeply read-only.
 */
export type Plain<T> = 0 extends 1 & T
  ? unknown
  : T extends Date
    ? string
    : T extends readonly (infer U)[]
      ? readonly Plain<U>[]
      : T extends object
        ? { readonly [K in keyof T as JsonKey<K>]: Plain<T[K]> }
        : T;

/** A mutable copy of T: the result of `draft()`. */
export type Draft<T> = T extends readonly (infer U)[]
  ? Draft<U>[]
  : T extends object
    ? { -readonly [K in keyof T]: Draft<T[K]> }
    : T;

/** `metadata` of an object that a client sends: all optional. */
export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

/** `metadata` of an object that the API server has stored. */
export interface StoredMeta extends ObjectMeta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
}

/** An owner of an object, by uid. At most one of an object's owners has `controller: true`. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** One writer's part in an object, as recorded by the API server. `time` is in whole seconds and may be absent. */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: "Apply" | "Update";
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: unknown;
  readonly subresource?: string;
}

/** Any object that the API server has stored. Items of a list carry no `apiVersion` and `kind`. */
export interface StoredObject {
  /** `apps/v1`; absent for an item of a list. */
  readonly apiVersion?: string;
  /** `ReplicaSet`; absent for an item of a list. */
  readonly kind?: string;
  /** Its name, uid, version, labels and owners. */
  readonly metadata: StoredMeta;
}

/** A stored object with the fields of T. */
export type ApiObject<T> = Omit<Plain<T>, "metadata" | "apiVersion" | "kind"> & StoredObject;

/** What a client sends to create a T: the same fields, metadata not yet filled in, status usually absent. */
export type CreateInput<T> = T extends StoredObject
  ? Omit<T, "metadata" | "status"> & { readonly metadata: ObjectMeta; readonly status?: unknown }
  : never;

/**
 * What a client sends to replace a T: the object as read and then changed, or a newly built one. Without a resourceVersion, it replaces
 * whatever exists.
 */
export type UpdateInput<T> = T extends StoredObject
  ? Omit<T, "metadata"> & { readonly metadata: ObjectMeta & { readonly name: string } }
  : never;

/**
 * A mutable deep copy of plain JSON: objects of a cache are shared and must not be changed.
 *
 * @example
 * ```ts
 * import { draft } from "kubectl-reconcile";
 *
 * const cached = { spec: { replicas: 1 } } as const;
 * const changed = draft<{ readonly spec: { readonly replicas: number } }>(cached);
 * changed.spec.replicas = 3;
 * if (cached.spec.replicas !== 1) throw new Error("the original has changed");
 * ```
 */
export function draft<T>(object: T): Draft<T> {
  return structuredClone(object) as Draft<T>;
}
