import { keyOf } from "../../api/key.ts";
import { ownVersion, type ServerVersion } from "../../api/server-version.ts";
import type { SharedInformerFactory } from "../../cache/shared-informer-factory.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { Random } from "../../platform/random.ts";
import { sleep, type Timeline } from "../../platform/timeline.ts";
import type { TraceBus } from "../../trace/bus.ts";
import { consistencyChecks } from "../api/consistency.ts";
import type { ControllerDefinition } from "../api/definition.ts";
import { EventRecorder } from "./event-recorder.ts";
import { controllerExpectations } from "../api/expectations.ts";
import { RunningController, type RunningControllerOptions, type Scope } from "./running-controller.ts";
import type { SyncEnvironment } from "./sync-environment.ts";
import { type SyncCounter, work } from "./worker.ts";

/** Options of a `ControllerManager`. */
export interface ControllerManagerOptions {
  readonly controllers: readonly ControllerDefinition[];
  readonly informers: SharedInformerFactory;
  /** The client for a controller's writes, with a field manager that names the controller. */
  readonly clientOf: (controller: ControllerDefinition) => Client;
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly scope?: Scope;
  /** Overrides each controller's own number of workers. */
  readonly workers?: number;
  /** Whether controllers record Events. Default true. */
  readonly events?: boolean;
  /** Called for each Event that was lost, with the reason. */
  readonly onEventLost?: (why: string) => void;
  /** Called when discovery fails for a controller with `dynamicWatches`: the first time, then once a minute. */
  readonly onDiscoveryFailed?: (controller: string, why: string) => void;
  /** The PEM certificates of the authorities trusted for the API server, for syncs. */
  readonly serverCa?: string | undefined;
  /** The version of the API server, for syncs: called for each sync. Default: that of Kubernetes whose behaviour the controllers have. */
  readonly serverVersion?: () => ServerVersion;
  /** For modes that do not act: replaces the caches and client of each sync. No Events are written then. */
  readonly environment?: SyncEnvironment;
}

const cachePollMs = 2;
const eventsFlushMs = 2000;

/**
 * Runs controllers on one set of informers, with one informer per kind. Call `fillCaches`, then `startWorkers`. `stop` takes no more keys,
 * lets syncs in flight finish, and writes waiting Events.
 *
 * @throws RangeError from the constructor for a scope that a controller does not support.
 */
export class ControllerManager {
  readonly controllers: readonly RunningController[];
  #options: ControllerManagerOptions;
  #workers: Promise<void>[] = [];
  #abort = new AbortController();
  #stopping = false;

  constructor(options: ControllerManagerOptions) {
    this.#options = options;
    const { informers, timeline, random, bus, scope = {} } = options;
    for (const definition of options.controllers) checkScope(definition, scope);
    this.controllers = options.controllers.map((definition) => {
      const client = options.clientOf(definition);
      const { component } = definition;
      return new RunningController({
        definition,
        informers,
        client,
        bus,
        timeline,
        random,
        scope,
        serverCa: options.serverCa,
        serverVersion: options.serverVersion ?? (() => ownVersion),
        ...(options.onDiscoveryFailed !== undefined && { onDiscoveryFailed: options.onDiscoveryFailed }),
        ...(options.environment === undefined
          ? this.#acting(client, component)
          : this.#inEnvironment(options.environment)),
      });
    });
  }

  #acting(
    client: Client,
    component: string,
  ): Pick<RunningControllerOptions, "expectations" | "consistency" | "recorder"> {
    const { informers, timeline, random, onEventLost, events } = this.#options;
    const onLost = onEventLost === undefined ? {} : { onLost: onEventLost };
    return {
      expectations: controllerExpectations(() => timeline.now()),
      consistency: consistencyChecks((kind) => informers.forKind(kind).lister.appliedResourceVersion()),
      ...(events !== false && { recorder: new EventRecorder({ client, timeline, random, component, ...onLost }) }),
    };
  }

