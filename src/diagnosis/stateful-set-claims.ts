/**
 * Pods of a StatefulSet that are missing because of the claims of earlier pods, as happens with `whenScaled: Delete`.
 * Source: kubernetes v1.36 pkg/controller/statefulset/stateful_pod_control.go PodClaimIsStale; stateful_set.go NewStatefulSetController,
 * which adds no handler for claims: when such a claim is gone, the set is not synced.
 */
import { PersistentVolumeClaims, Pods } from "../api/kinds.ts";
import type { PersistentVolumeClaim, StatefulSet } from "../api/types.ts";
import { type Finding, findingsOf, inNamespace, type Item, kubectl, refOf } from "./diagnosis.ts";
import { lastWrites } from "./last-writes.ts";
import { type Look, refersTo } from "./look.ts";
import { refusedByEvents } from "./refusals.ts";
import { someOf } from "./spans.ts";

/** How long after its last status a controller counts as at rest. */
const restMs = 5000;

/** A StatefulSet that lacks pods. */
export interface Lacking {
  readonly item: Item<StatefulSet>;
  /** The names of the missing pods that wait for no other pod. */
  readonly missing: readonly string[];
  /** How many pods there are. */
  readonly pods: number;
}

/** Why the pods are missing; empty if the claims do not explain it. */
export function claimFindings(look: Look, { item, missing, pods }: Lacking): readonly Finding[] {
  const { spec, status, metadata } = item.object;
  const templates = spec?.volumeClaimTemplates ?? [];
  const isDeletedWithPod = spec?.persistentVolumeClaimRetentionPolicy?.whenScaled === "Delete";
  if (!isDeletedWithPod || templates.length === 0 || missing.length === 0) return [];
  const { objects: claims, unseen } = look.list(PersistentVolumeClaims, metadata.namespace ?? "");
  const claimsOf = (pod: string): readonly PersistentVolumeClaim[] =>
    claims.filter((claim) => templates.some((template) => claim.metadata.name === `${template.metadata?.name}-${pod}`));
  const kept = missing.flatMap((pod) => {
    const stale = claimsOf(pod).filter((claim) => belongsTo(claim, pod));
    return stale.flatMap((claim) => [...blockers(look, claim), leftOver(claim)]);
  });
  if (kept.length > 0) return kept;
  const agoMs = lastWrites(item.object, look.now).find(({ part }) => part === "status")?.agoMs ?? 0;
  const isAtRest = (status?.replicas ?? 0) === pods && agoMs >= restMs;
  if (unseen.length > 0 || !isAtRest || missing.some((pod) => claimsOf(pod).length > 0)) return [];
  return refusedByEvents(look, item).length > 0 ? [] : [asleep(item, missing)];
}

/** A claim that its earlier pod owns; there is no pod of that name now. */
function belongsTo({ metadata }: PersistentVolumeClaim, pod: string): boolean {
  return metadata.ownerReferences?.some((owner) => refersTo(owner, Pods) && owner.name === pod) === true;
}

/** What blocks the deletion of a claim. */
function blockers(look: Look, claim: PersistentVolumeClaim): readonly Finding[] {
  if (claim.metadata.deletionTimestamp === undefined) return [];
  const diagnosis = look.diagnose({ kind: PersistentVolumeClaims, object: claim });
  return diagnosis === undefined ? [] : findingsOf(diagnosis);
}

function leftOver(claim: PersistentVolumeClaim): Finding {
  const at = refOf({ kind: PersistentVolumeClaims, object: claim });
  return { at, why: "left over from an earlier pod: no pod of that name is created until the claim is gone" };
}

function asleep(item: Item<StatefulSet>, missing: readonly string[]): Finding {
  const { name, namespace } = item.object.metadata;
  const [what, them] = missing.length === 1 ? ["its claims are", "it"] : ["their claims are", "them"];
  return {
    at: refOf(item),
    why: `${someOf(missing, ", ")} and ${what} missing, and nothing has made the controller create ${them}: the deletion of an earlier claim does not wake it, any change of the StatefulSet does`,
    advice: [kubectl(`annotate statefulset ${name} woken=yes --overwrite${inNamespace(namespace)}`)],
  };
}
