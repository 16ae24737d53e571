import { expect, test } from "bun:test";
import { Recent } from "../../src/trace/recent.ts";

test("the latest 2048 entries are there, with the value they were given last, and none of more than 4096 ago", () => {
  const recent = new Recent<string, number>();
  for (let n = 0; n < 10_000; n++) {
    recent.set(`entry ${n}`, n);
    recent.set("the same", n);
    for (const ago of [0, 1000]) if (n >= ago) expect(recent.get(`entry ${n - ago}`)).toBe(n - ago);
    if (n >= 4096) expect(recent.get(`entry ${n - 4096}`)).toBeUndefined();
  }
  expect(recent.get("the same")).toBe(9999);
});
