/** The definition of a controller, which is a value. Built-in and user-defined controllers are made by the same function. */
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
import type { DryRunPart } from "./dry-run-part.ts";
import type { Expectations } from "./expectations.ts";
import type { Rule } from "./rule.ts";
import type { RunState } from "./run-state.ts";
import type { EventToRecord, SyncContext, SyncResult } from "./sync-context.ts";

export type { Notification } from "../../cache/handler.ts";

/** The context of `Watch.on`, which turns notifications into keys. `on` must be synchronous and quick, and may not write. */
export interface WatchContext {
  /**
   * Adds the key of a primary object to the queue, with the delta of the notification as its trigger. `afterMs` delays it, so that the
   * deltas of that time share one sync.
   */
  enqueue(key: ObjectKey, afterMs?: number): void;
  /** Adds the key after `ms` milliseconds; `why` becomes the trigger's text. Use `background` for heartbeats, schedules and the like. */
  enqueueAfter(key: ObjectKey, ms: number, why: string, options?: TimerOptions): void;
  /** Milliseconds since 1970. */
  now(): number;
  /** The cache of a kind that the controller watches. @throws RangeError for any other. */
  cache<T extends StoredObject>(kind: Kind<T>): Lister<T>;
  /** Creates and deletes that the caches do not show yet; handlers count them down. */
  readonly expectations: Expectations;
  /** Writes that the caches do not show yet. */
  readonly consistency: Consistency;
  /** Records an Event about an object. Never waits and never fails. */
  event(kind: Kind, about: StoredObject, event: EventToRecord): void;
  /** The controller's memory during a run, shared with its syncs. */
  state<S>(state: RunState<S>): S;
}

/** A kind that the controller watches, and its event handler. */
export interface Watch<T extends StoredObject = StoredObject> {
  /** The kind to list, watch and cache. */
  readonly kind: Kind<T>;
  /** Whether the controller creates and deletes objects of this kind. If they are cluster-scoped, `-n` is refused. */
  readonly owned?: boolean;
  /** Set if few syncs read the cache: workers start before its initial list, and those syncs call `waitForCacheSync` first. */
  readonly deferred?: true;
  /** The resync period, in ms. Default: that of the run, 12 to 24 hours. */
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

/** Watches of kinds found by discovery, in addition to those in `watches`. */
export interface DynamicWatches {
  /** In a few words, for users: `every kind except Events`. */
  readonly description: string;
  /** Selects the kinds to watch from all kinds of the server. Only metadata is read, unless another controller caches full objects. */
  readonly select: (kinds: readonly DiscoveredKind[]) => readonly Kind[];
  /** The interval between discovery requests, in ms: CustomResourceDefinitions add and remove kinds. */
  readonly discoveryIntervalMs: number;
  /**
   * How long workers wait at the start for kinds that cannot be listed, in ms, for example because of a broken conversion webhook. Then they
   * start without them.
   */
  readonly initialSyncTimeoutMs: number;
  /** Called with all kinds of the server whenever they have changed, before the selected ones are watched. */
  discovered?(kinds: readonly DiscoveredKind[], context: Pick<WatchContext, "state">): void;
  /** Like `Watch.on`, for the objects of all selected kinds. */
  on(notification: Notification<StoredObject>, kind: Kind, context: WatchContext): void;
}

/**
 * A periodic check, for conditions that depend on time alone or on many objects, so that no notification shows them. A run that waits until
 * nothing is left to do does not wait for the next scan.
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
  /** What it looks for, in a few words, such as `nodes that stopped reporting`: the trigger text of the keys that it enqueues. */
  readonly name: string;
  /** The interval between calls, in ms. The first call is when the caches are filled. */
  readonly everyMs: number;
  /** Enqueues keys according to the caches. It must be synchronous and quick, and may not write; most calls enqueue nothing. */
  on(context: WatchContext): void;
}

