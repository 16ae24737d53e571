/** Ranges of sizes and costs. Source: cel-go v0.26 checker/cost.go SizeEstimate, CostEstimate. */
import type { Expr } from "../syntax/ast.ts";
import type { CelType } from "../values/types.ts";

/** A minimum and a maximum size or cost. */
export interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

/** The size of the value at a path such as `["self", "spec", "@items"]`; undefined if it is unknown. */
export type SizeEstimator = (path: readonly string[]) => Range | undefined;

/** An operand of a call in cost estimation. */
export interface Node {
  /** Empty if it is not part of a variable. */
  readonly path: readonly string[];
  readonly type: CelType;
  readonly expr: Expr | undefined;
  readonly size: Range | undefined;
}

const most = 2n ** 64n - 1n;

const capped = (value: bigint): bigint => (value > most ? most : value);

/** A range of one value. */
export const fixed = (value: bigint): Range => ({ min: value, max: value });

/** Zero. */
export const none: Range = fixed(0n);

/** An unknown size. */
export const unknownSize: Range = { min: 0n, max: most };

/** The sum. */
export const plus = (a: Range, b: Range): Range => ({ min: capped(a.min + b.min), max: capped(a.max + b.max) });

/** The product. */
export const times = (a: Range, b: Range): Range => ({ min: capped(a.min * b.min), max: capped(a.max * b.max) });

/** The union of two ranges. */
export const union = (a: Range, b: Range): Range => ({
  min: a.min < b.min ? a.min : b.min,
  max: a.max > b.max ? a.max : b.max,
});

function scaledNumber(value: bigint, factor: number): bigint {
  // As with Go's float64: rounded to a double first, then up.
  const product = Math.ceil(Number(value) * factor);
  return product >= 2 ** 64 ? most : BigInt(product);
}

/** Times a factor, rounded up. */
export const scaled = ({ min, max }: Range, factor: number): Range => ({
  min: scaledNumber(min, factor),
  max: scaledNumber(max, factor),
});
