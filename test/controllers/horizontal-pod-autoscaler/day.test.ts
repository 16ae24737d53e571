import { describe, expect, test } from "bun:test";
import { playedDay } from "./day.ts";
import { dayCases } from "./golden.ts";

/** For 5,760 syncs, which can take long on a busy machine. */
const patienceMs = 300_000;

describe("a day of load ends as under kube-controller-manager", () => {
  test.each(dayCases().map((day) => [day.name, day] as const))(
    "%s: the same every 15 seconds",
    async (_name, day) => {
      const { ticks, writes, events } = await playedDay(day);
      const expected: unknown[] = [];
      for (const tick of day.ticks) expected.push(tick ?? expected.at(-1));
      const wrong = ticks
        .map((ours, tick) => ({ tick, ours, theirs: expected[tick] }))
        .filter(({ ours, theirs }) => !Bun.deepEquals(ours, theirs));
      expect(wrong.slice(0, 3)).toEqual([]);
      expect({ ticks: ticks.length, writes, events }).toEqual({ ticks: 5760, writes: day.writes, events: day.events });
    },
    patienceMs,
  );

  test("and the days include the usual events", () => {
    const reasons = new Set(dayCases().flatMap(({ ticks }) => ticks.flatMap((tick) => tick?.slice(1) ?? [])));
    expect([...reasons].map(String).toSorted()).toMatchInlineSnapshot(`
      [
        "",
        "DesiredWithinRange",
        "FailedGetExternalMetric",
        "FailedGetResourceMetric",
        "ReadyForNewScale",
        "ScaleDownLimit",
        "ScaleDownStabilized",
        "ScaleUpLimit",
        "SucceededGetScale",
        "SucceededRescale",
        "TooManyReplicas",
        "ValidMetricFound",
      ]
    `);
  });
});
