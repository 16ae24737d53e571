/** The controllers of CustomResourceDefinitions that are a part of kube-apiserver, on one server. */
import type { Server } from "../context/server.ts";
import { machineryReady } from "../registry/apiextensions/loading.ts";
import { definitionsOf } from "./definitions.ts";
import { establish } from "./establishing.ts";
import { cleanUp } from "./finalizing.ts";
import { keyedQueue } from "./keyed-queue.ts";
import { hasItsNames, syncNames } from "./naming.ts";
import { servedDefinitions } from "./serving.ts";

/** How often it is looked whether the objects that have finalizers are gone. Source: crd_finalizer.go. */
const pollMs = 5000;

/** Keeps the status of definitions, and serves the kinds of those that are established. */
export interface DefinitionControllers {
  /** Follows the definitions that are stored already: those of a snapshot, which came without events. */
  followStored(): Promise<void>;
}

/** Starts the controllers on a server; until a definition is written they do nothing. */
export function startDefinitionControllers(server: Server): DefinitionControllers {
  const { timeline } = server;
  const definitions = definitionsOf(server);
  const served = servedDefinitions(server);
  const naming = keyedQueue(timeline, {
    name: "crd naming",
    sync(name) {
      if (!syncNames(server, name)) return;
      const group = name.slice(name.indexOf(".") + 1);
      // Those that wait for a name may get it now.
      for (const other of definitions.range({})) {
        const waits = other.name !== name && other.name.endsWith(`.${group}`) && !hasItsNames(other.object);
        if (waits) naming.add(other.name);
      }
    },
  });
  const establishing = keyedQueue(timeline, { name: "crd establishing", sync: (name) => establish(server, name) });
  const finalizing = keyedQueue(timeline, {
    name: "crd finalizing",
    sync(name) {
      if (cleanUp(server, name)) finalizing.addAfter(name, pollMs);
    },
  });
  definitions.listeners.add(({ type, entry }) => {
    const { name, object } = entry;
    naming.add(name);
    if (type === "DELETED") served.end(name);
    else {
      served.follow(name, object);
      establishing.add(name);
      if (object.metadata.deletionTimestamp !== undefined) finalizing.add(name);
    }
  });
  return {
    async followStored() {
      if (definitions.size === 0) return;
      await machineryReady();
      for (const { name, object } of definitions.range({})) {
        served.follow(name, object);
        naming.add(name);
        establishing.add(name);
        if (object.metadata.deletionTimestamp !== undefined) finalizing.add(name);
      }
    },
  };
}
