/** Claims and pods in the form in which a server stores them. */
import type { OwnerReference, StoredMeta } from "../../../src/api/object.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { PersistentVolumeClaim, Pod, PodSpec } from "../../../src/api/types.ts";
import { sceneStart } from "../../support/sync-context.ts";

export const finalizer = "kubernetes.io/pvc-protection";

type Meta = Partial<StoredMeta>;

function metaOf(name: string, more: Meta): StoredMeta {
  const creationTimestamp = formatTime(sceneStart);
  return { name, namespace: "shop", uid: `uid-${name}`, resourceVersion: "1", creationTimestamp, ...more };
}

export const deletedNow: Meta = { deletionTimestamp: formatTime(sceneStart) };

/** A claim that has the finalizer by default. */
export function claimOf(name: string, more: Meta = {}): PersistentVolumeClaim {
  return { metadata: metaOf(name, { finalizers: [finalizer], ...more }), spec: { accessModes: ["ReadWriteOnce"] } };
}

/** A claim that is being deleted. */
export function deletedClaim(name: string, more: Meta = {}): PersistentVolumeClaim {
  return claimOf(name, { ...deletedNow, ...more });
}

export interface PodParts {
  readonly meta?: Meta;
  /** Names of claims; each volume has the name of its claim. */
  readonly claims?: readonly string[];
  /** Names of ephemeral volumes. */
  readonly ephemeral?: readonly string[];
  /** Empty for no node. */
  readonly node?: string;
  readonly status?: NonNullable<Pod["status"]>;
}

/** A running pod on node-1 by default. */
export function podWith(name: string, parts: PodParts): Pod {
  const { claims = [], ephemeral = [], node = "node-1", status = { phase: "Running" } } = parts;
  const volumes: NonNullable<PodSpec["volumes"]> = [
    { name: "scratch", emptyDir: {} },
    ...claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
    ...ephemeral.map((volume) => ({
      name: volume,
      ephemeral: { volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"] } } },
    })),
  ];
  const spec = { containers: [{ name: "c" }], volumes, ...(node !== "" && { nodeName: node }) };
  return { metadata: metaOf(name, parts.meta ?? {}), spec, status };
}

/** The owner reference to a pod in the claim of its ephemeral volume. */
export function controlledBy(pod: Pod): readonly OwnerReference[] {
  const { name, uid } = pod.metadata;
  return [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true, blockOwnerDeletion: true }];
}
