/** The garbage collector alone, with a minimal server, watch events sent by the test, and a record of all effects. */
import { objectKey, type ObjectKey } from "../../../src/api/key.ts";
import { apiVersionOf, type Kind, kindOf } from "../../../src/api/kind.ts";
import type { OwnerReference, StoredObject } from "../../../src/api/object.ts";
import { StatusError } from "../../../src/api/status-error.ts";
import type { DiscoveredKind } from "../../../src/client/api/discovery.ts";
import type { ControllerDefinition, Notification, WatchContext } from "../../../src/controller/api/definition.ts";
import { RunStates } from "../../../src/controller/api/run-state.ts";
import type { EventToRecord, SyncClient, SyncContext } from "../../../src/controller/api/sync-context.ts";
import { garbageCollector } from "../../../src/controllers/garbage-collector/garbage-collector.ts";
import type { DependencyGraph } from "../../../src/controllers/garbage-collector/graph.ts";
import { memory } from "../../../src/controllers/garbage-collector/memory.ts";

export const ConfigMaps: Kind = kindOf({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
});
export const Secrets: Kind = kindOf({ group: "", version: "v1", kind: "Secret", plural: "secrets", namespaced: true });
export const Nodes: Kind = kindOf({ group: "", version: "v1", kind: "Node", plural: "nodes", namespaced: false });
export const Deployments: Kind = kindOf({
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
});

export interface ObjectOptions {
  readonly uid?: string;
  readonly namespace?: string;
  readonly owners?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly deleted?: boolean;
  readonly version?: string;
}

/** An object with the default UID `uid-NAME`; a namespaced one is in `ns` by default. */
export function object(kind: Kind, name: string, options: ObjectOptions = {}): StoredObject {
  const { uid = `uid-${name}`, namespace = "ns", owners, finalizers, deleted, version = "1" } = options;
  return {
    metadata: {
      name,
      uid,
      resourceVersion: version,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(kind.namespaced && { namespace }),
      ...(owners !== undefined && { ownerReferences: owners }),
      ...(finalizers !== undefined && { finalizers }),
      ...(deleted === true && { deletionTimestamp: "2026-01-01T00:00:01Z" }),
    },
  };
}

export function ownedBy(kind: Kind, name: string, rest: Partial<OwnerReference> = {}): OwnerReference {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid: `uid-${name}`, ...rest };
}

/** A request such as `delete ConfigMap ns/a`, with its options. */
export interface Call {
  readonly what: string;
  readonly options: unknown;
}

export interface CollectorScene {
  readonly graph: DependencyGraph;
  readonly calls: Call[];
  readonly woken: ObjectKey[];
  readonly wokenLater: { readonly key: ObjectKey; readonly ms: number }[];
  readonly decisions: string[];
  readonly events: (EventToRecord & { readonly about: string })[];
  /** Called before each request, which fails with the error that this throws. */
  refuse: (call: Call) => void;
  /** Stores objects on the server. */
  store(kind: Kind, ...objects: readonly StoredObject[]): void;
  remove(kind: Kind, name: string, namespace?: string): void;
  /** Sends a watch event for the object. */
  show(kind: Kind, object: StoredObject, before?: StoredObject): void;
  showDeletion(kind: Kind, object: StoredObject): void;
  /** Stores objects on the server and sends watch events for them. */
  add(kind: Kind, ...objects: readonly StoredObject[]): void;
  /** Returns the keys enqueued since the last call. */
  take(): ObjectKey[];
  /** Runs one sync; returns its error if it failed. */
  sync(key: ObjectKey): Promise<unknown>;
}

export function refusal(code: number, reason: string): StatusError {
  return new StatusError(code, { code, reason, message: reason });
}

function discovered(kind: Kind): DiscoveredKind {
  return {
    ...kind,
    singular: kind.kind.toLowerCase(),
    verbs: ["delete", "list", "watch"],
    categories: [],
    preferred: true,
  };
}

