import { expect, test } from "bun:test";
import { Chalk } from "chalk";
import { processPage } from "../../../plugin/render/usage-text.ts";
import { UsageFold } from "../../../src/views/process/usage.ts";

test("counts of repeated reads are in the singular or the plural", () => {
  const poll = { agent: "op/1", verb: "get", uri: "/api", everyMs: 108, firstAt: 0, lastAt: 1 };
  const polls = [
    { ...poll, count: 7, unchanged: 1 },
    { ...poll, count: 1, unchanged: 6 },
  ];
  const usage = { ...new UsageFold().usage, polls };
  const text = processPage({ usage, now: 0 }, { columns: undefined, colour: new Chalk({ level: 0 }) }).join("\n");
  expect(text).toContain("GET /api: 7 times, every 108 ms; 1 time nothing had changed");
  expect(text).toContain("GET /api: 1 time, every 108 ms; 6 times nothing had changed");
});
