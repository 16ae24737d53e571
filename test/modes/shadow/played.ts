/**
 * Rounds of changes beside the real kube-controller-manager. It is suspended while the objects are changed and until all our syncs have
 * decided about them, so that both decide from the same state, and ours first.
 */
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { AgreementEvent } from "../../../src/trace/events.ts";
import type { Cluster } from "../../support/cluster.ts";
import { judge, type Verdict } from "./judge.ts";
import { alike, comesOfSameRollout, sameTemplate } from "./interchangeable.ts";
import type { SyncRecord } from "./judged.ts";
import { withMadeNamed } from "./made-up.ts";
import type { Mutant } from "./mutants.ts";
import { auditedWrites } from "./owner-writes.ts";
import { recording } from "./recorder.ts";
import { type ShadowScene, shadowBeside } from "./support.ts";

/** A controller to be compared, unchanged or as a mutant. */
export interface Side {
  readonly controller: ControllerDefinition;
  /** Undefined: all namespaces. */
  readonly namespace?: string;
  /** Selects the writes that count, the owner's and ours, by namespace. Default: those in `namespace`. */
  readonly isHere?: (namespace: string) => boolean;
  /** Whether deletions of pods are compared by name. Default: pods with the same rank are equivalent. */
  readonly namesPods?: boolean;
  /** Whether a rollout can start with any of the pods that have the same template. */
  readonly rollsOutAnywhere?: boolean;
  /** `Round.looksTwice`, for the judge. */
  readonly looksTwice?: boolean;
  /** Whether it syncs periodically. */
  readonly isPeriodic?: boolean;
  readonly mutant?: Mutant;
  /** Changes the object with this number; returns a description. */
  readonly change?: (number: number) => Promise<string>;
}

/** How rounds are played. */
export interface Playing {
  readonly rounds: number;
  /** Number of objects of each side that are changed in one round, each once. */
  readonly objects: number;
  /**
   * For controllers that sync periodically: the time in ms after which ours has seen every change. The owner is then not resumed in steps.
   */
  readonly looksWithinMs?: number;
  /** The quiet period at the end of a round, in ms. */
  readonly quietMs?: number;
}

/** A round from the point of view of one side. */
export interface PlayedRound {
  readonly done: readonly string[];
  readonly verdict: Verdict;
  /** Shadow's own results. */
  readonly agreements: readonly AgreementEvent[];
}

/** The mutants of these sides, played with them over the same changes. */
export function mutantsOf(sides: readonly Side[], mutants: readonly Mutant[]): Side[] {
  return mutants.map((mutant) => {
    const side = sides.find(({ controller }) => controller.name === mutant.controller);
    if (side === undefined) throw new Error(`${mutant.controller} does not play`);
    const { change: _, ...rest } = side;
    return { ...rest, mutant };
  });
}

export interface Played {
  readonly side: Side;
  readonly rounds: readonly PlayedRound[];
  readonly scene: ShadowScene;
}

interface Watcher {
  readonly side: Side;
  readonly syncs: SyncRecord[];
  readonly scene: ShadowScene;
  readonly rounds: PlayedRound[];
}

/** Plays the rounds with all sides at once, and judges each separately. */
export async function playRounds(
  cluster: Cluster,
  sides: readonly Side[],
  playing: Playing,
): Promise<readonly Played[]> {
  const watchers: Watcher[] = [];
  try {
    for (const side of sides) watchers.push(await watcherOf(cluster, side));
    await quiet(watchers, 500);
    for (let round = 0; round < playing.rounds; round++) await playRound(cluster, watchers, playing);
  } finally {
    for (const { scene } of watchers) await scene.stop();
  }
  return watchers;
}

async function watcherOf(cluster: Cluster, side: Side): Promise<Watcher> {
  const syncs: SyncRecord[] = [];
  const controller = recording(side.controller, syncs, side.mutant?.mutation);
  const { namespace, isPeriodic } = side;
  const options = { ...(namespace !== undefined && { namespace }), ...(isPeriodic !== undefined && { isPeriodic }) };
  return { side, syncs, scene: await shadowBeside(cluster, [controller], options), rounds: [] };
}

