/** Lists of quantities by resource name, as sums are made of them. Source: apiserver v0.36 pkg/quota/v1/resources.go. */
import { addQuantities, compareQuantities, parseQuantity, type Quantity } from "../quantity.ts";

/** By name: `requests.cpu`, `count/jobs.batch`. */
export type Amounts = Map<string, Quantity>;

export const zero: Quantity = { nano: 0n, format: "decimal" };

/** So many whole things. */
export function wholeAmount(count: number): Quantity {
  return { nano: BigInt(count) * 1_000_000_000n, format: "decimal" };
}

/** A list as it stands in an object; what is no quantity is left out. */
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

/** Raises each amount to that of `other` where that is more, in place. */
export function raiseAmounts(most: Amounts, other: ReadonlyMap<string, Quantity>): void {
  for (const [name, quantity] of other) {
    const before = most.get(name);
    if (before === undefined || compareQuantities(quantity, before) > 0) most.set(name, quantity);
  }
}
