import { type Kind, resourceOf } from "../api/kind.ts";
import type { StoredObject } from "../api/object.ts";
import type { Selectors } from "../client/api/lister-watcher.ts";
import type { Client } from "../client/api/verbs.ts";
import { type InformerState, SharedInformer, type SharedInformerOptions } from "./shared-informer.ts";

/** The options that all informers of a factory share. */
type Shared = Pick<
  SharedInformerOptions<StoredObject>,
  | "timeline"
  | "random"
  | "bus"
  | "resyncMs"
  | "freeze"
  | "trackFieldManagers"
  | "createQueue"
  | "pageSize"
  | "watchList"
  | "onHandlerError"
>;

/** Options of a `SharedInformerFactory`; see SharedInformerOptions for the inherited ones. */
export interface SharedInformerFactoryOptions extends Shared {
  readonly client: Pick<Client, "listerWatcher" | "metadataListerWatcher">;
  /** Restricts caches of namespaced kinds to this namespace. Default: all namespaces. */
  readonly namespace?: string;
  /** Selectors for each kind. Objects that do not match are not cached. Default: none. */
  readonly tweakListOptions?: (kind: Kind) => Selectors | undefined;
  /** Overrides `trackFieldManagers` for each kind. */
  readonly trackFieldManagersOf?: (kind: Kind) => boolean;
  /** Like the informer's option, for all kinds. */
  readonly transform?: (object: StoredObject, kind: Kind) => StoredObject;
}

/**
 * Creates one shared informer per kind. Get the informers, add handlers, then call `start`. Call `start` again for informers that are
 * requested later.
 * Source: client-go v0.36 informers/factory.go.
 */
export class SharedInformerFactory {
  #options: SharedInformerFactoryOptions;
  #informers = new Map<string, SharedInformer<StoredObject>>();
  #runs = new Map<string, { readonly ended: Promise<void>; readonly abort: AbortController }>();

  constructor(options: SharedInformerFactoryOptions) {
    this.#options = options;
  }

  /** The informer of a kind; the same each time. */
  forKind<T extends StoredObject>(kind: Kind<T>): SharedInformer<T> {
    const resource = nameOf(kind);
    let informer = this.#informers.get(resource);
    if (informer === undefined) {
      informer = this.#make(kind, "whole");
      this.#informers.set(resource, informer);
    }
    // The kind is the key, and carries the type of its objects.
    return informer as unknown as SharedInformer<T>;
  }

  /** An informer for readers that only need metadata: the kind's full informer if it exists already, otherwise one for PartialObjectMetadata. */
  forMetadata(kind: Kind): SharedInformer<StoredObject> {
    const whole = this.#informers.get(nameOf(kind));
    if (whole !== undefined) return whole;
    const resource = nameOfMetadata(kind);
    let informer = this.#informers.get(resource);
    if (informer === undefined) {
      informer = this.#make(kind, "metadata");
      this.#informers.set(resource, informer);
    }
    return informer;
  }

  /**
   * Stops the metadata informer of a kind that the server no longer has, unless somebody else still has a handler on it; `forMetadata` then
   * creates a new one. Resolves when its requests have ended.
   */
  async stopMetadataInformer(kind: Kind): Promise<void> {
    const resource = nameOfMetadata(kind);
    if ((this.#informers.get(resource)?.state().handlers.length ?? 0) > 0) return;
    const run = this.#runs.get(resource);
    this.#informers.delete(resource);
    this.#runs.delete(resource);
    run?.abort.abort(new Error(`the informer of ${resourceOf(kind)} was ended`));
    await run?.ended;
  }

  #make(kind: Kind, reads: "whole" | "metadata"): SharedInformer<StoredObject> {
    const { client, namespace, tweakListOptions, transform, trackFieldManagersOf, ...rest } = this.#options;
    const shared =
      trackFieldManagersOf === undefined ? rest : { ...rest, trackFieldManagers: trackFieldManagersOf(kind) };
    const scope = kind.namespaced && namespace !== undefined ? { namespace } : {};
    const selectors = tweakListOptions?.(kind);
    const selected = selectors === undefined ? {} : { selectors };
    if (reads === "metadata") {
      return new SharedInformer({
        ...shared,
        ...selected,
        listerWatcher: client.metadataListerWatcher(kind, scope),
        // Drops the kind PartialObjectMetadata, and everything else if a server without support for it sends full objects.
        transform: ({ metadata }) => ({ metadata }),
      });
    }
    return new SharedInformer({
      ...shared,
      ...selected,
      listerWatcher: client.listerWatcher(kind, scope),
      ...(transform !== undefined && { transform: (object: StoredObject) => transform(object, kind) }),
    });
  }

  /** Starts the informers that are not running yet. */
  start(): void {
    for (const [resource, informer] of this.#informers) {
      if (this.#runs.has(resource)) continue;
      const abort = new AbortController();
      this.#runs.set(resource, { ended: informer.run(abort.signal), abort });
    }
  }

  /** The started informers, in the order in which they were first requested. */
  started(): readonly SharedInformer<StoredObject>[] {
    return [...this.#informers].filter(([resource]) => this.#runs.has(resource)).map(([, informer]) => informer);
  }

  /** Resolves when the initial list of every started informer is in its store. @throws the signal's reason. */
  async waitForCacheSync(signal?: AbortSignal): Promise<void> {
    const synced = Promise.all(this.started().map((informer) => informer.synced));
    if (signal === undefined) {
      await synced;
      return;
    }
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      // Every abort of this program has an Error as its reason.
      const onAbort = (): void => reject(signal.reason as Error);
      signal.addEventListener("abort", onAbort);
      void synced.then(() => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      });
    });
  }

  /** The state of each started informer, for views. */
  states(): readonly InformerState[] {
    return this.started().map((informer) => informer.state());
  }

  /** Stops all informers; resolves when their requests have ended. The caches can still be read. */
  async stop(): Promise<void> {
    const runs = [...this.#runs.values()];
    for (const { abort } of runs) abort.abort(new Error("the informers were stopped"));
    await Promise.all(runs.map(({ ended }) => ended));
  }
}

function nameOf(kind: Kind): string {
  return `${kind.version} ${resourceOf(kind)}`;
}

function nameOfMetadata(kind: Kind): string {
  return `metadata of ${nameOf(kind)}`;
}