/** A permission that a controller needs, beyond listing and watching its kinds. */
export interface Permission {
  /** The API group; `""` for the core group. */
  readonly group: string;
  /** `pods`, `replicasets/status`. */
  readonly resource: string;
  /** As RBAC names them: `create`, `update`, `patch`, `delete`, … */
  readonly verbs: readonly string[];
  /** The names of the objects that it is limited to, RBAC's `resourceNames`. Default: any. */
  readonly names?: readonly string[];
}

/** How failed keys are retried. Default: client-go's limiter for controllers, 5 ms · 2ⁿ up to 1,000 s, forever. */
export interface RetryOptions {
  /** Creates the rate limiter; `now` returns ms since 1970. */
  readonly rateLimiter?: (now: () => number) => RateLimiter;
  /** How many consecutive retries a key gets before it is dropped. Default: unlimited. */
  readonly maxRetries?: number;
  /** The delay of every key before its sync, in ms. Default 0. */
  readonly firstDelayMs?: number;
}

/** The order in which a controller's keys are synced. It is determined for a key when it starts to wait. */
export type KeyOrder =
  /** Higher priorities first; first in, first out within a priority. */
  | { readonly by: "priority"; priorityOf(key: ObjectKey, context: Pick<WatchContext, "cache">): number }
  /** Round-robin between groups, so that a large group does not hold up other keys. */
  | { readonly by: "group"; groupOf(key: ObjectKey, context: Pick<WatchContext, "state">): string };

/**
 * A controller as data: what it watches, how deltas become keys, and the `sync` that brings the object of one key closer to its desired
 * state. All modes (run, shadow, dry run, explain) need only this.
 *
 * `sync` must be idempotent: it may be called again for any reason, or after a crash in the middle. A key is never in two syncs at a
 * time; up to `workers` syncs of different keys run concurrently.
 * Source: the controllers of pkg/controller in kubernetes v1.36; controller-runtime's Reconciler.
 */
export interface ControllerDefinition<T extends StoredObject = StoredObject> {
  /** kube-controller-manager's name without `-controller`: `replicaset`. */
  readonly name: string;
  /** Other names that select it on the command line: `rs`, `replicaset-controller`. */
  readonly aliases: readonly string[];
  /** What it does, in one line. */
  readonly purpose: string;
  /** The primary kind, whose objects the keys name. Absent for a controller with only `dynamicWatches`, which defines its own keys. */
  readonly for?: Kind<T>;
  /** For views: the object of a key that does not name an object of `for`; undefined for other keys. */
  readonly about?: (key: ObjectKey) => ObjectNamed | undefined;
  /** The primary kind and all others that it watches by name. */
  readonly watches: readonly Watch[];
  /** Watches of kinds that discovery names, for as long as the server has them. */
  readonly dynamicWatches?: DynamicWatches;
  /** Periodic checks, in addition to the notifications of its watches. */
  readonly scans?: readonly Scan[];
  /** The number of concurrent syncs. */
  readonly workers: number;
  /** How failed keys are retried. Default: 5 ms · 2ⁿ up to 1,000 s, forever. */
  readonly retry?: RetryOptions;
  /** Its own rate limits, if it sends many requests for one key. Default: it shares those of the run. */
  readonly requests?: OwnLimits;
  /** The order in which keys are synced. Default: first in, first out. */
  readonly order?: KeyOrder;
  /**
   * Excluded from `all`, and run only when named: because it simulates a component that real clusters already run, because it needs the
   * cluster's private keys, or because upstream disables it by default.
   */
  readonly disabledByDefault?: true;
  /**
   * For a controller that needs the cluster's private keys: returns the same controller with keys. An embedded cluster provides its own. On
   * any other cluster the controller is refused, and its syncs do nothing.
   */
  readonly withKeys?: (keys: ClusterKeys) => ControllerDefinition;
  /** The name of the controller that this one belongs to: selecting that one selects this one too. */
  readonly companionOf?: string;
  /**
   * The component that runs it in a real cluster; preflight looks for that component. `kubelet`: anything that keeps simulated nodes alive,
   * such as kwok. Default: kube-controller-manager.
   */
  readonly upstreamComponent?: "kube-scheduler" | "kubelet";
  /**
   * The field manager of its server-side applies, if it must be upstream's, so that each of the two can remove fields that the other has
   * applied. An object then does not show which of them wrote it. Default: `kubectl-reconcile-NAME`.
   */
  readonly appliesAs?: string;
  /** What happens if two instances of it run at once: `each scale-up would create twice the pods`. */
  readonly ifRunTwice?: string;
  /** Whether the controller would act on this object at once. If such an object stays unchanged, nothing in the cluster runs the controller. */
  isLeftUndone?(object: T): boolean;
  /**
   * The interval at which each key is synced, in ms, for a controller that acts periodically instead of on changes. Another instance of it
   * may act up to this much later. Absent for a controller that acts on changes.
   */
  readonly syncsEveryMs?: number;
  /** Its part in a dry run, which knows only some of a cluster's objects. Default: it does there what it does in a cluster. */
  readonly dryRun?: DryRunPart;
  /** All rules that its syncs apply. */
  readonly rules: readonly Rule[];
  /** The permissions that it needs beyond list and watch; preflight checks them, `controllers -o rbac` prints them. */
  readonly permissions: readonly Permission[];
  /** `false` if it never records Events and needs no permission for that. */
  readonly recordsEvents?: false;
  /** The `source.component` of its Events, as in upstream: `replicaset-controller`. */
  readonly component: string;
  /** The upstream source file: `pkg/controller/replicaset/replica_set.go`. Absent for user-defined controllers. */
  readonly source?: string;
  /**
   * Brings one object closer to its desired state: reads caches, decides, writes. Resolves when its writes have ended. The key is retried with
   * backoff if it throws, except for a TerminalError.
   */
  sync(key: ObjectKey, context: SyncContext): Promise<SyncResult | void>;
}

