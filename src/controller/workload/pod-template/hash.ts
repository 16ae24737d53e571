/** Computes `pod-template-hash`, which is part of the names of ReplicaSets and a label of their pods. */
import { fnv32a, safeLetters } from "../safe-hash.ts";
import { type DumpOptions, dumpPodTemplate } from "./dump.ts";

/** The label that distinguishes the pods of a Deployment's ReplicaSets. */
export const podTemplateHashLabel = "pod-template-hash";

/** Options that the hash depends on. */
export interface HashOptions extends DumpOptions {
  /** `collisionCount` of the owner's status, which changes the hash. Unset differs from 0. */
  readonly collisionCount?: number | undefined;
}

/**
 * The hash of a pod template as served by the API server, equal to that of kube-controller-manager 1.36: eight to ten letters and digits.
 * Other versions of Kubernetes give other hashes whenever a field was added.
 *
 * Source: kubernetes v1.36 pkg/controller/controller_utils.go ComputeHash.
 */
export function podTemplateHash(template: unknown, { collisionCount, ...options }: HashOptions = {}): string {
  let hash = fnv32a(new TextEncoder().encode(dumpPodTemplate(template, options)));
  if (collisionCount !== undefined) hash = fnv32a(littleEndian(collisionCount), hash);
  return safeLetters(String(hash));
}

/** Four bytes of the number in a field of eight. */
function littleEndian(count: number): Uint8Array {
  return Uint8Array.from([count, count >>> 8, count >>> 16, count >>> 24, 0, 0, 0, 0]);
}
