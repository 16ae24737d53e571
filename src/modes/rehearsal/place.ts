/** Where a program is rehearsed: a fork frozen as the cluster was, or a sandbox that starts with given objects. */
import type { StoredObject } from "../../api/object.ts";
import type { Transport } from "../../api/transport.ts";
import type { Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import { configuredPlugins } from "../../sandbox/context/admission-plugins.ts";
import { createSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { TraceBus } from "../../trace/bus.ts";
import type { KindName } from "../../trace/names.ts";
import { type ApplyTarget, versionIn } from "../dry-run/apply.ts";
import { asSimulated, isSettled } from "../dry-run/initial-state.ts";
import type { InitialState } from "../dry-run/dry-run.ts";
import type { UntouchedPods } from "../dry-run/kubelet.ts";
import { stateOf } from "../dry-run/store.ts";
import { createFork, type ForkOptions } from "../fork/fork.ts";
import type { State } from "../../views/state.ts";
import { completedState } from "./states.ts";

/** An isolated place: nothing written in it reaches a cluster. */
export interface Place {
  readonly sandbox: Sandbox;
  /** Pods that run as they are until they are deleted. */
  readonly pods: UntouchedPods;
  /** In a fork, what is requested through it is first read from the cluster. */
  transportFor(actor: string): Transport;
  /** See `ApplyTarget`. */
  readonly versionAtStart: ApplyTarget["versionAtStart"];
  /** Objects written since its creation, as they are now. */
  written(): readonly StoredObject[];
  /** An earlier state, plus what has been read from the cluster since. */
  completed(earlier: State): State;
  stop(): void;
}

/** What a place is created from. */
export interface PlaceOptions extends Pick<ForkOptions, "cluster"> {
  readonly timeline: Timeline;
  readonly random: Random;
}

/**
 * A fork of a cluster, frozen as of the first request for each resource. Its nodes are simulated.
 * @throws TransportError, StatusError if the cluster cannot be read.
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
    versionAtStart: (resource, key) => fork.liveVersion(resource, key),
    written: () => fork.divergences.list().flatMap(({ here }) => here ?? []),
    completed: (earlier) =>
      completedState(earlier, { now: stateOf(fork.sandbox), divergences: fork.divergences.list() }),
    stop: () => fork.stop(),
  };
}

/** A sandbox that starts with these objects. */
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
    versionAtStart: (resource, key) => versionIn(objects, { resource, key }),
    written: () => [...stateOf(sandbox).values()].map(({ object }) => object),
    completed: (earlier) => earlier,
    stop: () => sandbox.stop(),
  };
}
