import { describe, expect, test } from "bun:test";
import { Chalk } from "chalk";
import { acquittalText, foundText, loopsSummary, loopText } from "../../../plugin/render/loop-text.ts";
import { valueTexts } from "../../../plugin/render/loop-values.ts";
import { judge } from "../../../src/verdict/verdict.ts";
import type { Loop, LoopField, RewriteLoop } from "../../../src/views/loops/loop.ts";

const replicas: LoopField = {
  path: ".spec.replicas",
  how: "alternates",
  changes: 240,
  returns: 238,
  values: [3, 5],
  writers: [
    { name: "hpa", writes: 120 },
    { name: "gitops", writes: 120 },
  ],
};

const fight: RewriteLoop = {
  is: "rewritten",
  of: { group: "apps", kind: "Deployment" },
  key: "shop/web",
  writes: 241,
  ms: 60_000,
  lastAt: 100_000,
  how: "alternates",
  fields: [
    replicas,
    { path: ".status.phase", how: "alternates", changes: 90, returns: 80, values: ["A", "B", "C", "D"], writers: [] },
  ],
  writers: [
    { name: "gitops", writes: 120 },
    { name: "hpa", writes: 120 },
    { name: undefined, writes: 1 },
  ],
};

const renewed: RewriteLoop = {
  ...fight,
  of: { group: "example.com", kind: "Widget" },
  writes: 21,
  how: "renewed",
  fields: [
    {
      path: ".status.lastSync",
      how: "renewed",
      changes: 20,
      returns: 0,
      values: ["10:00", "10:01"],
      writers: [{ name: "operator", writes: 20 }],
    },
  ],
  writers: [{ name: undefined, writes: 21 }],
};

const own: Loop = {
  is: "own writes",
  controller: "replicaset",
  key: "shop/web",
  syncs: 41,
  byOwnWrite: 40,
  ms: 10_000,
  lastAt: 100_000,
  fields: [],
};

const requeued: Loop = {
  is: "requeued",
  controller: "deployment",
  key: "shop/web",
  syncs: 301,
  ms: 30_000,
  lastAt: 100_000,
  why: "the progress deadline passed",
};

function shown(loop: Loop, columns?: number, next = "", now = 100_000): string {
  return loopText(loop, { columns, colour: new Chalk({ level: 0 }) }, { next, now }).join("\n");
}

/** The line for one field of the loop. */
function field(parts: Partial<LoopField>): string | undefined {
  return shown({ ...fight, fields: [{ ...replicas, ...parts }] })
    .split("\n")[1]
    ?.trim();
}

