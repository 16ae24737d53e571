/** The hash that names ReplicaSets and labels their pods: `pod-template-hash`. */
import { fnv32a, safeLetters } from "../safe-hash.ts";
import { type DumpOptions, dumpPodTemplate } from "./dump.ts";

/** The label that sets the pods of one ReplicaSet of a Deployment apart. */
export const podTemplateHashLabel = "pod-template-hash";

/** What a hash depends on besides the template. */
export interface HashOptions extends DumpOptions {
  /** Of the owner's status: another number makes another hash. Unset is not 0. */
  readonly collisionCount?: number | undefined;
}

/**
 * The hash of a pod template, the same as kube-controller-manager 1.36's, for a template as the API server serves it. Eight to ten
 * letters and digits; other versions of Kubernetes hash the same template otherwise, whenever a field was added.
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
