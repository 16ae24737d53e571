import { type Kind, resourceOf } from "../api/kind.ts";
import type { StoredObject } from "../api/object.ts";
import type { Selectors } from "../client/api/lister-watcher.ts";
import type { Client } from "../client/api/verbs.ts";
import { type InformerState, SharedInformer, type SharedInformerOptions } from "./shared-informer.ts";

/** Options that all informers of a factory share. */
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

/** What all informers of a factory have in common. */
export interface SharedInformerFactoryOptions extends Shared {
  readonly client: Pick<Client, "listerWatcher" | "metadataListerWatcher">;
  /** Caches of namespaced kinds hold this namespace only. */
  readonly namespace?: string;
  /** Narrows the cache of a kind. Whoever reads it must know: what is hidden is not there. */
  readonly tweakListOptions?: (kind: Kind) => Selectors | undefined;
  /** As `trackFieldManagers`, for each kind by itself. */
  readonly trackFieldManagersOf?: (kind: Kind) => boolean;
  /** Gets each object, without managedFields, before it is cached, and may change it in place. */
  readonly transform?: (object: StoredObject, kind: Kind) => StoredObject;
}

/**
 * One informer a kind, whoever asks for it. Ask for informers and add handlers, then `start`; what is asked for later needs another
 * `start`.
 * Source: client-go v0.36 informers/factory.go.
 */
export class SharedInformerFactory {
  #options: SharedInformerFactoryOptions;
  #informers = new Map<string, SharedInformer<StoredObject>>();
  #runs = new Map<string, { readonly ended: Promise<void>; readonly abort: AbortController }>();

  constructor(options: SharedInformerFactoryOptions) {
    this.#options = options;
  }

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

  /**
   * For whom the metadata of the objects is enough: the informer of the kind, if somebody has asked for it already, otherwise one
   * that reads metadata alone.
   */
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
   * Ends the informer that reads a kind's metadata alone, when the server has the kind no more: asked for again, it starts anew.
   * Others keep running. Resolves when its requests have ended.
   */
  async stopMetadataInformer(kind: Kind): Promise<void> {
    const resource = nameOfMetadata(kind);
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
        // Each item says that it is a PartialObjectMetadata; a server that knows no such thing sends whole objects.
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

  /** Starts the informers that do not run yet. */
  start(): void {
    for (const [resource, informer] of this.#informers) {
      if (this.#runs.has(resource)) continue;
      const abort = new AbortController();
      this.#runs.set(resource, { ended: informer.run(abort.signal), abort });
    }
  }

  /** The informers that were started, in the order in which they were asked for. */
  started(): readonly SharedInformer<StoredObject>[] {
    return [...this.#informers].filter(([resource]) => this.#runs.has(resource)).map(([, informer]) => informer);
  }

  /** Resolves when the first list of every started informer is in its store. @throws the signal's reason. */
  async waitForCacheSync(signal?: AbortSignal): Promise<void> {
    const synced = Promise.all(this.started().map((informer) => informer.synced));
    if (signal === undefined) {
      await synced;
      return;
    }
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason as Error);
      signal.addEventListener("abort", onAbort);
      void synced.then(() => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      });
    });
  }

  states(): readonly InformerState[] {
    return this.started().map((informer) => informer.state());
  }

  /** Stops all informers; resolves when their requests have ended. What the caches hold can still be read. */
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
