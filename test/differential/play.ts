/**
 * Plays a script three times at once: twice where kube-controller-manager acts, to see what differs between it and itself, and
 * once where our controllers act. Each step ends when all three are quiet.
 */
import { type Compared, compare, type Difference } from "./compare.ts";
import { allowed, type Allowed } from "./differences.ts";
import { untilQuiet } from "./quiet.ts";
import type { Side } from "./sides.ts";
import { setStage, type Stage } from "./stage.ts";
import { type Names, namesOf, type StepTold, tell, type Told } from "./telling.ts";

export interface Step extends Partial<Compared> {
  readonly name: string;
  /** What the user does; the same on every stage, by what can be seen there. */
  act(stage: Stage): Promise<unknown>;
  /** How long to wait before looking whether all is quiet: for what comes by itself later. */
  readonly waitMs?: number;
}

export interface Script {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Not beside other scripts: it keeps a controller busy for long. */
  readonly alone?: boolean;
}

export interface Found extends Difference {
  readonly step: string;
  readonly between: "kube-controller-manager and itself" | "kube-controller-manager and us";
}

export interface Played {
  /** What differs and is in no entry. The script ends with the step where something does. */
  readonly unexplained: readonly Found[];
  /** Ids of the entries that were hit. */
  readonly hits: ReadonlySet<string>;
  /** How many effects of kube-controller-manager were compared. */
  readonly effects: number;
}

interface Performance {
  readonly side: Side;
  readonly stage: Stage;
  readonly names: Names;
  from: number;
}

export async function play(script: Script, sides: { readonly oracle: Side; readonly ours: Side }): Promise<Played> {
  const id = `play-${crypto.randomUUID().slice(0, 8)}`;
  const base = Date.now();
  const open = async (side: Side, suffix: string): Promise<Performance> => {
    const namespace = `${id}-${suffix}`;
    return { side, stage: await setStage(side.cluster, namespace, base), names: namesOf(namespace), from: 0 };
  };
  const [first, second, ours] = await Promise.all([
    open(sides.oracle, "one"),
    open(sides.oracle, "two"),
    open(sides.ours, "our"),
  ]);
  const hits = new Set<string>();
  const refused = new Set<string>();
  let effects = 0;
  for (const step of script.steps) {
    const performances = [first, second, ours];
    await Promise.all(performances.map(({ stage }) => step.act(stage)));
    if (step.waitMs !== undefined) await Bun.sleep(step.waitMs);
    await Promise.all(performances.map(({ stage, side }) => untilQuiet(stage, side.logOf(stage.namespace))));
    const told = withoutRetries(await Promise.all(performances.map(tellStep)), refused);
    const [one, two, us] = told as [StepTold, StepTold, StepTold];
    effects += one.writes.length + one.events.length + one.objects.length;
    const compared = { order: step.order ?? false };
    const unexplained = [
      ...explain(compare(one, two, compared), noise, hits).map((difference) => ({
        ...difference,
        step: step.name,
        between: "kube-controller-manager and itself" as const,
      })),
      ...explain(compare(one, us, compared), allowed, hits).map((difference) => ({
        ...difference,
        step: step.name,
        between: "kube-controller-manager and us" as const,
      })),
    ];
    if (unexplained.length > 0) return { unexplained, hits, effects };
  }
  return { unexplained: [], hits, effects };
}

const noise = allowed.filter(({ category }) => category === "noise");

async function tellStep(performance: Performance): Promise<StepTold> {
  const { side, stage, names, from } = performance;
  const { effects } = side.logOf(stage.namespace);
  performance.from = effects.length;
  return tell(stage, effects.slice(from), names);
}

/**
 * Without what was refused in an earlier step already: its retries come when they come, also after the cause is gone. `known`
 * grows by what is refused in this step.
 */
function withoutRetries(tellings: readonly StepTold[], known: Set<string>): StepTold[] {
  const isRefusal = ({ what }: Told): boolean => what === "Event Warning" || /[45]\d\d$/.test(what);
  const without = (told: readonly Told[]): Told[] =>
    told.filter((one) => !isRefusal(one) || !known.has(JSON.stringify(one)));
  const left = tellings.map((telling) => ({
    ...telling,
    writes: without(telling.writes),
    events: without(telling.events),
  }));
  for (const { writes, events } of left) {
    for (const one of [...writes, ...events]) if (isRefusal(one)) known.add(JSON.stringify(one));
  }
  return left;
}

/** Those that no entry explains. */
function explain(differences: readonly Difference[], entries: readonly Allowed[], hits: Set<string>): Difference[] {
  return differences.filter((difference) => {
    const matching = entries.filter((entry) => entry.matches(difference));
    for (const { id } of matching) hits.add(id);
    return matching.length === 0;
  });
}

const shownAtMost = 12;

/** One line a difference, for the failure of a test: equal ones once, with their number, and no more than 12. */
export function inWords(found: readonly Found[]): string[] {
  const counts = new Map<string, number>();
  for (const one of found) counts.set(line(one), (counts.get(line(one)) ?? 0) + 1);
  const lines = [...counts].map(([text, count]) => (count > 1 ? `${count} times: ${text}` : text));
  const more = lines.length - shownAtMost;
  return more > 0 ? [...lines.slice(0, shownAtMost), `and ${more} more`] : lines;
}

function line({ between, step, what, path, theirs, ours, refused }: Found): string {
  const one = between === "kube-controller-manager and us" ? "us" : "itself";
  const said = `${JSON.stringify(theirs) ?? "nothing"} ≠ ${one}: ${JSON.stringify(ours) ?? "nothing"}`;
  return `step "${step}"${refused ? " (refused)" : ""}: ${what} ${path} kube-controller-manager: ${said}`;
}

/**
 * Plays scripts, at most `width` at a time and in their order, then those that play alone; answers a promise for each at once.
 */
export function playAll(
  scripts: readonly Script[],
  width: number,
  sides: { readonly oracle: Side; readonly ours: Side },
): Promise<Played>[] {
  const results = scripts.map((script) => ({ script, ...Promise.withResolvers<Played>() }));
  for (const { promise } of results) promise.catch(() => undefined);
  const work = async (queue: typeof results): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      await play(next.script, sides).then(next.resolve, next.reject);
    }
  };
  const together = results.filter(({ script }) => script.alone !== true);
  const alone = results.filter(({ script }) => script.alone === true);
  void Promise.all(Array.from({ length: width }, () => work(together))).then(() => work(alone));
  return results.map(({ promise }) => promise);
}
