/** The garbage collector. Source: kubernetes v1.36 pkg/controller/garbagecollector. */
import { CacheBehindError } from "../../controller/api/consistency.ts";
import { type ControllerDefinition, defineController } from "../../controller/api/definition.ts";
import { attemptToDelete } from "./attempt-to-delete.ts";
import { attemptToOrphan } from "./attempt-to-orphan.ts";
import { kindsOfGraph } from "./kinds.ts";
import { memory } from "./memory.ts";
import { nameOfNode, objectOfKey } from "./node.ts";
import { rules } from "./rules.ts";
import { effectsOf, workOf } from "./work.ts";

/** kube-controller-manager's discovery interval, and its timeout for the first discovery. */
const discoveryMs = 30_000;

/** Deletes objects whose owners are gone. Keys name nodes of its dependency graph (`keyOfNode`). */
export const garbageCollector: ControllerDefinition = defineController({
  name: "garbage-collector",
  aliases: ["gc", "garbagecollector", "garbage-collector-controller"],
  purpose: "deletes objects whose owners are gone; orphans dependents or waits for their deletion",
  about: objectOfKey,
  watches: [],
  dynamicWatches: {
    description: "every kind except Events",
    select: kindsOfGraph,
    discoveryIntervalMs: discoveryMs,
    initialSyncTimeoutMs: discoveryMs,
    discovered: (kinds, context) => context.state(memory).kinds.set(kinds),
    on(notification, kind, context) {
      const { graph, kinds } = context.state(memory);
      const of = kinds.nameOf(kind);
      const effects = effectsOf(context, kinds);
      const { object, type } = notification;
      if (type === "deleted") graph.observeDeletion(of, object, effects);
      else graph.observe(of, object, type === "updated" ? notification.before : undefined, effects);
    },
  },
  workers: 20,
  ifRunTwice: "both would delete what has lost its owner, and take finalizers off the same objects",
  order: { by: "group", groupOf: (key, context) => context.state(memory).graph.groupOf(key) },
  rules,
  permissions: [{ group: "*", resource: "*", verbs: ["list", "watch", "get", "patch", "delete"] }],
  component: "garbage-collector-controller",
  source: "pkg/controller/garbagecollector/garbagecollector.go",
  async sync(key, context) {
    const work = workOf(context);
    const node = work.graph.nodeOf(key);
    // It was deleted while its key was queued.
    if (node === undefined) return;
    if (key.startsWith("orphan ")) {
      await attemptToOrphan(work, node);
      return;
    }
    const found = await attemptToDelete(work, node);
    // An object created and deleted between two watches is never observed: it is looked up until it is observed or absent.
    if (found === "present" && node.virtual && work.graph.node(node.uid)?.virtual === true) {
      throw new CacheBehindError(`Cannot drop ${nameOfNode(node)} yet: it exists, but no watch has reported it`);
    }
  },
});
