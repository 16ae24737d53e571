/** One run of a program: its variables, and what it has cost. Source: cel-go v0.26 interpreter/activation.go, runtimecost.go. */
import type { Value } from "../values/value.ts";

/** Thrown when a run costs more than it may. */
export class CostLimitExceeded extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

/** The variables of a run by number, and its cost. */
export class Frame {
  /** Undefined for variables without a value. */
  readonly slots: (Value | undefined)[];
  readonly limit: number;
  cost = 0;

  /** @param limit what the run may cost */
  constructor(slots: (Value | undefined)[], limit: number) {
    this.slots = slots;
    this.limit = limit;
  }

  /** Counts what was done. @throws CostLimitExceeded */
  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw new CostLimitExceeded();
  }
}

/** Evaluates an expression, and counts what that costs. @throws CostLimitExceeded */
export type Evaluate = (frame: Frame) => Value;

/** A program that cannot be made: a constant part of it fails. */
export class PlanError extends Error {}
