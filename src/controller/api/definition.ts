/** What a controller is: a value. Built-in controllers and users' own are made by the same function. */
import type { ObjectKey } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Notification } from "../../cache/handler.ts";
import type { Lister } from "../../cache/lister.ts";
import type { DiscoveredKind } from "../../client/api/discovery.ts";
import type { OwnLimits } from "../../client/http/rate-limit.ts";
import type { TimerOptions } from "../../platform/timeline.ts";
import type { RateLimiter } from "../../workqueue/rate-limiters.ts";
import type { ClusterKeys } from "./cluster-keys.ts";
import type { Consistency } from "./consistency.ts";
import type { Expectations } from "./expectations.ts";
import type { Rule } from "./rule.ts";
import type { RunState } from "./run-state.ts";
import type { EventToRecord, SyncContext, SyncResult } from "./sync-context.ts";

export type { Notification } from "../../cache/handler.ts";

/** What `Watch.on` works with to turn notifications into keys. It is synchronous and quick, and may not write. */
export interface WatchContext {
  /**
   * Adds the key of a primary object to the queue; the delta of the notification becomes its trigger. With `afterMs` it waits so long,
   * so that the deltas of that time share one sync.
   */
  enqueue(key: ObjectKey, afterMs?: number): void;
  /** Adds the key after `ms` milliseconds; `why` becomes the trigger's text. Heartbeats, schedules and the like are `background`. */
  enqueueAfter(key: ObjectKey, ms: number, why: string, options?: TimerOptions): void;
  /** Milliseconds since 1970. */
  now(): number;
  /** The cache of a kind that the controller watches. @throws RangeError for any other. */
  cache<T extends StoredObject>(kind: Kind<T>): Lister<T>;
  /** Creates and deletes that the caches have not shown yet; a handler counts them down. */
  readonly expectations: Expectations;
  /** Writes that the caches have not shown yet. */
  readonly consistency: Consistency;
  /** Records an Event about an object. Never waits and never fails. */
  event(kind: Kind, about: StoredObject, event: EventToRecord): void;
  /** What the controller remembers while it runs, shared with its syncs. */
  state<S>(state: RunState<S>): S;
}

/** A kind that the controller watches, and what it does with the notifications. */
export interface Watch<T extends StoredObject = StoredObject> {
  /** What is listed, watched and cached. */
  readonly kind: Kind<T>;
  /** The controller creates and deletes objects of this kind: `-n` is refused if they have no namespace. */
  readonly owned?: boolean;
  /** Few syncs read its cache: workers start without its first list, and those syncs call `waitForCacheSync` before they read it. */
  readonly deferred?: true;
  /** How often `on` is called again for every object, in milliseconds. Default: the run's, 12 to 24 hours. */
  readonly resyncMs?: number;
  /** Indexes of the cache that the controller reads with `byIndex`, by name. */
  readonly indexes?: Readonly<Record<string, (object: T) => readonly string[]>>;
  /** Turns a notification into keys: `context.enqueue(keyOf(notification.object))`. */
  on(notification: Notification<T>, context: WatchContext): void;
}

/**
 * A watch of any kind, with your own mapping from a notification to keys. Use `watchPrimary` for the controller's own kind and
 * `watchOwned` for objects that have an owner reference to it.
 *
 * @example
 * ```ts
 * import { kinds, watch } from "kubectl-reconcile";
 *
 * // The key is a Namespace: it is synced when a ServiceAccount in it changes.
 * const serviceAccounts = watch({
 *   kind: kinds.ServiceAccounts,
 *   on: ({ object }, context) => context.enqueue(object.metadata.namespace ?? ""),
 * });
 * console.log(serviceAccounts.kind.plural);
 * ```
 */
export function watch<T extends StoredObject>(watch: Watch<T>): Watch {
  // `on` is only ever called with objects of `kind`.
  return watch as unknown as Watch;
}

