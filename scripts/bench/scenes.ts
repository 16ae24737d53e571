/** Scenes in which controllers have work to do, played for ours and for kube-controller-manager in turn. */
import type { Cluster } from "../../test/support/cluster.ts";
import { type RoundsOf, type Side, sides, startSide } from "./contestants.ts";
import { figure, type Result } from "./figures.ts";

/** Where a scene is played. */
export interface Stage {
  readonly cluster: Cluster;
  /** Empty, and another one in each round. */
  readonly namespace: string;
}

/** What is measured. */
export interface Scene {
  readonly name: string;
  /** By our names. */
  readonly controllers: readonly string[];
  /** Resolves when the controllers run: their caches are synced, their first writes sent. */
  warm(stage: Stage): Promise<void>;
  /** Resolves with what it took, in ms. */
  play(stage: Stage): Promise<number>;
  /** Ends what `warm` or `play` left running in this process, before the leftovers are removed. */
  end?(): Promise<void>;
  /** The paths of the collections to empty after a round, so the next one finds no leftovers. */
  leaves(namespace: string): readonly string[];
}

export interface SceneOptions {
  readonly rounds: number;
  /** Without controllers. */
  readonly cluster: Cluster;
  /** `dist/kubectl-reconcile`. */
  readonly program: string;
  readonly dir: string;
}

interface Round {
  readonly ms: number;
  readonly cpuMs: number;
}

/** Two figures per scene, time and processor time; each round in a separate namespace and process. */
export async function sceneFigures(options: SceneOptions, scenes: readonly Scene[]): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const scene of scenes) {
    const rounds: RoundsOf<Round> = { ours: [], "kube-controller-manager": [] };
    for (let round = 0; round < options.rounds; round++) {
      for (const side of sides) rounds[side].push(await oneRound(options, scene, side));
    }
    const compare = (what: string, of: keyof Round, ratio: number): Result =>
      figure(
        `${scene.name}${what}`,
        "ms",
        { is: "at most", ratio },
        {
          ours: rounds.ours.map((each) => each[of]),
          peer: rounds["kube-controller-manager"].map((each) => each[of]),
        },
      );
    results.push(compare("", "ms", 1), compare(": processor time", "cpuMs", 0.7));
  }
  return results;
}

let namespaces = 0;

async function oneRound(options: SceneOptions, scene: Scene, side: Side): Promise<Round> {
  const { cluster } = options;
  const namespace = `scene-${++namespaces}`;
  await cluster.createNamespace(namespace);
  const stage = { cluster, namespace };
  const child = startSide(side, options, scene.controllers);
  try {
    await scene.warm(stage);
    await Bun.sleep(1000);
    const before = child.usage();
    const ms = await scene.play(stage);
    // What the last write causes, such as a status update, belongs to it.
    await Bun.sleep(1000);
    return { ms, cpuMs: child.usage().cpuMs - before.cpuMs };
  } finally {
    await child.stop();
    await scene.end?.();
    const atOnce = { propagationPolicy: "Background", gracePeriodSeconds: 0 };
    for (const path of scene.leaves(namespace)) await cluster.request("DELETE", path, atOnce);
  }
}
