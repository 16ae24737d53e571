/** What a loop is, as data: an object that is rewritten or recreated without converging, or a key of our controllers that requeues itself. */
import type { ObjectKey } from "../../api/key.ts";
import type { KindName } from "../../trace/events.ts";

/** A writer of an object or a field; without a name where managedFields do not record it. */
export interface WriterShare {
  readonly name: string | undefined;
  readonly writes: number;
}

/** A field that makes the loop. */
export interface LoopField {
  readonly path: string;
  /** `alternates`: it returns to values that it had before. `renewed`: it has a new value each time, as a time has. */
  readonly how: "alternates" | "renewed";
  readonly changes: number;
  /** How many of them led to a value that it had had before. */
  readonly returns: number;
  /** Values seen, in the order of their first appearance; the latest eight. */
  readonly values: readonly unknown[];
  /** Who changed it, the busiest first. */
  readonly writers: readonly WriterShare[];
  /** The writer that changes it with each of its writes; absent where there is none, or more than one. */
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
  /** `empty`: nothing changes but the version. */
  readonly how: LoopField["how"] | "empty";
  /** The fields that loop: those of the spec before those of the status. */
  readonly fields: readonly LoopField[];
  /** Who wrote the object, the busiest first. */
  readonly writers: readonly WriterShare[];
  /** The object whose loop this one follows from, by owner references. */
  readonly followsFrom?: ObjectName;
}

/** An object that is deleted and created again under its name, again and again. */
export interface RecreateLoop extends ObjectName {
  readonly is: "recreated";
  /** How often it was created again, and in how many ms from the first deletion to the last creation. */
  readonly times: number;
  readonly ms: number;
  readonly lastAt: number;
  readonly createdBy: readonly WriterShare[];
  /** Without a name where nothing shows who deleted it: the API server keeps that in no object. */
  readonly deletedBy: readonly WriterShare[];
  /** The object whose loop this one follows from, by owner references. */
  readonly followsFrom?: ObjectName;
}

/** A loop of an object, whichever client writes it. */
export type ObjectLoop = RewriteLoop | RecreateLoop;

/** A key of a controller of ours whose syncs are woken by its own writes. */
export interface SelfTriggeredLoop {
  readonly is: "own writes";
  readonly controller: string;
  readonly key: ObjectKey;
  readonly syncs: number;
  /** Of these, those that a write of the same key's earlier sync woke. */
  readonly byOwnWrite: number;
  readonly ms: number;
  readonly lastAt: number;
  /** The fields that those writes changed, the busiest first. */
  readonly fields: readonly LoopField[];
}

/** A key of a controller of ours that requeues itself, and neither writes nor has anything new to look at. */
export interface RequeueLoop {
  readonly is: "requeued";
  readonly controller: string;
  readonly key: ObjectKey;
  /** Syncs in a row that nothing but the key's own requeue woke, and that wrote nothing. */
  readonly syncs: number;
  readonly ms: number;
  readonly lastAt: number;
  /** Why it was requeued, in the controller's words. */
  readonly why: string;
}

/** How often a program wrote for one reason. */
export interface CauseShare {
  /** `because Tenant acme Updated (.spec.size)`. */
  readonly why: string;
  readonly writes: number;
}

/** What a program wrote over and over, seen at its door. */
interface RepeatedWrites extends ObjectName {
  /** The program's user agent, without its version. */
  readonly controller: string;
  readonly subresource?: string;
  readonly writes: number;
  readonly ms: number;
  readonly lastAt: number;
  /** The most frequent reason first. */
  readonly because: readonly CauseShare[];
}

/** Writes of a program that changed nothing: the server had what was sent. */
export interface IneffectiveLoop extends RepeatedWrites {
  readonly is: "without effect";
}

/** Writes of a program that were refused. */
export interface RefusedLoop extends RepeatedWrites {
  readonly is: "refused";
  /** The last refusal, in the server's words. */
  readonly error: string;
}

/** A read that a program repeats though its answer stays the same. */
export interface RepeatedRead {
  readonly is: "read again";
  readonly controller: string;
  /** What is read: a path with its query. */
  readonly key: string;
  /** Those whose answer was the one before. */
  readonly reads: number;
  readonly ms: number;
  readonly lastAt: number;
  /** The median of the pauses. */
  readonly everyMs: number;
}

/** A loop of a program that no object shows. */
export type ProcessLoop = IneffectiveLoop | RefusedLoop | RepeatedRead;

/** A loop of any sort. */
export type Loop = ObjectLoop | SelfTriggeredLoop | RequeueLoop | ProcessLoop;

/** Whether it is a loop of an object, and not of a key in a queue. */
export function isObjectLoop(loop: Loop): loop is ObjectLoop {
  return loop.is === "rewritten" || loop.is === "recreated";
}

/** Whether it only follows from the loop of an owner, or of what it owns. */
export function isFollower(loop: Loop): boolean {
  return isObjectLoop(loop) && loop.followsFrom !== undefined;
}

/** An object that was written as often as one in a loop, and is none. */
export interface Acquittal extends ObjectName {
  readonly writes: number;
  readonly ms: number;
  readonly why: AcquittalReason;
}

/** Why an object that is written often is not in a loop. */
export type AcquittalReason =
  /** A number, or the length of a list, goes one way. */
  | { readonly is: "advances"; readonly path: string; readonly from: number; readonly to: number }
  /** Its status follows its spec, which changes as well. */
  | { readonly is: "answers"; readonly path: string; readonly changes: number }
  /** No field changes often enough to be a loop's. */
  | { readonly is: "different"; readonly fields: number }
  /** A field changes often, but not steadily, or not for long enough. */
  | { readonly is: "not for long"; readonly path: string };

/** Whether a field is desired state, not observed state: endpoints are observed state outside of a status. */
export function isAskedFor(path: string): boolean {
  return !/^\.(status|endpoints|subsets)\b/.test(path);
}

/** Whether a change of the field asks for something to happen: labels and annotations do not. */
export function asksFor(path: string): boolean {
  return isAskedFor(path) && !path.startsWith(".metadata");
}

/** From when on writes may be a loop. */
export interface LoopsOptions {
  /** Writes a minute above which an object is examined. A value that returns is reported at any rate. */
  readonly perMinute: number;
  /** The shortest loop, in ms: a rollout is a burst. Default 5 s. */
  readonly leastMs?: number;
}

/** The fewest writes of a loop. */
export const leastWrites = 6;
/** The shortest loop. */
export const defaultLeastMs = 5000;

/** `Deployment shop/web` of one group: what a loop's object is known by. */
export function nameOf({ of, key }: ObjectName): string {
  return `${of.group} ${of.kind} ${key}`;
}