/** The watches of a controller that works on kinds that discovery names, beside those in its `watches`. */
export interface DynamicWatches {
  /** In a few words, for users: `every kind but Events`. */
  readonly description: string;
  /** Which of the server's kinds are watched. Their metadata alone is read, unless another controller reads them whole. */
  readonly select: (kinds: readonly DiscoveredKind[]) => readonly Kind[];
  /** How long after an answer discovery is asked again, in milliseconds: CustomResourceDefinitions add and remove kinds. */
  readonly discoveryIntervalMs: number;
  /**
   * How long workers wait at the start for kinds that cannot be listed, in milliseconds; then they start without them: a conversion
   * webhook may be broken for good.
   */
  readonly initialSyncTimeoutMs: number;
  /** Called with all kinds of the server each time that they have changed, before what is selected of them is watched. */
  discovered?(kinds: readonly DiscoveredKind[], context: Pick<WatchContext, "state">): void;
  /** As `Watch.on`, for the objects of all selected kinds. */
  on(notification: Notification<StoredObject>, kind: Kind, context: WatchContext): void;
}

/**
 * What a controller looks at in intervals: what follows from time alone, or can only be judged over many objects, so that no
 * notification tells it. Runs that wait until nothing is left to do do not wait for the next one.
 *
 * Source: the loops that kubernetes v1.36 pkg/controller starts with `wait.UntilWithContext`.
 * @example
 * ```ts
 * import { keyOf, kinds, type Scan } from "kubectl-reconcile";
 *
 * const scan: Scan = {
 *   name: "pods that have ended",
 *   everyMs: 20_000,
 *   on(context) {
 *     for (const pod of context.cache(kinds.Pods).list()) if (pod.status?.phase === "Failed") context.enqueue(keyOf(pod));
 *   },
 * };
 * console.log(scan.name);
 * ```
 */
export interface Scan {
  /** What is looked for, in a few words: the trigger of the keys that it enqueues. `nodes that stopped reporting` */
  readonly name: string;
  /** From one call to the next, in milliseconds. The first call is when the caches are filled. */
  readonly everyMs: number;
  /** Turns what the caches show now into keys. It is synchronous and quick, and may not write; most calls enqueue nothing. */
  on(context: WatchContext): void;
}

/** What a controller must be allowed to do, beyond listing and watching its kinds. */
export interface Permission {
  /** The API group; `""` for the core group. */
  readonly group: string;
  /** `pods`, `replicasets/status`. */
  readonly resource: string;
  /** As RBAC names them: `create`, `update`, `patch`, `delete`, … */
  readonly verbs: readonly string[];
  /** The names of the only objects that it is needed for, RBAC's `resourceNames`. Default: any. */
  readonly names?: readonly string[];
}

/** How failed keys are retried; times in milliseconds. Default: client-go's limiter for controllers, 5 ms · 2ⁿ up to 1,000 s, forever. */
export interface RetryOptions {
  /** Makes the limiter; `now` returns milliseconds since 1970. */
  readonly rateLimiter?: (now: () => number) => RateLimiter;
  /** How often a key is retried in a row before it is dropped. Default: for ever. */
  readonly maxRetries?: number;
  /** How long every key waits before its sync, in milliseconds. Default 0. */
  readonly firstDelayMs?: number;
}

