/**
 * A scene for tests of controllers: caches that the test fills by hand, a small API server whose writes reach the caches only when the test
 * delivers them, and a record of everything that a sync did.
 */
import { deepEqual } from "../../src/api/field-changes.ts";
import { keyOf, type NamespacedName, objectKey, type ObjectKey, splitKey } from "../../src/api/key.ts";
import { type Kind, resourceOf } from "../../src/api/kind.ts";
import type { OwnerReference, StoredObject, UpdateInput } from "../../src/api/object.ts";
import { StatusError } from "../../src/api/status-error.ts";
import { formatTime } from "../../src/api/time.ts";
import { ownVersion, type ServerVersion } from "../../src/api/server-version.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { type Consistency, consistencyChecks } from "../../src/controller/api/consistency.ts";
import type { ControllerDefinition, Notification, WatchContext } from "../../src/controller/api/definition.ts";
import { controllerExpectations, type Expectations } from "../../src/controller/api/expectations.ts";
import type { Decision, Facts, Rule } from "../../src/controller/api/rule.ts";
import { RunStates } from "../../src/controller/api/run-state.ts";
import type { EventToRecord, SyncClient, SyncContext } from "../../src/controller/api/sync-context.ts";
import { HandFilledCache } from "./hand-filled-cache.ts";

export interface Call {
  readonly verb: "get" | "list" | "review" | "create" | "update" | "updateStatus" | "patch" | "delete";
  readonly kind: string;
  /** For a create, the resulting name; for a list, the namespace. */
  readonly name: string;
  readonly body?: unknown;
  /** Set for a delete with preconditions. */
  readonly preconditions?: object;
  readonly because?: Decision;
}

/** An error response of the fake server. */
export function refusal(code: number, reason: string, message: string, cause?: string): StatusError {
  const details = cause === undefined ? {} : { details: { causes: [{ reason: cause }] } };
  return new StatusError(code, { code, reason, message, ...details });
}

/** 2026-11-21T10:00:00Z */
export const sceneStart: number = Date.UTC(2026, 10, 21, 10);

/** A notification without its delta, which the scene adds. */
export type SceneNotification<T> =
  Notification<T> extends infer N ? (N extends unknown ? Omit<N, "delta"> : never) : never;

type Mutable = { -readonly [K in keyof Scene]: Scene[K] };

export interface Scene {
  now: number;
  /** The CA that the connection trusts. Default: unknown. */
  serverCa: string | undefined;
  serverVersion: ServerVersion;
  /** Called before each request; a returned error replaces the response. */
  refuse: (call: Call) => Error | undefined;
  /** Called after each write is applied; a returned error replaces the response, as when a connection breaks. */
  lose: (call: Call) => Error | undefined;
  /** Handles raw requests, scales and GETs of kinds that are not watched. Default: the scene knows none of them. */
  beyond: Partial<Pick<SyncClient, "raw" | "getScale" | "updateScale">> & {
    readonly get?: (kind: Kind, at: NamespacedName) => StoredObject | undefined;
    /** The response to a `review`. */
    readonly review?: (question: unknown) => object;
  };
  /** Called when a sync sleeps, after the time has passed: the place for concurrent changes. */
  onSleep: (ms: number) => void | Promise<void>;
  readonly calls: Call[];
  readonly events: (EventToRecord & { readonly about: string })[];
  readonly decisions: Decision[];
  /** Requeues requested by syncs. */
  readonly requeues: { readonly ms: number | "rate-limited"; readonly why: string }[];
  /** Keys that notifications enqueued, in order, and those enqueued with a delay. */
  readonly woken: ObjectKey[];
  readonly wokenLater: { readonly key: ObjectKey; readonly ms: number }[];
  readonly expectations: Expectations;
  readonly consistency: Consistency;
  readonly watchContext: WatchContext;
  /** Puts objects on the server and into the cache, without a notification. */
  put<T extends StoredObject>(kind: Kind<T>, ...objects: readonly T[]): void;
  /** Puts an object on the server only: the cache does not have it. */
  putLive<T extends StoredObject>(kind: Kind<T>, object: T): void;
  /** Writes as another client: the caches receive it with the next delivery. */
  writeLive<T extends StoredObject>(kind: Kind<T>, object: T): void;
  deleteLive(kind: Kind, key: ObjectKey): void;
  cached<T extends StoredObject>(kind: Kind<T>): readonly T[];
  live<T extends StoredObject>(kind: Kind<T>): readonly T[];
  notify<T extends StoredObject>(kind: Kind<T>, notification: SceneNotification<T>): void;
  /** Calls each of the controller's scans once. */
  scan(): void;
  /** Delivers the next `most` changes, by default all, to the caches, with a notification for each. */
  deliver(most?: number): void;
  /** Number of changes that were not delivered to the caches. */
  readonly undelivered: number;
  /** Runs one sync of the key; first clears the records of calls, events, decisions and requeues. */
  sync(key: ObjectKey): Promise<void>;
  context(key: ObjectKey): SyncContext;
}

