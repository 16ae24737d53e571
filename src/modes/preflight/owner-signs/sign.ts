/** What the cluster reveals about other owners: traces of work, and work left undone. */
import type { ManagedFieldsEntry, StoredObject } from "../../../api/object.ts";
import { isForbidden, isNotFound } from "../../../api/status-error.ts";
import { parseTime } from "../../../api/time.ts";
import type { Unseen } from "../../../verdict/verdict.ts";

/** A trace of work. */
export interface Sign {
  /** A clause that an age follows: `ReplicaSet quota/web was written by kube-controller-manager`. */
  readonly clause: string;
  /** By the server's clock, in ms since 1970. */
  readonly at: number;
  /** Whether it is a trace of this controller; otherwise of another one of the same process. */
  readonly isOwn: boolean;
  /** The process that did it, by its field manager. */
  readonly by: string;
}

/** Work that its controller does within a second, but that has not been done. */
export interface Idle {
  /** A clause that a duration follows: `Namespace shop has had no ConfigMap kube-root-ca.crt`. */
  readonly clause: string;
  /** Since when, by the server's clock. */
  readonly since: number;
  /**
   * The controller that should have done it: its name here, or kube-controller-manager's for those not implemented
   * here.
   */
  readonly controller: string;
}

/** The result of examining one place. */
export interface Look {
  readonly signs: readonly Sign[];
  readonly idles: readonly Idle[];
  /** What was examined: `12 replicasets`. */
  readonly seen: readonly string[];
  readonly unseen: readonly Unseen[];
}

/** The maximum number of objects of one list that are examined. */
export const pageSize = 500;

/** For a place that could not be examined, or shows nothing. */
export const nothingSeen: Look = { signs: [], idles: [], seen: [], unseen: [] };

/** Several looks as one. */
export function joined(looks: readonly Look[]): Look {
  return {
    signs: looks.flatMap(({ signs }) => signs),
    idles: looks.flatMap(({ idles }) => idles),
    seen: looks.flatMap(({ seen }) => seen),
    unseen: looks.flatMap(({ unseen }) => unseen),
  };
}

/** The result, or `forbidden`, or `absent`. @throws any other error. */
export async function readable<T>(reading: Promise<T>): Promise<T | "forbidden" | "absent"> {
  try {
    return await reading;
  } catch (error) {
    if (isForbidden(error)) return "forbidden";
    if (isNotFound(error)) return "absent";
    throw error;
  }
}

/** Whether a field manager is one of ours. */
export function isOurs(manager: string): boolean {
  return manager.startsWith("kubectl-reconcile");
}

/** When the entry was last written; undefined without a time: the server keeps none for `/scale`. */
export function writtenAt({ time }: ManagedFieldsEntry): number | undefined {
  return time === undefined || time === null ? undefined : parseTime(time);
}

/**
 * When the object was last written, by anyone; undefined if a writer left no time, since that may have been just now.
 * Times are whole seconds.
 */
export function lastTouched({ metadata }: StoredObject): number | undefined {
  const times = (metadata.managedFields ?? []).map(writtenAt);
  if (times.includes(undefined)) return undefined;
  return Math.max(parseTime(metadata.creationTimestamp), ...times.filter((time) => time !== undefined));
}
