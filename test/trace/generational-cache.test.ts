import { describe, expect, test } from "bun:test";
import { GenerationalCache, GenerationalSets } from "../../src/trace/generational-cache.ts";

test("the latest 2048 entries are kept, with their latest value, and none that is more than 4096 old", () => {
  const recent = new GenerationalCache<string, number>();
  let most = 0;
  for (let n = 0; n < 10_000; n++) {
    recent.set(`entry ${n}`, n);
    recent.set("the same", n);
    most = Math.max(most, recent.size);
    for (const ago of [0, 1000]) if (n >= ago) expect(recent.get(`entry ${n - ago}`)).toBe(n - ago);
    if (n >= 4096) expect(recent.get(`entry ${n - 4096}`)).toBeUndefined();
  }
  expect(recent.get("the same")).toBe(9999);
  expect(most).toBeWithin(4000, 4097);
});

test("all values are returned, the latest first, and as many as are counted", () => {
  const recent = new GenerationalCache<number, string>();
  for (let n = 1; n <= 2050; n++) recent.set(n, String(n));
  expect(recent.values().length).toBe(2050);
  expect(recent.values().slice(0, 3)).toEqual(["2049", "2050", "1"]);
  expect(recent.size).toBe(2050);
});

describe("GenerationalSets", () => {
  test("keeps the latest under each name, oldest first", () => {
    const sets = new GenerationalSets<number>(3);
    for (let n = 1; n <= 5; n++) sets.add("a", n);
    sets.add("b", 6);
    expect([...sets.get("a")]).toEqual([3, 4, 5]);
    expect([...sets.get("b")]).toEqual([6]);
    expect([...sets.get("c")]).toEqual([]);
    expect(sets.size).toBe(4);
  });

  test("forgets a deleted item, and nothing if there is none", () => {
    const sets = new GenerationalSets<number>(3);
    for (const n of [1, 2]) sets.add("a", n);
    sets.delete("a", 1);
    sets.delete("b", 2);
    expect([...sets.get("a")]).toEqual([2]);
  });
});
