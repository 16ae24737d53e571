/** Maps of resource names to quantities. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go. */
import { parseQuantity, type Quantity } from "../../../api/quantity.ts";
import { isFields } from "../../meta/object.ts";

/** The quantities of a map by name; invalid ones are left out. */
export const quantities = (value: unknown): [string, Quantity][] =>
  isFields(value)
    ? Object.entries(value).flatMap(([name, text]): [string, Quantity][] => {
        const quantity = parseQuantity(String(text));
        return quantity === undefined ? [] : [[name, quantity]];
      })
    : [];

/** 1, in the unit of `Quantity.nano`. */
export const oneUnit = 1_000_000_000n;
