/** Everything that a `sync` may use. A controller reaches nothing else: no globals, no clock, no other I/O. */
import type { NamespacedName, ObjectKey } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import type { StoredObject, CreateInput, UpdateInput } from "../../api/object.ts";
import type { Lister } from "../../cache/lister.ts";
import type { ListOptions, ListPage, Selectors } from "../../client/api/lister-watcher.ts";
import type { Patch } from "../../api/patch.ts";
import type { DeleteOptions, MetadataAnswer, ReadOptions, Scale, WriteOptions } from "../../client/api/verbs.ts";
import type { Random } from "../../platform/random.ts";
import type { TimerOptions } from "../../platform/timeline.ts";
import type { Consistency } from "./consistency.ts";
import type { Expectations } from "./expectations.ts";
import type { Decision, Facts, Rule } from "./rule.ts";
import type { RunState } from "./run-state.ts";

/** Every write of a sync carries out a decision. */
export interface Because {
  readonly because: Decision;
}

/**
 * The client as a sync sees it: every write names the decision that it carries out.
 *
 * All verbs throw a StatusError for a refusal (404 NotFound, 409 Conflict or AlreadyExists, 403 Forbidden, 422 Invalid, …) and a
 * TransportError where no answer came: a write may have been applied all the same. A conflict that `sync` lets through is retried
 * with back-off and reported as expected.
 */
export interface SyncClient {
  /** Asks the API server, not the cache: only where the oracle does so too. */
  get<T extends StoredObject>(kind: Kind<T>, at: NamespacedName, options?: ReadOptions): Promise<T>;
  /** Like `get`, but asks for the metadata alone (PartialObjectMetadata). */
  getMetadata(kind: Kind, at: NamespacedName, options?: ReadOptions): Promise<StoredObject>;
  /** One page, from the API server. */
  list<T extends StoredObject>(
    kind: Kind<T>,
    options?: ListOptions & ReadOptions & { readonly namespace?: string },
  ): Promise<ListPage<T>>;
  /** Like `list`, but asks for the metadata alone. */
  listMetadata(
    kind: Kind,
    options?: ListOptions & ReadOptions & { readonly namespace?: string },
  ): Promise<ListPage<StoredObject>>;
  /** GET of the subresource `scale`, of any kind that has it. */
  getScale<T extends StoredObject>(kind: Kind<T>, at: NamespacedName, options?: ReadOptions): Promise<Scale>;
  /** POST to a collection that answers a question and stores nothing: a SubjectAccessReview. It needs no decision. */
  review<T>(kind: Kind, question: T, options?: ReadOptions): Promise<T>;
  /** GET of a path that is no object: what `discover` and `podUsage` ask with. */
  raw(path: string, options?: ReadOptions & { readonly accept?: string }): Promise<unknown>;
  /** POST; returns the object as stored, or its metadata where `metadataSuffices`. */
  create<T extends StoredObject>(
    kind: Kind<T>,
    object: CreateInput<T>,
    options: WriteOptions & Because & MetadataAnswer,
  ): Promise<StoredObject>;
  create<T extends StoredObject>(kind: Kind<T>, object: CreateInput<T>, options: WriteOptions & Because): Promise<T>;
  /** PUT of the whole object; its resourceVersion, if it has one, guards against concurrent writes (409). */
  update<T extends StoredObject>(
    kind: Kind<T>,
    object: T | UpdateInput<T>,
    options: WriteOptions & Because & { readonly subresource?: string },
  ): Promise<T>;
  /** PUT of `status` alone. */
  updateStatus<T extends StoredObject>(kind: Kind<T>, object: T, options: WriteOptions & Because): Promise<T>;
  /** PUT of the subresource `scale`; its resourceVersion, if it has one, guards against concurrent writes (409). */
  updateScale<T extends StoredObject>(
    kind: Kind<T>,
    at: NamespacedName,
    scale: Scale,
    options: WriteOptions & Because,
  ): Promise<Scale>;
  /** PATCH with a JSON, merge, strategic merge or apply patch. */
  patch<T extends StoredObject>(
    kind: Kind<T>,
    at: NamespacedName,
    patch: Patch,
    options: WriteOptions & Because & MetadataAnswer & { readonly subresource?: string },
  ): Promise<StoredObject>;
  patch<T extends StoredObject>(
    kind: Kind<T>,
    at: NamespacedName,
    patch: Patch,
    options: WriteOptions & Because & { readonly subresource?: string },
  ): Promise<T>;
  /** DELETE, with preconditions and a propagation policy where given. */
  delete<T extends StoredObject>(kind: Kind<T>, at: NamespacedName, options: DeleteOptions & Because): Promise<unknown>;
  /** All objects of a kind in a namespace, or those that selectors take. */
  deleteCollection<T extends StoredObject>(
    kind: Kind<T>,
    options: DeleteOptions & Selectors & Because & { readonly namespace?: string },
  ): Promise<unknown>;
  /** Deletes a pod unless a disruption budget refuses (429): POST to `pods/NAME/eviction`. */
  evict(at: NamespacedName, options: DeleteOptions & Because): Promise<unknown>;
  /** Gives a pod its node: POST to `pods/NAME/binding`. */
  bind(at: NamespacedName, nodeName: string, options: WriteOptions & Because): Promise<unknown>;
}

