/** Watching changes from now on, without listing existing objects. */
import type { Kind } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import { SharedInformerFactory } from "../../cache/shared-informer-factory.ts";
import type { InformerState } from "../../cache/shared-informer.ts";
import type { ListerWatcher } from "../../client/api/lister-watcher.ts";
import type { Client, WatchScope } from "../../client/api/verbs.ts";
import type { Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { TraceBus } from "../../trace/bus.ts";

/** What is watched. */
export interface ChangesOptions {
  readonly kinds: readonly Kind[];
  /** A client on a read-only connection. */
  readonly client: Client;
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  readonly random: Random;
  /** Unset: all namespaces. */
  readonly namespace?: string;
}

/** Running watches. */
export interface Changes {
  states(): readonly InformerState[];
  stop(): Promise<void>;
}

/**
 * Reports the deltas of many kinds from now on. The caches contain only objects changed since, so the cost depends on the rate of changes,
 * not on the size of the cluster; the state before an object's first change is unknown. Resolves when every kind is watched.
 * @throws the signal's reason.
 */
export async function watchChanges(options: ChangesOptions, signal: AbortSignal): Promise<Changes> {
  const { kinds, client, bus, timeline, random, namespace } = options;
  const informers = new SharedInformerFactory({
    client: { ...client, listerWatcher: (kind, scope) => withoutObjects(client, kind, scope) },
    bus,
    timeline,
    random,
    trackFieldManagers: true,
    ...(namespace !== undefined && { namespace }),
  });
  for (const kind of kinds) informers.forKind(kind);
  informers.start();
  const stop = (): Promise<void> => informers.stop();
  try {
    await informers.waitForCacheSync(signal);
  } catch (error) {
    await stop();
    throw error;
  }
  return { states: () => informers.states(), stop };
}

/** A list with the current resourceVersion and no objects. */
function withoutObjects<T extends StoredObject>(
  client: Client,
  kind: Kind<T>,
  scope: WatchScope = {},
): ListerWatcher<T> {
  return {
    ...client.listerWatcher(kind, scope),
    async list(_options, signal) {
      const { resourceVersion, bytes } = await client.list(kind, { ...scope, limit: 1, signal });
      return { items: [], resourceVersion, continueToken: "", bytes };
    },
  };
}