/** In which order a controller's keys are synced. It is decided for each key when it begins to wait. */
export type KeyOrder =
  /** Keys of a higher priority first; those of one priority as they were added. */
  | { readonly by: "priority"; priorityOf(key: ObjectKey, context: Pick<WatchContext, "cache">): number }
  /** Groups of keys take turns, so that a group of many keeps no other key waiting. */
  | { readonly by: "group"; groupOf(key: ObjectKey, context: Pick<WatchContext, "state">): string };

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
  /** Other names that select it on the command line: `rs`, `replicaset-controller`. */
  readonly aliases: readonly string[];
  /** One line: what it does. */
  readonly purpose: string;
  /** The primary kind: keys are keys of these objects. Absent for a controller with `dynamicWatches` only: it makes its own keys. */
  readonly for?: Kind<T>;
  /** The object that a key is about, for views, where it is not one of `for`; undefined for a key about none, or about one of those. */
  readonly about?: (key: ObjectKey) => ObjectNamed | undefined;
  /** The primary kind and all others that it watches by name. */
  readonly watches: readonly Watch[];
  /** Watches of kinds that discovery names, for as long as the server has them. */
  readonly dynamicWatches?: DynamicWatches;
  /** What it looks at in intervals, beside the notifications of its watches. */
  readonly scans?: readonly Scan[];
  /** Syncs at the same time, of different keys. */
  readonly workers: number;
  /** How failed keys are retried. Default: 5 ms · 2ⁿ up to 1,000 s, forever. */
  readonly retry?: RetryOptions;
  /** Its own rate limits, if it sends many requests for one key. Default: it shares those of the run. */
  readonly requests?: OwnLimits;
  /** In which order keys are synced. Default: as they were added. */
  readonly order?: KeyOrder;
  /**
   * Not part of `all`, run only when it is named: it simulates a component that real clusters already run, it needs the cluster's private
   * keys, or upstream does so, too.
   */
  readonly disabledByDefault?: true;
  /**
   * Of a controller that needs the cluster's private keys and has none: the same with keys. An embedded cluster hands over its own. On
   * any other it is refused, and its syncs leave everything alone.
   */
  readonly withKeys?: (keys: ClusterKeys) => ControllerDefinition;
  /** The name of a controller that this one belongs to: naming that one selects this one, too. */
  readonly companionOf?: string;
  /**
   * The component that runs it in a real cluster; before it is run here, too, the cluster is searched for that component. `kubelet`:
   * anything that keeps the simulated nodes alive, such as kwok. Default: kube-controller-manager.
   */
  readonly upstreamComponent?: "kube-scheduler" | "kubelet";
  /**
   * The field manager of its server-side applies, where that is upstream's own, so that each of the two can take back what the other has
   * applied: an object does not tell which of them has written it. Absent: it writes as `kubectl-reconcile-NAME`.
   */
  readonly appliesAs?: string;
  /** What happens to the objects when two run it at once: `each scale-up would create twice the pods`. */
  readonly ifRunTwice?: string;
  /** Whether the controller would act on the object at once: if it stays like this, nothing in the cluster runs the controller. */
  isLeftUndone?(object: T): boolean;
  /**
   * How often each key is synced whatever happens, in ms, for a controller that acts at intervals and not on changes: what it means to do
   * now, another one that runs it may do so much later. Absent: it acts on changes.
   */
  readonly syncsEveryMs?: number;
  /** Every rule that its syncs decide by. */
  readonly rules: readonly Rule[];
  /** What it needs beyond list and watch; preflight checks these, `controllers -o rbac` prints them. */
  readonly permissions: readonly Permission[];
  /** `false`: it never records Events, and needs no permission to. */
  readonly recordsEvents?: false;
  /** The `source.component` of its Events, as upstream has it: `replicaset-controller`. */
  readonly component: string;
  /** Where upstream has it: `pkg/controller/replicaset/replica_set.go`. Absent for a controller of your own. */
  readonly source?: string;
  /**
   * Brings one object closer to its desired state: reads caches, decides, writes. Returns when its writes have ended.
   * A thrown error is retried with back-off; a TerminalError is not.
   */
  sync(key: ObjectKey, context: SyncContext): Promise<SyncResult | void>;
}

/** What `defineController` is given: a definition in which whatever has a default may be omitted. */
export interface ControllerSpec<T extends StoredObject = StoredObject>
  extends Omit<ControllerDefinition<T>, Defaulted>, Partial<Pick<ControllerDefinition<T>, Defaulted>> {}

/** Defaults: no aliases; 1 worker; no permissions beyond list and watch; `NAME-controller` as the component of its Events. */
type Defaulted = "aliases" | "workers" | "permissions" | "component";

