import { describe, expect, test } from "bun:test";
import {
  lastRevision,
  maxRevision,
  parseInt64,
  revisionAnnotation,
  revisionHistoryAnnotation,
  revisionOf,
  withNewerRevision,
} from "../../../src/controller/workload/revision-history.ts";

const at = (revision?: string): { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } } => ({
  metadata: { ...(revision !== undefined && { annotations: { [revisionAnnotation]: revision } }) },
});

describe("the revision of an object", () => {
  const rows = [
    { text: undefined, is: 0n },
    { text: "7", is: 7n },
    { text: "+7", is: 7n },
    { text: "-7", is: -7n },
    { text: "007", is: 7n },
    { text: "9223372036854775807", is: 9_223_372_036_854_775_807n },
    { text: "9223372036854775808", is: undefined },
    { text: "", is: undefined },
    { text: "1.5", is: undefined },
    { text: "seven", is: undefined },
  ];
  for (const { text, is } of rows) {
    test(`of ${JSON.stringify(text)} is ${is}`, () => expect(revisionOf(at(text))).toBe(is as bigint));
  }
  test("is a 64-bit integer", () => expect(parseInt64("0x7")).toBeUndefined());
});

test("the greatest revision, and the one before it, skip invalid annotations", () => {
  const objects = [at("3"), at("x"), at(), at("10"), at("4")];
  expect([maxRevision(objects), lastRevision(objects)]).toEqual([10n, 4n]);
  expect([maxRevision([]), lastRevision([])]).toEqual([0n, 0n]);
  expect(lastRevision([at("1")])).toBe(0n);
  expect(lastRevision([at("5"), at("5")])).toBe(5n);
});

describe("a newer revision", () => {
  const history = revisionHistoryAnnotation;
  test("is added to the other annotations, without a history if there was no revision before", () => {
    expect(withNewerRevision({ a: "1" }, 2n)).toEqual({ a: "1", [revisionAnnotation]: "2" });
  });
  test("keeps the previous one in the history", () => {
    const first = withNewerRevision({ [revisionAnnotation]: "1" }, 4n);
    expect(first).toEqual({ [revisionAnnotation]: "4", [history]: "1" });
    expect(withNewerRevision(first ?? {}, 6n)).toEqual({ [revisionAnnotation]: "6", [history]: "1,4" });
  });
  test("is not written if the present one is as high, or is not a number", () => {
    expect(withNewerRevision({ [revisionAnnotation]: "4" }, 4n)).toBeUndefined();
    expect(withNewerRevision({ [revisionAnnotation]: "four" }, 5n)).toBeUndefined();
  });
  test("drops the oldest entries of a history that is too long", () => {
    const long = Array.from({ length: 400 }, (_, n) => String(1000 + n)).join(",");
    const newer = withNewerRevision({ [revisionAnnotation]: "1400", [history]: long }, 1401n)?.[history] ?? "";
    expect(newer.length).toBeLessThanOrEqual(2000);
    expect(newer.split(",")[0]).toBe("1001");
    expect(newer.endsWith(",1399,1400")).toBe(true);
  });
  test("has no history if not even the last entry fits", () => {
    const huge = { [revisionAnnotation]: `${"0".repeat(2100)}1`, [history]: "1" };
    expect(withNewerRevision(huge, 5n)?.[history]).toBe("1");
  });
});
