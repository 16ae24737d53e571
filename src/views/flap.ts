/** How one field of one object changes while it is watched: back and forth, anew each time, or on its way somewhere. */

/** What is kept of a field that changed. */
export interface FieldFlap {
  readonly path: string;
  /** How often it changed. */
  readonly changes: number;
  /** How often it came back to a value that it had had before. */
  readonly returns: number;
  /** Values seen, in the order in which they came first; the first eight. */
  readonly values: readonly unknown[];
  /** Who wrote it, where managedFields tell; each once. */
  readonly writers: readonly string[];
}

/** Of each field so many values are remembered. */
const remembered = 8;
/** Longer values are known by their beginning and their length: a value is compared, not kept. */
const longest = 200;

/** Follows one field. */
export class FieldHistory {
  readonly path: string;
  changes = 0;
  returns = 0;
  readonly values: unknown[] = [];
  readonly writers: string[] = [];
  #seen: string[] = [];
  /** Steps of a number, the first one aside: that one may go back to a start. */
  #ups = 0;
  #downs = 0;
  #numeric = true;

  constructor(path: string) {
    this.path = path;
  }

  add(before: unknown, after: unknown, writer: string | undefined): void {
    if (this.changes === 0) this.#remember(before);
    else this.#step(before ?? 0, after ?? 0);
    this.changes++;
    if (!this.#remember(after)) this.returns++;
    if (writer !== undefined && !this.writers.includes(writer)) this.writers.push(writer);
  }

  /** A number that goes one way, but for a step here and there: the replicas of a rollout, a position. */
  get getsOn(): boolean {
    const [more, less] = [Math.max(this.#ups, this.#downs), Math.min(this.#ups, this.#downs)];
    return this.#numeric && more >= 2 && less <= more / 3;
  }

  #step(before: unknown, after: unknown): void {
    if (typeof before !== "number" || typeof after !== "number") this.#numeric = false;
    else if (after > before) this.#ups++;
    else this.#downs++;
  }

  /** False for a value that was seen before. */
  #remember(value: unknown): boolean {
    const text = JSON.stringify(value) ?? "none";
    const name = text.length <= longest ? text : `${text.length} ${text.slice(0, longest)}`;
    if (this.#seen.includes(name)) return false;
    this.#seen.push(name);
    this.values.push(text.length <= longest ? value : `${text.slice(0, longest)}…`);
    if (this.#seen.length > remembered) {
      this.#seen.shift();
      this.values.shift();
    }
    return true;
  }
}
