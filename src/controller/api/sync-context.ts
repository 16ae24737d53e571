/** Everything that a `sync` may use. Controllers use no globals, no clock and no other I/O. */
import type { NamespacedName, ObjectKey } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import type { StoredObject, CreateInput, UpdateInput } from "../../api/object.ts";
import type { Lister } from "../../cache/lister.ts";
import type { Selectors } from "../../client/api/lister-watcher.ts";
import type { Patch } from "../../api/patch.ts";
import type { ServerVersion } from "../../api/server-version.ts";
import type { DeleteOptions, MetadataOnly, Reader, Scale, WriteOptions } from "../../client/api/verbs.ts";
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
 * The client of a sync: every write names the decision that it carries out. Reads and reviews need none; built-in controllers read from the
 * API server only where upstream does too, and otherwise from their caches.
 *
 * All verbs throw a StatusError for a refusal (404 NotFound, 409 Conflict or AlreadyExists, 403 Forbidden, 422 Invalid, …) and a
 * TransportError if no response came; a write may then have been applied nevertheless. A conflict that `sync` does not catch is retried with
 * backoff and reported as expected.
 */
export interface SyncClient extends Reader {
  /** POST; returns the object as stored, or its metadata with `metadataSuffices`. */
  create<T extends StoredObject>(
    kind: Kind<T>,
    object: CreateInput<T>,
    options: WriteOptions & Because & MetadataOnly,
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
    options: WriteOptions & Because & MetadataOnly & { readonly subresource?: string },
  ): Promise<StoredObject>;
  patch<T extends StoredObject>(
    kind: Kind<T>,
    at: NamespacedName,
    patch: Patch,
    options: WriteOptions & Because & { readonly subresource?: string },
  ): Promise<T>;
  /** DELETE, optionally with preconditions and a propagation policy. */
  delete<T extends StoredObject>(kind: Kind<T>, at: NamespacedName, options: DeleteOptions & Because): Promise<unknown>;
  /** DELETE of all objects of a kind in a namespace, or of those that match selectors. */
  deleteCollection<T extends StoredObject>(
    kind: Kind<T>,
    options: DeleteOptions & Selectors & Because & { readonly namespace?: string },
  ): Promise<unknown>;
  /** Deletes a pod unless a PodDisruptionBudget forbids it (429): POST to `pods/NAME/eviction`. */
  evict(at: NamespacedName, options: DeleteOptions & Because): Promise<unknown>;
  /** Assigns a pod to a node: POST to `pods/NAME/binding`. */
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
 * The context of one call of `sync`: caches to read, a client whose writes name the decision they carry out, expectations, Events, and ways to
 * requeue. In shadow mode or a dry run the same calls write nothing, or write to a copy; a sync sees no difference.
 */
export interface SyncContext {
  /** The name of the controller. */
  readonly controller: string;
  /** The key to sync. */
  readonly key: ObjectKey;
  /** The number of this sync, counted per controller from 1. */
  readonly sync: number;
  /** Aborts if the run must stop immediately; on a normal stop, a sync in flight finishes. */
  readonly signal: AbortSignal;
  /** Random numbers; in a sandbox they are derived from its seed. */
  readonly random: Random;
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Blocks the worker for `ms` milliseconds, for short pauses between two attempts of a write. For longer waits, call `enqueueAfter` and
   * return. Rejects if the run must stop immediately.
   */
  sleep(ms: number): Promise<void>;
  /**
   * The cache of a kind that the controller has declared. Objects are shared and must not be modified in place: work on a `draft`.
   * @throws RangeError for a kind that the controller has not declared, or that is deferred and was not waited for.
   */
  cache<T extends StoredObject>(kind: Kind<T>): Lister<T>;
  /** Resolves when the initial list of a deferred kind is in its cache; at once for other kinds. @throws Error if the run ends before. */
  waitForCacheSync(kind: Kind): Promise<void>;
  /**
   * The PEM certificates of the authorities trusted for the API server. Undefined if the context trusts those of the system, and in a sandbox
   * within this process.
   */
  readonly serverCa: string | undefined;
  /** The version of the API server; of a sandbox, that of Kubernetes whose behaviour it has. An older server may lack fields. */
  readonly serverVersion: ServerVersion;
  /** Writes to the API server, and makes live reads. */
  readonly client: SyncClient;
  /** Makes a decision: reports the rule with its facts, and returns the decision for writes to name. */
  decide<F extends Facts>(rule: Rule<F>, facts: F): Decision;
  /** The controller's expectations. In shadow mode they do not outlive the sync. */
  readonly expectations: Expectations;
  /** The writes of this controller that its caches do not show yet. */
  readonly consistency: Consistency;
  /** Records an Event about an object of the kind. Never waits and never fails the sync. */
  event<T extends StoredObject>(kind: Kind<T>, about: T, event: EventToRecord): void;
  /** Requeues this key after `ms`; `why` becomes the trigger's text. Use `background` for heartbeats and the like. */
  enqueueAfter(ms: number, why: string, options?: TimerOptions): void;
  /** Enqueues another key of this controller, at once or after `afterMs`; `why` becomes the trigger's text. */
  enqueue(key: ObjectKey, why: string, afterMs?: number): void;
  /** Requeues this key with the rate limiter's delay, as after a failure, which counts unless the sync then succeeds without `keepsFailures`. */
  enqueueRateLimited(why: string): void;
  /** The controller's memory during a run: the same value in every sync and handler of one run. */
  state<S>(state: RunState<S>): S;
}

/** The optional result of a sync. */
export interface SyncResult {
  /** Requeue the key after this time, without counting a failure. */
  readonly requeueAfterMs?: number;
  /** Keep the key's failure count, because it has not reached its desired state. */
  readonly keepsFailures?: boolean;
}

/**
 * Throw it from a sync if a retry cannot succeed: the key is not retried until something enqueues it again.
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
