/**
 * What ReplicaSets and ReplicationControllers have in common: one controller serves both; its configuration defines what differs.
 * Source: kubernetes v1.36 pkg/controller/replication/{conversion,replication_controller}.go; differs: nothing is converted.
 */
import type { Kind } from "../../api/kind.ts";
import type { Selector } from "../../api/labels.ts";
import type { StoredObject } from "../../api/object.ts";
import type { PodTemplateSpec, ReplicaSet } from "../../api/types.ts";
import type { Consistency } from "../../controller/api/consistency.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";

/** `status` of both kinds, absent numbers being 0. ReplicationControllers have no terminatingReplicas. */
export type ReplicaStatus = NonNullable<ReplicaSet["status"]>;
/** A condition of that status. */
export type ReplicaCondition = NonNullable<ReplicaStatus["conditions"]>[number];

/** An object that keeps a number of pods: a ReplicaSet or a ReplicationController. */
export interface ReplicaOwner extends StoredObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly template?: PodTemplateSpec;
  };
  readonly status?: ReplicaStatus;
}

/** What the controller of one kind does differently from the controller of the other. */
export interface ReplicaControllerConfig<T extends ReplicaOwner> {
  readonly kind: Kind<T>;
  /** @throws RangeError for an invalid selector. */
  selectorOf(object: T): Selector;
  /** Whether a key waits until the caches contain its own writes; ReplicationControllers do not wait. */
  readonly checksConsistency: boolean;
  /** Whether the status counts terminating pods. */
  readonly countsTerminating: boolean;
  /** Whether pods of other objects of the same owner (a Deployment's older ReplicaSets) count in the ranking for deletion. */
  readonly ranksWithRelated: boolean;
}

/** One sync of one object: what its steps share. */
export interface ReplicaSync<T extends ReplicaOwner> {
  readonly context: SyncContext;
  readonly config: ReplicaControllerConfig<T>;
  /** As cached. */
  readonly object: T;
  /** Holds the key back until the caches contain its own writes; no-op for a kind that does not wait for them. */
  readonly consistency: Consistency;
}

/** `spec.replicas`; 1, the API server's default, if absent. */
export function desiredReplicas(object: ReplicaOwner): number {
  return object.spec?.replicas ?? 1;
}

/** Undefined for an invalid selector: retrying cannot help, only a change of the object can. */
export function parseSelector<T extends ReplicaOwner>(
  config: ReplicaControllerConfig<T>,
  object: T,
): Selector | undefined {
  try {
    return config.selectorOf(object);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