/**
 * Checks a controller's definition and fills in its defaults: no aliases, 1 worker, no permissions beyond list and watch, and
 * `NAME-controller` as the component of its Events. It starts nothing: `startSandbox` and `startControllers` run it.
 *
 * @throws RangeError if two rules have one id, or it does not watch its own kind, or has neither a kind nor `dynamicWatches`.
 * @example
 * ```ts
 * import { defineController, keyOf, kinds, rule, startSandbox, watchPrimary } from "kubectl-reconcile";
 *
 * const labelTeam = rule<{ team: string }>({
 *   id: "label-team",
 *   looksAt: ["metadata.labels.team"],
 *   chooses: "A Namespace without the label team gets team=none.",
 *   sentence: ({ team }) => `no team → team=${team}`,
 * });
 *
 * const teams = defineController({
 *   name: "team-label",
 *   purpose: "labels each Namespace with a team",
 *   for: kinds.Namespaces,
 *   watches: [watchPrimary(kinds.Namespaces)],
 *   rules: [labelTeam],
 *   permissions: [{ group: "", resource: "namespaces", verbs: ["patch"] }],
 *   async sync(key, context) {
 *     const namespace = context.cache(kinds.Namespaces).get(key);
 *     if (namespace === undefined || namespace.metadata.labels?.["team"] !== undefined) return;
 *     const because = context.decide(labelTeam, { team: "none" });
 *     const body = { metadata: { labels: { team: "none" } } };
 *     await context.client.patch(kinds.Namespaces, { namespace: "", name: key }, { type: "merge", body }, { because });
 *   },
 * });
 *
 * const sandbox = await startSandbox({ controllers: [teams] });
 * const shop = await sandbox.client.create(kinds.Namespaces, { metadata: { name: "shop" } });
 * await sandbox.settle();
 * const labelled = await sandbox.client.get(kinds.Namespaces, { namespace: "", name: keyOf(shop) });
 * if (labelled.metadata.labels?.["team"] !== "none") throw new Error("expected the label");
 * await sandbox.stop();
 * ```
 */
export function defineController<T extends StoredObject>(definition: ControllerSpec<T>): ControllerDefinition {
  const ids = definition.rules.map((rule) => rule.id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new RangeError(`Cannot define ${definition.name}: two rules have the id ${twice}`);
  const { name, for: kind, watches, dynamicWatches } = definition;
  if (kind === undefined) {
    if (dynamicWatches === undefined)
      throw new RangeError(`Cannot define ${name}: it is neither for a kind nor discovers any`);
  } else if (!watches.some((watch) => watch.kind.plural === kind.plural && watch.kind.group === kind.group)) {
    throw new RangeError(`Cannot define ${name}: it does not watch its own kind ${kind.kind}`);
  }
  return { aliases: [], workers: 1, permissions: [], component: `${name}-controller`, ...definition };
}

/** The plural name of what a controller reconciles: `replicasets`, or `objects` for one without a primary kind. */
export function resourceNameOf(definition: Pick<ControllerDefinition, "for">): string {
  return definition.for?.plural ?? "objects";
}

/** An object as views name it. */
export interface ObjectNamed {
  readonly kind: string;
  readonly key: ObjectKey;
}

/** The object that a key of the controller is about; undefined if it is about none. */
export function objectOf(
  { for: kind, about }: Pick<ControllerDefinition, "for" | "about">,
  key: ObjectKey,
): ObjectNamed | undefined {
  return about?.(key) ?? (kind === undefined ? undefined : { kind: kind.kind, key });
}

/** Whether a controller can be run in one namespace: its primary kind and all kinds that it creates are namespaced. */
export function isNamespaced(definition: Pick<ControllerDefinition, "for" | "watches">): boolean {
  const owned = definition.watches.filter((watch) => watch.owned === true).map((watch) => watch.kind);
  return definition.for?.namespaced === true && owned.every((kind) => kind.namespaced);
}
