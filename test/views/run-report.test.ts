import { describe, expect, test } from "bun:test";
import type { StageEventBody, WriteEvent } from "../../src/trace/events.ts";
import { TriggerLog } from "../../src/trace/triggers.ts";
import { type RunLine, RunReport } from "../../src/views/run-report.ts";

const head = { controller: "replicaset", key: "shop/web", sync: 1 } as const;
const begin: StageEventBody = {
  ...head,
  stage: "get",
  worker: 1,
  waitedMs: 0,
  depth: 0,
  inFlight: 1,
  delayed: 0,
  failures: 0,
  triggers: new TriggerLog(),
};
const decide = (rule: string, sentence: string): StageEventBody => ({
  ...head,
  stage: "decision",
  rule,
  facts: {},
  sentence,
});
const wrote = (decision: number, name: string, rest: Partial<WriteEvent> = {}): StageEventBody => ({
  stage: "write",
  controller: "replicaset",
  sync: 1,
  decision,
  verb: "create",
  fieldManager: "m",
  of: { group: "", kind: "Pod" },
  key: `shop/${name}`,
  uid: "u",
  before: "",
  conditional: false,
  resourceVersion: "1",
  deletes: false,
  status: 201,
  sentAt: 0,
  ms: 1,
  changes: [],
  ...rest,
});
const end = (rest: object = {}): StageEventBody => ({
  ...head,
  stage: "done",
  outcome: { is: "forgotten" },
  ms: 3,
  ...rest,
});

/** Feeds events, numbered from 1 and 10 ms apart. */
function play(...events: readonly StageEventBody[]): { lines: RunLine[]; report: RunReport } {
  const report = new RunReport();
  const lines = events.flatMap((event, index) =>
    report.accept({ v: 1, seq: index + 1, at: (index + 1) * 10, ...event }),
  );
  return { lines, report };
}

