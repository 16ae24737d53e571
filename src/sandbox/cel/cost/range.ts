/** Sizes and costs between a least and a most. Source: cel-go v0.26 checker/cost.go SizeEstimate, CostEstimate. */
import type { Expr } from "../syntax/ast.ts";
import type { CelType } from "../values/types.ts";

/** A size or a cost at least and at most. */
export interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

/** The size of what a path leads to, such as `["self", "spec", "@items"]`; undefined where nothing says it. */
export type SizeEstimator = (path: readonly string[]) => Range | undefined;

/** An operand of a call, as its cost is estimated. */
export interface Node {
  /** Empty where it is no part of a variable. */
  readonly path: readonly string[];
  readonly type: CelType;
  readonly expr: Expr | undefined;
  readonly size: Range | undefined;
}

const most = 2n ** 64n - 1n;

const capped = (value: bigint): bigint => (value > most ? most : value);

/** The same at least and at most. */
export const fixed = (value: bigint): Range => ({ min: value, max: value });

/** Nothing at all. */
export const none: Range = fixed(0n);

/** A size of which nothing is known. */
export const unknownSize: Range = { min: 0n, max: most };

/** The sum. */
export const plus = (a: Range, b: Range): Range => ({ min: capped(a.min + b.min), max: capped(a.max + b.max) });

/** The product. */
export const times = (a: Range, b: Range): Range => ({ min: capped(a.min * b.min), max: capped(a.max * b.max) });

/** What either of the two can be. */
export const union = (a: Range, b: Range): Range => ({
  min: a.min < b.min ? a.min : b.min,
  max: a.max > b.max ? a.max : b.max,
});

function scaledNumber(value: bigint, factor: number): bigint {
  // As with Go's doubles: rounded to a double first, then up.
  const product = Math.ceil(Number(value) * factor);
  return product >= 2 ** 64 ? most : BigInt(product);
}

/** Times a factor, rounded up. */
export const scaled = ({ min, max }: Range, factor: number): Range => ({
  min: scaledNumber(min, factor),
  max: scaledNumber(max, factor),
});
