/**
 * The stage events: what each stage on the path of a delta reports about its work. Views listen to these events and have no other access
 * to a stage. As JSON lines (`-o json`) they are a public, versioned format, described in docs/events.md.
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
  /** The `User-Agent` of the process behind the proxy; absent for the controllers of this process. */
  readonly agent?: string;
  readonly of: KindName;
  readonly why: "start" | "expired" | "error" | "relist";
  readonly objects: number;
  readonly pages: number;
  readonly bytes: number;
  readonly ms: number;
  readonly resourceVersion: string;
  readonly error?: string;
  /** The server does not serve the kind, which is an optional one (see Kind): it counts as one without objects. */
  readonly notServed?: true;
}

/** A watch has been opened or has ended. */
export interface WatchEvent {
  readonly stage: "watch";
  /** The `User-Agent` of the process behind the proxy; absent for the controllers of this process. */
  readonly agent?: string;
  readonly of: KindName;
  readonly state: "opened" | "closed" | "failed";
  readonly resourceVersion: string;
  /** Why it was opened or ended: `start`, `resume`, `timeout by the server`, `connection broke: …`, `410 Expired`, `silent for 90 s`. */
  readonly why: string;
}

/** A delta was popped from the delta queue and is about to be applied to the store. */
export interface DeltaEvent {
  readonly stage: "delta";
  /** The `User-Agent` of the process behind the proxy; absent for the controllers of this process. */
  readonly agent?: string;
  readonly of: KindName;
  readonly type: DeltaType;
  readonly key: ObjectKey;
  readonly uid: string;
  readonly resourceVersion: string;
  /** When it was received from the server, in ms since 1970. */
  readonly receivedAt: number;
  /** Set on a Deleted delta whose final state was not received: the object was missing from a relist. */
  readonly tombstone?: true;
  /** Set on a delta from a relist: versions in between may have been missed. */
  readonly relist?: true;
  /** The changed fields and their writer, computed when first read; secrets are masked. */
  readonly detail: DeltaDetail;
}

/** An object was put into the Indexer, or removed from it. */
export interface StoreEvent {
  readonly stage: "store";
  readonly of: KindName;
  readonly key: ObjectKey;
  /** The resourceVersion that was replaced; empty if there was none. */
  readonly replaced: string;
  /** The new one; empty for a deletion. */
  readonly resourceVersion: string;
}

/** An event handler was called with a notification, or threw. */
export interface NotifyEvent {
  readonly stage: "notify";
  readonly of: KindName;
  readonly key: ObjectKey;
  /** The `seq` of the delta. */
  readonly delta: number;
  readonly handler: string;
  readonly waitedMs: number;
  /** Notifications waiting behind this one. */
  readonly backlog: number;
  readonly error?: string;
}

/** A key was added to a controller's queue, or merged with the same key already waiting there. */
export interface EnqueueEvent {
  readonly stage: "enqueue";
  readonly controller: string;
  readonly key: ObjectKey;
  readonly trigger: Trigger;
  /** The key was already waiting: this trigger was added to it. */
  readonly merged: boolean;
  /** The key is being processed: it is queued again when that ends. */
  readonly inFlight: boolean;
  /** The delay before it becomes ready, in ms. */
  readonly delayMs?: number;
  readonly depth: number;
}

/** A worker took a key from the queue: a sync starts. */
export interface GetEvent {
  readonly stage: "get";
  readonly controller: string;
  readonly key: ObjectKey;
  readonly sync: number;
  readonly worker: number;
  readonly waitedMs: number;
  /** Keys waiting for a worker, without this one. */
  readonly depth: number;
  readonly inFlight: number;
  /** Keys whose delay is not over. */
  readonly delayed: number;
  /** Consecutive failures of this key. */
  readonly failures: number;
  readonly triggers: TriggerLog;
  /** Writes of earlier syncs of the key that the caches do not show yet; absent if there are none. */
  readonly unseen?: UnseenWrites;
}

/** Writes of a controller that its caches do not show yet. */
export interface UnseenWrites {
  readonly creations: number;
  readonly deletions: readonly ObjectKey[];
  /** When they were made, in ms since 1970. */
  readonly since: number;
}

