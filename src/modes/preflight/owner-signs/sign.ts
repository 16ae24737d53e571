/** What the cluster shows of somebody who reconciles: traces of work, and work that was left undone. */
import type { ManagedFieldsEntry, StoredObject } from "../../../api/object.ts";
import { isForbidden, isNotFound } from "../../../api/status-error.ts";
import { parseTime } from "../../../api/time.ts";
import type { Unseen } from "../../../verdict/verdict.ts";

/** Somebody has worked. */
export interface Sign {
  /** A clause that an age follows: `ReplicaSet quota/web was written by kube-controller-manager`. */
  readonly says: string;
  /** By the server's clock, in ms since 1970. */
  readonly at: number;
  /** It is the trace of this controller; otherwise of another one of the same process. */
  readonly isOwn: boolean;
  /** The process that did it, as it names itself. */
  readonly by: string;
}

/** Work that its controller does within a second, and that has not been done. */
export interface Idle {
  /** A clause that a duration follows: `Namespace shop has had no ConfigMap kube-root-ca.crt`. */
  readonly says: string;
  /** Since when, by the server's clock. */
  readonly since: number;
  /** Which controller leaves it undone: its name here, or kube-controller-manager's for those that are not built here. */
  readonly controller: string;
}

/** What a look at one place has brought. */
export interface Look {
  readonly signs: readonly Sign[];
  readonly idles: readonly Idle[];
  /** What was looked at: `12 replicasets`. */
  readonly seen: readonly string[];
  readonly unseen: readonly Unseen[];
}

export const nothingSeen: Look = { signs: [], idles: [], seen: [], unseen: [] };

export function joined(looks: readonly Look[]): Look {
  return {
    signs: looks.flatMap(({ signs }) => signs),
    idles: looks.flatMap(({ idles }) => idles),
    seen: looks.flatMap(({ seen }) => seen),
    unseen: looks.flatMap(({ unseen }) => unseen),
  };
}

/** What is read, or `forbidden`, or `absent`. @throws what is neither. */
export async function readable<T>(reading: Promise<T>): Promise<T | "forbidden" | "absent"> {
  try {
    return await reading;
  } catch (error) {
    if (isForbidden(error)) return "forbidden";
    if (isNotFound(error)) return "absent";
    throw error;
  }
}

/** When the entry was written last; undefined where it has no time: the server keeps none for `/scale`. */
export function writtenAt({ time }: ManagedFieldsEntry): number | undefined {
  return time === undefined || time === null ? undefined : parseTime(time);
}

/**
 * When the object was written last, by anybody; undefined where a writer has left no time, so that it may have been just now.
 * Times are whole seconds.
 */
export function lastTouched({ metadata }: StoredObject): number | undefined {
  const times = (metadata.managedFields ?? []).map(writtenAt);
  if (times.includes(undefined)) return undefined;
  return Math.max(parseTime(metadata.creationTimestamp), ...times.filter((time) => time !== undefined));
}
