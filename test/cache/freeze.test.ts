import { expect, test } from "bun:test";
import { deepFreeze } from "../../src/cache/freeze.ts";

test("deepFreeze freezes objects and arrays at any depth, and returns the value itself", () => {
  const value = { text: "a", nothing: null, missing: undefined, list: [{ deep: [1] }], part: { yes: true } };
  expect(deepFreeze(value)).toBe(value);
  for (const part of [value, value.list, value.list[0], value.list[0]?.deep, value.part])
    expect(Object.isFrozen(part)).toBe(true);
});

test("deepFreeze accepts any JSON value", () => {
  for (const value of [null, "text", 7, true, undefined]) expect(deepFreeze(value)).toBe(value as null);
});
