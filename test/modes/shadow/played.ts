/**
 * Rounds of changes next to the real kube-controller-manager. It is stopped while the objects are changed, until all our syncs have decided
 * about them: so both decide from the same state, and ours first.
 */
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { AgreementEvent } from "../../../src/trace/events.ts";
import type { Cluster } from "../../support/cluster.ts";
import { upstreamClientOf } from "../../support/upstream-clients.ts";
import { judge } from "./judge/judge.ts";
import { alike, comesOfSameRollout, sameTemplate } from "./judge/interchangeable.ts";
import type { SyncRecord, Write } from "./judge/round.ts";
import type { Verdict } from "./judge/verdict.ts";
import { withMadeNamed } from "./judge/made-up.ts";
import type { Mutant } from "./mutants.ts";
import { auditedWrites } from "./owner-writes.ts";
import { recording } from "./recorder.ts";
import { type ShadowScene, shadowBeside } from "./support.ts";

/** An object that is written. */
export type Target = Pick<Write, "namespace" | "name">;

/** A controller to be compared, unchanged or as a mutant. */
export interface Side {
  readonly controller: ControllerDefinition;
  /** Undefined: all namespaces. */
  readonly namespace?: string;
  /** Which writes count, the owner's and ours, by their target. Default: those in its namespace. */
  readonly isHere?: (target: Target) => boolean;
  /** Whether it matters which pod of an owner is deleted. Default: no, among pods of equal rank. */
  readonly namesPods?: boolean;
  /** Whether a rollout begins with an arbitrary one of its pods of one template. */
  readonly rollsOutAnywhere?: boolean;
  /** `Round.looksTwice`, for the judge. */
  readonly looksTwice?: boolean;
  /** `Round.recycles`, for the judge. */
  readonly recycles?: string;
  /** Whether it syncs continuously, at intervals of its own. */
  readonly isPeriodic?: boolean;
  readonly mutant?: Mutant;
  /** Changes the object with this number; returns a description. */
  readonly change?: (number: number) => Promise<string>;
}

/** How rounds are played. */
export interface Playing {
  readonly rounds: number;
  /** Objects of each side that are changed in one round, once each. */
  readonly objects: number;
  /**
   * For controllers that sync at intervals of their own: time in ms after which ours has synced every change. The owner is then not run in
   * steps.
   */
  readonly looksWithinMs?: number;
  /** Time without events at the end of a round, in ms; with `looksWithinMs`, longer than the owner's period. */
  readonly quietMs?: number;
}

/** A round from the point of view of one side. */
export interface PlayedRound {
  readonly done: readonly string[];
  readonly verdict: Verdict;
  /** Shadow's own verdict. */
  readonly agreements: readonly AgreementEvent[];
}

/** The mutants of these sides, run next to them with the same changes. */
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

/** Whether a write to the target counts. */
export function isHere({ isHere, namespace }: Side, target: Target): boolean {
  return isHere?.(target) ?? (namespace === undefined || namespace === target.namespace);
}

interface Watcher {
  readonly side: Side;
  readonly syncs: SyncRecord[];
  readonly scene: ShadowScene;
  readonly rounds: PlayedRound[];
}

/** Plays the rounds with all sides at once, and judges each side separately. */
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
  const sides = watchers.map((watcher) => ({
    watcher,
    firstSync: watcher.syncs.length,
    firstAgreement: watcher.scene.agreements.length,
  }));
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
    } else {
      await Bun.sleep(looksWithinMs);
      // On a busy machine that is not enough.
      await rest(cluster, watchers);
    }
  } finally {
    cluster.continueProcess("kube-controller-manager");
  }
  // The last event may be older than this: an owner with a period of its own has done nothing yet.
  if (looksWithinMs !== undefined) await Bun.sleep(quietMs);
  // What waits for a second (minReadySeconds) is done by then.
  await quiet(watchers, quietMs);
  // What is due soon on both sides belongs to this round too.
  if (looksWithinMs === undefined && watchers.some(({ scene }) => isDueSoon(scene))) {
    await dueRest(cluster, watchers);
    await quiet(watchers, quietMs);
  }
  for (const { watcher, firstAgreement, verdict } of await judged(cluster, { audited, sides, quietMs })) {
    watcher.rounds.push({ done, verdict, agreements: watcher.scene.agreements.slice(firstAgreement) });
  }
}

/** Where a round begins. */
interface Beginning {
  /** In the audit log. */
  readonly audited: number;
  readonly sides: readonly SideBeginning[];
  readonly quietMs: number;
}

/** Where a round begins for one side. */
interface SideBeginning {
  readonly watcher: Watcher;
  readonly firstSync: number;
  readonly firstAgreement: number;
}

type JudgedSide = SideBeginning & { readonly verdict: Verdict };