/** A sync made a decision: it applied a rule to facts. */
export interface DecisionEvent {
  readonly stage: "decision";
  readonly controller: string;
  readonly key: ObjectKey;
  readonly sync: number;
  readonly rule: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly sentence: string;
}

/** A sync recorded a Kubernetes Event about an object. The Event is written later, or in shadow mode not at all. */
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

/** A write has ended, with or without a response. */
export interface WriteEvent {
  readonly stage: "write";
  /** The `User-Agent` of the process behind the proxy; absent for the controllers of this process. */
  readonly agent?: string;
  /** Nothing was sent: the response is the one that a server would have given. */
  readonly wouldBe?: true;
  /** Absent for writes made outside of a sync (Leases, Events). */
  readonly controller?: string;
  readonly sync?: number;
  /** The `seq` of the decision; 0 if nothing listened when it was made. */
  readonly decision?: number;
  readonly verb: "create" | "update" | "patch" | "delete" | "deletecollection";
  /** The field manager of the request. */
  readonly fieldManager: string;
  readonly of: KindName;
  readonly subresource?: string;
  readonly key: ObjectKey;
  /** The server generated the name in `key`: a create with generateName. */
  readonly generatedName?: true;
  /** The uid of the object in the response; empty if the response has none. */
  readonly uid: string;
  /** The resourceVersion that the write was based on; empty if none. */
  readonly before: string;
  /** The request carried `before` as a precondition, so that the server refuses the write if the object has changed. */
  readonly conditional: boolean;
  /** The resourceVersion in the response. The delta that follows may have another one: see `LinkEvent`. */
  readonly resourceVersion: string;
  /**
   * The write removed the object, at a resourceVersion that the response does not show: the returned object has a deletionTimestamp but no
   * finalizers and no grace period left, or the response is a Status that reports the deletion.
   */
  readonly deletes: boolean;
  /** For a deletecollection, the number of objects in the response. Absent if the response is not a list. */
  readonly objects?: number;
  /** The HTTP status; 0 if no response came. */
  readonly status: number;
  /** When the client was called, in ms since 1970: no effect of the write was received earlier. */
  readonly sentAt: number;
  /** From `sentAt` to the end of the response. The event may be emitted later, so `at - ms` is not `sentAt`. */
  readonly ms: number;
  readonly error?: string;
  /** The fields that the write was meant to change, if it was based on a known object. */
  readonly changes: readonly FieldChange[];
  /** For a process behind the proxy: the owner of the written object, and the names in its body. */
  readonly detail?: WriteDetail;
  /** For a process behind the proxy that sends it: the reconcile that the write belongs to. */
  readonly reconcile?: ReconcileRef;
}

/** A write caused a delta. A link is exact or absent, never a guess. */
export interface LinkEvent {
  readonly stage: "link";
  /** The `seq` of the write. */
  readonly write: number;
  /** The `seq` of the delta; 0 for `superseded`. */
  readonly delta: number;
  /** The evidence. `superseded`: a relist overtook the write, so its delta will never be seen. */
  readonly by: "resourceVersion" | "uid" | "binding" | "collection" | "superseded";
}

/** What happens to a key after its sync. Delays in ms. */
export type SyncOutcome =
  | { readonly is: "forgotten" }
  /** Requeued after `delayMs`, at the request of the sync. */
  | { readonly is: "requeued"; readonly delayMs: number }
  /** Failed, and retried after `delayMs`; `failures` counts consecutive failures. */
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
  /** Set if the error is expected and a retry resolves it: a conflict, or a stale cache. */
  readonly expected?: "conflict" | "cache behind";
}

/** Shadow mode: a sync intends a write, which waits for the owner to do the same. */
export interface IntentionEvent {
  readonly stage: "intention";
  readonly controller: string;
  readonly key: ObjectKey;
  /** The sync that decided it. */
  readonly sync: number;
  /** Numbered from 1; the same number in every sync that decides it again while it waits. */
  readonly intention: number;
  /** An earlier sync decided it already. */
  readonly again: boolean;
  readonly verb: WriteEvent["verb"];
  readonly of: KindName;
  readonly subresource?: string;
  readonly target: ObjectKey;
}

