import { expect, test } from "bun:test";
import { styleOf } from "../../../plugin/cli/style.ts";
import { ProcessLines } from "../../../plugin/render/process-lines.ts";
import type { ProcessLine } from "../../../src/views/process/process-report.ts";
import { DeltaDetail } from "../../../src/trace/delta-detail.ts";
import type { Related } from "../../../src/views/process/cause.ts";
import type { NumberedDelta } from "../../../src/views/process/recent-deltas.ts";
import { TraceBus } from "../../../src/trace/bus.ts";
import type { StageEvent } from "../../../src/trace/events.ts";
import { ProcessReport } from "../../../src/views/process/process-report.ts";
import { fakeIo } from "../../support/fake-io.ts";

const of = { group: "apps", kind: "Deployment" };

const write = {
  stage: "write",
  agent: "manager/v1 (linux/amd64)",
  verb: "update",
  fieldManager: "manager",
  of,
  key: "shop/web",
  uid: "u",
  before: "7",
  conditional: true,
  deletes: false,
  ms: 3,
} as const;

const readAgain = {
  stage: "request",
  agent: "manager/v1 (linux/amd64)",
  verb: "get",
  of,
  resource: "deployments",
  key: "shop/web",
  uri: "/apis/apps/v1/namespaces/shop/deployments/web",
  status: 200,
  auditId: "",
  resourceVersion: "8",
  sentAt: 3,
  ms: 1,
  sent: 0,
  received: 10,
} as const;

/** A write that is refused, one that changes two fields, and one that changes nothing. */
function reconciles(): readonly ProcessLine[] {
  const bus = new TraceBus({ now: () => 0 });
  const report = new ProcessReport();
  const lines: ProcessLine[] = [];
  bus.listen((event: StageEvent) => void lines.push(...report.accept(event)));
  const changes = [
    { path: ".spec.replicas", before: 3, after: 5 },
    { path: ".spec.paused", after: true },
  ];
  const error =
    "Operation cannot be fulfilled: the object has been modified; please apply your changes to the latest version";
  bus.emit({ ...write, resourceVersion: "", status: 409, error, sentAt: 0, changes: [] });
  bus.emit({ ...write, resourceVersion: "9", status: 200, sentAt: 1000, changes });
  bus.emit({ ...write, before: "9", resourceVersion: "9", status: 200, sentAt: 2000, changes: [] });
  return [...lines, ...report.flush(Infinity)];
}

function shown(columns: number | undefined): string {
  const lines = new ProcessLines({
    style: styleOf(fakeIo(columns === undefined ? {} : { columns }).out),
    sinceStartAt: 0,
  });
  return reconciles()
    .flatMap((line) => lines.text(line))
    .join("\n");
}

test("in a pipe each write is one line, with its time", () => {
  expect(shown(undefined)).toBe(`    0.000 Deployment shop/web no delta before it
    0.000   ! Deployment web  Operation cannot be fulfilled: the object has been modified; please apply your changes to the latest version  PUT 409 · 3 ms
    1.000 Deployment shop/web because its last write was refused
    1.000   ~ Deployment web  .spec.replicas 3 → 5 · .spec.paused true  PUT 200 · 3 ms
    2.000 Deployment shop/web no delta before it
    2.000   = Deployment web  nothing changed  PUT 200 · 3 ms`);
});

test("on a narrow terminal lines are wrapped at words, and an answer stays complete", () => {
  expect(shown(60)).toBe(`Deployment shop/web no delta before it
  ! Deployment web Operation cannot be fulfilled: the
      object has been modified; please apply your changes to
      the latest version PUT 409 · 3 ms
Deployment shop/web because its last write was refused
  ~ Deployment web .spec.replicas 3 → 5 · .spec.paused
      true PUT 200 · 3 ms
Deployment shop/web no delta before it
  = Deployment web  nothing changed  PUT 200 · 3 ms`);
});

test("of two deltas that may have caused a reconcile both are named, with their distance and content", () => {
  const delta = (kind: string, receivedAt: number): NumberedDelta => ({
    v: 1,
    seq: 1,
    at: 0,
    stage: "delta",
    of: { group: "", kind },
    type: "Updated",
    key: kind === "Pod" ? "shop/web-1" : "shop/web",
    uid: kind,
    resourceVersion: "7",
    receivedAt,
    detail: new DeltaDetail(of, undefined, undefined, undefined),
  });
  const [line] = reconciles();
  if (line?.is !== "reconcile") throw new Error("No reconcile");
  const because = (or: Related): string => {
    const cause = { grade: "owned", delta: delta("Pod", 10), beforeMs: 7, or } as const;
    const style = styleOf(fakeIo({}).out);
    return new ProcessLines({ style, sinceStartAt: 0 }).text({ ...line, episode: { ...line.episode, cause } })[0] ?? "";
  };
  expect(because({ grade: "own", delta: delta("Deployment", 12) })).toBe(
    "    0.000 Deployment shop/web because Pod web-1 Updated or Deployment web Updated 2 ms later (owned or own, 7 ms before)",
  );
  expect(because({ grade: "owned", delta: delta("Service", 8) })).toEndWith(
    "because Pod web-1 Updated or Service web Updated 2 ms earlier (owned, 7 ms before)",
  );
  expect(because({ grade: "owned", delta: delta("Service", 10) })).toContain("or Service web Updated with it (owned,");
});

test("a write after a refusal and a live read is in the same block", () => {
  const report = new ProcessReport();
  const head = { v: 1, seq: 1, at: 0 } as const;
  const status = { ...write, subresource: "status", ms: 1 } as const;
  report.accept({ ...head, ...status, status: 409, error: "conflict", resourceVersion: "", sentAt: 0, changes: [] });
  report.accept({ ...head, ...readAgain });
  report.accept({ ...head, ...status, status: 200, before: "8", resourceVersion: "9", sentAt: 6, changes: [] });
  expect(report.flush(Infinity).map((line) => line.is === "reconcile" && line.writes.length)).toEqual([2]);
});
