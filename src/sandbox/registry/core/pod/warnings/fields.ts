/** What more than one kind of warning looks for. Source: kubernetes v1.36 pkg/api/pod/warnings.go. */
import { parseQuantity } from "../../../../../api/quantity.ts";
import { isFields } from "../../../../meta/object.ts";

/** Where a value is repeated. */
export function repeated(list: readonly string[]): number[] {
  return list.flatMap((text, index) => (list.indexOf(text) < index ? [index] : []));
}

const nanoPerMilli = 1_000_000n;

/** True if there are thousandths left, rounded up. */
function isFractional(text: unknown): boolean {
  const nano = typeof text === "string" ? parseQuantity(text)?.nano : undefined;
  if (nano === undefined) return false;
  const milli = (nano + nanoPerMilli - 1n) / nanoPerMilli;
  return milli % 1000n !== 0n;
}

/** Of bytes in parts, in a map of amounts by resource; `resources` are those that are counted in bytes. */
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