/** How often the round is prolonged for an owner that has not done yet what ours intended: on a busy machine it may not have run at all. */
const prolongations = 8;

async function judged(cluster: Cluster, { audited, sides, quietMs }: Beginning): Promise<readonly JudgedSide[]> {
  for (let left = prolongations; ; left--) {
    const writes = auditedWrites(await cluster.audit(), audited);
    const judgedSides = sides.map((side) => ({ ...side, verdict: judgeOne(side.watcher, writes, side.firstSync) }));
    if (left === 0 || !judgedSides.some(isLate)) return judgedSides;
    await Bun.sleep(quietMs);
    await quiet(
      sides.map(({ watcher }) => watcher),
      quietMs,
    );
  }
}

/** Whether the owner has not done yet what ours intended. Mutants intend what it never does. */
function isLate({ watcher, verdict }: JudgedSide): boolean {
  return watcher.side.mutant === undefined && verdict.differs.some(({ of }) => of === "ours");
}

function judgeOne({ side, syncs }: Watcher, writes: ReturnType<typeof auditedWrites>, firstSync: number): Verdict {
  const component = upstreamClientOf(side.controller.name);
  const counts = (target: Target): boolean => isHere(side, target);
  // Applies to both: objects left by an earlier seed may still be due, for the owner as for ours.
  const own = syncs.slice(firstSync).map((sync) => ({ ...sync, writes: sync.writes.filter(counts) }));
  return judge({
    ...withMadeNamed(own, writes.of(component).filter(counts)),
    changes: writes.changes,
    touched: writes.touchedBeside(component),
    ...(side.looksTwice !== undefined && { looksTwice: side.looksTwice }),
    ...(side.recycles !== undefined && { recycles: side.recycles }),
    ...(side.namesPods !== true && { alike }),
    ...(side.rollsOutAnywhere === true && { mayGoInstead: sameTemplate, mayComeInstead: comesOfSameRollout }),
  });
}

async function inTurn(count: number, act: (number: number) => Promise<string>): Promise<string[]> {
  const done: string[] = [];
  for (let number = 0; number < count; number++) done.push(await act(number));
  return done;
}

/** Time for which the owner runs before it is stopped again: at most a few writes of each key. */
const stepMs = 10;
/** Shadow holds deltas that may be the owner's for 20 ms: it is at rest when no event arrives for longer. */
const restMs = 50;
/** Steps without an event until the owner counts as idle: later writes happen at times of its own choice. */
const stillSteps = 8;

/** Runs the owner in short steps, with our decisions after each, until neither side has anything to do. */
async function stepByStep(cluster: Cluster, watchers: readonly Watcher[]): Promise<void> {
  let still = 0;
  for (let step = 0; step < 300 && still < stillSteps; step++) {
    const before = watchers.map(({ scene }) => scene.eventCount());
    cluster.continueProcess("kube-controller-manager");
    // Nothing else in this process should prolong the step.
    Bun.sleepSync(stepMs);
    await cluster.stopProcess("kube-controller-manager");
    await rest(cluster, watchers);
    const isStill = watchers.every(({ scene }, index) => scene.eventCount() === before[index] && !isDueSoon(scene));
    still = isStill ? still + 1 : 0;
  }
}

/** Keys with a shorter delay are synced in this round: a Job's waits one second after a change of its pods. */
const soonMs = 3000;

function isDueSoon({ shadow }: ShadowScene): boolean {
  const dueAt = shadow.manager.nextDueAt();
  return dueAt !== undefined && dueAt - Date.now() < soonMs;
}

/** Resolves when our syncs have also handled keys that they delayed briefly; after 10 s at most. */
async function dueRest(cluster: Cluster, watchers: readonly Watcher[]): Promise<void> {
  for (let tries = 0; tries < 100 && watchers.some(({ scene }) => isDueSoon(scene)); tries++) await Bun.sleep(100);
  await rest(cluster, watchers);
}

/** Resolves when our syncs have decided about everything that they received; after 10 s at most. */
async function rest(cluster: Cluster, watchers: readonly Watcher[]): Promise<void> {
  // Earlier requests of the owner have their responses by now, and their deltas on the way.
  await cluster.request("GET", "/api/v1/namespaces/default");
  const isAtRest = ({ scene }: Watcher): boolean => scene.shadow.isIdle() && scene.quietFor() >= restMs;
  for (let tries = 0; tries < 1000; tries++) {
    await Bun.sleep(10);
    if (watchers.every(isAtRest)) return;
  }
}

/** Resolves when there has been no event for `ms`; after a minute at most. */
async function quiet(watchers: readonly Watcher[], ms: number): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (watchers.every(({ scene }) => scene.quietFor() >= ms)) return;
    await Bun.sleep(100);
  }
}
