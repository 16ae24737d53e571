/** The controllers for CustomResourceDefinitions that are part of kube-apiserver, on one server. */
import type { Server } from "../context/server.ts";
import { machineryReady } from "../registry/apiextensions/loading.ts";
import { definitionsOf } from "./definitions.ts";
import { establish } from "./establishing.ts";
import { cleanUp } from "./finalizing.ts";
import { keyedQueue } from "./keyed-queue.ts";
import { hasItsNames, syncNames } from "./naming.ts";
import { servedDefinitions } from "./serving.ts";

/** How often to check whether objects with finalizers are gone. Source: crd_finalizer.go. */
const pollMs = 5000;

/** Maintains the status of definitions, and serves the kinds of established ones. */
export interface DefinitionControllers {
  /** Processes definitions that are already stored: those of a snapshot, which were added without events. */
  followStored(): Promise<void>;
}

/** Starts the controllers on a server; they do nothing until a definition is written. */
export function startDefinitionControllers(server: Server): DefinitionControllers {
  const { timeline } = server;
  const definitions = definitionsOf(server);
  const served = servedDefinitions(server);
  const naming = keyedQueue(timeline, {
    name: "crd naming",
    sync(name) {
      if (!syncNames(server, name)) return;
      const group = name.slice(name.indexOf(".") + 1);
      // Others that wait for a name may get it now.
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
