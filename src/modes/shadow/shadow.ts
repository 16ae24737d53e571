/**
 * Shadow mode runs our controllers beside those that own the objects of a cluster. They see the same deltas and decide by the same rules,
 * but write nothing: their writes are handled locally and compared with the owner's writes.
 */
import type { ObjectKey } from "../../api/key.ts";
import { Pods } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import { ownVersion } from "../../api/server-version.ts";
import type { Lister } from "../../cache/lister.ts";
import { SharedInformerFactory } from "../../cache/shared-informer-factory.ts";
import { createClient } from "../../client/api/client.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { ControllerManager } from "../../controller/runtime/controller-manager.ts";
import type { RunningController } from "../../controller/runtime/running-controller.ts";
import { runSync } from "../../controller/runtime/sync-run.ts";
import type { Server } from "../../sandbox/context/server.ts";
import { createSandbox } from "../../sandbox/sandbox.ts";
import type { DeltaEvent, EventHead } from "../../trace/events.ts";
import { Intentions } from "./intentions.ts";
import { authorOf, keyOfAct, observedOf, ownersManagers } from "./owner-acts.ts";
import { Coverage } from "../../views/coverage.ts";
import { watchesOpenSince } from "./open-watches.ts";
import { type Applied, OwnerDeltaGate } from "./owner-delta-gate.ts";
import { OwnersAtWork } from "./owners-at-work.ts";
import type { WouldBeWrite } from "./would-be-write.ts";
import { refusalIn } from "./refusals.ts";
import { shadowEnvironment } from "./shadow-environment.ts";
import type { ShadowOptions } from "./shadow-options.ts";
import { distinguishedBy, noSiblings, siblingsOf } from "./siblings.ts";

/** Running shadow controllers. */
export interface Shadow {
  readonly manager: ControllerManager;
  readonly informers: SharedInformerFactory;
  readonly intentions: Intentions;
  /** Starts syncing. Until then the caches are filled, but nothing is decided. */
  startWorkers(): void;
  /** Syncs each of these keys once, without workers, to see what the controller would do now. */
  syncOnce(running: RunningController, keys: ReadonlySet<ObjectKey>): Promise<void>;
  /** Whether no key is queued and no delta is held back, so that only the owner's writes are awaited. */
  isIdle(): boolean;
  /** The names of the controllers whose owner is not known to run: nothing of theirs is compared. */
  withoutOwner(): readonly string[];
  stop(): Promise<void>;
}

/**
 * Fills the caches. The comparison with the owner starts with `startWorkers`.
 * @throws StatusError, TransportError, or the signal's reason.
 */
export async function startShadow(options: ShadowOptions, signal?: AbortSignal): Promise<Shadow> {
  const { timeline, random } = options;
  const { server } = await createSandbox({ timeline, random, apiServerObjects: false });
  const shadow = new ShadowRun(options, server);
  try {
    await shadow.manager.fillCaches(signal);
  } catch (error) {
    await shadow.stop();
    throw error;
  }
  return shadow;
}

/** Deltas pass the gate into the caches, where `#owners` and `intentions` observe them; the syncs' writes become intentions. */
class ShadowRun implements Shadow {
  readonly manager: ControllerManager;
  readonly informers: SharedInformerFactory;
  readonly intentions: Intentions;
  readonly #options: ShadowOptions;
  readonly #definitions: ReadonlyMap<string, ControllerDefinition>;
  readonly #owners: OwnersAtWork;
  readonly #coverage = new Coverage();
  readonly #gate: OwnerDeltaGate;
  readonly #stopListening: () => void;
  #lastDelta: (DeltaEvent & EventHead) | undefined;

