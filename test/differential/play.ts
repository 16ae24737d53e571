/**
 * Runs a script in several namespaces at once: where kube-controller-manager acts, where our controllers act, and where they act on the
 * sandbox. A script with differences is run again, with kube-controller-manager acting in two namespaces, to find out where it differs from
 * itself. Each step ends when all sides are quiet.
 */
import { compare, compareObjects, type Difference } from "./compare.ts";
import type { Allowed } from "./differences.ts";
import { readUpToNow, untilQuiet } from "./quiet.ts";
import type { Side } from "./sides.ts";
import { setStage, type Stage } from "./stage.ts";
import type { Script, Step, Suite } from "./suite.ts";
import { excesses, spareWrites, tally, type Tally } from "./tally.ts";
import { namesOf, recordStep } from "./normalize.ts";
import type { Names, StepRecord, Entry } from "./step-record.ts";

export type { Script, Step } from "./suite.ts";

const oracleAndUs = "kube-controller-manager and us";

export type Between =
  "kube-controller-manager and itself" | "kube-controller-manager and us" | "our controllers and the sandbox";

export interface Found extends Difference {
  readonly step: string;
  readonly between: Between;
}

export interface Played {
  /** The differences that no entry explains. The script ends with the first step that has any. */
  readonly unexplained: readonly Found[];
  /** IDs of the entries that were hit. */
  readonly hits: ReadonlySet<string>;
  /** Number of effects of kube-controller-manager that were compared. */
  readonly effects: number;
  /** Number of writes on the sandbox, plus the number of its objects that were compared with ours in the last step. */
  readonly onSandbox: number;
}

export interface Sides {
  readonly oracle: Side;
  readonly ours: Side;
  readonly sandbox: Side;
}

/** In how many namespaces kube-controller-manager runs the script: two, to find out where it differs from itself. */
export type Oracles = 1 | 2;

interface Performance {
  readonly suite: Suite;
  readonly side: Side;
  readonly stage: Stage;
  readonly names: Names;
  from: number;
}

/** The normalized records of one step, one per side. */
interface PerSide<T> {
  readonly one: T;
  /** Undefined if kube-controller-manager runs the script once. */
  readonly two: T | undefined;
  readonly us: T;
  /** Undefined if the sandbox cannot run the script. */
  readonly box: T | undefined;
}

export async function play(suite: Suite, script: Script, sides: Sides, oracles: Oracles): Promise<Played> {
  const id = `play-${crypto.randomUUID().slice(0, 8)}`;
  const base = Date.now();
  const open = async (side: Side, suffix: string): Promise<Performance> => {
    const namespace = `${id}-${suffix}`;
    const stage = await setStage(side.server, namespace, base);
    const performance = { suite, side, stage, names: namesOf(namespace, base), from: 0 };
    // Learns the names of what exists already (at least the namespace) before the first step.
    await recordUpTo(performance, 0);
    return performance;
  };
  const hasTwo = oracles === 2;
  const performances = await Promise.all([
    open(sides.oracle, "one"),
    open(sides.ours, "our"),
    ...(hasTwo ? [open(sides.oracle, "two")] : []),
    ...(script.notOnSandbox === undefined ? [open(sides.sandbox, "box")] : []),
  ]);
  const named = <T>([one, us, ...rest]: readonly T[]): PerSide<T> => {
    const [two, box] = hasTwo ? rest : [undefined, ...rest];
    return { one: one as T, two, us: us as T, box };
  };
  const hits = new Set<string>();
  const refused = new Set<string>();
  const timed = timedOf(suite);
  const tallies: readonly Tally[] = performances.map(() => new Map());
  let effects = 0;
  let onSandbox = 0;
  /** Returns the differences of a step that no entry explains. */
  const differing = (
    { name, order = false, chance }: Pick<Step, "name" | "order" | "chance">,
    records: StepRecord[],
  ): Found[] => {
    const { one, two, us, box } = named(records);
    effects += one.writes.length + one.events.length + one.objects.length;
    const beside = (theirs: StepRecord, ours: StepRecord): Difference[] =>
      chance === undefined ? compare(theirs, ours, { order }) : compareObjects(theirs, ours);
    const found = (between: Between, differences: readonly Difference[]): Found[] =>
      explain(differences, suite.differences.filter(appliesTo(between)), hits).map((difference) => ({
        ...difference,
        step: name,
        between,
      }));
    return [
      ...(two === undefined ? [] : found("kube-controller-manager and itself", beside(one, two))),
      ...found("kube-controller-manager and us", beside(one, us)),
      ...(box === undefined ? [] : found("our controllers and the sandbox", compareObjects(us, box))),
    ];
  };
  for (const step of script.steps) {
    const records = timed.without(withoutRetries(await playStep(step, performances), refused));
    const { box } = named(records);
    if (box !== undefined) onSandbox = sides.sandbox.logOf(`${id}-box`).effects.length + box.objects.length;
    const unexplained = differing(step, records);
    if (unexplained.length > 0) return { unexplained, hits, effects, onSandbox };
    for (const [n, { counted }] of records.entries()) tally(tallies[n] as Tally, counted);
  }
  const whole = "the whole script";
  const { one, two, us } = named(tallies);
  const more = excesses(two === undefined ? [one] : [one, two], us, suite.spareWrites ?? spareWrites);
  const unexplained = [
    ...differing({ name: whole }, timed.records()),
    ...more.map((excess): Found => ({ ...excess, step: whole, between: oracleAndUs, path: "times", refused: false })),
  ];
  return { unexplained, hits, effects, onSandbox };
}

