/**
 * The stage events: what each stage on the path of a delta reports of itself. Every view is a listener to these and reads nothing else
 * of a stage. As JSON lines (`-o json`) they are a public, versioned format; docs/events.md describes it.
 */
import type { FieldChange } from "../api/field-changes.ts";
import type { ObjectKey } from "../api/key.ts";
import type { DeltaDetail } from "./delta-detail.ts";
import type { DeltaType, KindName } from "./names.ts";
import type { ReconcileRef } from "./reconcile-ref.ts";
import type { Trigger, TriggerLog } from "./triggers.ts";
import type { WriteDetail } from "./write-detail.ts";

export type { DeltaType, KindName } from "./names.ts";

/** A list has ended, or one of its pages failed. */
export interface ListEvent {
  readonly stage: "list";
  /** The `User-Agent` of the process that it passed a door for; absent for the controllers of this process. */
  readonly agent?: string;
  readonly of: KindName;
  readonly why: "start" | "expired" | "error" | "relist";
  readonly objects: number;
  readonly pages: number;
  readonly bytes: number;
  readonly ms: number;
  readonly resourceVersion: string;
  readonly error?: string;
}

/** A watch has been opened or has ended. */
export interface WatchEvent {
  readonly stage: "watch";
  /** The `User-Agent` of the process that it passed a door for; absent for the controllers of this process. */
  readonly agent?: string;
  readonly of: KindName;
  readonly state: "opened" | "closed" | "failed";
  readonly resourceVersion: string;
  /** Why it was opened or ended: `start`, `resume`, `timeout by the server`, `connection broke: …`, `410 Expired`, `silent for 90 s`. */
  readonly why: string;
}

/** A delta was popped from the delta queue, which applies it to the store next. */
export interface DeltaEvent {
  readonly stage: "delta";
  /** The `User-Agent` of the process that it passed a door for; absent for the controllers of this process. */
  readonly agent?: string;
  readonly of: KindName;
  readonly type: DeltaType;
  readonly key: ObjectKey;
  readonly uid: string;
  readonly resourceVersion: string;
  /** The time it was received from the server. */
  readonly receivedAt: number;
  /** A Deleted delta whose last state was not received: the object was missing from a relist. */
  readonly tombstone?: true;
  /** From a list that replaced what was known, so that versions in between may have been missed. */
  readonly relist?: true;
  /** Changed fields and the writer, computed when first read; secrets are masked. */
  readonly detail: DeltaDetail;
}

/** An object was put into the Indexer, or removed from it. */
export interface StoreEvent {
  readonly stage: "store";
  readonly of: KindName;
  readonly key: ObjectKey;
  /** The version that was there before; empty if there was none. */
  readonly replaced: string;
  /** Empty for a deletion. */
  readonly resourceVersion: string;
}

/** A listener was called with a notification, or threw. */
export interface NotifyEvent {
  readonly stage: "notify";
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly delta: number;
  readonly handler: string;
  readonly waitedMs: number;
  /** Notifications that wait behind this one. */
  readonly backlog: number;
  readonly error?: string;
}

/** A key was put into a controller's queue, or merged into one that waits there already. */
export interface EnqueueEvent {
  readonly stage: "enqueue";
  readonly controller: string;
  readonly key: ObjectKey;
  readonly trigger: Trigger;
  /** The key waited already: this trigger was added to it. */
  readonly merged: boolean;
  /** The key is being processed: it is queued again when that is done. */
  readonly inFlight: boolean;
  /** It is delayed for so many milliseconds first. */
  readonly delayMs?: number;
  readonly depth: number;
}

/** A worker took a key: a sync begins. */
export interface GetEvent {
  readonly stage: "get";
  readonly controller: string;
  readonly key: ObjectKey;
  readonly sync: number;
  readonly worker: number;
  readonly waitedMs: number;
  /** Keys that wait for a worker, after this one was taken. */
  readonly depth: number;
  readonly inFlight: number;
  /** Keys that are delayed. */
  readonly delayed: number;
  /** Failures of this key in a row. */
  readonly failures: number;
  readonly triggers: TriggerLog;
  /** Writes of earlier syncs of the key that its caches have not shown yet; absent when there are none. */
  readonly unseen?: UnseenWrites;
}

/** The writes of a controller that its caches have not shown yet. */
export interface UnseenWrites {
  readonly creations: number;
  readonly deletions: readonly ObjectKey[];
  /** When they were made, in ms since 1970. */
  readonly since: number;
}

