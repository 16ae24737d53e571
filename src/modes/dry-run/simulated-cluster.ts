/** The cluster of a dry run: a sandbox filled with a snapshot, controllers on it, and virtual time. */
import type { StoredObject } from "../../api/object.ts";
import { createClient } from "../../client/api/client.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { ControllerManager } from "../../controller/runtime/controller-manager.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { seededRandom } from "../../platform/random.ts";
import { virtualTimeline, type VirtualTimeline } from "../../platform/virtual-timeline.ts";
import { createSandbox } from "../../sandbox/sandbox.ts";
import { configuredPlugins } from "../../sandbox/context/admission-plugins.ts";
import { TraceBus } from "../../trace/bus.ts";
import type { State } from "../../views/state.ts";
import type { ServerVersion } from "../../api/server-version.ts";
import { type FailingKey, failingKeys } from "./failing.ts";
import { type ApplyTarget, versionIn } from "./apply.ts";
import { CustomObjects, type CustomResources } from "./custom-objects.ts";
import type { UntouchedPods } from "./kubelet.ts";
import { type NodeQuestions, withNodesAtWork } from "./node-questions.ts";
import type { Scope } from "./scope.ts";
import { simulatedManager } from "./simulated-manager.ts";
import { listenToStore, stateOf, type StoreChange } from "./store.ts";
import { type LiveRefusals, refusingPods } from "./live-refusals.ts";
import { withCachedDiscovery } from "./cached-discovery.ts";
import { recordingWrites, type SentWrite } from "./server-validate.ts";

/** What the cluster starts from, and what runs on it. */
export interface SimulatedClusterOptions extends UntouchedPods {
  /** The start time, in ms since 1970. */
  readonly startMs: number;
  readonly seed: number;
  /** Complete objects, with `apiVersion` and `kind`. */
  readonly objects: readonly StoredObject[];
  /** The revision of the snapshot, from which the cluster's own writes continue. */
  readonly revision?: number;
  /** For syncs, if it is not the sandbox's own. */
  readonly serverVersion?: ServerVersion;
  /** In addition to the scheduler, the kubelet and the controllers of `always-run.ts`. */
  readonly controllers: readonly ControllerDefinition[];
  readonly liveRefusals: LiveRefusals;
  readonly customResources: CustomResources;
  /** What is known about the cluster; everything else is left alone. */
  readonly scope: Scope;
  /** Whether objects carry `metadata.managedFields`. */
  readonly managedFields: boolean;
  /** If nodes are asked about: kubelets report, and the consequences are simulated. */
  readonly nodeQuestions?: NodeQuestions | undefined;
  /** Called with every successful write, as sent. */
  readonly onWrite?: (write: SentWrite) => void;
}

/** A running simulated cluster. */
export interface SimulatedCluster extends ApplyTarget {
  readonly timeline: VirtualTimeline;
  readonly bus: TraceBus;
  readonly manager: ControllerManager;
  /** What is known about the cluster, with what its custom resources name. */
  readonly scope: Scope;
  /** Calls the listener for each change of the store, synchronously. Returns an unsubscribe function. */
  onChange(listener: (change: StoreChange) => void): () => void;
  /** The keys whose last sync failed. */
  failing(): readonly FailingKey[];
  state(): State;
}

const mostTurns = 2_000_000;

/** Resolves when the caches are filled; the workers have not started. */
export async function createSimulatedCluster(options: SimulatedClusterOptions): Promise<SimulatedCluster> {
  const { startMs, seed, nodeQuestions } = options;
  const timeline = virtualTimeline(startMs, seededRandom(seed));
  const random = seededRandom(seedFor(options.objects, seed));
  const bus = new TraceBus({ now: () => timeline.now() });
  const sandbox = await createSandbox({
    timeline,
    random,
    managedFields: options.managedFields,
    apiServerObjects: false,
    storesDefinitions: true,
    // The report lists what they would have been called for instead.
    disabledAdmissionPlugins: configuredPlugins,
  });
  const objects = nodeQuestions === undefined ? options.objects : withNodesAtWork(options.objects);
  await sandbox.load(
    options.managedFields ? objects : objects.map(withoutManagedFields),
    options.revision === undefined ? {} : { revision: options.revision },
  );
  const customs = new CustomObjects({
    known: options.customResources,
    random: seededRandom(seedFor(options.customResources.objects, seed)),
    now: () => timeline.now(),
  });
  const scope: Scope = { ...options.scope, namedBy: (namespace, name) => customs.naming(namespace, name) };
  const { onWrite } = options;
  const clientOn = (on: TraceBus, name: string): Client => {
    const inProcess = customs.before(withCachedDiscovery(sandbox.transport({ actor: name })));
    const refusing = refusingPods(inProcess, options.liveRefusals);
    const transport = onWrite === undefined ? refusing : recordingWrites(refusing, name, onWrite);
    return createClient({ transport, bus: on, timeline, fieldManager: name });
  };
  const manager = simulatedManager({
    sandbox,
    controllers: options.controllers,
    pods: options,
    scope,
    serverVersion: options.serverVersion,
    nodeQuestions,
    clock: "virtual",
    timeline,
    random,
    bus,
    clientOn,
  });
  const during = <T>(promise: Promise<T>): Promise<T> => drive(timeline, promise);
  await during(manager.fillCaches());
  return {
    timeline,
    bus,
    sandbox,
    manager,
    scope,
    customs,
    clientFor: (name) => clientOn(bus, name),
    nodeQuestions,
    versionAtStart: (resource, key) => versionIn(options.objects, { resource, key }),
    during,
    onChange(listener) {
      const listening = listenToStore(sandbox, listener);
      return () => listening.end();
    },
    failing: () => failingKeys(manager),
    state: () => new Map([...stateOf(sandbox), ...customs.entries()]),
  };
}

/**
 * A seed for new objects that differs from the one of the initial objects: a uid must never be generated twice, even if the result
 * of an earlier dry run with the same seed is the initial state of this one.
 */
function seedFor(objects: readonly StoredObject[], seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (const { metadata } of objects) {
    for (let index = 0; index < metadata.uid.length; index++) {
      hash = Math.imul(hash ^ metadata.uid.charCodeAt(index), 0x01000193);
    }
  }
  return hash;
}

function withoutManagedFields(object: StoredObject): StoredObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _fields, ...metadata } = object.metadata;
  return { ...object, metadata };
}

async function drive<T>(timeline: VirtualTimeline, promise: Promise<T>): Promise<T> {
  const progress = { settled: false };
  const end = (): void => void (progress.settled = true);
  promise.then(end, end);
  for (let turns = 0; !progress.settled && turns < mostTurns; turns++) {
    await timeline.runUntil({ steps: 1 });
  }
  if (!progress.settled) throw new Error("the dry run does not end");
  return promise;
}
