/**
 * Integers as in Go on amd64: the replicas of an autoscaler are int32, quantities are int64, and ratios are float64. Source: the Go
 * specification, "Conversions"; what it leaves open follows CVTTSD2SL and CVTTSD2SQ.
 */

const least32 = -(2 ** 31);

/** The largest possible replica count. */
export const most32: number = 2 ** 31 - 1;

/** The largest possible quantity. */
export const most64: bigint = 2n ** 63n - 1n;

/** A float as int32: truncated towards zero; the smallest integer for what does not fit, and for NaN. */
export function int32(float: number): number {
  const whole = Math.trunc(float);
  // `+ 0`: an integer has no negative zero.
  return whole >= least32 && whole <= most32 ? whole + 0 : least32;
}

/** A float as int64, by the same rule. */
export function int64(float: number): bigint {
  const whole = Math.trunc(float);
  return whole >= -(2 ** 63) && whole < 2 ** 63 ? BigInt(whole) : -(2n ** 63n);
}

/** A sum or a product of int64s, wrapped around. */
export function wrap64(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

/** An int64 as int32: its lower half. */
export function low32(value: bigint): number {
  return Number(BigInt.asIntN(32, value));
}

/** A sum of int32s, wrapped around. */
export function wrap32(value: number): number {
  return value | 0;
}
