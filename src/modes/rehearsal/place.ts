/** Where a program is rehearsed: a fork that stays as the cluster was, or a sandbox that begins with given objects. */
import type { StoredObject } from "../../api/object.ts";
import type { Transport } from "../../api/transport.ts";
import type { Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import { configuredPlugins } from "../../sandbox/context/admission-plugins.ts";
import { createSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { TraceBus } from "../../trace/bus.ts";
import type { KindName } from "../../trace/names.ts";
import { asSimulated, isSettled } from "../dry-run/initial-state.ts";
import type { InitialState } from "../dry-run/dry-run.ts";
import type { UntouchedPods } from "../dry-run/kubelet.ts";
import { stateOf } from "../dry-run/store.ts";
import { createFork, type ForkOptions } from "../fork/fork.ts";
import type { State } from "../../views/state.ts";
import { completedState } from "./states.ts";

/** A place of its own: nothing that is written in it reaches a cluster. */
export interface Place {
  readonly sandbox: Sandbox;
  /** Pods that run as they are until they are deleted. */
  readonly pods: UntouchedPods;
  /** What is asked for through it is read first, where it is a cluster's. */
  transportFor(actor: string): Transport;
  /** Objects that were written since it was made, as they are now. */
  written(): readonly StoredObject[];
  /** An earlier state, with what has been read of the cluster since. */
  completed(earlier: State): State;
  stop(): void;
}

/** From what a place is made. */
export interface PlaceOptions extends Pick<ForkOptions, "cluster"> {
  readonly timeline: Timeline;
  readonly random: Random;
}

/**
 * A fork of a cluster that stays as the cluster was when each resource was first asked for. Its nodes are simulated.
 * @throws TransportError, StatusError when the cluster cannot be read.
 */
export async function forkedPlace({ cluster, timeline, random }: PlaceOptions): Promise<Place> {
  const settledPods = new Set<string>();
  const asFound = ({ group, kind }: KindName, live: StoredObject): StoredObject => {
    if (group !== "") return live;
    if (kind === "Node") return asSimulated(live);
    if (kind === "Pod" && isSettled(live)) settledPods.add(live.metadata.uid);
    return live;
  };
  const bus = new TraceBus({ now: () => timeline.now() });
  const fork = await createFork({ cluster, timeline, random, bus, isSnapshot: true, asFound });
  return {
    sandbox: fork.sandbox,
    pods: { settledPods, loadPods: new Set() },
    transportFor: () => fork.transport,
    written: () => fork.divergences.list().flatMap(({ here }) => here ?? []),
    completed: (earlier) =>
      completedState(earlier, { now: stateOf(fork.sandbox), divergences: fork.divergences.list() }),
    stop: () => fork.stop(),
  };
}

/** A sandbox that begins with these objects. */
export async function emptyPlace(
  { objects, settledPods, loadPods }: Pick<InitialState, "objects"> & UntouchedPods,
  { timeline, random }: Omit<PlaceOptions, "cluster">,
): Promise<Place> {
  const sandbox = await createSandbox({ timeline, random, disabledAdmissionPlugins: configuredPlugins });
  await sandbox.load(objects);
  return {
    sandbox,
    pods: { settledPods, loadPods },
    transportFor: (actor) => sandbox.transport({ actor }),
    written: () => [...stateOf(sandbox).values()].map(({ object }) => object),
    completed: (earlier) => earlier,
    stop: () => sandbox.stop(),
  };
}
