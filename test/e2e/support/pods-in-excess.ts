/** How many pods ReplicaSets had beyond what was ever asked of them, from the audit log of the API server. */
import { type AuditEvent, type Effect, effectsOf } from "../../support/audit-log.ts";

interface Written {
  readonly metadata?: {
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[];
  };
  readonly spec?: { readonly replicas?: number };
}

/**
 * The most pods that any one ReplicaSet of the namespace had at a time, less the most that its `spec.replicas` ever was; at least 0.
 * A pod counts from its create to its delete, whichever client sent them. Creates that a killed server stored without an audit
 * event are not counted.
 */
export function podsInExcess(events: readonly AuditEvent[], namespace: string): number {
  const asked = new Map<string, number>();
  const ownerOfPod = new Map<string, string>();
  const most = new Map<string, number>();
  for (const effect of asStored(effectsOf(events))) {
    if (effect.namespace !== namespace || effect.code >= 300 || effect.dryRun) continue;
    if (effect.resource.startsWith("replicasets.apps")) noteAsked(effect, asked);
    if (effect.resource !== "pods") continue;
    if (effect.verb === "deletecollection") ownerOfPod.clear();
    else if (effect.verb === "delete") ownerOfPod.delete(effect.name);
    else {
      const owner = ownerOf(effect.response as Written);
      if (owner === undefined) ownerOfPod.delete(effect.name);
      else ownerOfPod.set(effect.name, owner);
      for (const [uid, count] of countedByOwner(ownerOfPod)) most.set(uid, Math.max(most.get(uid) ?? 0, count));
    }
  }
  return Math.max(0, ...[...most].map(([uid, count]) => count - (asked.get(uid) ?? 0)));
}

/**
 * Effects in the order in which they were stored: the log has them in that of their responses, and a controller may have reacted to a write
 * before its response is logged. One without a version keeps its place.
 */
function asStored(effects: readonly Effect[]): readonly Effect[] {
  let newest = 0;
  const versioned = effects.map((effect) => {
    // A Status has no version.
    const { metadata } = (effect.response ?? {}) as Written;
    const version = Number(metadata?.resourceVersion);
    newest = Math.max(newest, version > 0 ? version : 0);
    return { effect, version: version > 0 ? version : newest };
  });
  return versioned.toSorted((a, b) => a.version - b.version).map(({ effect }) => effect);
}

function noteAsked({ response }: Effect, asked: Map<string, number>): void {
  const { metadata, spec } = response as Written;
  if (metadata?.uid === undefined || spec?.replicas === undefined) return;
  asked.set(metadata.uid, Math.max(asked.get(metadata.uid) ?? 0, spec.replicas));
}

/** The uid of its controller; undefined for an orphan, and for a pod that is being deleted. */
function ownerOf({ metadata }: Written): string | undefined {
  if (metadata?.deletionTimestamp !== undefined) return undefined;
  return metadata?.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

function countedByOwner(ownerOfPod: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const uid of ownerOfPod.values()) counts.set(uid, (counts.get(uid) ?? 0) + 1);
  return counts;
}
