/**
 * Rounds of changes beside the real kube-controller-manager. It is held still while the objects are changed, until all our syncs
 * have decided about them: so both decide from the same state, and ours first.
 */
import { decidingCriterion, rankPods } from "../../../src/controller/workload/pod-ranking.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { AgreementEvent } from "../../../src/trace/events.ts";
import type { Cluster } from "../../support/cluster.ts";
import { judge, type Verdict } from "./judge.ts";
import type { SyncRecord } from "./judged.ts";
import type { Mutant } from "./mutants.ts";
import { auditedWrites } from "./owner-writes.ts";
import { recording } from "./recorder.ts";
import { type ShadowScene, shadowBeside } from "./support.ts";

/** A controller to be compared, as it is and as mutants of it are. */
export interface Side {
  readonly controller: ControllerDefinition;
  /** Undefined: everywhere. */
  readonly namespace?: string;
  readonly mutant?: Mutant;
  /** Changes the object with this number; answers what was done. */
  readonly change?: (number: number) => Promise<string>;
}

/** A round as one side lived through it. */
export interface PlayedRound {
  readonly done: readonly string[];
  readonly verdict: Verdict;
  /** What shadow itself says. */
  readonly agreements: readonly AgreementEvent[];
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

/** Plays the rounds with all sides at once, and judges each of them by itself. */
export async function playRounds(
  cluster: Cluster,
  sides: readonly Side[],
  { rounds, objects }: { readonly rounds: number; readonly objects: number },
): Promise<readonly Played[]> {
  const watchers: Watcher[] = [];
  try {
    for (const side of sides) watchers.push(await watcherOf(cluster, side));
    await quiet(watchers, 500);
    for (let round = 0; round < rounds; round++) await playRound(cluster, watchers, objects);
  } finally {
    for (const { scene } of watchers) await scene.stop();
  }
  return watchers;
}

async function watcherOf(cluster: Cluster, side: Side): Promise<Watcher> {
  const syncs: SyncRecord[] = [];
  const controller = recording(side.controller, syncs, side.mutant?.mutation);
  return { side, syncs, scene: await shadowBeside(cluster, [controller], side.namespace), rounds: [] };
}

async function playRound(cluster: Cluster, watchers: readonly Watcher[], objects: number): Promise<void> {
  const from = watchers.map(({ syncs, scene }) => [syncs.length, scene.agreements.length] as const);
  const audited = (await cluster.audit()).length;
  const done: string[] = [];
  await cluster.stopProcess("kube-controller-manager");
  try {
    const changing = watchers.flatMap(({ side }) => (side.change === undefined ? [] : [side.change]));
    const changed = await Promise.all(changing.map((change) => inTurn(objects, change)));
    done.push(...changed.flat());
    await rest(cluster, watchers);
    await stepByStep(cluster, watchers);
  } finally {
    cluster.continueProcess("kube-controller-manager");
  }
  // What waits for a second (minReadySeconds) is done by then.
  await quiet(watchers, 1500);
  const writes = auditedWrites((await cluster.audit()).slice(audited));
  for (const [index, { side, syncs, scene, rounds }] of watchers.entries()) {
    const component = componentOf[side.controller.name] ?? `${side.controller.name}-controller`;
    const isHere = ({ namespace }: { readonly namespace: string }): boolean =>
      side.namespace === undefined || side.namespace === namespace;
    const [firstSync = 0, firstAgreement = 0] = from[index] ?? [];
    const verdict = judge({
      syncs: syncs.slice(firstSync),
      owner: writes.of(component).filter(isHere),
      changes: writes.changes,
      touched: writes.touchedBeside(component),
      alike,
    });
    rounds.push({ done, verdict, agreements: scene.agreements.slice(firstAgreement) });
  }
}

const componentOf: Readonly<Record<string, string>> = { "garbage-collector": "generic-garbage-collector" };

async function inTurn(count: number, act: (number: number) => Promise<string>): Promise<string[]> {
  const done: string[] = [];
  for (let number = 0; number < count; number++) done.push(await act(number));
  return done;
}

/** So long the owner works before it is held again: a few writes of each key, at most. */
const stepMs = 10;
/** Deltas that may be the owner's are held for 20 ms by shadow: it has come to rest when nothing is heard for longer. */
const restMs = 50;
/** Nothing has happened for so many steps: what the owner still does later, it does at a time of its own. */
const stillSteps = 8;

/** Lets the owner go on in short steps, and ours decide after each, until neither has anything to do. */
async function stepByStep(cluster: Cluster, watchers: readonly Watcher[]): Promise<void> {
  let still = 0;
  for (let step = 0; step < 300 && still < stillSteps; step++) {
    const before = watchers.map(({ scene }) => scene.heard());
    cluster.continueProcess("kube-controller-manager");
    // Nothing else in this process may make the step longer.
    Bun.sleepSync(stepMs);
    await cluster.stopProcess("kube-controller-manager");
    await rest(cluster, watchers);
    still = watchers.every(({ scene }, index) => scene.heard() === before[index]) ? still + 1 : 0;
  }
}

/** Resolves when our syncs have decided about all that has reached them; after 10 s at most. */
async function rest(cluster: Cluster, watchers: readonly Watcher[]): Promise<void> {
  // What the owner sent before is answered by now, and on its way to us.
  await cluster.request("GET", "/api/v1/namespaces/default");
  const isAtRest = ({ scene }: Watcher): boolean => scene.shadow.isIdle() && scene.quietFor() >= restMs;
  for (let tries = 0; tries < 1000; tries++) {
    await Bun.sleep(10);
    if (watchers.every(isAtRest)) return;
  }
}

/** Resolves when nothing has been heard for so long; within a minute. */
async function quiet(watchers: readonly Watcher[], ms: number): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (watchers.every(({ scene }) => scene.quietFor() >= ms)) return;
    await Bun.sleep(100);
  }
}

/** Criteria that two callers, a few milliseconds apart, may answer differently. */
const ofTheMoment: ReadonlySet<string> = new Set(["latest ready first", "newest first"]);

/** Which criterion counts is shown elsewhere, beside the real controller; here it is whether any sets the two apart. */
function alike(one: StoredObject, other: StoredObject): boolean {
  const [a, b] = rankPods([one, other], []);
  const name = a === undefined || b === undefined ? undefined : decidingCriterion(a, b, Date.now())?.criterion.name;
  return name === undefined || ofTheMoment.has(name);
}
