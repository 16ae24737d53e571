import { expect, test } from "bun:test";
import outcomes from "../controllers/cronjob/golden-year.json";
import type { PeriodName } from "../controllers/cronjob/year-plans.ts";
import { long } from "../support/long.ts";
import { onBothRuntimes } from "./both-runtimes.ts";

const golden: Readonly<Record<PeriodName, object[]>> = outcomes;
const played: readonly PeriodName[] = long ? ["spring", "autumn", "year"] : ["spring", "autumn"];

test.each([...played])(
  "CronJobs live through the %s as upstream's controller does, with the same bytes on Bun and on Deno",
  async (period) => {
    const stdout = await onBothRuntimes("year.ts", [period]);
    const lives = stdout.split("\n").filter((line) => line.startsWith("{"));
    expect(lives.map((line) => JSON.parse(line) as object)).toEqual(golden[period]);
    expect(stdout.match(/^hash seed 1: [0-9a-f]{16}, \d{5,} events$/gm)?.length).toBe(1);
  },
  // Only an upper bound: the year takes a minute on an idle machine.
  1_200_000,
);
