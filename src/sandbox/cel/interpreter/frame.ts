/** One run of a program: its variables and its cost so far. Source: cel-go v0.26 interpreter/activation.go, runtimecost.go. */
import type { Value } from "../values/value.ts";

/** Thrown when a run exceeds its cost limit. */
export class CostLimitExceeded extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

/** The variables of a run by slot, and its cost. */
export class Frame {
  /** Undefined for variables without a value. */
  readonly slots: (Value | undefined)[];
  readonly limit: number;
  cost = 0;

  /** @param limit the maximum cost of the run */
  constructor(slots: (Value | undefined)[], limit: number) {
    this.slots = slots;
    this.limit = limit;
  }

  /** Adds to the cost. @throws CostLimitExceeded */
  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw new CostLimitExceeded();
  }
}

/** Evaluates an expression and adds its cost. @throws CostLimitExceeded */
export type Evaluate = (frame: Frame) => Value;

/** A program that cannot be planned: a constant part of it fails. */
export class PlanError extends Error {}
