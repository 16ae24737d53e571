/** How one field of one object changes while it is watched: back and forth, to a new value each time, or one way. */
import type { FieldChange } from "../../api/field-changes.ts";
import { hashOfFieldSet } from "../../api/field-set-hash.ts";
import { markedValues } from "../../trace/mask.ts";
import { isCounter } from "../field-interest.ts";
import { Moments } from "./moments.ts";
import type { WriterShare } from "./loop.ts";

/** Values remembered of each field. */
const remembered = 8;
/** Longer values are summarized: this many characters of a text, or of each text in an object, are kept. */
const longest = 200;
const longestPart = 60;
/** Steps of a number that are examined. */
const recentSteps = 16;
/** A number that takes this many steps one way is progressing. */
const leastRun = 4;
/** What was longer ago is another story. */
const forgottenMs = 3_600_000;
/** Counts what was tried: it goes up for ever, and nothing has come any further. */
const tally = /(?<!restart)(count|tries|retries|attempts|reconciles|syncs|sequence)$/i;

/** A change, with who made it and when; `write` counts the writes of the object. */
export interface FieldWrite {
  readonly change: FieldChange;
  readonly writer: string | undefined;
  readonly at: number;
  readonly write: number;
  /** The write is the first one after a change of the spec was observed: counts start over with it. */
  readonly isFirstAnswer: boolean;
}

/** Whether a write with these changes is the first one after a change of the spec was observed. */
export function answersFirst(changes: readonly FieldChange[]): boolean {
  return changes.some(({ path }) => path === ".status.observedGeneration");
}

/** Follows one field. */
export class FieldHistory {
  readonly path: string;
  /** It goes up by itself with every change of the others. */
  readonly isCounter: boolean;
  changes = 0;
  /** Changes to a value that it had before. */
  returns = 0;
  /** How often it returned to an earlier value: a ⇄ b is one round for two changes, 1 → 9 → 1 as well. */
  rounds = 0;
  firstAt = 0;
  lastAt = 0;
  /** The number of the write that changed it last. */
  lastWrite = 0;
  readonly values: unknown[] = [];
  readonly writers: Map<string | undefined, number> = new Map();
  readonly moments: Moments = new Moments();
  /** Where it set out and where it is, where it is a number: a list counts by its length. */
  #from: number | undefined;
  #to: number | undefined;
  #seen: string[] = [];
  #round = new Set<string>();
  /** Who made it each of the values in `#seen`. */
  #makers = new Map<string, Set<string | undefined>>();
  /** 1 or -1 for a number that went up or down; 0 for all else. */
  #steps: number[] = [];
  /** So many steps one way, and where it turned that way. */
  #run = 0;
  #turnedAt = 0;

  constructor(path: string) {
    this.path = path;
    this.isCounter = isCounter(path);
  }

  add({ change, writer, at, write, isFirstAnswer }: FieldWrite): void {
    const { before, after } = change;
    // Masked values, too, are compared with earlier ones.
    const marks = markedValues(change) ?? change;
    if (this.changes > 0 && at - this.lastAt > forgottenMs) this.#forget();
    if (this.changes === 0) {
      this.firstAt = at;
      this.#from = numberOf(this.path, before, at) ?? (before === undefined ? 0 : undefined);
      this.#round.add(this.#remember(before, marks.before).name);
    }
    const [from, to] = [numberOf(this.path, before, at) ?? 0, numberOf(this.path, after, at)];
    if (isFirstAnswer) this.#startOver(to);
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

  /** A number on its way: it goes one way but for a step here and there, or far before it turns. The replicas of a rollout do. */
  get advances(): boolean {
    return this.#steps.length > 1 && this.isUnderWay;
  }

  /** The same, and a single step will do. */
  get isUnderWay(): boolean {
    if (this.isCounter || tally.test(this.path) || this.#steps.length === 0 || this.#steps.includes(0)) return false;
    const ups = this.#steps.filter((step) => step > 0).length;
    const downs = this.#steps.length - ups;
    const turns = this.#steps.filter((step, index) => index > 0 && step !== this.#steps[index - 1]).length;
    return Math.min(ups, downs) * 3 <= Math.max(ups, downs) || turns * leastRun <= this.#steps.length;
  }

  /** Of a number that advances: from where to where. */
  get way(): { readonly from: number; readonly to: number } {
    const [from = 0, to = 0] = [this.#from, this.#to];
    // It went the same way before.
    return { from: from === to ? this.#turnedAt : from, to };
  }

  /** Two or more write it, and none of them a value that another one writes: each undoes what the other did. */
  get isFight(): boolean {
    const makers = [...this.#makers.values()];
    return this.writers.size > 1 && makers.length > 1 && makers.every((names) => names.size === 1);
  }

  /** Who changed it, the busiest first. */
  get shares(): readonly WriterShare[] {
    return sharesOf(this.writers);
  }

  /** The pods that were updated are none again when the next rollout begins. */
  #startOver(to: number | undefined): void {
    this.#steps = [];
    this.#run = 0;
    this.#turnedAt = to ?? 0;
    this.#from = this.#turnedAt;
    this.#to = this.#turnedAt;
  }

  #step(before: number, after: number | undefined): void {
    // A field that is gone is 0, as the API leaves that out.
    const to = after ?? (this.#to === undefined ? undefined : 0);
    const step = to === undefined ? 0 : Math.sign(to - before);
    if (step === this.#steps.at(-1)) this.#run++;
    else {
      this.#run = 1;
      this.#turnedAt = before;
    }
    if (this.#run === leastRun) this.#from = this.#turnedAt;
    this.#steps.push(step);
    if (this.#steps.length > recentSteps) this.#steps.shift();
    this.#to = to;
  }

  /** `mark` is what it is compared by. */
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

/** How many writes each writer made, most first; undefined is a writer that is not known. */
export function sharesOf(writers: ReadonlyMap<string | undefined, number>): readonly WriterShare[] {
  return [...writers].map(([name, writes]) => ({ name, writes })).sort((a, b) => b.writes - a.writes);
}

/** In a millisecond, the units in which a number may be a time: seconds, ms, µs, ns. */
const unitsOfTime = [1e-3, 1, 1e3, 1e6];
/** In seconds, some day in 1973: whatever is less is a number of something else. */
const leastTime = 1e8;
const dayMs = 86_400_000;

/**
 * How far something has come: a number, the length of a list, in a status also a quantity (`"12"` of a quota). Undefined for what is
 * no measure, and for a time written as a number.
 */
function numberOf(path: string, value: unknown, at: number): number | undefined {
  if (Array.isArray(value)) return value.length;
  const isQuantity = typeof value === "string" && path.startsWith(".status") && /^\d{1,9}$/.test(value);
  const number = isQuantity ? Number(value) : value;
  if (typeof number !== "number") return undefined;
  const isTime = number > leastTime && unitsOfTime.some((unit) => Math.abs(number / unit - at) < dayMs);
  return isTime ? undefined : number;
}

/** What a value is compared by. */
function nameOfValue(value: unknown): string {
  const text = JSON.stringify(value, (key, part: unknown) => (timeInside.test(key) ? undefined : part)) ?? "none";
  return text.length <= longest ? text : `${text.length} ${hashOfFieldSet(text)}`;
}

/** A condition that returns is the same one, whatever its times. */
const timeInside = /^last(Transition|Update|Probe|Heartbeat)Time$/;

/** The value as it is shown: whole where it is short. */
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
  return text.length <= longestPart ? part : `${text.slice(0, longestPart)}…`;
}