/** The argument of `defineController`: a definition in which fields with a default may be omitted. */
export interface ControllerSpec<T extends StoredObject = StoredObject>
  extends Omit<ControllerDefinition<T>, Defaulted>, Partial<Pick<ControllerDefinition<T>, Defaulted>> {}

/** Defaults: no aliases; 1 worker; no permissions beyond list and watch; `NAME-controller` as the component of its Events. */
type Defaulted = "aliases" | "workers" | "permissions" | "component";

/**
 * Checks a controller's definition and fills in its defaults: no aliases, 1 worker, no permissions beyond list and watch, and
 * `NAME-controller` as the component of its Events. It does not start anything: use `startSandbox` or `startControllers` to run it.
 *
 * @throws RangeError if two rules have the same id, if it does not watch its own kind, or if it has neither a kind nor `dynamicWatches`.
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

/** The plural name of a controller's primary kind, such as `replicasets`; `objects` if it has none. */
export function resourceNameOf(definition: Pick<ControllerDefinition, "for">): string {
  return definition.for?.plural ?? "objects";
}

/** An object's kind and key, for views. */
export interface ObjectNamed {
  readonly kind: string;
  readonly key: ObjectKey;
}

/** The object that a key of the controller names; undefined if it names none. */
export function objectOf(
  { for: kind, about }: Pick<ControllerDefinition, "for" | "about">,
  key: ObjectKey,
): ObjectNamed | undefined {
  return about?.(key) ?? (kind === undefined ? undefined : { kind: kind.kind, key });
}

/** Whether a controller can be restricted to one namespace: its primary kind and all kinds that it creates are namespaced. */
export function isNamespaced(definition: Pick<ControllerDefinition, "for" | "watches">): boolean {
  const owned = definition.watches.filter((watch) => watch.owned === true).map((watch) => watch.kind);
  return definition.for?.namespaced === true && owned.every((kind) => kind.namespaced);
}
