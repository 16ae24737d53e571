/** What one sync works with, and how it affects the graph. */
import type { StoredObject } from "../../api/object.ts";
import type { WatchContext } from "../../controller/api/definition.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import type { GraphEffects } from "./graph.ts";
import type { KnownKinds } from "./kinds.ts";
import { type Memory, memory } from "./memory.ts";
import type { GraphNode } from "./node.ts";

/** The state of the garbage collector and the context of one sync. */
export interface Work extends Memory {
  readonly context: SyncContext;
  /** For changes of the graph by this sync. `why` is recorded as the trigger of the keys that they enqueue. */
  effects(why: string): GraphEffects;
}

/** What the sync with this context works with. */
export function workOf(context: SyncContext): Work {
  const { graph, kinds } = context.state(memory);
  return {
    context,
    graph,
    kinds,
    effects: (why) => ({
      enqueue: (key, afterMs) => context.enqueue(key, why, afterMs),
      invalidNamespace: (dependent, uid) =>
        reportInvalidNamespace(kinds, (kind, about, event) => context.event(kind, about, event), dependent, uid),
    }),
  };
}

/** For changes of the graph by a notification. */
export function effectsOf(context: WatchContext, kinds: KnownKinds): GraphEffects {
  return {
    enqueue: (key, afterMs) =>
      afterMs > 0 ? context.enqueueAfter(key, afterMs, "another identity of it is tried") : context.enqueue(key),
    invalidNamespace: (dependent, uid) =>
      reportInvalidNamespace(kinds, (kind, about, event) => context.event(kind, about, event), dependent, uid),
  };
}

/** Source: kubernetes v1.36 pkg/controller/garbagecollector/graph_builder.go reportInvalidNamespaceOwnerRef. */
function reportInvalidNamespace(
  kinds: KnownKinds,
  record: WatchContext["event"],
  dependent: GraphNode,
  uid: string,
): void {
  const reference = dependent.owners.find((owner) => owner.uid === uid);
  if (reference === undefined) return;
  const { namespace, name } = dependent;
  const metadata = { name, uid: dependent.uid, resourceVersion: "", creationTimestamp: "" };
  const about: StoredObject = { metadata: { ...metadata, ...(namespace !== "" && { namespace }) } };
  const { apiVersion, kind } = reference;
  const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${reference.name}, uid: ${uid}]`;
  record(kinds.find(dependent.of), about, {
    type: "Warning",
    reason: "OwnerRefInvalidNamespace",
    message: `ownerRef ${owner} does not exist in namespace ${JSON.stringify(namespace)}`,
  });
}
