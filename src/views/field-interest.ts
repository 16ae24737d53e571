/** Orders the changed fields of an object by how informative they are to a person. */
import type { FieldChange } from "../api/field-changes.ts";

/** The changes of a delta, and the field manager that made them, as far as managedFields record it. */
export interface ChangeDetail {
  readonly changes: readonly FieldChange[];
  readonly writer?: string | undefined;
}

/** The most telling changes, the most telling first, and how many were left out. */
export interface ChangeSummary {
  readonly shown: readonly FieldChange[];
  readonly more: number;
}

/** No changes at all. */
export const noChanges: ChangeSummary = { shown: [], more: 0 };

/** Times that accompany another change: those of conditions and heartbeats. */
const times = /\.(lastTransitionTime|lastUpdateTime|lastProbeTime|lastHeartbeatTime|renewTime|time|lastTimestamp)$/;

/** Counters that follow from the other changes. */
const counters =
  /^\.(metadata\.generation|status\.(.*\.)?observedGeneration|metadata\.annotations\["deployment\.kubernetes\.io\/revision"\])$/;

/** The conditions that summarize the others, and the explanatory fields of any condition. */
const summaryConditions = /^\.status\.conditions\[(Ready|Available|Progressing|ReplicaFailure|Failed|Complete)\]/;
const conditionText = /^\.status\.conditions\[[^\]]*\]\.(reason|message)$/;
const partsOfStatus = /^\.status\.(conditions|containerStatuses|initContainerStatuses)\[/;

/** Whether a field is a counter that follows from the other changes. */
export function isCounter(path: string): boolean {
  return counters.test(path);
}

/** From this rank on, a change only accompanies others. */
const accompanying = 4;

/** Whether a field only accompanies other changes: a time, or a counter that follows from them. */
export function goesWithOthers(path: string): boolean {
  return interestOf(path) >= accompanying;
}

/** The rank of a field, 0 first: the spec, then the status, then times, then counters. */
export function interestOf(path: string): number {
  if (path.startsWith(".metadata.deletionTimestamp")) return 0;
  if (counters.test(path)) return partsOfStatus.test(path) ? 6 : 5;
  if (times.test(path)) return 4;
  if (conditionText.test(path)) return 3.6;
  if (partsOfStatus.test(path) && !summaryConditions.test(path)) return 3.3;
  if (path.startsWith(".status")) return 3;
  if (path.includes('["kubectl.kubernetes.io/last-applied-configuration"]')) return 5;
  if (path.startsWith(".metadata.deletionGracePeriodSeconds")) return 4;
  if (path.startsWith(".metadata")) return 2;
  return 1;
}

/** The changes that do not just accompany others; if all do, those of the best rank. */
function withoutAccompanying(changes: readonly FieldChange[]): readonly FieldChange[] {
  const telling = changes.filter(({ path }) => interestOf(path) < accompanying);
  if (telling.length > 0) return telling;
  const least = Math.min(...changes.map(({ path }) => interestOf(path)));
  return changes.filter(({ path }) => interestOf(path) === least);
}

/** The same changes, the most telling first. The sort is stable. */
export function byInterest(changes: readonly FieldChange[]): readonly FieldChange[] {
  if (changes.length < 2) return changes;
  return changes
    .map((change, index) => ({ change, index, rank: interestOf(change.path) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map(({ change }) => change);
}

/** The changes that do not just accompany others, the most telling first. */
export function tellingChanges(changes: readonly FieldChange[]): readonly FieldChange[] {
  return byInterest(withoutAccompanying(changes));
}

/** Keeps the first `max` telling changes, or `max + 1` if there are no more than that. */
export function summarizeChanges(changes: readonly FieldChange[], max: number): ChangeSummary {
  const telling = tellingChanges(changes);
  if (telling.length <= max + 1) return { shown: telling, more: 0 };
  return { shown: telling.slice(0, max), more: telling.length - max };
}