function known<T>(of: ReadonlyMap<string, T>, kind: Kind): T {
  const found = of.get(resourceOf(kind));
  if (found === undefined) throw new RangeError(`the definition watches no ${kind.plural}`);
  return found;
}

export function syncScene(definition: ControllerDefinition): Scene {
  const live = new Map<string, Map<ObjectKey, StoredObject>>();
  const caches = new Map<string, HandFilledCache<StoredObject>>();
  const pending: {
    readonly kind: Kind;
    readonly key: ObjectKey;
    readonly object: StoredObject | undefined;
    readonly version: string;
  }[] = [];
  let version = 1000;
  for (const { kind, indexes = {} } of definition.watches) {
    const cache = new HandFilledCache<StoredObject>(indexes, String(version));
    caches.set(resourceOf(kind), cache);
    live.set(resourceOf(kind), new Map());
  }
  const states = new RunStates();
  const applied = new AppliedFields();
  let names = 0;
  let syncs = 0;

  const shelf = (kind: Kind): Map<ObjectKey, StoredObject> => known(live, kind);
  // Safe: a cache holds only objects of its kind.
  const cacheOf = <T extends StoredObject>(kind: Kind<T>): HandFilledCache<T> =>
    known(caches, kind) as unknown as HandFilledCache<T>;
  const change = (kind: Kind, key: ObjectKey, object: StoredObject | undefined): void => {
    if (object === undefined) shelf(kind).delete(key);
    else shelf(kind).set(key, object);
    pending.push({ kind, key, object, version: object?.metadata.resourceVersion ?? String(version) });
  };

  const delta = { cause: "delta", kind: "Test", type: "Updated", key: "", resourceVersion: "", delta: 0 } as const;

  const scene: Mutable = {
    now: sceneStart,
    serverCa: undefined,
    serverVersion: ownVersion,
    refuse: () => undefined,
    lose: () => undefined,
    beyond: {},
    onSleep: () => undefined,
    calls: [],
    events: [],
    decisions: [],
    requeues: [],
    woken: [],
    wokenLater: [],
    expectations: controllerExpectations(() => scene.now),
    consistency: consistencyChecks((kind) => cacheOf(kind).appliedResourceVersion()),
    watchContext: undefined as unknown as WatchContext,
    put(kind, ...objects) {
      for (const object of objects) {
        shelf(kind).set(keyOf(object), object);
        cacheOf(kind).set(object);
      }
    },
    putLive(kind, object) {
      shelf(kind).set(keyOf(object), object);
    },
    writeLive(kind, object) {
      store(kind, object);
    },
    deleteLive(kind, key) {
      version++;
      change(kind, key, undefined);
    },
    cached: (kind) => cacheOf(kind).list(),
    live: <T extends StoredObject>(kind: Kind<T>) => [...shelf(kind).values()] as T[],
    notify(kind, notification) {
      for (const watch of definition.watches) {
        if (resourceOf(watch.kind) !== resourceOf(kind)) continue;
        watch.on({ ...notification, delta }, scene.watchContext);
      }
    },
    scan() {
      for (const scan of definition.scans ?? []) scan.on(scene.watchContext);
    },
    deliver(most = Infinity) {
      for (let n = 0; n < most; n++) {
        const next = pending.shift();
        if (next === undefined) return;
        const cache = cacheOf(next.kind);
        const before = cache.get(next.key);
        cache.apply(next.version);
        if (next.object === undefined) {
          cache.delete(next.key);
          if (before !== undefined) scene.notify(next.kind, { type: "deleted", object: before, tombstone: false });
        } else {
          cache.set(next.object);
          if (before === undefined) scene.notify(next.kind, { type: "added", object: next.object, initial: false });
          else scene.notify(next.kind, { type: "updated", before, object: next.object });
        }
      }
    },
    get undelivered() {
      return pending.length;
    },
    async sync(key) {
      for (const record of [scene.calls, scene.events, scene.decisions, scene.requeues]) record.length = 0;
      await definition.sync(key, scene.context(key));
    },
    context(key) {
      const sync = ++syncs;
      return {
        controller: definition.name,
        key,
        sync,
        signal: new AbortController().signal,
        random: seededRandom(1),
        now: () => scene.now,
        async sleep(ms) {
          scene.now += ms;
          await scene.onSleep(ms);
        },
        cache: cacheOf,
        waitForCacheSync: () => Promise.resolve(),
        serverCa: scene.serverCa,
        serverVersion: scene.serverVersion,
        client,
        decide<F extends Facts>(rule: Rule<F>, facts: F): Decision {
          const decision = {
            controller: definition.name,
            sync,
            seq: 0,
            rule: rule.id,
            facts,
            sentence: rule.sentence(facts),
          };
          scene.decisions.push(decision);
          return decision;
        },
        expectations: scene.expectations,
        consistency: scene.consistency,
        event(kind, about, event) {
          scene.events.push({ ...event, about: `${kind.kind} ${about.metadata.name}` });
        },
        enqueueAfter(ms, why) {
          scene.requeues.push({ ms, why });
        },
        enqueue(key, _why, afterMs = 0) {
          if (afterMs > 0) scene.wokenLater.push({ key, ms: afterMs });
          else scene.woken.push(key);
        },
        enqueueRateLimited(why) {
          scene.requeues.push({ ms: "rate-limited", why });
        },
        state: (state) => states.of(state),
      };
    },
  };
  scene.watchContext = {
    enqueue: (key, ms = 0) => void (ms > 0 ? scene.wokenLater.push({ key, ms }) : scene.woken.push(key)),
    enqueueAfter: (key, ms) => void scene.wokenLater.push({ key, ms }),
    now: () => scene.now,
    cache: cacheOf,
    expectations: scene.expectations,
    consistency: scene.consistency,
    event: (kind, about, event) => void scene.events.push({ ...event, about: `${kind.kind} ${about.metadata.name}` }),
    state: (state) => states.of(state),
  };

  /** Responses arrive in a later turn, as from a network. */
  const request = async <T>(call: Call, apply: () => T): Promise<T> => {
    scene.calls.push(call);
    await Promise.resolve();
    const error = scene.refuse(call);
    if (error !== undefined) throw error;
    const result = apply();
    await Promise.resolve();
    const lost = call.verb === "get" || call.verb === "list" || call.verb === "review" ? undefined : scene.lose(call);
    if (lost !== undefined) throw lost;
    return result;
  };
  const found = <T extends StoredObject>(kind: Kind<T>, key: ObjectKey): T => {
    const object = shelf(kind).get(key);
    if (object === undefined) throw refusal(404, "NotFound", `${resourceOf(kind)} "${splitKey(key).name}" not found`);
    return object as T;
  };
  const at = (place: { readonly namespace: string; readonly name: string }): ObjectKey =>
    objectKey(place.namespace, place.name);
  const store = <T extends StoredObject>(kind: Kind<T>, object: T): T => {
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } };
    change(kind, keyOf(stored), stored);
    return stored;
  };

  const client: SyncClient = {
    get: <T extends StoredObject>(kind: Kind<T>, place: NamespacedName) =>
      request({ verb: "get", kind: kind.kind, name: place.name }, () => {
        if (live.has(resourceOf(kind))) return found(kind, at(place));
        const object = scene.beyond.get?.(kind, place);
        if (object === undefined) throw refusal(404, "NotFound", `${resourceOf(kind)} "${place.name}" not found`);
        return object as T;
      }),
    review: <T>(kind: Kind, question: T) =>
      request({ verb: "review", kind: kind.kind, name: "", body: question }, () => {
        if (scene.beyond.review === undefined) throw new Error("the scene knows no reviews");
        return { ...question, ...scene.beyond.review(question) };
      }),
    getMetadata: (kind, place) =>
      request({ verb: "get", kind: kind.kind, name: place.name }, () => found(kind, at(place))),
    create<T extends StoredObject>(
      kind: Kind<T>,
      object: unknown,
      { because }: { readonly because: Decision },
    ): Promise<T> {
      const body = object as T;
      const name = body.metadata.name ?? `${(body.metadata as { generateName?: string }).generateName}${++names}`;
      return request({ verb: "create", kind: kind.kind, name, body, because }, () => {
        const generation = "endpoints" in body ? { generation: 1 } : {};
        const creationTimestamp = formatTime(scene.now);
        const metadata = { ...body.metadata, ...generation, name, uid: `uid-${name}`, creationTimestamp };
        return store(kind, { ...body, metadata });
      });
    },
    update<T extends StoredObject>(
      kind: Kind<T>,
      given: T | UpdateInput<T>,
      { because }: { readonly because: Decision },
    ): Promise<T> {
      // Controllers pass the whole object that they have read.
      const object = given as T;
      return request({ verb: "update", kind: kind.kind, name: object.metadata.name, body: object, because }, () => {
        const before = found(kind, keyOf(object));
        const { resourceVersion } = given.metadata;
        if (resourceVersion !== undefined && before.metadata.resourceVersion !== resourceVersion)
          throw refusal(409, "Conflict", "changed");
        const isOther = !deepEqual(specOf(before), specOf(object));
        const generation = (before.metadata.generation ?? 0) + (isOther ? 1 : 0);
        // The status changes only through its subresource.
        const status = "status" in before ? { status: before.status } : {};
        const { uid } = before.metadata;
        return store(kind, { ...object, metadata: { ...object.metadata, uid, generation }, ...status });
      });
    },
    list: <T extends StoredObject>(kind: Kind<T>, { namespace = "" }: { readonly namespace?: string } = {}) =>
      request({ verb: "list", kind: kind.kind, name: namespace }, () => {
        const isIn = ({ metadata }: StoredObject): boolean => namespace === "" || metadata.namespace === namespace;
        return { items: scene.live(kind).filter(isIn), resourceVersion: String(version), continueToken: "", bytes: 0 };
      }),
    listMetadata: () => unknownHere("list"),
    raw: (...args) => scene.beyond.raw?.(...args) ?? unknownHere("discovery"),
    getScale: (...args) => scene.beyond.getScale?.(...args) ?? unknownHere("scales"),
    updateScale: (...args) => scene.beyond.updateScale?.(...args) ?? unknownHere("scales"),
    deleteCollection: () => unknownHere("collections"),
    evict: () => unknownHere("evictions"),
    bind: () => unknownHere("binding"),
    updateStatus(kind, object, { because }) {
      return request(
        { verb: "updateStatus", kind: kind.kind, name: object.metadata.name, body: object, because },
        () => {
          const before = found(kind, keyOf(object));
          if (before.metadata.resourceVersion !== object.metadata.resourceVersion)
            throw refusal(409, "Conflict", "changed");
          // Only the status and the annotations of the object are used.
          const { annotations } = object.metadata;
          const metadata = { ...before.metadata, ...(annotations !== undefined && { annotations }) };
          return store(kind, { ...before, metadata, ...("status" in object && { status: object.status }) });
        },
      );
    },
    patch(kind, place, patch, { because }) {
      return request({ verb: "patch", kind: kind.kind, name: place.name, body: patch.body, because }, () => {
        const object = found(kind, at(place));
        if (patch.type === "apply") return store(kind, applied.apply(object, patch.body));
        const { metadata, status } = patch.body as { readonly metadata?: object; readonly status?: object };
        if (metadata === undefined) return store(kind, { ...object, status: { ...statusOf(object), ...status } });
        return store(kind, { ...object, metadata: { ...object.metadata, ...metadataAfter(object, patch.body) } });
      });
    },
    delete(kind, place, { because, preconditions }) {
      const call = { verb: "delete", kind: kind.kind, name: place.name, because } as const;
      return request({ ...call, ...(preconditions !== undefined && { preconditions }) }, () => {
        const object = found(kind, at(place));
        scene.deleteLive(kind, keyOf(object));
        // Like the server's response: with the resourceVersion of the deletion.
        return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
      });
    },
  };
  return scene;
}

