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

/** Accepts stage events. An intention whose outcome is revised counts with the latest one. */
export class AgreementReport {
  #standing = new Set<number>();
  #counts: Record<Agreement, number> = {
    same: 0,
    differs: 0,
    "owner was faster": 0,
    "owner was refused": 0,
    "not comparable": 0,
  };
  #differences: readonly AgreementEvent[] = [];
  #intentions = 0;

  accept(event: StageEvent): void {
    if (event.stage === "intention" && !event.again) {
      this.#intentions++;
      this.#standing.add(event.intention);
    }
    if (event.stage === "agreement") this.#agreement(event);
  }

  get summary(): AgreementSummary {
    return {
      intentions: this.#intentions,
      counts: { ...this.#counts },
      standing: this.#standing.size,
      differences: this.#differences,
    };
  }

  #agreement(event: AgreementEvent): void {
    const { is, intention, revises } = event;
    this.#counts[is]++;
    if (intention !== undefined) this.#standing.delete(intention);
    if (revises !== undefined) {
      this.#counts[revises]--;
      this.#differences = this.#differences.filter((each) => each.intention !== intention);
    }
    if (is === "differs") this.#differences = [...this.#differences, event].slice(-keptDifferences);
  }
}
