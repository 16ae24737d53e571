import { describe, expect, test } from "bun:test";
import { DeltaDetail } from "../../../src/trace/delta-detail.ts";
import { TraceBus } from "../../../src/trace/bus.ts";
import { ProcessReport } from "../../../src/views/process/process-report.ts";
import { WrittenLoops } from "../../../src/views/process/written-loops.ts";
import { agent, of, write } from "./events.ts";

/** A Deployment at a version, with one of two values in its annotation `turn`. */
function deployment(version: number): never {
  const annotations = { turn: String(version % 2) };
  const metadata = { name: "web", namespace: "shop", uid: "u", resourceVersion: String(version), annotations };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata } as never;
}

/** A number of changes of the Deployment, one every half second; those before `from` are made by another client. */
function seen({ changes, from }: { readonly changes: number; readonly from: number }): WrittenLoops {
  let now = 0;
  const bus = new TraceBus({ now: () => now });
  const [loops, report] = [new WrittenLoops({ perMinute: 10 }), new ProcessReport()];
  bus.listen((event) => {
    loops.accept(event);
    loops.take(report.accept(event));
  });
  for (let version = 2; version < changes + 2; version++) {
    now += 500;
    const versions = { before: String(version - 1), resourceVersion: String(version) };
    if (version >= from) bus.emit(write({ ...versions, sentAt: now }));
    now += 2;
    const detail = new DeltaDetail(of, deployment(version - 1), deployment(version), "operator");
    bus.emit({
      stage: "delta",
      agent,
      of,
      type: "Updated",
      key: "shop/web",
      uid: "u",
      resourceVersion: String(version),
      receivedAt: now,
      detail,
    });
  }
  loops.take(report.flush(Infinity));
  return loops;
}

describe("loops of a process's writes", () => {
  test("an object that it rewrites: the field, its values, and the causes of the writes", () => {
    const [found, ...others] = seen({ changes: 60, from: 0 }).found();
    expect(others).toEqual([]);
    expect(found?.loop).toMatchObject({ is: "rewritten", key: "shop/web", how: "alternates" });
    expect(found?.loop).toMatchObject({ fields: [{ path: ".metadata.annotations.turn", values: ["0", "1"] }] });
    expect(found?.causes[0]).toMatchObject({ why: "because Deployment web Updated (.metadata.annotations.turn)" });
    expect(found?.causes[0]?.writes).toBeGreaterThan(50);
  });

  test("an object that others rewrite is not included", () => {
    expect(seen({ changes: 60, from: 58 }).found()).toEqual([]);
  });
});