  #inEnvironment(
    environment: SyncEnvironment,
  ): Pick<RunningControllerOptions, "expectations" | "consistency" | "environment"> {
    const { expectations, consistency } = environment;
    return { expectations, consistency, environment };
  }

  /** Starts the informers and resolves when every handler has received its initial list. @throws the signal's reason. */
  async fillCaches(signal?: AbortSignal): Promise<void> {
    const { informers, timeline } = this.#options;
    informers.start();
    for (const { discovered } of this.controllers) discovered?.start();
    while (!this.controllers.every((controller) => controller.hasSynced)) {
      await sleep(timeline, cachePollMs, "controller manager waits for caches", signal === undefined ? {} : { signal });
    }
  }

  /** Whether the caches that workers need are filled, for every controller. */
  get isReady(): boolean {
    return this.controllers.every((controller) => controller.isReady);
  }

  /** Starts the workers of each controller as soon as its caches are filled. Must be called once only. */
  startWorkers(): void {
    for (const running of this.controllers) {
      if (running.isReady) this.#work(running);
      else this.#workers.push(this.#workWhenReady(running));
    }
  }

  #work(running: RunningController): void {
    const counter: SyncCounter = { syncs: 0 };
    const count = this.#options.workers ?? running.definition.workers;
    for (let n = 1; n <= count; n++) this.#workers.push(work(running, n, counter, this.#abort.signal));
    running.startScans();
  }

  async #workWhenReady(running: RunningController): Promise<void> {
    const { timeline } = this.#options;
    const actor = `${running.definition.name} waits for caches`;
    while (!running.isReady && !this.#stopping) await sleep(timeline, cachePollMs, actor);
    if (!this.#stopping) this.#work(running);
  }

  /**
   * Whether nothing is left to do: no key is queued or in process, all own writes have been observed, and no key is waiting for a retry, except
   * those with at least `failures` consecutive failures. Requeues requested by a sync do not count.
   */
  isIdle({ failures }: { readonly failures: number }): boolean {
    return this.controllers.every((running) => {
      const { queue, failing, expectations } = running;
      if (queue.depth > 0 || queue.inFlight > 0) return false;
      for (const key of failing.keys()) {
        if (queue.dueAt(key) !== undefined && queue.numRequeues(key) < failures) return false;
      }
      const kind = running.definition.for;
      if (kind === undefined) return true;
      return running
        .cache(kind)
        .list()
        .every((object) => expectations.satisfied(keyOf(object)));
    });
  }

  /** When the first requeue or retry is due, in ms since 1970; undefined if there is none. */
  nextDueAt(): number | undefined {
    const due = this.controllers.flatMap(({ queue }) => queue.nextDueAt ?? []);
    return due.length === 0 ? undefined : Math.min(...due);
  }

  /**
   * Stops. Resolves when the syncs in flight have finished and Events are written, with the number of keys that were not done: those changed
   * since their last sync, and those whose last sync failed. Each counts once; keys that are only delayed do not count.
   */
  async stop(): Promise<number> {
    this.#stopping = true;
    const changed = this.controllers.map((running) => {
      const { queue, deferredCaches } = running;
      running.stopScans();
      const keys = queue.pending();
      queue.shutDown({ discard: true });
      deferredCaches.end();
      return keys;
    });
    // Controllers still waiting for their caches no longer start workers.
    await Promise.all(this.#workers);
    await Promise.all(this.controllers.map(async ({ recorder }) => recorder?.flush(eventsFlushMs)));
    for (const { recorder } of this.controllers) recorder?.stop();
    await Promise.all(this.controllers.map(async ({ discovered }) => discovered?.stop()));
    await this.#options.informers.stop();
    return this.controllers
      .map(({ failing }, index) => new Set([...(changed[index] ?? []), ...failing.keys()]).size)
      .reduce((sum, left) => sum + left, 0);
  }
}

/** @throws RangeError if the scope would exclude objects that the controller needs. */
function checkScope(definition: ControllerDefinition, scope: Scope): void {
  if (definition.for === undefined && (scope.namespace !== undefined || scope.selector !== undefined)) {
    const narrowed = scope.namespace === undefined ? "on selected objects" : "in one namespace";
    throw new RangeError(
      `Cannot run ${definition.name} ${narrowed}: it works on objects of every kind and namespace; use -A without a selector`,
    );
  }
  if (scope.namespace === undefined) return;
  const owned = definition.watches.filter((watch) => watch.owned === true).map((watch) => watch.kind);
  const wide = [definition.for, ...owned].find((kind) => kind?.namespaced === false);
  if (wide === undefined) return;
  throw new RangeError(
    `Cannot run ${definition.name} in one namespace: it works on ${wide.plural}, which have no namespace; use -A`,
  );
}
