/** Number of pods that controllers created beyond what was ever requested, from the audit log of the API server. */
import { asStored, type AuditEvent, type Effect, effectsOf } from "../../support/audit-log.ts";

interface Owner {
  readonly uid: string;
  readonly kind: string;
  readonly controller?: boolean;
}

interface Term {
  readonly matchFields?: readonly { readonly values: readonly string[] }[];
}

interface Written {
  readonly metadata?: {
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly Owner[];
  };
  readonly spec?: {
    readonly replicas?: number;
    readonly parallelism?: number;
    readonly affinity?: {
      readonly nodeAffinity?: {
        readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms: readonly Term[] };
      };
    };
  };
  readonly status?: { readonly phase?: string };
}

/** An owner with more pods than were ever requested of it. */
export interface Excess {
  /** The most pods that it had at one time, minus the most that were ever requested of it; 0 if there was no excess. */
  readonly pods: number;
  /** The history in resource version order: each write of the owner and of its pods. */
  readonly history: readonly string[];
}

/**
 * Finds the owner in the namespace with the largest excess of pods: a ReplicaSet or StatefulSet (desired: `spec.replicas`), a Job (desired:
 * `spec.parallelism`), or a DaemonSet (desired: one per node). A pod counts from its creation until it ends or is deleted, whichever client
 * does it. Creates that a killed server stored without an audit event are not counted.
 */
export function podsInExcess(events: readonly AuditEvent[], namespace: string): Excess {
  const maxDesired = new Map<string, number>();
  const placeOfPod = new Map<string, string>();
  const most = new Map<string, number>();
  const effects = asStored(effectsOf(events)).filter(
    (effect) => effect.namespace === namespace && effect.code < 300 && !effect.dryRun,
  );
  for (const effect of effects) {
    if (/^(?:replicasets\.apps|statefulsets\.apps|jobs\.batch)/.test(effect.resource)) noteDesired(effect, maxDesired);
    if (effect.resource !== "pods" && effect.resource !== "pods/status") continue;
    if (effect.verb === "deletecollection") placeOfPod.clear();
    else if (effect.verb === "delete") placeOfPod.delete(effect.name);
    else {
      notePod(effect, placeOfPod);
      for (const [place, count] of countedByPlace(placeOfPod)) most.set(place, Math.max(most.get(place) ?? 0, count));
    }
  }
  const [worst] = [...most]
    .map(([place, count]) => ({ place, pods: count - (place.includes(" on ") ? 1 : (maxDesired.get(place) ?? 0)) }))
    .toSorted((a, b) => b.pods - a.pods);
  if (worst === undefined || worst.pods <= 0) return { pods: 0, history: [] };
  const [uid = ""] = worst.place.split(" ");
  return { pods: worst.pods, history: effects.filter((effect) => isAbout(effect, uid)).map(line) };
}

function isAbout({ response }: Effect, uid: string): boolean {
  const { metadata } = (response ?? {}) as Written;
  return metadata?.uid === uid || metadata?.ownerReferences?.some((owner) => owner.uid === uid) === true;
}

function line({ index, at, agent, component, verb, resource, name, response }: Effect): string {
  const { metadata, spec } = (response ?? {}) as Written;
  const replicas = spec?.replicas === undefined ? "" : ` replicas=${spec.replicas}`;
  const version = metadata?.resourceVersion ?? "none";
  return `version ${version}, event ${index}, ${new Date(at).toISOString().slice(11, 23)}: ${agent} ${component} ${verb} ${resource} ${name}${replicas}`;
}

function noteDesired({ response }: Effect, maxDesired: Map<string, number>): void {
  const { metadata, spec } = (response ?? {}) as Written;
  const count = spec?.parallelism ?? spec?.replicas;
  if (metadata?.uid === undefined || count === undefined) return;
  maxDesired.set(metadata.uid, Math.max(maxDesired.get(metadata.uid) ?? 0, count));
}

/**
 * Adopted pods count for ReplicaSets too. For other kinds only created ones count: they adopt pods that were orphaned before the owner was
 * created, which can be more than it specifies.
 */
function notePod({ verb, name, request, response }: Effect, placeOfPod: Map<string, string>): void {
  const { metadata, status } = (response ?? {}) as Written;
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller === true);
  const isOver = metadata?.deletionTimestamp !== undefined || /^(?:Succeeded|Failed)$/.test(status?.phase ?? "");
  if (owner === undefined || isOver) placeOfPod.delete(name);
  else if (owner.kind === "DaemonSet" && verb === "create") placeOfPod.set(name, `${owner.uid} on ${nodeOf(request)}`);
  else if (owner.kind === "ReplicaSet" || verb === "create") placeOfPod.set(name, owner.uid);
}

/** The node for which a DaemonSet's pod was created. */
function nodeOf(sent: unknown): string {
  const affinity = ((sent ?? {}) as Written).spec?.affinity?.nodeAffinity;
  const [term] = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return term?.matchFields?.[0]?.values[0] ?? "";
}

function countedByPlace(placeOfPod: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const place of placeOfPod.values()) counts.set(place, (counts.get(place) ?? 0) + 1);
  return counts;
}
