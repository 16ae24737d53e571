import { expect, test } from "bun:test";
import { LateOutcomes } from "../../../../plugin/commands/trace/late-outcomes.ts";
import type { AgreementEvent, EventHead } from "../../../../src/trace/events.ts";
import type { BlockWrite } from "../../../../src/views/sync-block.ts";
import { Events } from "../../../views/events.ts";

const of = { group: "", kind: "Pod" };

/** A block whose sync intends to create three pods; the first has its outcome. */
function printedBlock(late: LateOutcomes): void {
  const write = { of, verb: "create", key: "shop/web-x", wouldBe: true } as unknown as BlockWrite;
  const agreement = outcome(1, { is: "same" });
  late.printed({
    decisions: [],
    otherWrites: [{ ...write, intention: 1, agreement }, { ...write, intention: 2 }, { ...write, intention: 3 }, write],
  });
}

function outcome(intention: number, event: Partial<AgreementEvent>): AgreementEvent & EventHead {
  const about = {
    controller: "replicaset",
    key: "shop/web",
    sync: 4,
    verb: "create",
    of,
    generatedName: true,
  } as const;
  const target = `shop/web-${intention}`;
  const body = { ...about, target, intention, is: "same", why: `owner created web-o${intention}`, ...event } as const;
  return new Events(0).make({ stage: "agreement", ...body });
}

function textsOf(late: LateOutcomes, now: number): readonly string[] {
  return late.release(now).map(({ text, isOpen }) => `${text}${isOpen ? " (open)" : ""}`);
}

test("intentions of a printed block are settled in one line, half a second after the first", () => {
  const late = new LateOutcomes();
  printedBlock(late);
  late.accept(outcome(2, { afterMs: 800 }));
  late.accept(outcome(3, { afterMs: 1200 }));
  expect(late.dueAt).toBe(501);
  expect(textsOf(late, 500)).toEqual([]);
  expect(textsOf(late, 501)).toEqual([
    "settled replicaset shop/web · sync 4 would create Pod web-… (2 times) · owner did, at most 1.2 s later · same",
  ]);
  expect(late.dueAt).toBeUndefined();
});

test("one alone is named", () => {
  const late = new LateOutcomes();
  printedBlock(late);
  late.accept(outcome(2, { afterMs: 800 }));
  expect(textsOf(late, Infinity)).toEqual([
    "settled replicaset shop/web · sync 4 would create Pod web-… · owner created web-o2, 800 ms later · same",
  ]);
});

test("outcomes that a block shows, that were never shown, or that a later sync explains, have no line", () => {
  const late = new LateOutcomes();
  printedBlock(late);
  late.accept(outcome(1, {}));
  late.accept(outcome(9, {}));
  late.accept(outcome(2, { is: "not comparable", why: "sync 5 no longer wants it" }));
  late.accept(outcome(2, {}));
  expect(textsOf(late, Infinity)).toEqual([]);
});

test("a difference has a line at once, and another when it is revised", () => {
  const late = new LateOutcomes();
  printedBlock(late);
  for (const intention of [2, 3]) late.accept(outcome(intention, { is: "differs", why: "owner has not done it" }));
  expect(late.dueAt).toBe(1);
  expect(textsOf(late, 1)).toEqual([
    "differs replicaset shop/web · sync 4 would create Pod web-… (2 times) · owner has not done it (open)",
  ]);
  late.accept(outcome(2, { revises: "differs", afterMs: 4100 }));
  late.accept(outcome(3, { revises: "differs", is: "not comparable", why: "sync 5 no longer wants it" }));
  expect(textsOf(late, Infinity)).toEqual([
    "settled replicaset shop/web · sync 4 would create Pod web-… · owner created web-o2, 4.1 s later · same",
    "settled replicaset shop/web · sync 4 would create Pod web-… · sync 5 no longer wants it · not comparable",
  ]);
});

test("what the owner did without an intention has a line", () => {
  const late = new LateOutcomes();
  const { sync: _, intention: __, generatedName: ___, ...event } = outcome(7, { is: "differs", why: "owner did" });
  late.accept(event);
  expect(textsOf(late, Infinity)).toEqual([
    "differs replicaset shop/web · nothing was intended here · owner did (open)",
  ]);
});
