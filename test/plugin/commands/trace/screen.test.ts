import { describe, expect, test } from "bun:test";
import { TraceScreen } from "../../../../plugin/commands/trace/screen.ts";
import { seededRandom } from "../../../../src/platform/random.ts";
import { virtualTimeline } from "../../../../src/platform/virtual-timeline.ts";
import type { AgreementEvent } from "../../../../src/trace/events.ts";
import { fakeIo } from "../../../support/fake-io.ts";
import { Events } from "../../../views/events.ts";

const about = { controller: "replicaset", key: "shop/web", sync: 4, of: { group: "", kind: "Pod" } } as const;
const late = { is: "differs", why: "owner has not done it" } as const;

/** The lines for these outcomes, each of an intention whose block was printed before. */
async function printed(
  outcomes: readonly Pick<AgreementEvent, "is" | "why" | "revises" | "afterMs">[],
  failOn: readonly "differs"[] = [],
): Promise<{ readonly lines: readonly string[]; readonly met: readonly (string | undefined)[] }> {
  const { out, outText } = fakeIo();
  const timeline = virtualTimeline(0, seededRandom(1));
  const met: (string | undefined)[] = [];
  const screen = new TraceScreen({
    out,
    timeline,
    json: false,
    shadow: true,
    holdMs: 100,
    all: false,
    shows: () => true,
    origins: false,
    failOn: new Set(failOn),
    onEnd: (failure) => met.push(failure),
  });
  const events = new Events();
  for (const outcome of outcomes) {
    screen.listener(
      events.make({ stage: "agreement", ...about, verb: "delete", target: "shop/web-a", intention: 1, ...outcome }),
    );
  }
  await timeline.runUntil({ ms: 1000 });
  screen.close();
  return {
    lines: outText()
      .split("\n")
      .filter((line) => line !== ""),
    met,
  };
}

describe("a trace in shadow, of an intention whose block was printed", () => {
  const differs = "differs replicaset shop/web · sync 4 would delete Pod web-a · owner has not done it";

  test("prints a difference, and counts those that are the same", async () => {
    expect((await printed([late])).lines).toEqual([differs]);
    expect((await printed([late, late])).lines).toEqual([differs.replace("web-a", "web-a (2 times)")]);
  });

  test("prints the outcome that replaces it", async () => {
    const { lines } = await printed([late, { is: "same", why: "owner deleted", revises: "differs", afterMs: 4100 }]);
    expect(lines).toEqual([
      differs,
      "settled replicaset shop/web · sync 4 would delete Pod web-a · owner deleted, 4.1 s later · same",
    ]);
  });

  test("prints a difference that replaces a refusal", async () => {
    const { lines } = await printed([
      { is: "differs", why: "owner deleted web-b instead", revises: "owner was refused" },
    ]);
    expect(lines).toEqual([
      "differs replicaset shop/web · sync 4 would delete Pod web-a · owner deleted web-b instead",
    ]);
  });

  test("prints nothing for an agreement at once", async () => {
    expect((await printed([{ is: "same", why: "owner deleted", afterMs: 5 }])).lines).toEqual([]);
  });

  test("ends at a difference with --fail-on differs", async () => {
    expect((await printed([late], ["differs"])).met).toEqual(["differs"]);
    expect((await printed([{ is: "same", why: "", revises: "differs" }], ["differs"])).met).toEqual([]);
  });
});
