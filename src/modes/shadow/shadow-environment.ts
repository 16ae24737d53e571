/** The environment of syncs in shadow mode: caches overlaid with the sync's own writes, and a client that never sends writes. */
import type { ObjectKey } from "../../api/key.ts";
import { type Kind, resourceOf } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import type { SharedInformerFactory } from "../../cache/shared-informer-factory.ts";
import { createClient } from "../../client/api/client.ts";
import { controllerExpectations } from "../../controller/api/expectations.ts";
import {
  noConsistency,
  noExpectations,
  type ShadowedController,
  type SyncEnvironment,
  type SyncSession,
} from "../../controller/runtime/sync-environment.ts";
import type { Server } from "../../sandbox/context/server.ts";
import type { Resource } from "../../sandbox/registry/resource.ts";
import { fieldManagerOf } from "../../api/own-field-manager.ts";
import type { Intentions } from "./intentions.ts";
import { Overlay } from "./overlay.ts";
import type { ShadowOptions } from "./shadow-options.ts";

interface EnvironmentParts {
  readonly options: ShadowOptions;
  readonly registry: Server;
  readonly informers: SharedInformerFactory;
  readonly intentions: Intentions;
}

/** Gives each sync its own overlay, and turns its writes into intentions. */
export function shadowEnvironment({ options, registry, informers, intentions }: EnvironmentParts): SyncEnvironment {
  const { bus, timeline, transport } = options;
  const kinds = new Map(
    options.controllers.flatMap(({ watches }) => watches.map(({ kind }) => [resourceOf(kind), kind] as const)),
  );
  const cached = (resource: Resource, key: ObjectKey): StoredObject | undefined => {
    const kind = kinds.get(resourceOf(resource));
    return kind === undefined ? undefined : informers.forKind(kind).lister.get(key);
  };
  return {
    expectations: noExpectations,
    consistency: noConsistency,
    begin(running, key, sync): SyncSession {
      const { definition } = running;
      const name = { controller: definition.name, key };
      const overlay = new Overlay({
        transport,
        registry,
        cached,
        actor: `${definition.name} shadow`,
        cachedMetadata: (resource, target) =>
          running.discovered?.has(resource) === true ? running.cache<StoredObject>(resource).get(target) : undefined,
        onWrite: (write) => {
          if (write.kind !== "Event") intentions.decided(name, sync, write);
        },
      });
      const fieldManager = fieldManagerOf(definition);
      return {
        cache: (kind) => overlay.lister(kind, running.cache(kind), indexesOf(running, kind)),
        client: createClient({ transport: overlay, bus, timeline, fieldManager, wouldBe: true }),
        expectations: controllerExpectations(() => timeline.now()),
        consistency: noConsistency,
        end: (failed) => intentions.syncEnded(name, sync, failed),
      };
    },
  };
}

function indexesOf<T extends StoredObject>(
  { definition }: ShadowedController,
  kind: Kind<T>,
): Readonly<Record<string, (object: T) => readonly string[]>> {
  const watch = definition.watches.find((each) => resourceOf(each.kind) === resourceOf(kind));
  // A watch of this kind has indexes for objects of this kind.
  return watch?.indexes ?? {};
}
