/** What a ReplicaSet or ReplicationController waits for, by its counts and its pods; what all owners of pods share. */
import { Pods, ReplicationControllers } from "../api/kinds.ts";
import { selectorOf, selectorOfLabels, type Selector } from "../api/labels.ts";
import type { StoredObject } from "../api/object.ts";
import { readTime } from "../api/time.ts";
import type { LabelSelector, Pod } from "../api/types.ts";
import type { Examined, Finding, Item } from "./diagnosis.ts";
import { unseenDeletions, unseenGeneration } from "./generations.ts";
import { isKind } from "./kinds.ts";
import { aside, isControlledBy, type Listed, type Look } from "./look.ts";
import { podFindings, isServing } from "./pods.ts";
import { refusedByEvents, replicaFailure } from "./refusals.ts";
import { formatAge } from "../api/duration.ts";
import { pluralize } from "../api/pluralize.ts";

interface Counted extends StoredObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly availableReplicas?: number };
}

/** For ReplicaSets and ReplicationControllers. */
export function examineReplicated(look: Look, item: Item): Examined {
  const { spec, status }: Counted = item.object;
  const desired = spec?.replicas ?? 1;
  const available = status?.availableReplicas ?? 0;
  const counted = status?.replicas ?? 0;
  const unseenSpec = unseenGeneration(look, item);
  const reached = unseenSpec.length === 0 && available === desired && counted === desired;
  const says = availability(available, desired, "");
  return withPods(look, item, { says, reached, counted, first: [...unseenSpec, ...replicaFailure(item)] });
}

/** What the status of an owner of pods shows. */
export interface OwnNumbers {
  readonly says: string;
  readonly reached: boolean;
  /** The number of pods. */
  readonly counted: number;
  readonly first: readonly Finding[];
  /** Shown, but neutral. */
  readonly notes?: readonly string[];
}

/** Adds the findings of the owner's pods. */
export function withPods(look: Look, item: Item, { says, reached, counted, first, notes }: OwnNumbers): Examined {
  const pods = controlledPods(look, item);
  const gone = reached ? unseenDeletions(look, { item, counted, pods }) : [];
  const serving = pods.objects.filter(isServing);
  const refused =
    reached || first.some(({ why }) => why.startsWith("pods cannot be created")) ? [] : refusedByEvents(look, item);
  return {
    says,
    reached,
    findings: [...first, ...gone, ...refused, ...podFindings(look, reached ? serving : pods.objects)],
    seen: ["its status", pluralize(pods.objects.length, "Pod")],
    unseen: aside(pods.unseen),
    next: reached ? [] : minReady(look, item, pods.objects),
    ...(notes !== undefined && notes.length > 0 && { notes }),
  };
}

interface Selecting extends StoredObject {
  readonly spec?: { readonly selector?: unknown };
}

function selectorFor({ kind, object }: Item): Selector {
  const { spec }: Selecting = object;
  // The kind determines which of the two it is.
  if (isKind(kind, ReplicationControllers)) return selectorOfLabels(spec?.selector as Readonly<Record<string, string>>);
  return selectorOf(spec?.selector as LabelSelector | undefined);
}

/** The pods controlled by the object. */
export function controlledPods(look: Look, item: Item): Listed<Pod> {
  const { objects, unseen } = look.list(Pods, item.object.metadata.namespace ?? "", selectorFor(item));
  return { objects: objects.filter((pod) => isControlledBy(pod, item.object)), unseen };
}

/** `2 of 3 pods of ReplicaSet web-1 are available`; `scaled to 0`. */
export function availability(available: number, desired: number, of: string): string {
  if (desired === 0) return `scaled to 0${available > 0 ? `, ${pluralize(available, "pod")} left` : ""}`;
  return `${available} of ${pluralize(desired, "pod")}${of} ${desired === 1 ? "is" : "are"} available`;
}

/** The note for pods of an earlier template where the update strategy is OnDelete. */
export function onDeleteNote(outdated: number): string {
  const [pods, each] = [pluralize(outdated, "pod"), outdated === 1 ? "it is replaced" : "each is replaced"];
  return `${pods} of an earlier template: with OnDelete, ${each} when somebody deletes it`;
}

/** Ready pods that must stay ready for minReadySeconds before they count as available. */
export function minReady({ now }: Look, { object }: Item, pods: readonly Pod[]): string[] {
  const { minReadySeconds = 0 } = (object as { readonly spec?: { readonly minReadySeconds?: number } }).spec ?? {};
  if (minReadySeconds === 0) return [];
  const due = pods.flatMap(({ status }) => {
    const ready = status?.conditions?.find(({ type, status: is }) => type === "Ready" && is === "True");
    const leftMs = (readTime(ready?.lastTransitionTime) ?? 0) + minReadySeconds * 1000 - now;
    return leftMs > 0 ? [leftMs] : [];
  });
  if (due.length === 0) return [];
  const count = `${pluralize(due.length, "ready pod")} ${due.length === 1 ? "counts" : "count"}`;
  return [`${count} as available in ${formatAge(Math.max(...due))} (minReadySeconds ${minReadySeconds})`];
}
