/** Bounds that are a number of pods or a share of them, such as `maxUnavailable`. */

/**
 * A number as is; a percentage of `total` rounded up or down: 25% of 3 is 1 rounded up and 0 rounded down.
 *
 * Source: apimachinery v0.36 util/intstr/intstr.go GetScaledValueFromIntOrPercent.
 *
 * @throws RangeError for a text that is not a percentage.
 */
export function scaledValue(value: string | number, total: number, round: "up" | "down"): number {
  if (typeof value === "number") return value;
  const percent = /^([+-]?\d+)%$/.exec(value)?.[1];
  if (percent === undefined) throw new RangeError(`invalid value for IntOrString: ${value} is not a percentage`);
  const exact = (Number(percent) * total) / 100;
  return round === "up" ? Math.ceil(exact) : Math.floor(exact);
}
