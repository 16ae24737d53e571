import { describe, expect, test } from "bun:test";
import type { StoredObject } from "../../src/api/object.ts";
import { DeltaDetail } from "../../src/trace/delta-detail.ts";

const of = { group: "", kind: "Pod" };
const pod = (phase: string): StoredObject & { readonly status: object } => ({
  metadata: { name: "a", uid: "u", resourceVersion: "1", creationTimestamp: "" },
  status: { phase },
});

describe("DeltaDetail", () => {
  test("computes the writer on first use, and once", () => {
    let calls = 0;
    const detail = new DeltaDetail(of, pod("Pending"), pod("Running"), () => {
      calls++;
      return "kubelet";
    });
    expect(calls).toBe(0);
    expect([detail.writer, detail.writer]).toEqual(["kubelet", "kubelet"]);
    expect(calls).toBe(1);
  });

  test("computes both together, so that it keeps neither object", () => {
    let calls = 0;
    const detail = new DeltaDetail(of, pod("Pending"), pod("Running"), () => void calls++);
    expect(detail.changes).toEqual([{ path: ".status.phase", before: "Pending", after: "Running" }]);
    expect(calls).toBe(1);
    expect(JSON.parse(JSON.stringify(detail))).toEqual({
      changes: [{ path: ".status.phase", before: "Pending", after: "Running" }],
    });
    expect(calls).toBe(1);
  });

  test.each(["writer", "changes"] as const)("holds on to neither object once its %s was read", (part) => {
    const objects: WeakRef<StoredObject>[] = [];
    const made = (phase: string): StoredObject => {
      const object = pod(phase);
      objects.push(new WeakRef(object));
      return object;
    };
    const details = Array.from(
      { length: 100 },
      () => new DeltaDetail(of, made("Pending"), made("Running"), () => "kubelet"),
    );
    for (const detail of details) void detail[part];
    Bun.gc(true);
    // The garbage collector treats values on the stack as pointers, so it can miss a few objects.
    expect(objects.filter((object) => object.deref() !== undefined).length).toBeLessThan(20);
    expect(details[0]?.changes).toHaveLength(1);
  });
});
