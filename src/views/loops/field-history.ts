/** Follows the changes of one field of one object: back and forth, to a new value each time, or in one direction. */
import type { FieldChange } from "../../api/field-changes.ts";
import { hashOfFieldSet } from "../../api/field-set-hash.ts";
import { markedValues } from "../../trace/mask.ts";
import { isCounter } from "../field-interest.ts";
import { Moments } from "./moments.ts";
import type { WriterShare } from "./loop.ts";

/** Values remembered of each field. */
const remembered = 8;
/** Values with a longer JSON text are summarized: this many characters are kept of a string, and of each part of an object. */
const longest = 200;
const maxPartLength = 60;
/** Steps of a number that are examined. */
const recentSteps = 16;
/** A number that takes this many steps in one direction is progressing. */
const minRun = 4;
/** After a longer pause, the history starts again. */
const forgottenMs = 3_600_000;
/** Counters of attempts: they rise without any progress. */
const attemptCounter = /(?<!restart)(count|tries|retries|attempts|reconciles|syncs|sequence)$/i;

/** A change of a field, its writer and time (ms since 1970), and the number of the write among those of the object. */
export interface FieldWrite {
  readonly change: FieldChange;
  readonly writer: string | undefined;
  readonly at: number;
  readonly write: number;
  /** The write is the first that observes a change of the spec: progress is counted from there. */
  readonly isFirstObservation: boolean;
}

/** Whether a write with these changes is the first that observes a change of the spec. */
export function observesSpecChange(changes: readonly FieldChange[]): boolean {
  return changes.some(({ path }) => path === ".status.observedGeneration");
}

/** Follows one field. */
export class FieldHistory {
  readonly path: string;
  /** It is a counter that follows from other changes. */
  readonly isCounter: boolean;
  changes = 0;
  /** Changes to an earlier value. */
  returns = 0;
  /** Completed cycles: a → b → a is one cycle of two changes. */
  rounds = 0;
  firstAt = 0;
  lastAt = 0;
  /** The number of the write that last changed it. */
  lastWrite = 0;
  readonly values: unknown[] = [];
  readonly writers: Map<string | undefined, number> = new Map();
  readonly moments: Moments = new Moments();
  /** The first and the current number; a list counts by its length. */
  #from: number | undefined;
  #to: number | undefined;
  #seen: string[] = [];
  #round = new Set<string>();
  /** The writers that set each of the values in `#seen`. */
  #makers = new Map<string, Set<string | undefined>>();
  /** The latest steps: 1 or -1 for a number that rose or fell, 0 for anything else. */
  #steps: number[] = [];
  /** The number of steps in the current direction, and the value at which that direction began. */
  #run = 0;
  #turnedAt = 0;

  constructor(path: string) {
    this.path = path;
    this.isCounter = isCounter(path);
  }

