/** What a controller is: a value. Built-in controllers and users' own are made by the same function. */
import type { ObjectKey } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Lister } from "../../cache/lister.ts";
import type { DeltaRef } from "../../cache/shared-informer.ts";
import type { DiscoveredKind } from "../../client/api/discovery.ts";
import type { OwnLimits } from "../../client/http/rate-limit.ts";
import type { RateLimiter } from "../../workqueue/rate-limiters.ts";
import type { Consistency } from "./consistency.ts";
import type { Expectations } from "./expectations.ts";
import type { Rule } from "./rule.ts";
import type { RunState } from "./run-state.ts";
import type { EventToRecord, SyncContext, SyncResult } from "./sync-context.ts";

/** What an informer tells a controller. A resync comes as `updated` with both objects the same. */
export type Notification<T> =
  | { readonly type: "added"; readonly object: T; readonly initial: boolean; readonly delta: DeltaRef }
  | { readonly type: "updated"; readonly before: T; readonly object: T; readonly delta: DeltaRef }
  /** `tombstone`: the deletion itself was missed, `object` is the last state known. */
  | { readonly type: "deleted"; readonly object: T; readonly tombstone: boolean; readonly delta: DeltaRef };

/** What turns notifications into keys may use. Handlers are synchronous and quick; they may not write. */
export interface WatchContext {
  /** Adds the key of a primary object to the queue; the notification at hand becomes its trigger. */
  enqueue(key: ObjectKey): void;
  enqueueAfter(key: ObjectKey, ms: number, why: string): void;
  cache<T extends StoredObject>(kind: Kind<T>): Lister<T>;
  readonly expectations: Expectations;
  readonly consistency: Consistency;
  /** Records an Event about an object. Never waits and never fails. */
  event(kind: Kind, about: StoredObject, event: EventToRecord): void;
  /** What the controller remembers while it runs, shared with its syncs. */
  state<S>(state: RunState<S>): S;
}

/** A kind that the controller watches, and what it does with the notifications. */
export interface Watch<T extends StoredObject = StoredObject> {
  readonly kind: Kind<T>;
  /** Of these objects the controller creates and deletes some: `-n` is refused if they have no namespace. */
  readonly owned?: boolean;
  /** Few syncs read its cache, and those wait for it by `filled`: the workers start without its first list. */
  readonly deferred?: true;
  /** How often `on` is told of every object as if it had changed; unset: as often as the run says, 12 to 24 hours. */
  readonly resyncMs?: number;
  /** Indexes that the controller asks for, by name. */
  readonly indexes?: Readonly<Record<string, (object: T) => readonly string[]>>;
  on(notification: Notification<T>, context: WatchContext): void;
}

/** Keeps T inside: watches of different kinds stand in one list. */
export function watch<T extends StoredObject>(watch: Watch<T>): Watch {
  return watch as unknown as Watch;
}

/** What a controller that works on whatever kinds there are says of them, beside the kinds that it names in `watches`. */
export interface Discovers {
  /** In few words, for who asks what it watches: `every kind but Events`. */
  readonly what: string;
  /** Which of the server's kinds are watched. Their metadata alone is read, unless another controller reads them whole. */
  readonly select: (kinds: readonly DiscoveredKind[]) => readonly Kind[];
  /** The server is asked again so long after its last answer: kinds come and go with CustomResourceDefinitions. */
  readonly everyMs: number;
  /** So long the workers wait at the start for kinds that cannot be listed: a conversion webhook may be broken for good. */
  readonly waitMs: number;
  /** Told all that the server has, before what is selected of it is watched, each time that this has changed. */
  discovered?(kinds: readonly DiscoveredKind[], context: Pick<WatchContext, "state">): void;
  on(notification: Notification<StoredObject>, kind: Kind, context: WatchContext): void;
}

/** Something that the controller does to the API server, beyond listing and watching what it watches. */
export interface Permission {
  readonly group: string;
  /** `pods`, `replicasets/status`. */
  readonly resource: string;
  readonly verbs: readonly string[];
}

/** How failed keys are retried; times in milliseconds. Default: client-go's limiter for controllers, 5 ms · 2ⁿ up to 1,000 s, forever. */
export interface RetryOptions {
  /** Instead of the default controller limiter. */
  readonly rateLimiter?: (now: () => number) => RateLimiter;
  /** A key that has failed so often in a row is dropped. Unset: it is tried for ever. */
  readonly maxRetries?: number;
  /** Every key waits so long before its first try. */
  readonly firstDelayMs?: number;
}

/**
 * A controller as data: what it watches, how deltas become keys, and the `sync` that brings one key's object closer to its desired
 * state. It is run, shadowed, dry-run and explained from this alone.
 *
 * `sync` must be idempotent: it may be called again for any reason, or after a crash in the middle. A key is never in two syncs at a
 * time; up to `workers` syncs of different keys run side by side.
 * Source: the controllers of pkg/controller in kubernetes v1.36; controller-runtime's Reconciler.
 */
