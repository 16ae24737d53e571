/** How far shadow and the owner agree: a fold over intentions and their outcomes. */
import type { Agreement, AgreementEvent, StageEvent } from "../trace/events.ts";

/** How often shadow and the owner agreed. Immutable. */
export interface AgreementSummary {
  /** All would-be writes, each counted once. */
  readonly intentions: number;
  readonly counts: Readonly<Record<Agreement, number>>;
  /** Intentions without an outcome so far. */
  readonly standing: number;
  /** The latest differences, oldest first. */
  readonly differences: readonly AgreementEvent[];
}

/** Differences kept. */
const keptDifferences = 100;

/** Accepts stage events. An intention whose outcome changes later is counted by its final outcome. */
export class AgreementReport {
  #last = new Map<number, AgreementEvent | undefined>();
  #settled: Record<Agreement, number> = {
    same: 0,
    differs: 0,
    "owner was faster": 0,
    "owner was refused": 0,
    "not comparable": 0,
  };
  #differences: AgreementEvent[] = [];
  #intentions = 0;

  accept(event: StageEvent): void {
    if (event.stage === "intention" && !event.again) {
      this.#intentions++;
      this.#last.set(event.intention, undefined);
    }
    if (event.stage === "agreement") this.#agreement(event);
  }

  get summary(): AgreementSummary {
    const counts = this.#settled;
    const standing = [...this.#last.values()].filter((last) => last === undefined).length;
    return { intentions: this.#intentions, counts: { ...counts }, standing, differences: this.#differences };
  }

  #agreement(event: AgreementEvent): void {
    this.#settled[event.is]++;
    const { intention } = event;
    if (intention !== undefined) {
      const before = this.#last.get(intention);
      if (before !== undefined) this.#takeBack(before);
      // The owner may still do what it has not done, or was refused; any other outcome is final.
      const mayChange = event.is === "differs" || event.is === "owner was refused";
      if (mayChange && event.delta === undefined) this.#last.set(intention, event);
      else this.#last.delete(intention);
    }
    if (event.is === "differs") this.#differences = [...this.#differences, event].slice(-keptDifferences);
  }

  #takeBack(before: AgreementEvent): void {
    this.#settled[before.is]--;
    this.#differences = this.#differences.filter((each) => each !== before);
  }
}