  add({ change, writer, at, write, isFirstObservation }: FieldWrite): void {
    const { before, after } = change;
    // Masked values are compared by their fingerprints.
    const marks = markedValues(change) ?? change;
    if (this.changes > 0 && at - this.lastAt > forgottenMs) this.#forget();
    if (this.changes === 0) {
      this.firstAt = at;
      this.#from = numberOf(this.path, before, at) ?? (before === undefined ? 0 : undefined);
      this.#round.add(this.#remember(before, marks.before).name);
    }
    const [from, to] = [numberOf(this.path, before, at) ?? 0, numberOf(this.path, after, at)];
    if (isFirstObservation) this.#startOver(to);
    else this.#step(from, to);
    this.changes++;
    this.lastAt = at;
    this.lastWrite = write;
    this.moments.add(at);
    this.writers.set(writer, (this.writers.get(writer) ?? 0) + 1);
    const { name, isNew } = this.#remember(after, marks.after);
    if (!isNew) this.returns++;
    if (this.#round.has(name)) {
      this.rounds++;
      this.#round.clear();
    } else if (this.#round.size > recentSteps) this.#round.clear();
    this.#round.add(name);
    const makers = this.#makers.get(name) ?? new Set();
    this.#makers.set(name, makers.add(writer));
  }

  /** Whether a number moves in one direction, apart from single steps, or far before it turns, like the replicas in a rollout. */
  get advances(): boolean {
    return this.#steps.length > 1 && this.isUnderWay;
  }

  /** The same, but a single step is enough. */
  get isUnderWay(): boolean {
    if (this.isCounter || attemptCounter.test(this.path)) return false;
    if (this.#steps.length === 0 || this.#steps.includes(0)) return false;
    const ups = this.#steps.filter((step) => step > 0).length;
    const downs = this.#steps.length - ups;
    const turns = this.#steps.filter((step, index) => index > 0 && step !== this.#steps[index - 1]).length;
    return Math.min(ups, downs) * 3 <= Math.max(ups, downs) || turns * minRun <= this.#steps.length;
  }

  /** The range of a number that advances. */
  get way(): { readonly from: number; readonly to: number } {
    const [from = 0, to = 0] = [this.#from, this.#to];
    // It moved over the same range before.
    return { from: from === to ? this.#turnedAt : from, to };
  }

  /** Whether several writers undo each other's changes: no value is set by more than one of them. */
  get isFight(): boolean {
    const makers = [...this.#makers.values()];
    return this.writers.size > 1 && makers.length > 1 && makers.every((names) => names.size === 1);
  }

  /** Who changed it, the busiest first. */
  get shares(): readonly WriterShare[] {
    return sharesOf(this.writers);
  }

  /** Restarts the measurement: a count such as updatedReplicas drops to 0 when the next rollout begins. */
  #startOver(to: number | undefined): void {
    this.#steps = [];
    this.#run = 0;
    this.#turnedAt = to ?? 0;
    this.#from = this.#turnedAt;
    this.#to = this.#turnedAt;
  }

  #step(before: number, after: number | undefined): void {
    // An absent field is 0, because the API omits zeros.
    const to = after ?? (this.#to === undefined ? undefined : 0);
    const step = to === undefined ? 0 : Math.sign(to - before);
    if (step === this.#steps.at(-1)) this.#run++;
    else {
      this.#run = 1;
      this.#turnedAt = before;
    }
    if (this.#run === minRun) this.#from = this.#turnedAt;
    this.#steps.push(step);
    if (this.#steps.length > recentSteps) this.#steps.shift();
    this.#to = to;
  }

  /** Adds a value; `mark` is what it is compared by. */
  #remember(value: unknown, mark: unknown): { readonly name: string; readonly isNew: boolean } {
    const name = nameOfValue(mark);
    if (this.#seen.includes(name)) return { name, isNew: false };
    this.#seen.push(name);
    this.values.push(summaryOf(value));
    if (this.#seen.length > remembered) {
      this.#makers.delete(this.#seen.shift() ?? "");
      this.values.shift();
    }
    return { name, isNew: true };
  }

  #forget(): void {
    this.changes = 0;
    this.returns = 0;
    this.rounds = 0;
    this.values.length = 0;
    this.writers.clear();
    this.moments.clear();
    this.#seen = [];
    this.#round.clear();
    this.#makers.clear();
    this.#steps = [];
  }
}

/** The number of writes by each writer, the most first; undefined is an unknown writer. */
export function sharesOf(writers: ReadonlyMap<string | undefined, number>): readonly WriterShare[] {
  return [...writers].map(([name, writes]) => ({ name, writes })).sort((a, b) => b.writes - a.writes);
}

/** The units in which a number may be a time since 1970, per millisecond: seconds, ms, µs, ns. */
const unitsOfTime = [1e-3, 1, 1e3, 1e6];
/** Smaller numbers are not taken for times: in seconds, this is in 1973. */
const minTime = 1e8;
const dayMs = 86_400_000;

/**
 * A value as a measure of progress: a number, the length of a list, or in a status a quantity (`"12"` of a quota). Undefined for any
 * other value, and for a number that is a time.
 */
function numberOf(path: string, value: unknown, at: number): number | undefined {
  if (Array.isArray(value)) return value.length;
  const isQuantity = typeof value === "string" && path.startsWith(".status") && /^\d{1,9}$/.test(value);
  const number = isQuantity ? Number(value) : value;
  if (typeof number !== "number") return undefined;
  const isTime = number > minTime && unitsOfTime.some((unit) => Math.abs(number / unit - at) < dayMs);
  return isTime ? undefined : number;
}

/** The text by which a value is compared. */
function nameOfValue(value: unknown): string {
  const text = JSON.stringify(value, (key, part: unknown) => (timeInside.test(key) ? undefined : part)) ?? "none";
  return text.length <= longest ? text : `${text.length} ${hashOfFieldSet(text)}`;
}

/** The times in conditions, which are ignored when values are compared. */
const timeInside = /^last(Transition|Update|Probe|Heartbeat)Time$/;

/** The value as it is shown: in full if it is short. */
function summaryOf(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "none";
  if (text.length <= longest) return value;
  if (typeof value === "string") return `${value.slice(0, longest)}…`;
  if (Array.isArray(value)) return `${value.length} items`;
  const parts = Object.entries(value as object).map(([key, part]: [string, unknown]) => [key, partOf(part)]);
  return Object.fromEntries(parts) as unknown;
}

function partOf(part: unknown): unknown {
  const text = typeof part === "string" ? part : JSON.stringify(part);
  return text.length <= maxPartLength ? part : `${text.slice(0, maxPartLength)}…`;
}
