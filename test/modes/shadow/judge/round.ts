/** What an agreement is judged by: our syncs' decisions, and the owner's writes from the audit log. */
import type { ObjectKey } from "../../../../src/api/key.ts";
import type { ObjectMeta, StoredObject } from "../../../../src/api/object.ts";
import { controllerOf } from "../../../../src/api/owner-references.ts";

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
  readonly responseObject: StoredObject | undefined;
  /** Set if the API server stored nothing: the object has the version that an earlier write of any client left. */
  readonly isIdle?: true;
}

/** A change by any client: afterwards the object has a version and a controller, or is gone, no longer controlled, or terminating. */
export type Change =
  | { readonly is: "controlled"; readonly ownerUid: string; readonly version: number }
  | {
      readonly is: "left";
      readonly namespace: string;
      readonly name: string;
      /** The uids of all its owners, as far as the log has them. */
      readonly ownerUids: readonly string[];
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
  /** What replaces the made-up uids and names of the objects that it would have created. */
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

/** A round of changes and its outcome. All times are from the clock of one machine. */
export interface Round {
  readonly syncs: readonly SyncRecord[];
  /** The writes of this controller's owner, in the order of the responses. */
  readonly owner: readonly OwnerWrite[];
  /** Changes by any client to objects that are or were controlled by others. */
  readonly changes: readonly Change[];
  /** `pods ns/name`: objects changed, beyond their status, or deleted, with their status, by clients other than this owner. */
  readonly touched: ReadonlySet<string>;
  /**
   * Whether the owner lists its pods again for the status, after a sync has created and deleted some: how many of those its cache shows by
   * then is chance.
   */
  readonly looksTwice?: boolean;
  /** Whether it is irrelevant which of two pods is deleted. Unset: each deletion must match by name. */
  readonly alike?: (one: StoredObject, other: StoredObject) => boolean;
  /** If deletions match by name: whether the owner may delete another one of its pods instead. Unset: it may not. */
  readonly mayGoInstead?: (one: StoredObject, other: StoredObject) => boolean;
  /** Whether the owner may create one pod instead of another, intended by a sync that saw these pods. Unset: it may not. */
  readonly mayComeInstead?: (one: Write, other: Write, pods: readonly StoredObject[]) => boolean;
  /** The resource whose old objects get the contents of new ones, whichever of them. Unset: each write must match by name. */
  readonly recycles?: string;
}

/** The syncs of the key whose object has this uid; if keys do not refer to objects, of the keys that create for the object. */
export function syncsOf(syncs: readonly SyncRecord[], uid: string | undefined): readonly SyncRecord[] {
  if (uid === undefined) return [];
  const creates = ({ primary, writes }: SyncRecord): boolean =>
    primary === undefined && writes.some((write) => isGenerated(write) && makerOf(write) === uid);
  const keys = new Set(syncs.filter(creates).map(({ key }) => key));
  return syncs.filter(({ key, primary }) => (primary === undefined ? keys.has(key) : primary.uid === uid));
}

/** The uid of the controller in a new object's owner references. */
export function makerOf({ body }: Write): string | undefined {
  const { metadata } = (body ?? {}) as { readonly metadata?: ObjectMeta };
  return metadata === undefined ? undefined : controllerOf({ metadata })?.uid;
}

/** Whether the write with this response removed the last finalizer of a terminating object: its response has the version from before. */
export function isGone({ metadata }: StoredObject): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = metadata;
  return deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0;
}

/** Whether the server generates the name. */
export function isGenerated({ verb, name }: Write): boolean {
  return verb === "create" && name === "";
}

/** Whether the write deletes a pod that the controller chose by name. */
export function isPodDeletion({ verb, resource, body }: Write): boolean {
  // A garbage collector identifies the pod by uid: it has no choice among pods.
  const { preconditions } = (body ?? {}) as { readonly preconditions?: { readonly uid?: string } };
  return verb === "delete" && resource === "pods" && preconditions?.uid === undefined;
}
