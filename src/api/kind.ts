/** Kinds as values that carry the type of their objects. */
import type { StoredObject } from "./object.ts";

declare const objectType: unique symbol;

/** A kind of object at one version, as a value; `T` is what its objects are. */
export interface Kind<T extends StoredObject = StoredObject> {
  /** `""` for the core group. */
  readonly group: string;
  /** `v1`. */
  readonly version: string;
  /** `ReplicaSet`. */
  readonly kind: string;
  /** The resource: `replicasets`. */
  readonly plural: string;
  /** Whether its objects live in namespaces. */
  readonly namespaced: boolean;
  /** kubectl's short names: `rs`. */
  readonly shortNames?: readonly string[];
  /**
   * Set for a kind that some servers do not serve: older ones, or those on which its API is disabled. There it counts as a kind without
   * objects: its cache is filled, and empty until the server serves it. Otherwise a cache waits until the kind is served.
   */
  readonly optional?: true;
  /** Never present at run time; carries T. */
  readonly [objectType]?: T;
}

/**
 * A kind of your own, such as a custom resource, or a built-in one that `kinds` lacks.
 *
 * @example
 * ```ts
 * import { apiVersionOf, kindOf, type StoredObject } from "kubectl-reconcile";
 *
 * interface Greeting extends StoredObject {
 *   readonly spec?: { readonly text: string };
 * }
 * const Greetings = kindOf<Greeting>({
 *   group: "example.com",
 *   version: "v1",
 *   kind: "Greeting",
 *   plural: "greetings",
 *   namespaced: true,
 * });
 * console.log(apiVersionOf(Greetings));
 * ```
 */
export function kindOf<T extends StoredObject>(kind: Omit<Kind<T>, typeof objectType>): Kind<T> {
  return kind;
}

/**
 * `apps/v1`, or `v1` for the core group: the value of `apiVersion`.
 *
 * @example
 * ```ts
 * import { apiVersionOf, kinds } from "kubectl-reconcile";
 *
 * console.log(apiVersionOf(kinds.Deployments));
 * ```
 */
export function apiVersionOf(kind: Pick<Kind, "group" | "version">): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}

/** The group in `apps/v1`; empty for the core group's `v1`. */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}

/** `replicasets.apps`, or `pods` for the core group: unique among kinds. */
export function resourceOf(kind: Pick<Kind, "group" | "plural">): string {
  return kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
}

/** The path of a kind's group version, where discovery lists its resources: `/apis/apps/v1`, or `/api/v1`. */
export function groupVersionPath({ group, version }: Pick<Kind, "group" | "version">): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

/**
 * The path of a kind's collection, of one object, or of a subresource: `/apis/apps/v1/namespaces/shop/replicasets/web/status`.
 * Without a namespace it is the collection over all namespaces. Names are escaped.
 */
export function pathOf(
  kind: Kind,
  at: { readonly namespace?: string; readonly name?: string; readonly subresource?: string },
): string {
  const root = groupVersionPath(kind);
  const scope =
    kind.namespaced && at.namespace !== undefined && at.namespace !== ""
      ? `/namespaces/${encodeURIComponent(at.namespace)}`
      : "";
  const name = at.name === undefined ? "" : `/${encodeURIComponent(at.name)}`;
  return `${root}${scope}/${kind.plural}${name}${at.subresource === undefined ? "" : `/${at.subresource}`}`;
}