/** A sync made a decision: a rule with the facts that it looked at. */
export interface DecisionEvent {
  readonly stage: "decision";
  readonly controller: string;
  readonly key: ObjectKey;
  readonly sync: number;
  readonly rule: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly sentence: string;
}

/** A sync records an Event for users about an object; it is written later, or, in shadow, not at all. */
export interface RecordedEvent {
  readonly stage: "event";
  readonly controller: string;
  readonly key: ObjectKey;
  readonly sync: number;
  readonly of: KindName;
  readonly about: ObjectKey;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** A write has ended: with a response, a refusal, or no answer. */
export interface WriteEvent {
  readonly stage: "write";
  /** The `User-Agent` of the process that it passed a door for; absent for the controllers of this process. */
  readonly agent?: string;
  /** Nothing was sent: the answer is what a server would have said. */
  readonly wouldBe?: true;
  /** Absent for writes that no sync made (Leases, Events). */
  readonly controller?: string;
  readonly sync?: number;
  /** The `seq` of the decision; 0 if it was made before anybody listened. */
  readonly decision?: number;
  readonly verb: "create" | "update" | "patch" | "delete" | "deletecollection";
  /** That the write was made under. */
  readonly fieldManager: string;
  readonly of: KindName;
  readonly subresource?: string;
  readonly key: ObjectKey;
  /** The name in `key` was made by the server: a create with generateName. */
  readonly generatedName?: true;
  /** Of the object in the answer; empty where the answer has none. */
  readonly uid: string;
  /** The version that the write was based on; empty if it was based on none. */
  readonly before: string;
  /** The server was asked to refuse the write if the object was no longer at `before`. */
  readonly conditional: boolean;
  /** Of the response; not always the version of the delta that follows: see LinkEvent. */
  readonly resourceVersion: string;
  /**
   * The object is gone, at a version that the response does not have: it has a deletionTimestamp, no finalizers and no grace
   * period left, or the response is a Status that says so.
   */
  readonly deletes: boolean;
  /** Of a deletecollection: how many objects the response lists. Absent if it is no list. */
  readonly objects?: number;
  /** 0 when no answer came. */
  readonly status: number;
  /** When the client was called: nothing that the write caused was received earlier. */
  readonly sentAt: number;
  /** From `sentAt` to the end of the response. The event may be emitted later, so `at - ms` is not `sentAt`. */
  readonly ms: number;
  readonly error?: string;
  /** The fields that the write is meant to change, if it is based on a known object. */
  readonly changes: readonly FieldChange[];
  /** Of a process behind a door: whose the written object is, and what it names. */
  readonly detail?: WriteDetail;
  /** Of a process behind a door that says so: the reconcile that the write belongs to. */
  readonly reconcile?: ReconcileRef;
}

/** This write caused that delta. A link is exact or absent. */
export interface LinkEvent {
  readonly stage: "link";
  /** The `seq` of the write. */
  readonly write: number;
  /** The `seq` of the delta; 0 for `superseded`. */
  readonly delta: number;
  /** How it is known; `superseded`: a relist has overtaken the write, so that its delta will never be seen. */
  readonly by: "resourceVersion" | "uid" | "binding" | "collection" | "superseded";
}

/** What becomes of a key once its sync has ended; delays in milliseconds. */
export type SyncOutcome =
  | { readonly is: "forgotten" }
  /** Requeued after `delayMs`, because the sync asked for it. */
  | { readonly is: "requeued"; readonly delayMs: number }
  /** Failed, and retried after `delayMs`; `failures` in a row so far. */
  | { readonly is: "rate-limited"; readonly delayMs: number; readonly failures: number }
  /** Failed, and not retried: a TerminalError, or the controller's retries are used up. */
  | { readonly is: "dropped"; readonly failures: number };

/** A sync has ended. */
export interface DoneEvent {
  readonly stage: "done";
  readonly controller: string;
  readonly key: ObjectKey;
  readonly sync: number;
  readonly outcome: SyncOutcome;
  readonly ms: number;
  readonly error?: string;
  /** The error is an expected one, which a retry resolves: a conflict, or a cache that is behind. */
  readonly expected?: "conflict" | "cache behind";
}

/** Shadow: a would-be write waits for the owner to do the same, or has been waiting since an earlier sync. */
export interface IntentionEvent {
  readonly stage: "intention";
  readonly controller: string;
  readonly key: ObjectKey;
  /** The sync that decided it now. */
  readonly sync: number;
  /** Its number, from 1; the same in all syncs that decide it again while it waits. */
  readonly intention: number;
  readonly again: boolean;
  readonly verb: WriteEvent["verb"];
  readonly of: KindName;
  readonly subresource?: string;
  readonly target: ObjectKey;
}

/** How a would-be write and the owner's compare. `owner was refused`: it tried the same, and the API server refused it. */
export type Agreement = "same" | "differs" | "owner was faster" | "owner was refused" | "not comparable";

/** Shadow: an intention was settled, or the owner did something that was not intended here. */
export interface AgreementEvent {
  readonly stage: "agreement";
  readonly controller: string;
  readonly key: ObjectKey;
  readonly is: Agreement;
  /** Absent, as is `sync`, for what the owner did without an intention of ours. `sync` is the one that decided it first. */
  readonly intention?: number;
  readonly sync?: number;
  readonly verb: WriteEvent["verb"];
  readonly of: KindName;
  readonly subresource?: string;
  readonly target: ObjectKey;
  /** The name in `target` was made up here: a create with generateName. */
  readonly generatedName?: true;
  /** The `seq` of the owner's delta; absent where the owner did nothing. */
  readonly delta?: number;
  /** From our decision to the owner's delta. */
  readonly afterMs?: number;
  readonly why: string;
}

/** A request of a process has passed a door, and its response has ended. */
export interface RequestEvent {
  readonly stage: "request";
  /** Its `User-Agent`. */
  readonly agent: string;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; of paths without a resource the method in lower case. */
  readonly verb: string;
  /** The kind that the path names; absent for discovery, health checks and other paths. */
  readonly of?: KindName;
  /** The resource as the path names it: `deployments`. */
  readonly resource?: string;
  readonly subresource?: string;
  /** Whom the process impersonated: the user, or else a group. */
  readonly as?: string;
  /** The reconcile that it belongs to, where the request says so. */
  readonly reconcile?: ReconcileRef;
  /** The object or, ending in a slash, the namespace that the path names; empty for a collection over all namespaces. */
  readonly key: ObjectKey;
  /** The path and the query. */
  readonly uri: string;
  /** 0 when no response came. */
  readonly status: number;
  /** Of the response: the id of the request in the server's audit log; empty where it sent none. */
  readonly auditId: string;
  /** Of the object or the list in the response, where it was read. */
  readonly resourceVersion?: string;
  /** Of a list: how many objects it has. */
  readonly objects?: number;
  readonly sentAt: number;
  /** To the end of the response. */
  readonly ms: number;
  /** Bytes of the bodies. */
  readonly sent: number;
  readonly received: number;
  /** How the response ended, where it is not whole: `closed by the client`, or an error. */
  readonly error?: string;
}

/** How a cause is known; docs/any-process.md says what each rests on. From the surest to the one that is no evidence at all. */
export type Grade = "exact" | "own" | "owner" | "owned" | "named" | "time";

/** A write of a process that speaks through a door, and the delta that led to it as far as there is evidence. */
export interface CauseEvent {
  readonly stage: "cause";
  readonly agent: string;
  /** The `seq` of the write. */
  readonly write: number;
  /** Writes of one reconcile have the same number. */
  readonly episode: number;
  /** The `seq` of the delta; absent where no delta came before the write. */
  readonly delta?: number;
  readonly grade?: Grade;
  /** From the delta's arrival at the process to the first write of the reconcile, in ms. */
  readonly beforeMs?: number;
  /** Another delta that may have led to it instead, or as well: which of the two did, the process alone knows. */
  readonly or?: { readonly delta: number; readonly grade: Grade };
}

/** So much passed a door unread: it came faster than it could be read. */
export interface UnreadEvent {
  readonly stage: "unread";
  readonly agent: string;
  readonly uri: string;
  readonly bytes: number;
}

/** A stage event as it is emitted, without the head that the bus adds. */
export type StageEventBody =
  | ListEvent
  | WatchEvent
  | DeltaEvent
  | StoreEvent
  | NotifyEvent
  | EnqueueEvent
  | GetEvent
  | DecisionEvent
  | RecordedEvent
  | WriteEvent
  | LinkEvent
  | DoneEvent
  | IntentionEvent
  | AgreementEvent
  | RequestEvent
  | CauseEvent
  | UnreadEvent;

/** What the bus puts before each event: the version of the format, the number of the event and the time in ms since 1970. */
export interface EventHead {
  readonly v: 1;
  readonly seq: number;
  readonly at: number;
}

/** One step of a delta on its way, as listeners get it; docs/events.md describes each stage. */
export type StageEvent = EventHead & StageEventBody;
/** The name of a stage: `delta`, `enqueue`, `decision`, `write`, … */
export type Stage = StageEvent["stage"];
