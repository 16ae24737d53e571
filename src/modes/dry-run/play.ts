/**
 * Plays changes on a copy of a cluster. The copy first runs unchanged until it has converged, so that its drift is not attributed to the
 * changes; then they are applied, and it runs again. The result is the difference between the two.
 */
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import type { KindName } from "../../trace/names.ts";
import { type OutcomeOptions, outcomeOf } from "../../views/outcome.ts";
import { entryName, type State } from "../../views/state.ts";
import { WriteAttribution } from "../../views/write-attribution.ts";
import {
  type AppliedChange,
  applyChanges,
  type ApplyTarget,
  type RejectedChange,
  type RequestedChange,
} from "./apply.ts";
import type { Convergence } from "./convergence.ts";
import { type Before, changesInScope, type DryRun, nothingApplied, resultOf } from "./result.ts";
import { addProgramWrites } from "./program-writes.ts";
import { type Recordable, Recording } from "./recording.ts";
import type { Scope } from "./scope.ts";

/** A copy of a cluster, and what runs on it. */
export interface World extends ApplyTarget, Recordable {
  /** An earlier state, plus the objects read from the cluster since. */
  completed(earlier: State): State;
  /** Whether a running program watches the kind. */
  follows(of: KindName): boolean;
  /** Starts everything that runs. */
  start(): Promise<void>;
  /** Called before the changes: starts what is itself part of the change. */
  begin(): Promise<void>;
  /** @param onEnd called when the run has ended, if the world goes on after that, to see what would change next. */
  untilConverged(onEnd?: () => void): Promise<Convergence>;
}

/** What is changed, and what to report about it. */
export interface PlayOptions extends OutcomeOptions {
  /** Applied before anything starts, since it may be needed to start. */
  readonly ahead?: readonly RequestedChange[];
  /** Applied first: the result is the difference from the state after it. */
  readonly baseline: readonly RequestedChange[];
  readonly requestedChanges: readonly RequestedChange[];
  /** The fixed time at which the clock was started, in ms since 1970; unset if the time is that of a cluster. */
  readonly fixedStart?: number | undefined;
  /** Nothing is changed: the result is what the cluster would do by itself. */
  readonly asItIs?: boolean;
  readonly controllers: readonly ControllerDefinition[];
  readonly scope: Scope;
}

/** Plays the changes. @throws what `start` and `begin` throw. */
export async function playOn(world: World, options: PlayOptions): Promise<DryRun> {
  const untouched = world.state();
  const ahead = await applyChanges(world, options.ahead ?? []);
  if (ahead.refused.length > 0) return nothingApplied(unstarted(untouched, ahead.refused));
  const { asItIs = false } = options;
  const first = asItIs ? unstarted(untouched, []) : await convergedBefore(world, options);
  if (first.settled.is !== "steady" || first.refused.length > 0) return nothingApplied(first);
  const recording = new Recording(world, first.state);
  const { attribution, nodeRecord } = recording;
  await (asItIs ? world.start() : world.begin());
  const { done, refused } = await applyChanges(world, options.requestedChanges);
  for (const { requested, of, key, changes } of done) {
    if (changes !== undefined) attribution.applied(entryName(of, key), changes);
    if (requested.is === "delete" && requested.isPruned === true) attribution.pruned(entryName(of, key));
  }
  const settled: Convergence =
    refused.length > 0 ? { is: "steady", afterMs: 0 } : await world.untilConverged(() => void recording.end());
  const { state, now, failing, writes } = recording.end();
  const before = { ...first, state: without(ahead.done, { state: world.completed(first.state), untouched }) };
  return resultOf(
    {
      first: before,
      state,
      done: [...ahead.done, ...done],
      refused,
      settled,
      failing,
      attribution,
      rollouts: recording.rollouts,
      writes,
      ...(world.nodeQuestions !== undefined && {
        effectsInput: { questions: world.nodeQuestions, record: nodeRecord },
      }),
    },
    { ...options, now, pluralOf: pluralsOf(world), follows: (of) => world.follows(of) },
  );
}

function unstarted(state: State, refused: readonly RejectedChange[]): Before {
  return { drift: [], settled: { is: "steady", afterMs: 0 }, refused, failing: [], state };
}

/** A state as if these objects had not been applied. */
function without(
  applied: readonly AppliedChange[],
  { state, untouched }: { readonly state: State; readonly untouched: State },
): State {
  if (applied.length === 0) return state;
  const left = new Map(state);
  for (const { of, key } of applied) {
    const name = entryName(of, key);
    const entry = untouched.get(name);
    if (entry === undefined) left.delete(name);
    else left.set(name, entry);
  }
  return left;
}

/** The plural of a kind, as webhook rules name it; empty for an unknown kind. */
function pluralsOf({ sandbox, customs }: World): (of: KindName) => string {
  const kinds = [...sandbox.server.registry.resources, ...customs.kinds];
  return ({ group, kind }) => kinds.find((each) => each.group === group && each.kind === kind)?.plural ?? "";
}

/** Starts what runs, applies the baseline, and waits until the cluster has converged. */
async function convergedBefore(world: World, options: PlayOptions): Promise<Before> {
  const asFound = world.state();
  const attribution = new WriteAttribution();
  const end = world.bus.listen(attribution.listener);
  const endWrites = addProgramWrites(world.bus, attribution);
  await world.start();
  let settled = await world.untilConverged();
  end();
  endWrites();
  const steady = world.state();
  const changes = outcomeOf(world.completed(asFound), steady, attribution, options);
  const drift = changesInScope(changes, options.scope);
  if (settled.is !== "steady" || options.baseline.length === 0) {
    return { drift, settled, refused: [], failing: world.failing(), state: steady };
  }
  const { refused } = await applyChanges(world, options.baseline);
  if (refused.length === 0) settled = await world.untilConverged();
  return { drift, settled, refused, failing: world.failing(), state: world.state() };
}