export interface ControllerDefinition<T extends StoredObject = StoredObject> {
  /** kube-controller-manager's name without `-controller`: `replicaset`. */
  readonly name: string;
  /** Other names it answers to: `rs`, `replicaset-controller`. */
  readonly aliases: readonly string[];
  /** One line: what it does. */
  readonly purpose: string;
  /** The primary kind: keys are keys of these objects. Absent where a controller `discovers`: it makes keys of its own. */
  readonly for?: Kind<T>;
  /** Which object a key of its own means, for whoever shows it; undefined for a key that means none. */
  readonly about?: (key: ObjectKey) => ObjectNamed | undefined;
  /** The primary kind and all others that it watches by name. */
  readonly watches: readonly Watch[];
  /** It watches kinds that the server's discovery names, for as long as they are there. */
  readonly discovers?: Discovers;
  /** Syncs at the same time, of different keys. */
  readonly workers: number;
  readonly retry?: RetryOptions;
  /** For one that sends many requests for one key: limits of its own. Unset: it shares those of the run. */
  readonly requests?: OwnLimits;
  /** Keys of a higher priority are synced first; asked for when a key begins to wait. Unset: in the order they came. */
  readonly priorityOf?: (key: ObjectKey, context: Pick<WatchContext, "cache">) => number;
  /**
   * Keys of different groups take turns, so that a group of many keeps no other key waiting; asked for when a key begins to wait.
   * Unset: keys are synced in the order they came. Not together with `priorityOf`.
   */
  readonly groupOf?: (key: ObjectKey, context: Pick<WatchContext, "state">) => string;
  /** Left out of `all`: it stands in for a part of a cluster that real ones have, and is run only when it is named. */
  readonly onlyByName?: true;
  /** The name of a controller that this one is a part of: whoever names that one gets this one too. */
  readonly partOf?: string;
  /**
   * Who runs it on a cluster of its own accord, if not kube-controller-manager: looked for before it is run here as well. `kubelet`:
   * whoever keeps the simulated nodes alive, kwok for one.
   */
  readonly runBy?: "kube-scheduler" | "kubelet";
  /** What happens to the objects when two run it at once: `each scale-up would create twice the pods`. */
  readonly ifRunTwice?: string;
  /** An object on which the controller acts as soon as it has seen it: one that has stood so for long shows that nobody runs it. */
  isLeftUndone?(object: T): boolean;
  readonly rules: readonly Rule[];
  /** What it needs beyond list and watch; preflight asks for these, `controllers -o rbac` prints them. */
  readonly permissions: readonly Permission[];
  /** It never records Events, and needs no right to. */
  readonly recordsEvents?: false;
  /** The `source.component` of its Events, as upstream has it: `replicaset-controller`. */
  readonly component: string;
  /** Where upstream has it: `pkg/controller/replicaset/replica_set.go`. */
  readonly source: string;
  /**
   * Brings one object nearer to what it should be: reads caches, decides, acts. Returns when its writes are answered.
   * A thrown error is retried with back-off; a TerminalError is not.
   */
  sync(key: ObjectKey, context: SyncContext): Promise<SyncResult | void>;
}

/** A controller. @throws RangeError for a definition that contradicts itself. */
export function defineController<T extends StoredObject>(definition: ControllerDefinition<T>): ControllerDefinition {
  const ids = definition.rules.map((rule) => rule.id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new RangeError(`Cannot define ${definition.name}: two rules have the id ${twice}`);
  const { name, for: kind, watches, discovers } = definition;
  if (kind === undefined) {
    if (discovers === undefined)
      throw new RangeError(`Cannot define ${name}: it is neither for a kind nor discovers any`);
  } else if (!watches.some((watch) => watch.kind.plural === kind.plural && watch.kind.group === kind.group)) {
    throw new RangeError(`Cannot define ${name}: it does not watch its own kind ${kind.kind}`);
  }
  if (definition.priorityOf !== undefined && definition.groupOf !== undefined) {
    throw new RangeError(`Cannot define ${name}: its keys have either priorities or groups that take turns`);
  }
  return definition;
}

/** What a controller reconciles, in one word: `replicasets`, or `objects` for one that is not for a kind. */
export function subjectOf(definition: Pick<ControllerDefinition, "for">): string {
  return definition.for?.plural ?? "objects";
}

/** An object as views name it. */
export interface ObjectNamed {
  readonly kind: string;
  readonly key: ObjectKey;
}

/** Which object a key of the controller is about. */
export function objectOf(
  { for: kind, about }: Pick<ControllerDefinition, "for" | "about">,
  key: ObjectKey,
): ObjectNamed | undefined {
  return kind === undefined ? about?.(key) : { kind: kind.kind, key };
}

/** Whether a controller can be run in one namespace: all that it is for, and makes, has a namespace. */
export function keepsToANamespace(definition: Pick<ControllerDefinition, "for" | "watches">): boolean {
  const owned = definition.watches.filter((watch) => watch.owned === true).map((watch) => watch.kind);
  return definition.for?.namespaced === true && owned.every((kind) => kind.namespaced);
}
