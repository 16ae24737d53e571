/** The kinds of loops: an object rewritten or recreated without converging, a key that keeps triggering itself, a repeated request. */
import { formatDuration } from "../../api/duration.ts";
import type { ObjectKey } from "../../api/key.ts";
import type { KindName } from "../../trace/events.ts";

/** A writer of an object or field, and its number of writes. `name` is undefined if managedFields do not show the writer. */
export interface WriterShare {
  readonly name: string | undefined;
  readonly writes: number;
}

/** A field that takes part in a loop. */
export interface LoopField {
  readonly path: string;
  /** `alternates`: it returns to earlier values. `renewed`: it gets a new value each time, such as a timestamp. */
  readonly how: "alternates" | "renewed";
  readonly changes: number;
  /** How many of the changes returned to an earlier value. */
  readonly returns: number;
  /** The latest eight distinct values, in the order of their first appearance. */
  readonly values: readonly unknown[];
  /** Who changed it, the busiest first. */
  readonly writers: readonly WriterShare[];
  /** The only writer of the field, if it changes the field with every write. */
  readonly everyWriteOf?: string;
}

/** An object, by its kind and its key. */
export interface ObjectName {
  readonly of: KindName;
  readonly key: ObjectKey;
}

/** An object that is rewritten in a loop. */
export interface RewriteLoop extends ObjectName {
  readonly is: "rewritten";
  /** Writes seen, and in how many ms from the first to the last. */
  readonly writes: number;
  readonly ms: number;
  /** When it was written last, in ms since 1970. */
  readonly lastAt: number;
  /** `empty`: the writes change nothing but the resourceVersion. */
  readonly how: LoopField["how"] | "empty";
  /** The fields that loop: those of the spec before those of the status. */
  readonly fields: readonly LoopField[];
  /** Who wrote the object, the busiest first. */
  readonly writers: readonly WriterShare[];
  /** The object whose loop this one follows from, by owner references. */
  readonly followsFrom?: ObjectName;
}

/** An object that is repeatedly deleted and created again under its name. */
export interface RecreateLoop extends ObjectName {
  readonly is: "recreated";
  /** How often it was recreated, and the time from the first deletion to the last creation, in ms. */
  readonly times: number;
  readonly ms: number;
  readonly lastAt: number;
  readonly createdBy: readonly WriterShare[];
  /** `name` is usually undefined: no object records who deleted it. */
  readonly deletedBy: readonly WriterShare[];
  /** The object whose loop this one follows from, by owner references. */
  readonly followsFrom?: ObjectName;
}

/** A loop of an object, whatever clients write it. */
export type ObjectLoop = RewriteLoop | RecreateLoop;

/** A key of one of our controllers whose syncs are triggered by its own writes. */
export interface SelfTriggeredLoop {
  readonly is: "own writes";
  readonly controller: string;
  readonly key: ObjectKey;
  readonly syncs: number;
  /** How many of these were triggered by a write of an earlier sync of the same key. */
  readonly byOwnWrite: number;
  readonly ms: number;
  readonly lastAt: number;
  /** The fields that those writes changed, the busiest first. */
  readonly fields: readonly LoopField[];
}

/** A key of one of our controllers that keeps requeueing itself without a write or a new delta. */
export interface RequeueLoop {
  readonly is: "requeued";
  readonly controller: string;
  readonly key: ObjectKey;
  /** Consecutive syncs that were triggered only by the key's own requeue and wrote nothing. */
  readonly syncs: number;
  readonly ms: number;
  readonly lastAt: number;
  /** Why it was requeued, in the controller's words. */
  readonly why: string;
}

/** A cause of a program's writes, and how many it led to. */
export interface CauseShare {
  /** `because Tenant acme Updated (.spec.size)`. */
  readonly why: string;
  readonly writes: number;
}

/** Repeated writes of a program, as seen by the proxy. */
interface RepeatedWrites extends ObjectName {
  /** The program's user agent, without its version. */
  readonly controller: string;
  readonly subresource?: string;
  readonly writes: number;
  readonly ms: number;
  readonly lastAt: number;
  /** The causes, the most frequent first. */
  readonly because: readonly CauseShare[];
}

/** Repeated writes of a program that changed nothing. */
export interface IneffectiveLoop extends RepeatedWrites {
  readonly is: "without effect";
}

/** Repeated writes of a program that were refused. */
export interface RefusedLoop extends RepeatedWrites {
  readonly is: "refused";
  /** The last refusal, in the server's words. */
  readonly error: string;
}

/** A read that a program repeats although the response stays the same. */
export interface RepeatedRead {
  readonly is: "read again";
  readonly controller: string;
  /** What is read: a path with its query. */
  readonly key: string;
  /** Reads with the same response as the read before. */
  readonly reads: number;
  readonly ms: number;
  readonly lastAt: number;
  /** The median pause between two reads, in ms. */
  readonly everyMs: number;
}

/** A loop of a program that leaves no trace in objects. */
export type ProcessLoop = IneffectiveLoop | RefusedLoop | RepeatedRead;

/** Any loop. */
export type Loop = ObjectLoop | SelfTriggeredLoop | RequeueLoop | ProcessLoop;

/** Whether the loop is one of an object, not of a key or a request. */
export function isObjectLoop(loop: Loop): loop is ObjectLoop {
  return loop.is === "rewritten" || loop.is === "recreated";
}

/** Whether the loop only follows from that of an owner or dependent. */
export function isFollower(loop: Loop): boolean {
  return isObjectLoop(loop) && loop.followsFrom !== undefined;
}

/** An object that was written as often as in a loop, but is not in one. */
export interface Acquittal extends ObjectName {
  readonly writes: number;
  readonly ms: number;
  readonly why: AcquittalReason;
}

/** Why an object that is written often is not in a loop. */
export type AcquittalReason =
  /** A number, or the length of a list, moves in one direction. */
  | { readonly is: "advances"; readonly path: string; readonly from: number; readonly to: number }
  /** Its status changes because its spec does. */
  | { readonly is: "answers"; readonly path: string; readonly changes: number }
  /** No single field changes often enough for a loop. */
  | { readonly is: "different"; readonly fields: number }
  /** A field changes often, but not steadily or not for long enough. */
  | { readonly is: "not for long"; readonly path: string };

/** Whether a field is desired state. Everything outside `status` is, except endpoints. */
export function isDesiredState(path: string): boolean {
  return !/^\.(status|endpoints|subsets)\b/.test(path);
}

/** Whether a change of the field requests an action of a controller; changes of metadata do not. */
export function requestsAction(path: string): boolean {
  return isDesiredState(path) && !path.startsWith(".metadata");
}

/** Thresholds for loops. */
export interface LoopsOptions {
  /** Writes per minute above which an object is examined. A spec whose values return is reported at any rate. */
  readonly perMinute: number;
  /** The shortest duration of a loop, in ms, since a rollout is a short burst. Default 5 s. */
  readonly minMs?: number;
}

/** The minimum number of writes of a loop. */
export const minWrites = 6;
/** The default shortest duration of a loop, in ms. */
export const defaultMinMs = 5000;
/** The same for a sentence: `5 s`. */
export const shortestLoop: string = formatDuration(defaultMinMs);

/** A unique name for an object: group, kind and key. */
export function nameOf({ of, key }: ObjectName): string {
  return `${of.group} ${of.kind} ${key}`;
}
