/** Helpers for several kinds of warnings. Source: kubernetes v1.36 pkg/api/pod/warnings.go. */
import { parseQuantity } from "../../../../../api/quantity.ts";
import { isFields } from "../../../../meta/object.ts";

/** The indexes of repeated values. */
export function repeated(list: readonly string[]): number[] {
  return list.flatMap((text, index) => (list.indexOf(text) < index ? [index] : []));
}

const nanoPerMilli = 1_000_000n;

/** True if the quantity, rounded up to thousandths, is not an integer. */
function isFractional(text: unknown): boolean {
  const nano = typeof text === "string" ? parseQuantity(text)?.nano : undefined;
  if (nano === undefined) return false;
  const milli = (nano + nanoPerMilli - 1n) / nanoPerMilli;
  return milli % 1000n !== 0n;
}

/** Warns about fractional bytes in a map of resource amounts; `resources` are those counted in bytes. */
export function fractionWarnings(
  amounts: unknown,
  field: string,
  resources: readonly string[] = ["memory", "ephemeral-storage"],
): string[] {
  if (!isFields(amounts)) return [];
  return resources.flatMap((name) =>
    isFractional(amounts[name])
      ? [`${field}[${name}]: fractional byte value ${JSON.stringify(amounts[name])} is invalid, must be an integer`]
      : [],
  );
}
