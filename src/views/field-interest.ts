/** Which of an object's changed fields a person wants to see first. */
import type { FieldChange } from "../api/field-changes.ts";

/** What a delta changed, and who made the change, as far as managedFields record it. */
export interface ChangeDetail {
  readonly changes: readonly FieldChange[];
  readonly writer?: string | undefined;
}

/** The changes that say most, in that order, and how many more there are. */
export interface ChangeSummary {
  readonly shown: readonly FieldChange[];
  readonly more: number;
}

/** No changes at all. */
export const noChanges: ChangeSummary = { shown: [], more: 0 };

/** Times that go with another change: a condition's, a heartbeat's. */
const times = /\.(lastTransitionTime|lastUpdateTime|lastProbeTime|lastHeartbeatTime|renewTime|time|lastTimestamp)$/;

/** What follows from the rest by itself. */
const counters =
  /^\.(metadata\.generation|status\.(.*\.)?observedGeneration|metadata\.annotations\["deployment\.kubernetes\.io\/revision"\])$/;

/** The conditions that sum the others up, and a condition's words beside its status. */
const summingUp = /^\.status\.conditions\[(Ready|Available|Progressing|ReplicaFailure|Failed|Complete)\]/;
const wordsOfCondition = /^\.status\.conditions\[[^\]]*\]\.(reason|message)$/;
const partsOfStatus = /^\.status\.(conditions|containerStatuses|initContainerStatuses)\[/;

/** Whether a field goes up by itself with every change of the others. */
export function isCounter(path: string): boolean {
  return counters.test(path);
}

/** From this rank on a change goes with another one. */
const accompanying = 4;

/** Whether a field says nothing by itself: a time, a counter that follows from the rest. */
export function goesWithOthers(path: string): boolean {
  return interestOf(path) >= accompanying;
}

/** 0 first: the spec, then the status, then times, then counters that follow from the rest. */
export function interestOf(path: string): number {
  if (path.startsWith(".metadata.deletionTimestamp")) return 0;
  if (counters.test(path)) return partsOfStatus.test(path) ? 6 : 5;
  if (times.test(path)) return 4;
  if (wordsOfCondition.test(path)) return 3.6;
  if (partsOfStatus.test(path) && !summingUp.test(path)) return 3.3;
  if (path.startsWith(".status")) return 3;
  if (path.includes('["kubectl.kubernetes.io/last-applied-configuration"]')) return 5;
  if (path.startsWith(".metadata.deletionGracePeriodSeconds")) return 4;
  if (path.startsWith(".metadata")) return 2;
  return 1;
}

/** The changes that say something by themselves; where none does, those that come nearest to it. */
function withoutAccompanying(changes: readonly FieldChange[]): readonly FieldChange[] {
  const telling = changes.filter(({ path }) => interestOf(path) < accompanying);
  if (telling.length > 0) return telling;
  const least = Math.min(...changes.map(({ path }) => interestOf(path)));
  return changes.filter(({ path }) => interestOf(path) === least);
}

/** The same changes, the most telling first; among equals in the object's own order. */
export function byInterest(changes: readonly FieldChange[]): readonly FieldChange[] {
  if (changes.length < 2) return changes;
  return changes
    .map((change, index) => ({ change, index, rank: interestOf(change.path) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map(({ change }) => change);
}

/** The changes that say something by themselves, the most telling first. */
export function tellingChanges(changes: readonly FieldChange[]): readonly FieldChange[] {
  return byInterest(withoutAccompanying(changes));
}

/** The first `most` of the telling changes, or one more where that is all of them. */
export function summarizeChanges(changes: readonly FieldChange[], most: number): ChangeSummary {
  const telling = tellingChanges(changes);
  if (telling.length <= most + 1) return { shown: telling, more: 0 };
  return { shown: telling.slice(0, most), more: telling.length - most };
}
