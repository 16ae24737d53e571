/** What the judge of an agreement reads: what our syncs decided, and what the owner did by the audit log. */
import type { ObjectKey } from "../../../src/api/key.ts";
import type { StoredObject } from "../../../src/api/object.ts";

/** A write, as it was sent. */
export interface Write {
  readonly verb: "create" | "update" | "patch" | "delete";
  /** `pods`, `replicasets.apps/status`. */
  readonly resource: string;
  readonly namespace: string;
  /** Empty in a create that leaves it to the server. */
  readonly name: string;
  readonly body: unknown;
  /** In ms since 1970. */
  readonly at: number;
}

/** A write of the real controller that the API server took. */
export interface OwnerWrite extends Write {
  /** The name that the server gave, where the owner left it open; otherwise that of the request. */
  readonly given: string;
  /** The object in the answer. */
  readonly answer: StoredObject | undefined;
}

/** What anybody did to an object: it has a version and a controller after that, or it is gone, no longer controlled, or about to go. */
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
      /** An eviction of a pod was granted: a budget counts it before the pod goes. */
      readonly is: "evicted";
      readonly namespace: string;
      readonly name: string;
      /** In ms since 1970. */
      readonly at: number;
    };

/** One sync of ours: what it saw and what it would have written. */
export interface SyncRecord {
  readonly key: ObjectKey;
  /** Of the key's object in the cache; undefined where there is none, or where the keys are no objects. */
  readonly primary: { readonly uid: string; readonly resourceVersion: string } | undefined;
  /** The object's pods that count: of a controller that makes pods. */
  readonly pods: readonly StoredObject[];
  /** `pods shop/web 17`: what it looked up in the cache by its name, with the version that it found. */
  readonly lookedUp: ReadonlySet<string>;
  /** Versions of the objects that the key's object controls, by their names. */
  readonly versions: ReadonlyMap<string, number>;
  readonly writes: readonly Write[];
  /** Made-up uids of the objects that it would have created by a name, with what names them. */
  readonly made: ReadonlyMap<string, string>;
  /** Objects that it read from the server, and when it asked: of a controller that acts on what it reads so. */
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
