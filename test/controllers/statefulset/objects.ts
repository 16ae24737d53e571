/** StatefulSets, their pods and claims for unit tests, with only the relevant fields. */
import { StatefulSets } from "../../../src/api/kinds.ts";
import type { OwnerReference } from "../../../src/api/object.ts";
import { controllerReference } from "../../../src/api/owner-references.ts";
import type { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from "../../../src/api/types.ts";
import { revisionData } from "../../../src/controller/workload/controller-revision/data.ts";
import {
  revisionHash,
  revisionHashLabel,
  revisionName,
} from "../../../src/controller/workload/controller-revision/name.ts";
import { membersOf } from "../../../src/controllers/statefulset/members.ts";
import type { PlanInput } from "../../../src/controllers/statefulset/plan.ts";
import { sceneStart } from "../../support/sync-context.ts";
import { type PodParts, podOf, statefulSetOf } from "../../support/workloads.ts";

export const labels = { app: "db" } as const;

/** The revision of the set's template. */
export function revisionFor(set: StatefulSet, revision = 1, meta: object = {}): ControllerRevision {
  const data = revisionData(set.spec?.template);
  const hash = revisionHash(data, 0);
  const name = revisionName(set.metadata.name, hash);
  return {
    metadata: {
      name,
      namespace: "shop",
      uid: `uid-${name}`,
      resourceVersion: "10",
      creationTimestamp: "2026-11-21T09:00:00Z",
      labels: { ...labels, [revisionHashLabel]: hash },
      ownerReferences: [controllerReference(StatefulSets, set)],
      ...meta,
    },
    data,
    revision,
  };
}

export interface StatefulPodParts extends PodParts {
  /** The name of the pod's revision. */
  readonly revision?: string;
  /** How long the pod has been ready, in ms; an hour by default. */
  readonly readyForMs?: number;
}

/** A pod that is running and ready by default. */
export function podAt(set: StatefulSet, ordinal: number | string, parts: StatefulPodParts = {}): Pod {
  const { revision = revisionFor(set).metadata.name, readyForMs = 3_600_000, ready = true, ...rest } = parts;
  const name = typeof ordinal === "string" ? ordinal : `${set.metadata.name}-${ordinal}`;
  return podOf(name, {
    owner: set,
    ownerKind: StatefulSets,
    labels: {
      ...labels,
      "controller-revision-hash": revision,
      "statefulset.kubernetes.io/pod-name": name,
      "apps.kubernetes.io/pod-index": String(ordinal),
    },
    ready,
    readyAt: sceneStart - readyForMs,
    ...rest,
  });
}

export function podsAt(set: StatefulSet, ordinals: readonly number[], parts: StatefulPodParts = {}): Pod[] {
  return ordinals.map((ordinal) => podAt(set, ordinal, parts));
}

/** Metadata of an object that is being deleted. */
export const going = { deletionTimestamp: "2026-11-21T09:59:00Z" } as const;

export interface ClaimParts {
  readonly owners?: readonly OwnerReference[];
  readonly meta?: object;
}

export function claimNamed(name: string, { owners, meta }: ClaimParts = {}): PersistentVolumeClaim {
  return {
    metadata: {
      name,
      namespace: "shop",
      uid: `uid-${name}`,
      resourceVersion: "10",
      creationTimestamp: "2026-11-21T09:00:00Z",
      ...(owners !== undefined && { ownerReferences: owners }),
      ...meta,
    },
    spec: {},
  };
}

export const ownedBySet = (set: StatefulSet, more: Partial<OwnerReference> = {}): OwnerReference => ({
  ...controllerReference(StatefulSets, set),
  ...more,
});
export const ownedByPod = (name: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: "v1",
  kind: "Pod",
  name,
  uid: `uid-${name}`,
  controller: true,
  blockOwnerDeletion: true,
  ...more,
});

export interface ClaimingParts {
  readonly replicas?: number;
  readonly whenDeleted?: string;
  readonly whenScaled?: string;
  readonly spec?: object;
}

/** A set with a claim template `data`. */
export function claimingSet(parts: ClaimingParts = {}): StatefulSet {
  const { replicas = 3, whenDeleted = "Retain", whenScaled = "Retain", spec } = parts;
  return statefulSetOf({
    replicas,
    spec: {
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"] } }],
      persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
      ...spec,
    },
  });
}

/** The volume of a pod for its claim. */
export const volumeFor = (pod: string): object => ({
  volumes: [{ name: "data", persistentVolumeClaim: { claimName: `data-${pod}` } }],
});

/** The input of the planning functions, at `sceneStart`. */
export function inputFor(
  set: StatefulSet,
  pods: readonly Pod[],
  more: { readonly claims?: readonly PersistentVolumeClaim[]; readonly update?: ControllerRevision } = {},
): PlanInput {
  const update = more.update ?? revisionFor(set);
  const current = revisionFor(set);
  return {
    set,
    members: membersOf(set, { pods, revisions: { current, update }, now: sceneStart }),
    updateRevision: update.metadata.name,
    claim: (name) => more.claims?.find(({ metadata }) => metadata.name === name),
  };
}
