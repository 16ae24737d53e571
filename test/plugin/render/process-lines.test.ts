import { expect, test } from "bun:test";
import { styleOf } from "../../../plugin/cli/style.ts";
import { ProcessLines } from "../../../plugin/render/process-lines.ts";
import type { ProcessLine } from "../../../src/views/process/process-report.ts";
import { TraceBus } from "../../../src/trace/bus.ts";
import type { StageEvent } from "../../../src/trace/events.ts";
import { ProcessReport } from "../../../src/views/process/process-report.ts";
import { fakeIo } from "../../support/fake-io.ts";

const of = { group: "apps", kind: "Deployment" };

/** A write that is refused, one that changes two fields, one that changes nothing. */
function reconciles(): readonly ProcessLine[] {
  const bus = new TraceBus({ now: () => 0 });
  const report = new ProcessReport();
  const lines: ProcessLine[] = [];
  bus.listen((event: StageEvent) => void lines.push(...report.accept(event)));
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

test("on a narrow terminal lines are broken at words, and an answer stays whole", () => {
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
