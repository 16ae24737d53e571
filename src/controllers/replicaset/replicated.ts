/**
 * What ReplicaSets and ReplicationControllers have in common: one controller serves both, a flavour says what differs.
 * Source: kubernetes v1.36 pkg/controller/replication/{conversion,replication_controller}.go; differs: nothing is converted.
 */
import type { Kind } from "../../api/kind.ts";
import type { Selector } from "../../api/labels.ts";
import type { StoredObject } from "../../api/object.ts";
import type { PodTemplateSpec, ReplicaSet } from "../../api/types.ts";
import { type Consistency, noConsistencyChecks } from "../../controller/api/consistency.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";

/** `status` of both kinds, absent numbers being 0. ReplicationControllers have no terminatingReplicas. */
export type ReplicaStatus = NonNullable<ReplicaSet["status"]>;
export type ReplicaCondition = NonNullable<ReplicaStatus["conditions"]>[number];

/** An object that keeps a number of pods. */
export interface Replicated extends StoredObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly template?: PodTemplateSpec;
  };
  readonly status?: ReplicaStatus;
}

export interface Flavour<T extends Replicated> {
  readonly kind: Kind<T>;
  /** @throws RangeError for a selector that cannot be used. */
  selectorOf(object: T): Selector;
  /** Whether a key waits until the caches have its own writes; ReplicationControllers do not. */
  readonly checksConsistency: boolean;
  /** Whether the status counts the pods that are being deleted. */
  readonly countsTerminating: boolean;
  /** Whether pods of other objects of the same owner (a Deployment's older ReplicaSets) count in the ranking. */
  readonly ranksWithRelated: boolean;
}

/** The API server sets it; 1 is its default. */
export function desiredReplicas(object: Replicated): number {
  return object.spec?.replicas ?? 1;
}

/** Undefined for a selector that cannot be used: no retry mends it, the object's next version may. */
export function usableSelector<T extends Replicated>(flavour: Flavour<T>, object: T): Selector | undefined {
  try {
    return flavour.selectorOf(object);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** What holds a key of this flavour back until the caches have its own writes. */
export function consistencyOf<T extends Replicated>(context: SyncContext, flavour: Flavour<T>): Consistency {
  return flavour.checksConsistency ? context.consistency : noConsistencyChecks;
}