async function playRound(cluster: Cluster, watchers: readonly Watcher[], playing: Playing): Promise<void> {
  const { objects, looksWithinMs, quietMs = 1500 } = playing;
  const from = watchers.map(({ syncs, scene }) => [syncs.length, scene.agreements.length] as const);
  const audited = (await cluster.audit()).length;
  const done: string[] = [];
  await cluster.stopProcess("kube-controller-manager");
  try {
    const changing = watchers.flatMap(({ side }) => (side.change === undefined ? [] : [side.change]));
    const changed = await Promise.all(changing.map((change) => inTurn(objects, change)));
    done.push(...changed.flat());
    if (looksWithinMs === undefined) {
      await rest(cluster, watchers);
      await dueRest(cluster, watchers);
      await stepByStep(cluster, watchers);
    } else await Bun.sleep(looksWithinMs);
  } finally {
    cluster.continueProcess("kube-controller-manager");
  }
  // By then, syncs that were delayed by a second (minReadySeconds) have run.
  await quiet(watchers, quietMs);
  // Syncs that are soon due on both sides belong to this round, too.
  if (looksWithinMs === undefined && watchers.some(({ scene }) => isDueSoon(scene))) {
    await dueRest(cluster, watchers);
    await quiet(watchers, quietMs);
  }
  const writes = auditedWrites((await cluster.audit()).slice(audited));
  for (const [index, { side, syncs, scene, rounds }] of watchers.entries()) {
    const component = componentOf[side.controller.name] ?? `${side.controller.name}-controller`;
    const isHere = ({ namespace }: { readonly namespace: string }): boolean =>
      side.isHere?.(namespace) ?? (side.namespace === undefined || side.namespace === namespace);
    const [firstSync = 0, firstAgreement = 0] = from[index] ?? [];
    // From both sides: what an earlier seed has left may still be due for the owner and for ours.
    const own = syncs.slice(firstSync).map((sync) => ({ ...sync, writes: sync.writes.filter(isHere) }));
    const verdict = judge({
      ...withMadeNamed(own, writes.of(component).filter(isHere)),
      changes: writes.changes,
      touched: writes.touchedBeside(component),
      ...(side.looksTwice !== undefined && { looksTwice: side.looksTwice }),
      ...(side.namesPods !== true && { alike }),
      ...(side.rollsOutAnywhere === true && { mayGoInstead: sameTemplate, mayComeInstead: comesOfSameRollout }),
    });
    rounds.push({ done, verdict, agreements: scene.agreements.slice(firstAgreement) });
  }
}

const componentOf: Readonly<Record<string, string>> = {
  "garbage-collector": "generic-garbage-collector",
  daemonset: "daemon-set-controller",
  "horizontal-pod-autoscaler": "horizontal-pod-autoscaler",
  "ttl-after-finished": "ttl-after-finished-controller",
};

async function inTurn(count: number, act: (number: number) => Promise<string>): Promise<string[]> {
  const done: string[] = [];
  for (let number = 0; number < count; number++) done.push(await act(number));
  return done;
}

/** How long the owner runs before it is suspended again: at most a few writes of each key. */
const stepMs = 10;
/** Shadow holds deltas that may be the owner's for 20 ms: longer silence means that it is at rest. */
const restMs = 50;
/** The number of steps without events after which the owner's later writes must be periodic. */
const stillSteps = 8;

/** Resumes the owner in short steps, and lets ours decide after each, until neither has anything to do. */
async function stepByStep(cluster: Cluster, watchers: readonly Watcher[]): Promise<void> {
  let still = 0;
  for (let step = 0; step < 300 && still < stillSteps; step++) {
    const before = watchers.map(({ scene }) => scene.heard());
    cluster.continueProcess("kube-controller-manager");
    // A blocking sleep, so that nothing in this process extends the step.
    Bun.sleepSync(stepMs);
    await cluster.stopProcess("kube-controller-manager");
    await rest(cluster, watchers);
    const isStill = watchers.every(({ scene }, index) => scene.heard() === before[index] && !isDueSoon(scene));
    still = isStill ? still + 1 : 0;
  }
}

/** Keys that are due earlier belong to this round: a Job's are delayed by a second, after a change of its pods. */
const soonMs = 3000;

function isDueSoon({ shadow }: ShadowScene): boolean {
  const dueAt = shadow.manager.nextDueAt();
  return dueAt !== undefined && dueAt - Date.now() < soonMs;
}

/** Resolves when our syncs that are soon due have decided as well; after 10 s at most. */
async function dueRest(cluster: Cluster, watchers: readonly Watcher[]): Promise<void> {
  for (let tries = 0; tries < 100 && watchers.some(({ scene }) => isDueSoon(scene)); tries++) await Bun.sleep(100);
  await rest(cluster, watchers);
}

/** Resolves when our syncs have decided about everything that has reached them; after 10 s at most. */
async function rest(cluster: Cluster, watchers: readonly Watcher[]): Promise<void> {
  // By now the owner's earlier requests have responses, and their deltas are on the way.
  await cluster.request("GET", "/api/v1/namespaces/default");
  const isAtRest = ({ scene }: Watcher): boolean => scene.shadow.isIdle() && scene.quietFor() >= restMs;
  for (let tries = 0; tries < 1000; tries++) {
    await Bun.sleep(10);
    if (watchers.every(isAtRest)) return;
  }
}

/** Resolves after `ms` without events; within a minute. */
async function quiet(watchers: readonly Watcher[], ms: number): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (watchers.every(({ scene }) => scene.quietFor() >= ms)) return;
    await Bun.sleep(100);
  }
}