describe("RunReport", () => {
  test("shows each decision with its writes, when the sync has ended", () => {
    const { lines, report } = play(
      begin,
      decide("scale-up", "2 of 3 pods are missing → create 2"),
      wrote(2, "web-a"),
      wrote(2, "web-b"),
      decide("status", "replicas 3 → 1"),
      wrote(5, "web", { verb: "update", of: { group: "apps", kind: "ReplicaSet" }, subresource: "status" }),
      end(),
    );
    expect(lines).toEqual([
      {
        is: "decision",
        at: 40,
        controller: "replicaset",
        key: "shop/web",
        rule: "scale-up",
        sentence: "2 of 3 pods are missing → create 2",
      },
      {
        is: "writes",
        at: 40,
        writes: [
          { did: "created", kind: "Pod", name: "web-a" },
          { did: "created", kind: "Pod", name: "web-b" },
        ],
      },
      { is: "decision", at: 60, controller: "replicaset", key: "shop/web", rule: "status", sentence: "replicas 3 → 1" },
    ]);
    expect(report.summary).toEqual({ syncs: 1, writes: 3, conflicts: 0, cacheBehind: 0, errors: 0 });
  });

  test("omits a decision that led to no write", () => {
    expect(play(begin, decide("nothing", "3 of 3 pods are there"), end()).lines).toEqual([]);
  });

  test("counts a conflict as retried, and shows neither it nor its error", () => {
    const conflict = {
      outcome: { is: "rate-limited", delayMs: 5, failures: 1 },
      error: "the object has been modified",
      expected: "conflict",
    };
    const { lines, report } = play(
      begin,
      decide("status", "replicas 3 → 1"),
      wrote(2, "web", { verb: "update", subresource: "status", status: 409, error: "the object has been modified" }),
      end(conflict),
    );
    expect(lines).toEqual([]);
    expect(report.summary).toEqual({ syncs: 1, writes: 0, conflicts: 1, cacheBehind: 0, errors: 0 });
  });

  test("shows a status once that was written at the second attempt", () => {
    const status = { verb: "update", subresource: "status" } as const;
    const { lines } = play(
      begin,
      decide("status", "replicas 3 → 1"),
      wrote(2, "web", { ...status, status: 409, error: "the object has been modified" }),
      wrote(2, "web", { ...status, status: 200 }),
      end(),
    );
    expect(lines.map((line) => [line.is, line.at])).toEqual([["decision", 40]]);
  });

  test("shows what a key waits for when conflicts delay it by a second or more", () => {
    const outcome = { is: "rate-limited", delayMs: 20_480, failures: 13 };
    const { lines } = play(begin, end({ outcome, error: "the object has been modified", expected: "conflict" }));
    expect(lines).toMatchObject([
      { is: "failed", error: "the object has been modified", failures: 13, retryInMs: 20_480 },
    ]);
  });

  test("has times that never decrease: of two concurrent syncs, the one that ends last is shown last", () => {
    const other = { sync: 2, key: "shop/api" } as const;
    const { lines } = play(
      begin,
      decide("scale-up", "create 1"),
      wrote(2, "web-a"),
      { ...begin, ...other },
      { ...decide("scale-up", "create 1"), ...other },
      wrote(5, "api-a", { sync: 2, key: "shop/api-a" }),
      { ...end(), ...other },
      end(),
    );
    expect(lines.map((line) => line.at)).toEqual([60, 60, 60, 60]);
  });

  test("shows that a list failed, and when its kind is watched again", () => {
    const of = { group: "apps", kind: "ReplicaSet" };
    const list: StageEventBody = {
      stage: "list",
      of,
      why: "error",
      objects: 0,
      pages: 0,
      bytes: 0,
      ms: 1,
      resourceVersion: "",
    };
    const { lines } = play({ ...list, error: "404 NotFound" }, { ...list, error: "404 NotFound" }, list, {
      stage: "watch",
      of,
      state: "opened",
      resourceVersion: "1",
      why: "start",
    });
    expect(lines).toEqual([
      { is: "list failed", at: 10, kind: "ReplicaSet", why: "404 NotFound" },
      { is: "watch is back", at: 40, kind: "ReplicaSet", afterMs: 30 },
    ]);
  });

  test("shows once why the watch of a kind does not come back, if the server refuses it", () => {
    const of = { group: "apps", kind: "ReplicaSet" };
    const failed = (why: string): StageEventBody => ({
      stage: "watch",
      of,
      state: "failed",
      resourceVersion: "1",
      why,
    });
    const whys = ["the connection was reset", "nobody listens", "500 InternalError", "404 NotFound", "nobody listens"];
    const { lines } = play(...[...whys, "404 NotFound"].map(failed));
    expect(lines.map((line) => [line.is, "why" in line && line.why])).toEqual([
      ["watch broke", "the connection was reset"],
      ["watch broke", "404 NotFound"],
    ]);
  });

  test("counts equal refusals together and shows the failure with its next attempt", () => {
    const refused = { status: 403, error: "exceeded quota" };
    const { lines, report } = play(
      begin,
      decide("scale-up", "create 2"),
      wrote(2, "", refused),
      wrote(2, "", refused),
      end({ outcome: { is: "rate-limited", delayMs: 20, failures: 3 }, error: "exceeded quota" }),
    );
    expect(lines.slice(1)).toEqual([
      { is: "refused", at: 40, writes: [{ verb: "create", kind: "Pod", error: "exceeded quota", count: 2 }] },
      {
        is: "failed",
        at: 50,
        controller: "replicaset",
        key: "shop/web",
        error: "exceeded quota",
        failures: 3,
        retryInMs: 20,
      },
    ]);
    expect(report.summary.errors).toBe(1);
  });

  test("leaves out writes of Events and Leases", () => {
    const events = wrote(2, "web.1", { of: { group: "", kind: "Event" } });
    expect(play(begin, decide("scale-up", "create"), events, end()).report.summary.writes).toBe(0);
  });

  test("shows once that a watch broke, and when it is back", () => {
    const watch = (state: "opened" | "closed" | "failed", why: string): StageEventBody => ({
      stage: "watch",
      of: { group: "", kind: "Pod" },
      state,
      resourceVersion: "1",
      why,
    });
    const { lines } = play(
      watch("opened", "start"),
      watch("closed", "ended by the server"),
      watch("opened", "resume"),
      watch("failed", "connection refused"),
      watch("failed", "connection refused"),
      watch("opened", "resume"),
    );
    expect(lines).toEqual([
      { is: "watch broke", at: 40, kind: "Pod", why: "connection refused" },
      { is: "watch is back", at: 60, kind: "Pod", afterMs: 20 },
    ]);
  });
});