export function collectorScene(kinds: readonly Kind[] = [ConfigMaps, Secrets, Nodes, Deployments]): CollectorScene {
  const definition: ControllerDefinition = garbageCollector;
  const states = new RunStates();
  const live = new Map<string, StoredObject>();
  const pathTo = (kind: Kind, namespace: string | undefined, name: string): string =>
    `${kind.kind} ${objectKey(kind.namespaced ? namespace : undefined, name)}`;
  const delta = { cause: "delta", kind: "", type: "Updated", key: "", resourceVersion: "", delta: 0 } as const;
  const watchContext = {
    enqueue: (key: ObjectKey) => void scene.woken.push(key),
    enqueueAfter: (key: ObjectKey, ms: number) => void scene.wokenLater.push({ key, ms }),
    event: (kind: Kind, about: StoredObject, event: EventToRecord) =>
      void scene.events.push({ ...event, about: `${kind.kind} ${about.metadata.name}` }),
    state: (state) => states.of(state),
  } satisfies Partial<WatchContext> as unknown as WatchContext;
  const tell = (notification: Notification<StoredObject>, kind: Kind): void =>
    definition.dynamicWatches?.on(notification, kind, watchContext);
  const scene: CollectorScene = {
    graph: states.of(memory).graph,
    calls: [],
    woken: [],
    wokenLater: [],
    decisions: [],
    events: [],
    refuse: () => undefined,
    store(kind, ...objects) {
      for (const one of objects) live.set(pathTo(kind, one.metadata.namespace, one.metadata.name), one);
    },
    remove: (kind, name, namespace = "ns") => void live.delete(pathTo(kind, namespace, name)),
    show(kind, one, before) {
      if (before === undefined) tell({ type: "added", object: one, initial: false, delta }, kind);
      else tell({ type: "updated", before, object: one, delta }, kind);
    },
    showDeletion: (kind, one) => tell({ type: "deleted", object: one, tombstone: false, delta }, kind),
    add(kind, ...objects) {
      scene.store(kind, ...objects);
      for (const one of objects) scene.show(kind, one);
    },
    take: () => scene.woken.splice(0),
    async sync(key) {
      for (const record of [scene.calls, scene.decisions]) record.length = 0;
      try {
        await definition.sync(key, contextOf(key));
        return undefined;
      } catch (error) {
        return error;
      }
    },
  };
  definition.dynamicWatches?.discovered?.(kinds.map(discovered), watchContext);

  const request = async <T>(
    verb: string,
    kind: Kind,
    at: { namespace: string; name: string },
    options: unknown,
    apply: () => T,
  ): Promise<T> => {
    const call = { what: `${verb} ${pathTo(kind, at.namespace, at.name)}`, options };
    scene.calls.push(call);
    await Promise.resolve();
    scene.refuse(call);
    return apply();
  };
  const found = (kind: Kind, at: { namespace: string; name: string }): StoredObject => {
    const one = live.get(pathTo(kind, at.namespace, at.name));
    if (one === undefined) throw refusal(404, "NotFound");
    return one;
  };
  const client = {
    getMetadata: (kind, at) => request("get", kind, at, undefined, () => found(kind, at)),
    patch: ((kind: Kind, at: { namespace: string; name: string }, patch: unknown) =>
      request("patch", kind, at, patch, () => found(kind, at))) as unknown as SyncClient["patch"],
    delete(kind, at, { preconditions, propagationPolicy }) {
      const options = { preconditions, propagationPolicy };
      return request("delete", kind, at, options, () => found(kind, at));
    },
  } satisfies Partial<SyncClient> as unknown as SyncClient;
  const contextOf = (key: ObjectKey): SyncContext =>
    ({
      key,
      client,
      decide(rule, facts) {
        const sentence = rule.sentence(facts);
        scene.decisions.push(`${rule.id}: ${sentence}`);
        return { controller: definition.name, sync: 1, seq: 0, rule: rule.id, facts, sentence };
      },
      enqueue(woken, _why, afterMs = 0) {
        if (afterMs > 0) scene.wokenLater.push({ key: woken, ms: afterMs });
        else scene.woken.push(woken);
      },
      event: (kind, about, event) => watchContext.event(kind, about, event),
      state: (state) => states.of(state),
    }) satisfies Partial<SyncContext> as unknown as SyncContext;
  return scene;
}