interface Timed {
  /** Returns the same records, one per side, without the writes that a timer triggers; those are kept. */
  without(records: readonly StepRecord[]): StepRecord[];
  /** Returns the kept writes, one record per side, without duplicates. */
  records(): StepRecord[];
}

function timedOf({ timed = () => false }: Suite): Timed {
  const kept: Map<string, Entry>[] = [];
  return {
    without: (records) =>
      records.map((record, n) => {
        const mine = (kept[n] ??= new Map<string, Entry>());
        for (const one of record.writes) if (timed(one.what)) mine.set(JSON.stringify(one), one);
        return { ...record, writes: record.writes.filter(({ what }) => !timed(what)) };
      }),
    records: () =>
      kept.map((mine) => ({
        writes: [...mine.values()],
        events: [],
        objects: [],
        order: [],
        refused: false,
        counted: [],
      })),
  };
}

async function playStep(step: Step, performances: readonly Performance[]): Promise<StepRecord[]> {
  await Promise.all(performances.map(({ stage }) => step.act(stage)));
  const actedAt = Date.now();
  if (step.waitMs !== undefined) await Bun.sleep(step.waitMs);
  const { suite } = performances[0] as Performance;
  const quiet = async (): Promise<void> => {
    do {
      await Promise.all(
        performances.map(({ stage, side }) => untilQuiet(suite, stage, side.logOf(stage.namespace), actedAt)),
      );
    } while (!(await hasCome(step, performances)) && Date.now() - actedAt < longestUntilMs);
  };
  await quiet();
  for (let tries = 1; ; tries++) {
    const lengths = performances.map(({ side, stage }) => side.logOf(stage.namespace).effects.length);
    const records = await Promise.all(performances.map((each, n) => recordUpTo(each, lengths[n] as number)));
    await Promise.all(performances.map(({ side, stage }) => readUpToNow(side.logOf(stage.namespace))));
    const isStill = performances.every((each, n) => !hasWritten(each, lengths[n] as number));
    // Writes made while the objects were read may or may not be reflected in them: if there were any, the step was not over yet.
    if (isStill || tries === maxRecordings) {
      for (const [n, each] of performances.entries()) each.from = lengths[n] as number;
      return records;
    }
    await quiet();
  }
}

const maxRecordings = 3;
const longestUntilMs = 180_000;

async function hasCome({ until }: Step, performances: readonly Performance[]): Promise<boolean> {
  if (until === undefined) return true;
  return (await Promise.all(performances.map(({ stage }) => until(stage)))).every(Boolean);
}

