/**
 * The content of `api.json`: discovery, the compact types of all kinds, the columns of their tables. scripts/extract-api generates it from
 * a real kube-apiserver 1.36.3; it is read on first use.
 */

/**
 * A value's type in a few letters: `s` text, `i` int32, `l` int64, `n` number, `b` boolean, `q` Quantity, `x` int or string, `t` Time, `u`
 * MicroTime, `y` base64, `o` any object, `a` anything, `@core.v1.PodSpec` a named type, `[…` a list of, `{…` a map from text to.
 */
export type TypeCode = string;

/** A field: only its type, or with what else is known about it. */
export type FieldData =
  | TypeCode
  | {
      readonly t: TypeCode;
      /** Required. */
      readonly r?: 1;
      /** The merge key of a strategic merge patch, and its strategy: `merge`, `replace`, `retainKeys`, or two, comma-separated. */
      readonly k?: string;
      readonly p?: string;
      /** How server-side apply sees a list (`atomic`, `set`, `map`) and the keys of a map; how it sees a map (`atomic`, `granular`). */
      readonly l?: string;
      readonly m?: readonly string[];
      readonly g?: string;
      readonly d?: unknown;
      readonly e?: readonly string[];
      /**
       * How it is written when empty, if unusual (usual are `o`; `p` for structs and times): `o` not at all, `p` as set, `k` as 0, false or
       * "", `n` as null, `s` as a struct that is always present.
       */
      readonly z?: string;
    };

/** A struct of the extracted data. */
export interface TypeData {
  readonly f: Readonly<Record<string, FieldData>>;
  /** Server-side apply treats the whole as one field. */
  readonly atomic?: 1;
  /** Its fields are unknown: any may be present. */
  readonly open?: 1;
}

/** An entry of discovery (`pods`, `pods/status`), with its table columns as `name|type|format|priority`. */
export interface ResourceData {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  /** The kind's group, if it differs from the resource's. */
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
  readonly columns?: readonly string[];
}

/** The extracted data: discovery, types and kinds. */
export interface ApiData {
  /** In the order of `/apis`; the first version is the preferred one. */
  readonly groups: readonly { readonly name: string; readonly versions: readonly string[] }[];
  /** By group and version: `v1`, `apps/v1`. */
  readonly resources: Readonly<Record<string, readonly ResourceData[]>>;
  readonly types: Readonly<Record<string, TypeData>>;
  /** The type of `v1/Pod`, `apps/v1/ReplicaSet`, … */
  readonly kinds: Readonly<Record<string, string>>;
}