/** How an intention compares with what the owner did. `owner was refused`: it tried the same, and the API server refused. */
export type Agreement = "same" | "differs" | "owner was faster" | "owner was refused" | "not comparable";

/** Shadow mode: an intention has its outcome, or the owner did something without an intention of ours. */
export interface AgreementEvent {
  readonly stage: "agreement";
  readonly controller: string;
  readonly key: ObjectKey;
  readonly is: Agreement;
  /** `sync` is the one that first decided the intention. Both are absent for what the owner did without an intention of ours. */
  readonly intention?: number;
  readonly sync?: number;
  readonly verb: WriteEvent["verb"];
  readonly of: KindName;
  readonly subresource?: string;
  readonly target: ObjectKey;
  /** An earlier event gave this outcome, because the owner had not acted in time. */
  readonly revises?: Agreement;
  /** Shadow generated the name in `target`: a create with generateName. */
  readonly generatedName?: true;
  /** The `seq` of the owner's delta; absent if the owner did nothing. */
  readonly delta?: number;
  /** Time from our decision to the owner's delta. */
  readonly afterMs?: number;
  readonly why: string;
}

/** A request of a process has passed the proxy, and its response has ended. */
export interface RequestEvent {
  readonly stage: "request";
  /** Its `User-Agent`. */
  readonly agent: string;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for a non-resource path, the method in lower case. */
  readonly verb: string;
  /** The kind that the path names; absent for discovery, health checks and other non-resource paths. */
  readonly of?: KindName;
  /** The resource as the path names it: `deployments`. */
  readonly resource?: string;
  readonly subresource?: string;
  /** The user that the process impersonated, or else a group. */
  readonly as?: string;
  /** The reconcile that it belongs to, if the request states one. */
  readonly reconcile?: ReconcileRef;
  /** The object that the path names, or the namespace with a trailing slash; empty for a collection over all namespaces. */
  readonly key: ObjectKey;
  /** The path and the query. */
  readonly uri: string;
  /** The HTTP status; 0 if no response came. */
  readonly status: number;
  /** The request's id in the server's audit log, from the response; empty if the server sent none. */
  readonly auditId: string;
  /** The resourceVersion of the object or list in the response, if it was parsed. */
  readonly resourceVersion?: string;
  /** The number of objects in a list. */
  readonly objects?: number;
  readonly sentAt: number;
  /** To the end of the response. */
  readonly ms: number;
  /** Sizes of the bodies, in bytes. */
  readonly sent: number;
  readonly received: number;
  /** Why the response is incomplete: `closed by the client`, or an error. */
  readonly error?: string;
}

/** The evidence for a cause, from certain to none at all; docs/any-process.md describes each. */
export type Grade = "exact" | "own" | "owner" | "owned" | "named" | "time";

/** A write of a process behind the proxy, and the delta that triggered it, as far as there is evidence. */
export interface CauseEvent {
  readonly stage: "cause";
  readonly agent: string;
  /** The `seq` of the write. */
  readonly write: number;
  /** The number of the reconcile, the same for all its writes. */
  readonly episode: number;
  /** The `seq` of the delta; absent if no delta preceded the write. */
  readonly delta?: number;
  readonly grade?: Grade;
  /** From the delta's arrival at the process to the first write of the reconcile, in ms. */
  readonly beforeMs?: number;
  /** A second delta that may have triggered it instead, or as well: only the process knows which. */
  readonly or?: { readonly delta: number; readonly grade: Grade };
}

/** Part of a response passed the proxy without being parsed, because it came faster than it could be parsed. */
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

/** What the bus adds to each event: the version of the format, the sequence number of the event and the time in ms since 1970. */
export interface EventHead {
  readonly v: 1;
  readonly seq: number;
  readonly at: number;
}

/** A stage event as listeners receive it; docs/events.md describes each stage. */
export type StageEvent = EventHead & StageEventBody;
/** The name of a stage: `delta`, `enqueue`, `decision`, `write`, … */
export type Stage = StageEvent["stage"];
