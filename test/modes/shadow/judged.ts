/** The input of the judge: the decisions of our syncs, and the owner's writes from the audit log. */
import type { ObjectKey } from "../../../src/api/key.ts";
import type { StoredObject } from "../../../src/api/object.ts";

/** A write as it was sent. */
export interface Write {
  readonly verb: "create" | "update" | "patch" | "delete";
  /** The resource: `pods`, `replicasets.apps/status`. */
  readonly resource: string;
  readonly namespace: string;
  /** Empty for a create with a generated name. */
  readonly name: string;
  readonly body: unknown;
  /** In ms since 1970. */
  readonly at: number;
}

/** A write of the real controller that the API server accepted. */
export interface OwnerWrite extends Write {
  /** The generated name if there is one, otherwise the name in the request. */
  readonly given: string;
  /** The object in the response. */
  readonly answer: StoredObject | undefined;
}

/** A change of an object by any client: it then has a version and a controller, or it is deleted, released, or about to be deleted. */
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
      /** A granted eviction of a pod: a budget counts it before the pod is deleted. */
      readonly is: "evicted";
      readonly namespace: string;
      readonly name: string;
      /** In ms since 1970. */
      readonly at: number;
    };

/** One sync of ours: the state that it saw and the writes that it decided. */
export interface SyncRecord {
  readonly key: ObjectKey;
  /** The key's object in the cache; undefined if there is none, or if keys are not objects. */
  readonly primary: { readonly uid: string; readonly resourceVersion: string } | undefined;
  /** The object's active pods, for a controller that creates pods. */
  readonly pods: readonly StoredObject[];
  /** Objects that it read from the cache by name, with their versions: `pods shop/web 17`. */
  readonly lookedUp: ReadonlySet<string>;
  /** Versions of the dependents of the key's object, by name. */
  readonly versions: ReadonlyMap<string, number>;
  readonly writes: readonly Write[];
  /** Invented uids of the objects that it would have created under a fixed name, with a text that identifies them. */
  readonly made: ReadonlyMap<string, string>;
  /** Live reads, for a controller that acts on these. */
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
