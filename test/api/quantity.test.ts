import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  milliValue,
  ofMilli,
  parseQuantity,
} from "../../src/api/quantity.ts";

const seed = 20261121;

describe("a quantity has one canonical form", () => {
  const rows: readonly { name: string; text: string; canonical: string | undefined }[] = [
    { name: "milli that are a whole", text: "1000m", canonical: "1" },
    { name: "a fraction", text: "0.5", canonical: "500m" },
    { name: "thousands", text: "1000", canonical: "1k" },
    { name: "binary units", text: "1024Mi", canonical: "1Gi" },
    { name: "binary units that are not a multiple of the next", text: "1.5Gi", canonical: "1536Mi" },
    { name: "the largest binary unit, which starts like an exponent", text: "1Ei", canonical: "1Ei" },
    { name: "small binary units", text: "512", canonical: "512" },
    { name: "an exponent", text: "1e3", canonical: "1e3" },
    { name: "less than a billionth", text: "0.1n", canonical: "1n" },
    { name: "negative", text: "-1500m", canonical: "-1500m" },
    { name: "zero of any kind", text: "0Gi", canonical: "0" },
    { name: "not a number", text: "lots", canonical: undefined },
    { name: "without digits", text: "Mi", canonical: undefined },
    {
      name: "an exponent that would fill the memory",
      text: "1e999999",
      canonical: "9223372036854775807",
    },
  ];
  test.each(rows)("$name: $text", ({ text, canonical }) => {
    expect(canonicalQuantity(text)).toBe(canonical as string);
  });

  test("is stable when it is formatted again", () => {
    const texts = fc
      .tuple(
        fc.integer({ min: -1_000_000, max: 1_000_000 }),
        fc.constantFrom("", "m", "u", "k", "M", "G", "Ki", "Mi", "Gi", "e3"),
      )
      .map(([number, suffix]) => `${number}${suffix}`);
    fc.assert(
      fc.property(texts, (text) => {
        const once = canonicalQuantity(text);
        expect(once === undefined ? undefined : canonicalQuantity(once)).toBe(once as string);
        const [a, b] = [parseQuantity(text), parseQuantity(once ?? "")];
        expect(a !== undefined && b !== undefined && compareQuantities(a, b)).toBe(0);
      }),
      { seed, numRuns: 500 },
    );
  });

  test.each([
    ["1", 1000n],
    ["250m", 250n],
    ["1n", 1n],
    ["-1500u", -2n],
    ["64Mi", 67_108_864_000n],
    // 123456789012345678000 does not fit in 64 bits.
    ["123456789012345678", -5670419503621183312n],
  ])("%s is so many thousandths, rounded away from zero", (text, milli) => {
    expect(milliValue(parseQuantity(text) ?? ofMilli(0n))).toBe(milli);
  });

  test("in thousandths is formatted like any other", () => {
    expect(formatQuantity(ofMilli(1500n))).toBe("1500m");
    expect(formatQuantity(ofMilli(1_048_576_000n, "binary"))).toBe("1Mi");
    expect(formatQuantity(ofMilli(1_048_576_001n, "binary"))).toBe("1048576001m");
  });

  test("that is a sum has the format of its first part", () => {
    const sum = addQuantities(
      parseQuantity("512Mi") ?? { nano: 0n, format: "binary" },
      parseQuantity("512Mi") ?? { nano: 0n, format: "binary" },
    );
    expect(formatQuantity(sum)).toBe("1Gi");
  });
});