describe("loopText", () => {
  test("names the rewritten object, the fields with their values, the writers, and where to look", () => {
    expect(shown(fight, undefined, "kubectl reconcile watch deploy/web")).toBe(
      [
        "loop    Deployment shop/web: written 241 times in 60 s, 4 a second",
        "        .spec.replicas 3 ⇄ 5 (240 changes, by gitops and hpa)",
        "        .status.phase returns to A, B, C, … (90 changes)",
        "        writers gitops 120 writes · hpa 120 writes · unknown 1 write",
        "        see it: kubectl reconcile watch deploy/web",
      ].join("\n"),
    );
  });

  test("has the last values of a renewed field, and says that the writer is unknown", () => {
    expect(shown(renewed)).toBe(
      [
        "loop    Widget shop/web: written 21 times in 60 s, 20 a minute",
        "        .status.lastSync changes on every write: …, 10:00, 10:01 (20 changes, by operator)",
        "        writer  unknown (not recorded in managedFields)",
      ].join("\n"),
    );
  });

  test("names the writer that renews a field with each of its writes", () => {
    const values = ["10:00", "10:01"];
    expect(field({ path: ".status.at", how: "renewed", everyWriteOf: "op", values, changes: 20 })).toBe(
      "every write of op changes .status.at: …, 10:00, 10:01 (20 changes)",
    );
  });

  test("names the loop from which another one follows", () => {
    const text = shown({ ...fight, of: { group: "apps", kind: "ReplicaSet" }, key: "shop/web-1", followsFrom: fight });
    expect(text).toStartWith("follows ReplicaSet shop/web-1: written 241 times");
    expect(text).toContain("\n        follows from Deployment web\n");
  });

  test("shows when a loop was last seen, if that is a while ago", () => {
    expect(shown(fight, undefined, "", 130_000).split("\n")[0]).toBe(
      "loop    Deployment shop/web: written 241 times in 60 s, 4 a second, last 30 s ago",
    );
  });

  test("shows the pace of a slow one per hour", () => {
    expect(shown({ ...fight, writes: 5, ms: 720_000 })).toContain("written 5 times in 12 m, 20 an hour");
  });

  test("names the creator of an object that is deleted and created again, and the deleter if it is known", () => {
    const loop: Loop = {
      is: "recreated",
      of: { group: "apps", kind: "ReplicaSet" },
      key: "shop/web-1",
      times: 12,
      ms: 30_000,
      lastAt: 100_000,
      createdBy: [{ name: "op", writes: 12 }],
      deletedBy: [{ name: undefined, writes: 12 }],
    };
    expect(shown(loop)).toBe(
      "loop    ReplicaSet shop/web-1: deleted and created again 12 times in 30 s, 22 a minute\n" +
        "        created by op 12 times\n" +
        "        deleter unknown (no object records it; see the API server's audit log)",
    );
    const deletedBy = [
      { name: undefined, writes: 1 },
      { name: "garbage collector", writes: 11 },
    ];
    expect(shown({ ...loop, deletedBy, followsFrom: { of: loop.of, key: "shop/web" } })).toBe(
      "follows ReplicaSet shop/web-1: deleted and created again 12 times in 30 s, 22 a minute\n" +
        "        follows from ReplicaSet web\n" +
        "        created by op 12 times\n" +
        "        deleted by garbage collector 11 times · unknown 1 time",
    );
    expect(foundText(loop)).toBe("found   ReplicaSet shop/web-1: deleted and created again · 12 times in 30 s");
  });

  test("numbers values that must not be shown, and says no more of renewed ones", () => {
    const values = ["(masked)", "(masked)"];
    expect(field({ path: ".data.password", values })).toBe(
      ".data.password (masked) 1 ⇄ (masked) 2 (240 changes, by gitops and hpa)",
    );
    expect(field({ path: ".data.password", values, how: "renewed" })).toBe(
      ".data.password changes on every write: …, (masked) (240 changes, by gitops and hpa)",
    );
  });

  test("distinguishes values that look the same", () => {
    const condition = (reason: string): object => ({ type: "Progressing", status: "True", reason });
    const values = [condition("A"), condition("B"), condition("C")];
    expect(field({ path: ".status.conditions[Progressing]", values })).toBe(
      ".status.conditions[Progressing] returns to reason A, reason B, reason C (240 changes, by gitops and hpa)",
    );
    expect(field({ path: ".status.conditions[Progressing]", values: [undefined, condition("A")] })).toBe(
      ".status.conditions[Progressing] appears and disappears: True (240 changes, by gitops and hpa)",
    );
    const long = (end: string): string => `registry.example.com/a/very/long/path/to/the/image/of/web:${end}`;
    expect(valueTexts([long("v1"), long("v2")])).toEqual(
      ["…web:v1", "…web:v2"].map((text) => expect.stringContaining(text.slice(1)) as string),
    );
  });

  test("says that one of the writers is unknown", () => {
    expect(
      field({
        writers: [
          { name: "a", writes: 1 },
          { name: undefined, writes: 1 },
        ],
      }),
    ).toContain("by a and an unknown writer)");
  });

  test("reports writes that change nothing", () => {
    expect(shown({ ...fight, how: "empty", fields: [] })).toContain(
      "\n        no field changes: every write makes a new version and nothing else\n",
    );
  });

  test("reports that a controller of ours is enqueued by its own writes", () => {
    expect(shown(own).split("\n")[0]).toBe(
      "loop    replicaset shop/web: 41 syncs in 10 s, 40 of them triggered by its own write",
    );
  });

  test("reports that a key requeues itself and does nothing else", () => {
    expect(shown(requeued)).toBe(
      "loop    deployment shop/web: 301 syncs in 30 s, 10 a second: each requeues the key, writes nothing and sees nothing new (the progress deadline passed)",
    );
  });

  test("keeps to 80 columns", () => {
    for (const loop of [fight, renewed, own, requeued]) {
      for (const line of shown(loop, 80).split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    }
  });
});

describe("loopsSummary", () => {
  const some = { kinds: 41, ms: 60_000, deltas: 412 };
  const seen = ["41 kinds"];
  const secrets = { what: "secrets", why: "no right to list and watch", isDecisive: false };

  test("says what was watched and what was not", () => {
    expect(loopsSummary(judge({ seen, unseen: [], findings: [] }), some)).toBe(
      "watched 41 kinds for 60 s: no loop in 412 changes",
    );
    expect(loopsSummary(judge({ seen, unseen: [secrets], findings: [] }), some)).toBe(
      "watched 41 kinds for 60 s: no loop in 412 changes; not seen: secrets (no right to list and watch)",
    );
  });

  test("does not count dependent loops", () => {
    const follows = { ...fight, followsFrom: fight };
    expect(loopsSummary(judge({ seen, unseen: [], findings: [fight, follows, requeued] }), some)).toBe(
      "watched 41 kinds for 60 s: 2 loops in 412 changes",
    );
  });

  test("does not say that there is no loop if nothing was written, or it is unknown", () => {
    expect(loopsSummary(judge({ seen, unseen: [], findings: [] }), { ...some, deltas: 0 })).toBe(
      "watched 41 kinds for 60 s: nothing was written",
    );
    const unseen = [{ ...secrets, isDecisive: true }];
    expect(loopsSummary(judge({ seen, unseen, findings: [] }), some)).toBe(
      "watched 41 kinds for 60 s: 412 changes; cannot tell whether there is a loop; not seen: secrets (no right to list and watch)",
    );
  });
});

test("loopsSummary says why a short time is too little", () => {
  const tooLittle = ["watched for 4 s, a loop shows after 5 s"];
  const verdict = judge<Loop>({ seen: ["1 kind"], unseen: [], tooLittle, findings: [] });
  expect(loopsSummary(verdict, { kinds: 41, ms: 4012, deltas: 25 })).toBe(
    "watched 41 kinds: 25 changes; cannot tell: watched for 4 s, a loop shows after 5 s",
  );
});

test("acquittalText explains why an object that is written often is in no loop", () => {
  const some = { of: fight.of, key: "shop/web", writes: 240, ms: 60_000 };
  expect(acquittalText({ ...some, why: { is: "advances", path: ".status.updatedReplicas", from: 0, to: 20 } })).toBe(
    "Deployment shop/web (240 writes; a rollout: .status.updatedReplicas advances 0 → 20)",
  );
  expect(acquittalText({ ...some, why: { is: "answers", path: ".spec.image", changes: 9 } })).toBe(
    "Deployment shop/web (240 writes; its status follows .spec.image, which changed 9 times)",
  );
  expect(acquittalText({ ...some, why: { is: "different", fields: 30 } })).toBe(
    "Deployment shop/web (240 writes; each write changes something else)",
  );
});
