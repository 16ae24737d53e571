/** What a StatefulSet waits for: by its counts and revisions, and by its pods in their order. */
import type { Pod, StatefulSet } from "../api/types.ts";
import { pluralize } from "../api/pluralize.ts";
import type { Examined, Item } from "./diagnosis.ts";
import { unseenGeneration } from "./generations.ts";
import type { Look } from "./look.ts";
import { isReady, isServing } from "./pods.ts";
import { availability, controlledPods, onDeleteNote, withPods } from "./replicas.ts";
import { ofAll } from "./spans.ts";
import { claimFindings, type Lacking } from "./stateful-set-claims.ts";

/** By its counts and revisions, and its pods. */
export function examineStatefulSet(look: Look, item: Item<StatefulSet>): Examined {
  const { spec, status } = item.object;
  const desired = spec?.replicas ?? 1;
  const available = status?.availableReplicas ?? 0;
  const unseenSpec = unseenGeneration(look, item);
  const numbers = unseenSpec.length === 0 && available === desired && (status?.replicas ?? 0) === desired;
  // With OnDelete, and below the partition, old pods are meant to stay.
  const partition = spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
  const rolls = spec?.updateStrategy?.type !== "OnDelete" && status?.updateRevision !== status?.currentRevision;
  const updated = status?.updatedReplicas ?? 0;
  const meant = Math.max(0, desired - partition);
  const isRolling = rolls && updated < meant;
  const reached = numbers && !isRolling;
  const says = availability(available, desired, "");
  const { objects: pods, unseen } = controlledPods(look, item);
  const isKnown = !reached && unseenSpec.length === 0 && unseen.length === 0;
  return withPods(look, item, {
    says: isRolling ? `${says}, ${ofAll(updated, meant, "pod", "up to date")}` : says,
    reached,
    counted: status?.replicas ?? 0,
    first: [...unseenSpec, ...(isKnown ? claimFindings(look, lackingPods(item, pods)) : [])],
    notes: [
      ...(isKnown ? heldUp(item.object, { pods, outdated: isRolling ? meant - updated : 0 }) : []),
      ...(unseenSpec.length === 0 && unseen.length === 0 ? outdatedNote(item.object, pods) : []),
    ],
  });
}

/** Which pods stay at an earlier template, as its update strategy requires. */
function outdatedNote({ spec, status }: StatefulSet, pods: readonly Pod[]): readonly string[] {
  const old = pods.filter((pod) => isServing(pod) && revisionOf(pod) !== status?.updateRevision);
  if (spec?.updateStrategy?.type === "OnDelete") return old.length === 0 ? [] : [onDeleteNote(old.length)];
  const partition = spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
  const below = old.filter((pod) => ordinalOf(pod) < (spec?.ordinals?.start ?? 0) + partition).length;
  return below === 0 ? [] : [`${pluralize(below, "pod")} of an earlier template: below partition ${partition}`];
}

function lackingPods(item: Item<StatefulSet>, pods: readonly Pod[]): Lacking {
  const { metadata, spec, status } = item.object;
  const existing = new Set(pods.map(ordinalOf));
  const missing = ordinalsOf(item.object).filter((ordinal) => !existing.has(ordinal));
  const isOrdered = spec?.podManagementPolicy !== "Parallel";
  // There, a pod waits for those before it.
  const areAvailable = (status?.availableReplicas ?? 0) === pods.length;
  const possible = isOrdered ? missing.slice(0, areAvailable ? 1 : 0) : missing;
  return { item, missing: possible.map((ordinal) => `${metadata.name}-${ordinal}`), pods: pods.length };
}

function ordinalsOf({ spec }: StatefulSet): readonly number[] {
  const start = spec?.ordinals?.start ?? 0;
  return Array.from({ length: spec?.replicas ?? 1 }, (_, n) => start + n);
}

const ordinalOf = ({ metadata }: Pod): number => Number(/-(\d+)$/.exec(metadata.name)?.[1] ?? -1);

const revisionOf = ({ metadata }: Pod): string => metadata.labels?.["controller-revision-hash"] ?? "";

interface SeenPods {
  readonly pods: readonly Pod[];
  /** How many are still to be updated. */
  readonly outdated: number;
}

const isUp = (pod: Pod): boolean => isServing(pod) && isReady(pod);

/** The first pod that an ordered set is waiting for: what that blocks, and whether the pod must be deleted by hand. */
function heldUp(set: StatefulSet, { pods, outdated }: SeenPods): readonly string[] {
  const { spec, status, metadata } = set;
  if (spec?.podManagementPolicy === "Parallel") return [];
  const rollsOut = spec?.updateStrategy?.type !== "OnDelete";
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  const ordinals = ordinalsOf(set);
  const first = ordinals.find((ordinal) => {
    const pod = byOrdinal.get(ordinal);
    return pod === undefined || !isUp(pod);
  });
  if (first === undefined) return [];
  const missing = ordinals.filter((ordinal) => ordinal > first && !byOrdinal.has(ordinal)).length;
  const excess = [...byOrdinal.keys()].filter((ordinal) => ordinal >= 0 && !ordinals.includes(ordinal)).length;
  const held = [
    ...(missing > 0 ? [`${pluralize(missing, "pod")} after it ${missing === 1 ? "is" : "are"} not created`] : []),
    ...(excess > 0 ? [`${pluralize(excess, "pod")} ${excess === 1 ? "is" : "are"} not scaled down`] : []),
    ...(outdated > 0 ? ["no other pod is updated"] : []),
  ];
  const name = `${metadata.name}-${first}`;
  const pod = byOrdinal.get(first);
  const going = pod?.metadata.deletionTimestamp !== undefined;
  const until = pod === undefined ? "is there" : going ? "is gone and recreated" : "is ready";
  return [
    ...(held.length === 0
      ? []
      : [`its pods come in order: until ${name} (ordinal ${first}) ${until}, ${held.join(", ")}`]),
    ...(pod === undefined || going || !rollsOut || revisionOf(pod) === status?.updateRevision
      ? []
      : [
          `${name} is of an earlier template: the set waits for it and does not replace it; delete it to have it recreated`,
        ]),
  ];
}
