/** Sums of quantities by resource name. Source: apiserver v0.36 pkg/quota/v1/resources.go. */
import { addQuantities, compareQuantities, parseQuantity, type Quantity } from "../quantity.ts";

/** By resource name: `requests.cpu`, `count/jobs.batch`. */
export type Amounts = Map<string, Quantity>;

/** No amount. */
export const zero: Quantity = { nano: 0n, format: "decimal" };

/** A count as a quantity. */
export function wholeAmount(count: number): Quantity {
  return { nano: BigInt(count) * 1_000_000_000n, format: "decimal" };
}

/** A list of quantities in an object; invalid ones are left out. */
export function amountsOf(list: Readonly<Record<string, string>> | undefined): Amounts {
  const amounts: Amounts = new Map();
  for (const [name, text] of Object.entries(list ?? {})) {
    const quantity = parseQuantity(text);
    if (quantity !== undefined) amounts.set(name, quantity);
  }
  return amounts;
}

/** Adds `more` to the sum, in place. */
export function addAmounts(sum: Amounts, more: ReadonlyMap<string, Quantity>): void {
  for (const [name, quantity] of more) {
    const before = sum.get(name);
    sum.set(name, before === undefined ? quantity : addQuantities(before, quantity));
  }
}

/** Raises each amount to that of `other` if that is larger, in place. */
export function raiseAmounts(most: Amounts, other: ReadonlyMap<string, Quantity>): void {
  for (const [name, quantity] of other) {
    const before = most.get(name);
    if (before === undefined || compareQuantities(quantity, before) > 0) most.set(name, quantity);
  }
}