/** Whether something other than an Event was written successfully since then. */
function hasWritten({ side, stage }: Performance, since: number): boolean {
  const { effects } = side.logOf(stage.namespace);
  return effects.slice(since).some(({ code, resource }) => code < 300 && !resource.startsWith("events"));
}

/** Noise can occur anywhere, `sandbox` differences only on the sandbox, and all others only between kube-controller-manager and us. */
function appliesTo(between: Between): (entry: Allowed) => boolean {
  return ({ category }) => {
    if (category === "noise") return true;
    return between === (category === "sandbox" ? "our controllers and the sandbox" : "kube-controller-manager and us");
  };
}

function recordUpTo({ suite, side, stage, names, from }: Performance, until: number): Promise<StepRecord> {
  const { effects } = side.logOf(stage.namespace);
  return recordStep(suite, stage, side.name === "sandbox" ? [] : effects.slice(from, until), names);
}

/**
 * Removes what was already rejected in an earlier step: its retries come at arbitrary times, even after the cause is gone. What is rejected
 * in this step is added to `known`.
 */
function withoutRetries(records: readonly StepRecord[], known: Set<string>): StepRecord[] {
  const isRefusal = ({ what }: Entry): boolean => what === "Event Warning" || /[45]\d\d$/.test(what);
  const without = (entries: readonly Entry[]): Entry[] =>
    entries.filter((one) => !isRefusal(one) || !known.has(JSON.stringify(one)));
  const left = records.map((record) => ({
    ...record,
    writes: without(record.writes),
    events: without(record.events),
  }));
  for (const { writes, events } of left) {
    for (const one of [...writes, ...events]) if (isRefusal(one)) known.add(JSON.stringify(one));
  }
  return left;
}

/** Returns the differences that no entry explains. */
function explain(differences: readonly Difference[], entries: readonly Allowed[], hits: Set<string>): Difference[] {
  return differences.filter((difference) => {
    const matching = entries.filter((entry) => entry.matches(difference));
    for (const { id } of matching) hits.add(id);
    return matching.length === 0;
  });
}

const shownAtMost = 12;

/** One line per difference, for the message of a failed test: duplicates are merged and counted, and at most 12 lines are shown. */
export function inWords(found: readonly Found[]): string[] {
  const counts = new Map<string, number>();
  for (const one of found) counts.set(line(one), (counts.get(line(one)) ?? 0) + 1);
  const lines = [...counts].map(([text, count]) => (count > 1 ? `${count} times: ${text}` : text));
  const more = lines.length - shownAtMost;
  return more > 0 ? [...lines.slice(0, shownAtMost), `and ${more} more`] : lines;
}

const sidesOf: Readonly<Record<Between, readonly [theirs: string, ours: string]>> = {
  "kube-controller-manager and itself": ["kube-controller-manager", "itself"],
  "kube-controller-manager and us": ["kube-controller-manager", "us"],
  "our controllers and the sandbox": ["us", "us on the sandbox"],
};

function line({ between, step, what, path, theirs, ours, refused }: Found): string {
  const [one, other] = sidesOf[between];
  const difference = `${JSON.stringify(theirs) ?? "nothing"} ≠ ${other}: ${JSON.stringify(ours) ?? "nothing"}`;
  return `step "${step}"${refused ? " (refused)" : ""}: ${what} ${path} ${one}: ${difference}`;
}

const defaultWidth = 8;

/**
 * Runs scripts in their order, `suite.width` at a time, then those with `alone`, with kube-controller-manager once. Immediately returns one
 * promise per script.
 */
export function playAll(suite: Suite, scripts: readonly Script[], sides: Sides): Promise<Played>[] {
  const results = scripts.map((script) => ({ script, ...Promise.withResolvers<Played>() }));
  for (const { promise } of results) promise.catch(() => undefined);
  const work = async (queue: typeof results): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      await play(suite, next.script, sides, 1).then(next.resolve, next.reject);
    }
  };
  const together = results.filter(({ script }) => script.alone !== true);
  const alone = results.filter(({ script }) => script.alone === true);
  const width = suite.width ?? defaultWidth;
  void Promise.all(Array.from({ length: width }, () => work(together))).then(() => work(alone));
  return results.map(({ promise }) => promise);
}
