import { describe, expect, test } from "bun:test";
import { scaledValue } from "../../../src/controller/workload/int-or-percent.ts";

describe("a percentage", () => {
  const rows = [
    { value: "25%", total: 3, up: 1, down: 0 },
    { value: "100%", total: 7, up: 7, down: 7 },
    { value: "150%", total: 3, up: 5, down: 4 },
    { value: "0%", total: 3, up: 0, down: 0 },
  ];
  for (const { value, total, up, down } of rows) {
    test(`${value} of ${total}`, () => {
      expect([scaledValue(value, total, "up"), scaledValue(value, total, "down")]).toEqual([up, down]);
    });
  }
  for (const value of ["25", "%", "a%", "25 %", ""]) {
    test(`${JSON.stringify(value)} is invalid`, () => {
      expect(() => scaledValue(value, 3, "up")).toThrow(RangeError);
    });
  }
});
