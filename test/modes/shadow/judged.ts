/** The input of the judge of an agreement: our syncs' decisions, and the owner's writes from the audit log. */
import type { ObjectKey } from "../../../src/api/key.ts";
import type { StoredObject } from "../../../src/api/object.ts";

/** A write as it was sent. */
export interface Write {
  readonly verb: "create" | "update" | "patch" | "delete";
  /** `pods`, `replicasets.apps/status`. */
  readonly resource: string;
  readonly namespace: string;
  /** Empty in a create whose name the server generates. */
  readonly name: string;
  readonly body: unknown;
  /** In ms since 1970. */
  readonly at: number;
}

/** A write of the real controller that the API server accepted. */
export interface OwnerWrite extends Write {
  /** The name that the server generated, or else that of the request. */
  readonly given: string;
  /** The object in the response. */
  readonly answer: StoredObject | undefined;
}

/** A change by any client: afterwards the object has a version and a controller, or is gone, no longer controlled, or terminating. */
export type Change =
  | { readonly is: "controlled"; readonly ownerUid: string; readonly version: number }
  | {
      readonly is: "left";
      readonly namespace: string;
      readonly name: string;
      /** In ms since 1970. */
      readonly at: number;
    }
  | {
      /** An eviction of a pod was granted: a budget counts it before the pod is deleted. */
      readonly is: "evicted";
      readonly namespace: string;
      readonly name: string;
      /** In ms since 1970. */
      readonly at: number;
    };

/** One sync of ours: what it saw and what it would have written. */
export interface SyncRecord {
  readonly key: ObjectKey;
  /** The key's object in the cache; undefined if it is missing or if the keys do not refer to objects. */
  readonly primary: { readonly uid: string; readonly resourceVersion: string } | undefined;
  /** The object's active pods, if the controller creates pods. */
  readonly pods: readonly StoredObject[];
  /** `pods shop/web 17`: cache lookups by name, with the version found. */
  readonly lookedUp: ReadonlySet<string>;
  /** Versions of the objects that the key's object controls, keyed by name. */
  readonly versions: ReadonlyMap<string, number>;
  readonly writes: readonly Write[];
  /** Names for the generated uids of objects that it would have created by name. */
  readonly made: ReadonlyMap<string, string>;
  /** Live reads of objects, and when they were requested, if the controller acts on live reads. */
  readonly reads: readonly Read[];
  readonly failed: boolean;
}

/** A live read of an object's metadata. */
export interface Read {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** In ms since 1970. */
  readonly at: number;
}