function unknownHere(what: string): Promise<never> {
  return Promise.reject(new Error(`the scene knows no ${what}`));
}

/** The part of an object whose changes raise the generation. Slices have no spec: there it is everything except the metadata. */
function specOf(object: StoredObject): unknown {
  if ("spec" in object) return object.spec;
  if (!("endpoints" in object)) return undefined;
  const { metadata: _metadata, ...content } = object;
  return content;
}

function statusOf(object: StoredObject): object {
  return (object as { readonly status?: object }).status ?? {};
}

/**
 * Server-side apply by one manager, for fields outside the metadata: fields of the last apply that are missing from this one are removed.
 */
class AppliedFields {
  readonly #last = new Map<string, readonly string[]>();

  apply<T extends StoredObject>(object: T, body: unknown): T {
    const { metadata: _metadata, apiVersion: _version, kind: _kind, ...fields } = body as Record<string, unknown>;
    const { uid } = object.metadata;
    const left = Object.entries(object).filter(([name]) => this.#last.get(uid)?.includes(name) !== true);
    this.#last.set(uid, Object.keys(fields));
    // Safe: the fields are those of the kind that the test's controller applies.
    return { ...Object.fromEntries(left), ...fields } as unknown as T;
  }
}

interface PatchedMeta {
  readonly ownerReferences?: readonly (OwnerReference & { $patch?: string })[];
  readonly "$deleteFromPrimitiveList/finalizers"?: readonly string[];
}

/** Returns owner references and finalizers after a strategic merge patch that adds or deletes some. */
function metadataAfter(object: StoredObject, body: unknown): Partial<StoredObject["metadata"]> {
  const { metadata } = body as { readonly metadata: PatchedMeta };
  const { ownerReferences: references = [], "$deleteFromPrimitiveList/finalizers": without = [] } = metadata;
  const patched = new Set(references.map(({ uid }) => uid));
  const kept = (object.metadata.ownerReferences ?? []).filter(({ uid }) => !patched.has(uid));
  const { finalizers } = object.metadata;
  return {
    ownerReferences: [...kept, ...references.filter(({ $patch }) => $patch === undefined)],
    ...(finalizers !== undefined && { finalizers: finalizers.filter((finalizer) => !without.includes(finalizer)) }),
  };
}
