import { describe, expect, test } from "bun:test";
import type { Agreement, AgreementEvent, StageEvent } from "../../src/trace/events.ts";
import { type AgreementEvidence, agreementVerdict, AgreementReport } from "../../src/views/agreement.ts";
import { Events } from "./events.ts";

const about = { controller: "replicaset", key: "shop/web", verb: "create", of: { group: "", kind: "Pod" } } as const;

const events = new Events();

function intended(intention: number, again = false): StageEvent {
  return events.make({ stage: "intention", ...about, sync: 1, intention, again, target: "shop/web-a" });
}

function settled(is: Agreement, more: Partial<AgreementEvent> = {}): StageEvent {
  return events.make({ stage: "agreement", ...about, is, why: "", target: "shop/web-a", ...more });
}

function summaryOf(...events: readonly StageEvent[]): AgreementReport["summary"] {
  const report = new AgreementReport();
  for (const event of events) report.accept(event);
  return report.summary;
}

test("an intention counts once, and stands until it has an outcome", () => {
  expect(summaryOf(intended(1), intended(1, true), intended(2))).toMatchObject({ intentions: 2, standing: 2 });
  expect(summaryOf(intended(1), intended(2), settled("same", { intention: 1 }))).toMatchObject({
    intentions: 2,
    standing: 1,
    counts: { same: 1, differs: 0 },
  });
});

test.each(["differs", "owner was refused", "not comparable"] as const)(
  "an outcome %s that is revised no longer counts",
  (first) => {
    const { counts, standing, differences } = summaryOf(
      ...[1, 2].flatMap((intention) => [intended(intention), settled(first, { intention })]),
      settled("same", { intention: 1, revises: first }),
    );
    expect({ same: counts.same, first: counts[first], standing }).toEqual({ same: 1, first: 1, standing: 0 });
    expect(differences.map(({ intention }) => intention)).toEqual(first === "differs" ? [2] : []);
  },
);

test("what the owner did without an intention is a difference of its own", () => {
  const { intentions, counts, differences } = summaryOf(settled("differs"), settled("differs"));
  expect({ intentions, differs: counts.differs, differences: differences.length }).toEqual({
    intentions: 0,
    differs: 2,
    differences: 2,
  });
});

describe("whether anything differs", () => {
  const told = (summary: AgreementReport["summary"], more: Partial<AgreementEvidence> = {}): string => {
    const verdict = agreementVerdict({ summary, syncs: 3, withoutOwner: [], broken: [], ...more });
    return verdict.is === "cannot tell" ? verdict.because : verdict.is;
  };
  const same = summaryOf(intended(1), settled("same", { intention: 1 }));

  test("is answered by what was compared, and by syncs that intend nothing", () => {
    expect(told(same)).toBe("well");
    expect(told(summaryOf())).toBe("well");
    expect(told(summaryOf(intended(1), settled("differs", { intention: 1 })), { withoutOwner: ["a"] })).toBe("found");
  });

  test("cannot be told without an owner, a sync, a watch, or a comparison of what was intended", () => {
    expect(told(same, { withoutOwner: ["replicaset"] })).toBe("not seen: replicaset (no owner was found)");
    expect(told(same, { broken: [{ of: about.of, why: "the watch broke 9 s ago: reset" }] })).toBe(
      "not seen: Pod (the watch broke 9 s ago: reset)",
    );
    expect(told(summaryOf(), { syncs: 0 })).toBe("no object was synced");
    expect(told(summaryOf(intended(1), intended(2)))).toBe("2 intentions, none compared");
    expect(told(summaryOf(intended(1), intended(2), settled("not comparable", { intention: 1 })))).toBe(
      "2 intentions, none compared",
    );
  });
});
