/** The random scripts of the differential tests as changes of an agreement: a stage for each number, a step for each change. */
import type { Cluster } from "../../support/cluster.ts";
import { setStage, type Stage } from "../../differential/stage.ts";
import type { Script, Step } from "../../differential/suite.ts";
import type { Target } from "./played.ts";

export interface Scripted {
  readonly cluster: Cluster;
  /** Prefix of the namespaces of its stages. */
  readonly prefix: string;
  /** The seed of the first number; the following numbers have the following seeds. */
  readonly seed: number;
  readonly script: (seed: number, length: number) => Script;
  /** Number of steps in the first change. Default 1. */
  readonly first?: number;
  /** Matches the beginning of the names of steps that are impossible while the owner is stopped. */
  readonly without?: RegExp;
  /** Matches the names of further cluster-scoped objects of these scripts, which do not contain the namespace of their stage. */
  readonly alsoNamed?: RegExp;
  /** Number of changes. */
  readonly changes: number;
}

/** The script with further steps after its first one, which creates what the others need. */
export function withSecond({ name, steps }: Script, second: readonly Step[]): Script {
  return { name, steps: steps.toSpliced(1, 0, ...second) };
}

interface Performance {
  readonly stage: Stage;
  readonly steps: Step[];
}

/** No kubelet runs the pods and Jobs of these scripts: steps write what a kubelet would. */
export class ScriptedChanges {
  readonly #options: Scripted;
  readonly #performances = new Map<number, Performance>();

  constructor(options: Scripted) {
    this.#options = options;
  }

  /** Names of cluster-scoped objects contain the namespace of their stage. */
  readonly isHere = ({ namespace, name }: Target): boolean => {
    const { prefix, alsoNamed } = this.#options;
    if (namespace !== "") return namespace.startsWith(prefix);
    return name.includes(prefix) || alsoNamed?.test(name) === true;
  };

  /** Performs the next step on the stage with this number; returns a description. */
  async change(number: number): Promise<string> {
    const { first = 1 } = this.#options;
    const known = this.#performances.get(number);
    const { stage, steps } = known ?? (await this.#open(number));
    const done: string[] = [];
    for (const step of steps.splice(0, known === undefined ? first : 1)) {
      const outcome = await step.act(stage).then(
        () => "",
        (error: unknown) => ` (${String(error)})`,
      );
      done.push(`${step.name}${outcome}`);
    }
    return `${stage.namespace}: ${done.join(", ")}`;
  }

  async #open(number: number): Promise<Performance> {
    const { cluster, prefix, seed, script, without, changes, first = 1 } = this.#options;
    const stage = await setStage(cluster, `${prefix}${number}`, Date.now());
    // Some are left out; a longer script begins with the same steps.
    const all = script(seed + number, 8 * (changes + first)).steps;
    const performance = { stage, steps: all.filter(({ name }) => without?.test(name) !== true) };
    this.#performances.set(number, performance);
    return performance;
  }
}
