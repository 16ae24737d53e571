/** The controllers of a dry run, and the parts of a cluster that they need: a scheduler, kubelets, and controllers that always run. */
import { fieldManagerOf } from "../../api/own-field-manager.ts";
import type { StoredObject } from "../../api/object.ts";
import { ownVersion, type ServerVersion } from "../../api/server-version.ts";
import type { Pod } from "../../api/types.ts";
import { SharedInformerFactory } from "../../cache/shared-informer-factory.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { ControllerManager } from "../../controller/runtime/controller-manager.ts";
import type { Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { TraceBus } from "../../trace/bus.ts";
import { withThoseThatAlwaysRun } from "./always-run.ts";
import type { Storage } from "./claims.ts";
import { knownDevices } from "./device-claims.ts";
import { dryRunKubelet, type KubeletOptions, type UntouchedPods } from "./kubelet.ts";
import { claimPodLacks, whatPodLacks } from "./lacking.ts";
import { drainOf } from "./node-drain.ts";
import { controllersAboutNodes, dryRunHeartbeat, type NodeQuestions } from "./node-questions.ts";
import { dryRunScheduler } from "./scheduler.ts";
import { type Scope, withinScope } from "./scope.ts";
import { lookupIn, volumesIn } from "./store.ts";
import { knownVolumes } from "./volume-nodes.ts";
import type { Waiting } from "./waiting.ts";

/** What runs, and where. */
export interface SimulatedManagerOptions extends Waiting {
  readonly sandbox: Sandbox;
  /** In addition to the simulated parts. */
  readonly controllers: readonly ControllerDefinition[];
  readonly pods: UntouchedPods;
  /** What is known about the cluster; everything else is left alone. */
  readonly scope: Scope;
  /** For syncs; ours by default. */
  readonly serverVersion: ServerVersion | undefined;
  readonly nodeQuestions?: NodeQuestions | undefined;
  readonly timeline: Timeline;
  readonly random: Random;
  /** Gets the events of the controllers: not of the simulated parts, and no deltas. */
  readonly bus: TraceBus;
  /** The client for requests with this field manager, whose events go to the given bus. */
  readonly clientOn: (bus: TraceBus, fieldManager: string) => Client;
  /** Called before it is decided whether a pod can start: adds to the sandbox what the pod refers to. Default: it is all there. */
  readonly bringIn?: (pod: Pod & StoredObject) => Promise<void>;
}

/** The caches are not filled yet. */
export function simulatedManager(options: SimulatedManagerOptions): ControllerManager {
  const { scope, timeline, random, bus, clientOn, nodeQuestions, serverVersion = ownVersion } = options;
  const silentBus = new TraceBus({ now: () => timeline.now() });
  const { traced, silent } = withThoseThatAlwaysRun(options.controllers);
  const heartbeats = nodeQuestions === undefined ? [] : [dryRunHeartbeat(nodeQuestions)];
  const simulated = [...schedulerAndKubelet(options), ...silent, ...heartbeats];
  const requested = nodeQuestions === undefined ? traced : [...controllersAboutNodes(traced), drainOf(nodeQuestions)];
  const isSimulated = ({ name }: ControllerDefinition): boolean => simulated.some((each) => each.name === name);
  return new ControllerManager({
    controllers: withinScope([...requested, ...simulated], { scope, nodesReport: nodeQuestions !== undefined }),
    informers: new SharedInformerFactory({
      client: clientOn(silentBus, "informers"),
      timeline,
      random,
      bus: silentBus,
      trackFieldManagers: false,
    }),
    clientOf: (definition) => clientOn(isSimulated(definition) ? silentBus : bus, fieldManagerOf(definition)),
    bus,
    timeline,
    random,
    events: false,
    serverVersion: () => serverVersion,
  });
}

/** Every cluster has them, whichever controllers are requested. */
function schedulerAndKubelet(options: SimulatedManagerOptions): readonly ControllerDefinition[] {
  const { sandbox, pods, scope, clock, nodeQuestions, bringIn } = options;
  const storage: Storage = { lookup: lookupIn(sandbox), volumes: () => volumesIn(sandbox), scope };
  const lackingBy = (lack: typeof whatPodLacks): KubeletOptions["lacks"] =>
    bringIn === undefined
      ? (pod) => lack(pod, storage)
      : async (pod) => {
          await bringIn(pod);
          return lack(pod, storage);
        };
  const isSilent = (node: string): boolean => nodeQuestions?.silent.has(node) === true;
  return [
    dryRunScheduler({
      lacksClaim: lackingBy(claimPodLacks),
      volumesOf: (pod) => knownVolumes(pod, storage.lookup),
      devicesOf: (pod) => knownDevices(pod, storage.lookup),
      clock,
    }),
    dryRunKubelet({ ...pods, lacks: lackingBy(whatPodLacks), isSilent, clock }),
  ];
}