/** An Event to be recorded about an object. */
export interface EventToRecord {
  readonly type: "Normal" | "Warning";
  /** `SuccessfulCreate` */
  readonly reason: string;
  readonly message: string;
}

/**
 * What one call of `sync` works with: caches to read, a client whose writes name the decision they carry out, expectations, Events, and
 * ways to requeue. In a shadow or a dry run the same calls write nothing, or write to a copy; a sync sees no difference.
 */
export interface SyncContext {
  /** The name of the controller. */
  readonly controller: string;
  /** The key that is synced. */
  readonly key: ObjectKey;
  /** The number of this sync, counted for each controller from 1. */
  readonly sync: number;
  /** Aborts when the run is stopped at once; otherwise a sync in flight finishes. */
  readonly signal: AbortSignal;
  /** Random numbers; in a sandbox they come from its seed. */
  readonly random: Random;
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Resolves after so many milliseconds, in which the worker does nothing else: for the moments between two attempts of a write. Return
   * and `enqueueAfter` for anything longer. Rejects when the run is stopped at once.
   */
  sleep(ms: number): Promise<void>;
  /**
   * The cache of a kind that the controller has declared. Objects are shared and never changed in place: work on a `draft`.
   * @throws RangeError for a kind that the controller has not declared, or has declared as deferred and not waited for.
   */
  cache<T extends StoredObject>(kind: Kind<T>): Lister<T>;
  /** Resolves when the first list of a deferred kind is in its cache; at once for others. @throws Error if the run ends before. */
  waitForCacheSync(kind: Kind): Promise<void>;
  /**
   * The certificate authorities by which the API server is trusted, as PEM, where the connection names any: a context may trust those of
   * the system, and a sandbox of this process needs none.
   */
  readonly serverCa: string | undefined;
  /** Writes to the API server, and reads past the cache. */
  readonly client: SyncClient;
  /** Makes a decision: reports the rule with its facts and returns what a write names as its reason. */
  decide<F extends Facts>(rule: Rule<F>, facts: F): Decision;
  /** The controller's expectations; the mode decides whether they outlive the sync. */
  readonly expectations: Expectations;
  /** Which writes of this controller its caches have not shown yet. */
  readonly consistency: Consistency;
  /** Records an Event about an object of the kind. Never waits and never fails the sync. */
  event<T extends StoredObject>(kind: Kind<T>, about: T, event: EventToRecord): void;
  /** Requeues this key after `ms`; `why` becomes the trigger's text. Heartbeats and the like are `background`. */
  enqueueAfter(ms: number, why: string, options?: TimerOptions): void;
  /** Enqueues another key of this controller, at once or after `afterMs`; `why` becomes the trigger's text. */
  enqueue(key: ObjectKey, why: string, afterMs?: number): void;
  /** Requeues this key with the delay that its next failure would have, without counting one. */
  enqueueRateLimited(why: string): void;
  /** What the controller remembers while it runs: the same value in every sync and every handler of one run. */
  state<S>(state: RunState<S>): S;
}

/** What a sync may return; most return nothing. */
export interface SyncResult {
  /** Requeue the key after this time, without counting a failure. */
  readonly requeueAfterMs?: number;
  /** With `requeueAfterMs`: the key's failures so far are not forgotten, since it is still not where it should be. */
  readonly keepsFailures?: boolean;
}

/**
 * Throw it from a sync whose failure no retry can fix: the key is not retried until a notification enqueues it again.
 *
 * Source: controller-runtime pkg/reconcile/reconcile.go TerminalError.
 *
 * @example
 * ```ts
 * import { TerminalError } from "kubectl-reconcile";
 *
 * function portOf(annotation: string): number {
 *   const port = Number(annotation);
 *   if (!Number.isInteger(port)) throw new TerminalError(`Cannot use the port ${annotation}: it is no whole number`);
 *   return port;
 * }
 * console.log(portOf("8080"));
 * ```
 */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
}
