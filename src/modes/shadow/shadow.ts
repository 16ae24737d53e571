/**
 * Shadow: controllers of ours beside the ones that own a cluster's objects. They sync on the same deltas and decide by the same
 * rules, and write nothing: what they mean to write is answered here, and compared with what the owner writes.
 */
import { objectKey, type ObjectKey } from "../../api/key.ts";
import { type Kind, Pods, ReplicaSets, resourceOf } from "../../api/kind.ts";
import type { Selector } from "../../api/labels.ts";
import type { StoredObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { Transport } from "../../api/transport.ts";
import type { Lister } from "../../cache/lister.ts";
import { SharedInformerFactory } from "../../cache/shared-informer-factory.ts";
import { createClient } from "../../client/api/client.ts";
import { ControllerManager } from "../../controller/runtime/controller-manager.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { controllerExpectations } from "../../controller/api/expectations.ts";
import { decidingCriterion, rankPods } from "../../controller/workload/pod-ranking.ts";
import {
  noConsistency,
  noExpectations,
  type SyncEnvironment,
  type SyncSession,
  type ShadowedController,
} from "../../controller/runtime/sync-environment.ts";
import { runSync } from "../../controller/runtime/sync-run.ts";
import type { Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { Resource } from "../../sandbox/registry/resource.ts";
import type { RunningController } from "../../controller/runtime/running-controller.ts";
import { createSandbox } from "../../sandbox/sandbox.ts";
import type { Server } from "../../sandbox/context/server.ts";
import type { TraceBus } from "../../trace/bus.ts";
import type { DeltaEvent, EventHead } from "../../trace/events.ts";
import { fieldManagerOf } from "../run/live.ts";
import { isStatusOnly, type Observed } from "./acts.ts";
import { type Applied, OwnerDeltaGate } from "./owner-delta-gate.ts";
import type { KeyOf, Siblings } from "./intention.ts";
import { Intentions, type SiblingPair } from "./intentions.ts";
import { Overlay } from "./overlay.ts";
import { refusalIn } from "./refusals.ts";

export interface ShadowOptions {
  readonly controllers: readonly ControllerDefinition[];
  /** One that only reads: nothing else may be given. */
  readonly transport: Transport;
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly namespace?: string;
  readonly selector?: Selector;
  readonly workers?: number;
  /** The field manager of whoever owns the objects of a controller, and whether it was found at work. */
  readonly ownerOf: (controller: string) => ShadowOwner;
  /** Told once of an owner that was not found before, and has now written. */
  readonly onOwnerSeen?: (controller: string, manager: string) => void;
  readonly freeze?: boolean;
}

export interface ShadowOwner {
  /** `kube-controller-manager`; undefined where nobody runs the controller of their own accord. */
  readonly manager: string | undefined;
  readonly found: boolean;
}

export interface Shadow {
  readonly manager: ControllerManager;
  readonly informers: SharedInformerFactory;
  readonly intentions: Intentions;
  /** Begins to sync; before that the caches are full and nothing was decided. */
  startWorkers(): void;
  /** Syncs each of these keys once, in place of the workers: what its controller would do now. */
  syncOnce(running: RunningController, keys: ReadonlySet<ObjectKey>): Promise<void>;
  /** Whether nothing is left to do but to wait for the owner: no key waits, no delta is held. */
  isIdle(): boolean;
  stop(): Promise<void>;
}

/**
 * Fills the caches and stands ready. The owner is compared with from `startWorkers` on.
 * @throws StatusError, TransportError; the signal's reason.
 */
export async function startShadow(options: ShadowOptions, signal?: AbortSignal): Promise<Shadow> {
  const { controllers, timeline, random, bus, transport } = options;
  const registry = (await createSandbox({ timeline, random, apiServerObjects: false })).server;
  const client = createClient({ transport, bus, timeline });
  const last: { delta: (DeltaEvent & EventHead) | undefined } = { delta: undefined };
  const stopListening = bus.listen((event) => {
    if (event.stage === "delta") last.delta = event;
  });
  const owners = new Owners(options);
  const owned = controllers.flatMap(({ watches }) => watches.filter((watch) => watch.owned === true));
  const deltaGate = new OwnerDeltaGate({
    timeline,
    ownedKinds: new Set(owned.map(({ kind }) => kind.kind)),
    isIdle: () => isIdle(),
    onApplied: (change) => {
      const observed = observedOf(change, last.delta);
      owners.observed(observed);
      intentions.observed(observed);
    },
  });
  const informers = new SharedInformerFactory({
    client,
    timeline,
    random,
    bus,
    createQueue: deltaGate.createQueue,
    trackFieldManagers: true,
    ...(options.namespace !== undefined && { namespace: options.namespace }),
    ...(options.freeze !== undefined && { freeze: options.freeze }),
  });
  const intentions = new Intentions({
    bus,
    timeline,
    hasOwner: (controller) => owners.isAtWork(controller),
    chooses: (controller) => controllers.some(({ name, for: kind }) => name === controller && kind !== undefined),
    now: ({ group, kind, target }) =>
      informers
        .started()
        .find((informer) => informer.kind.kind === kind && informer.kind.group === group)
        ?.lister.get(target),
    refusalOf: ({ controller, key }, { verb }) =>
      refusalIn(primaryOf(controllers, informers, controller)?.get(key), verb),
    siblingsOf: (kind, object) => (kind === Pods.kind ? siblingsOf(informers, object) : noSiblings),
    distinguishedBy: (kind, pair) => (kind === Pods.kind ? distinguishedBy(pair, timeline.now()) : "another one"),
    keyOfAct: (observed) => keyOfAct(controllers, observed, options.ownerOf),
  });
  const manager = new ControllerManager({
    controllers,
    informers,
    bus,
    timeline,
    random,
    clientOf: () => client,
    scope: {
      ...(options.namespace !== undefined && { namespace: options.namespace }),
      ...(options.selector !== undefined && { selector: options.selector }),
    },
    environment: shadowEnvironment({
      options,
      registry,
      informers,
      intentions,
    }),
    ...(options.workers !== undefined && { workers: options.workers }),
  });
  const isIdle = (): boolean =>
    manager.controllers.every(({ queue }) => queue.depth === 0 && queue.inFlight === 0) &&
    informers
      .states()
      .every(({ waiting, handlers }) => waiting === 0 && handlers.every(({ backlog }) => backlog === 0));
  const stop = async (): Promise<void> => {
    deltaGate.stop();
    await manager.stop();
    intentions.stop();
    stopListening();
  };
  try {
    await manager.fillCaches(signal);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    manager,
    informers,
    intentions,
    startWorkers: () => manager.startWorkers(),
    syncOnce,
    isIdle: () => deltaGate.held === 0 && isIdle(),
    stop,
  };
}

/** The keys of the first list all wait in the queue: those wanted are synced, the others are given back. */
async function syncOnce(running: RunningController, keys: ReadonlySet<ObjectKey>): Promise<void> {
  const { queue } = running;
  const { signal } = new AbortController();
  let sync = 0;
  for (let item = queue.take(); item !== undefined; item = queue.take()) {
    if (keys.has(item.key)) await runSync({ running, item, sync: ++sync, signal });
    else queue.done(item);
  }
}

/** Which controllers have an owner at work: those found before, and those whose objects' status it writes. */
class Owners {
  #options: ShadowOptions;
  #seen = new Set<string>();

  constructor(options: ShadowOptions) {
    this.#options = options;
  }

  isAtWork(controller: string): boolean {
    return this.#options.ownerOf(controller).found || this.#seen.has(controller);
  }

  observed(observed: Observed): void {
    const { controllers, ownerOf, onOwnerSeen } = this.#options;
    for (const { name, for: kind } of controllers) {
      if (kind?.kind !== observed.of.kind || kind.group !== observed.of.group || this.isAtWork(name)) continue;
      const { manager } = ownerOf(name);
      if (manager === undefined || observed.writer !== manager) continue;
      this.#seen.add(name);
      onOwnerSeen?.(name, manager);
    }
  }
}

interface EnvironmentParts {
  readonly options: ShadowOptions;
  readonly registry: Server;
  readonly informers: SharedInformerFactory;
  readonly intentions: Intentions;
}

function shadowEnvironment({ options, registry, informers, intentions }: EnvironmentParts): SyncEnvironment {
  const { bus, timeline, transport } = options;
  const kinds = new Map(
    options.controllers.flatMap(({ watches }) => watches.map(({ kind }) => [resourceOf(kind), kind] as const)),
  );
  const cached = ({ group, plural }: Resource, key: ObjectKey): StoredObject | undefined => {
    const kind = kinds.get(group === "" ? plural : `${plural}.${group}`);
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
  // The watch of this kind is one of objects of this kind.
  return watch?.indexes ?? {};
}

function observedOf(
  { of, key, before, object, deleted }: Applied,
  event: (DeltaEvent & EventHead) | undefined,
): Observed {
  const its = event?.of.kind === of.kind && event.key === key ? event : undefined;
  const after = deleted ? undefined : object;
  return {
    of,
    key,
    before,
    after,
    delta: its?.seq ?? 0,
    get writer() {
      return its?.detail.writer;
    },
  };
}

/** Whose answer an act may be: the owner made an object of a key of ours, or changed the status of one. */
function keyOfAct(
  controllers: readonly ControllerDefinition[],
  { of, key, before, after, writer }: Observed,
  ownerOf: ShadowOptions["ownerOf"],
): KeyOf | undefined {
  if (after === undefined || writer === undefined) return undefined;
  const owners = controllers.filter(({ name }) => ownerOf(name).manager === writer);
  const reference = controllerOf(after);
  const above = owners.find(
    ({ for: kind, watches }) =>
      kind !== undefined &&
      kind.kind === reference?.kind &&
      watches.some((watch) => watch.owned === true && watch.kind.kind === of.kind),
  );
  const status = before !== undefined && before.metadata.generation === after.metadata.generation;
  const own = owners.find(({ for: kind }) => kind?.kind === of.kind && kind.group === of.group);
  if (status && own !== undefined) return { controller: own.name, key };
  // The status of what a controller owns is another one's work, under the same name: kube-controller-manager has many.
  if (above === undefined || reference === undefined || isStatusOnly({ before, after })) return undefined;
  return { controller: above.name, key: objectKey(after.metadata.namespace, reference.name) };
}

/** The cache of what a controller's keys name; undefined for one that is for no kind. */
function primaryOf(
  controllers: readonly ControllerDefinition[],
  informers: SharedInformerFactory,
  controller: string,
): Lister<StoredObject> | undefined {
  const kind = controllers.find(({ name }) => name === controller)?.for;
  return kind === undefined ? undefined : informers.forKind(kind).lister;
}

const noSiblings: Siblings = { all: [], related: [] };

/** Criteria that two callers, a few milliseconds apart, may answer differently. */
const ofTheMoment: ReadonlySet<string> = new Set(["latest ready first", "newest first"]);

/** The pods of one owner, and those that count beside them on their nodes: pods of all that its own controller owns. */
function siblingsOf(informers: SharedInformerFactory, object: StoredObject): Siblings {
  const owner = controllerOf(object);
  const pods = informers.forKind(Pods).lister.list(object.metadata.namespace);
  const all = pods.filter((pod) => controllerOf(pod)?.uid === owner?.uid);
  const sets =
    owner?.kind === ReplicaSets.kind ? informers.forKind(ReplicaSets).lister.list(object.metadata.namespace) : [];
  const above = sets.map((set) => ({ uid: set.metadata.uid, by: controllerOf(set)?.uid }));
  const by = above.find(({ uid }) => uid === owner?.uid)?.by;
  const related = new Set(by === undefined ? [] : above.filter((each) => each.by === by).map(({ uid }) => uid));
  return { all, related: pods.filter((pod) => related.has(controllerOf(pod)?.uid ?? "")) };
}

/** The criterion that sets two pods apart; undefined for none, and for those that are a matter of the moment. */
function distinguishedBy({ one, other, related }: SiblingPair, now: number): string | undefined {
  const [a, b] = rankPods([one, other], related);
  const name = a === undefined || b === undefined ? undefined : decidingCriterion(a, b, now)?.criterion.name;
  return name === undefined || ofTheMoment.has(name) ? undefined : name;
}