  /** `registry` handles writes as an API server would. */
  constructor(options: ShadowOptions, registry: Server) {
    const { controllers, timeline, random, bus, transport } = options;
    const client = createClient({ transport, bus, timeline });
    this.#options = options;
    this.#definitions = new Map(controllers.map((definition) => [definition.name, definition]));
    this.#stopListening = bus.listen((event) => {
      if (event.stage === "delta") this.#lastDelta = event;
      else this.#coverage.accept(event);
    });
    this.#owners = new OwnersAtWork(options);
    const owned = controllers.flatMap(({ watches }) => watches.filter((watch) => watch.owned === true));
    this.#gate = new OwnerDeltaGate({
      timeline,
      ownedKinds: new Set(owned.map(({ kind }) => kind.kind)),
      isIdle: () => this.#isSynced(),
      onApplied: (change) => this.#applied(change),
    });
    this.informers = new SharedInformerFactory({
      client,
      timeline,
      random,
      bus,
      createQueue: this.#gate.createQueue,
      trackFieldManagers: true,
      ...(options.namespace !== undefined && { namespace: options.namespace }),
      ...(options.freeze !== undefined && { freeze: options.freeze }),
    });
    this.intentions = this.#newIntentions();
    this.manager = new ControllerManager({
      controllers,
      informers: this.informers,
      bus,
      timeline,
      random,
      serverCa: options.serverCa,
      serverVersion: () => options.serverVersion ?? ownVersion,
      clientOf: () => client,
      scope: {
        ...(options.namespace !== undefined && { namespace: options.namespace }),
        ...(options.selector !== undefined && { selector: options.selector }),
      },
      environment: shadowEnvironment({ options, registry, informers: this.informers, intentions: this.intentions }),
      ...(options.workers !== undefined && { workers: options.workers }),
    });
  }

  startWorkers(): void {
    this.manager.startWorkers();
  }

  /** The initial list has queued all keys: syncs the given ones, and marks the others as done. */
  async syncOnce(running: RunningController, keys: ReadonlySet<ObjectKey>): Promise<void> {
    const { queue } = running;
    const { signal } = new AbortController();
    let sync = 0;
    for (let item = queue.take(); item !== undefined; item = queue.take()) {
      if (keys.has(item.key)) await runSync({ running, item, sync: ++sync, signal });
      else queue.done(item);
    }
  }

  isIdle(): boolean {
    return this.#gate.held === 0 && this.#isSynced();
  }

  withoutOwner(): readonly string[] {
    return this.#owners.missing;
  }

  async stop(): Promise<void> {
    this.#gate.stop();
    await this.manager.stop();
    this.intentions.stop();
    this.#stopListening();
  }

  /** Whether every delta that passed the gate has been handled, and no key is queued or being synced. */
  #isSynced(): boolean {
    return (
      this.manager.controllers.every(({ queue }) => queue.depth === 0 && queue.inFlight === 0) &&
      this.informers
        .states()
        .every(({ waiting, handlers }) => waiting === 0 && handlers.every(({ backlog }) => backlog === 0))
    );
  }

  #applied(change: Applied): void {
    const observed = observedOf(change, this.#lastDelta);
    this.#owners.observed(observed);
    this.intentions.observed(observed);
  }

  #newIntentions(): Intentions {
    const { controllers, timeline, bus, ownerOf } = this.#options;
    return new Intentions({
      bus,
      timeline,
      hasOwner: (controller) => this.#owners.isAtWork(controller),
      syncsEveryMs: (controller) => this.#definitions.get(controller)?.syncsEveryMs ?? 0,
      watchesOpenSince: (controller) => {
        const definition = this.#definitions.get(controller);
        return definition === undefined ? 0 : watchesOpenSince(definition, this.#coverage);
      },
      chooses: (controller) => this.#definitions.get(controller)?.for !== undefined,
      now: (write) => this.#cached(write),
      refusalOf: ({ controller, key }, { verb }) => refusalIn(this.#primaryOf(controller)?.get(key), verb),
      siblingsOf: (kind, object) => (kind === Pods.kind ? siblingsOf(this.informers, object) : noSiblings),
      distinguishedBy: (kind, pair) => (kind === Pods.kind ? distinguishedBy(pair, timeline.now()) : "another one"),
      authorOf: (controller, observed) => {
        const definition = this.#definitions.get(controller) ?? { name: controller };
        return authorOf(observed, ownersManagers(definition, ownerOf(controller)));
      },
      keyOfAct: (observed) => keyOfAct(controllers, observed, ownerOf),
    });
  }

  #cached({ group, kind, target }: WouldBeWrite): StoredObject | undefined {
    const informer = this.informers.started().find((each) => each.kind.kind === kind && each.kind.group === group);
    return informer?.lister.get(target);
  }

  /** The lister of a controller's primary kind; undefined if it has none. */
  #primaryOf(controller: string): Lister<StoredObject> | undefined {
    const kind = this.#definitions.get(controller)?.for;
    return kind === undefined ? undefined : this.informers.forKind(kind).lister;
  }
}
