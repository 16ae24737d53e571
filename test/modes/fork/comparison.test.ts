import { describe, expect, test } from "bun:test";
import type { StoredObject } from "../../../src/api/object.ts";
import { missingFrom } from "../../../src/modes/fork/comparison.ts";

function object(fields: object, metadata: object = {}): StoredObject {
  const own = { name: "web", uid: "1", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
  return { apiVersion: "v1", kind: "Thing", metadata: { ...own, ...metadata }, ...fields };
}

describe("differences between the fork's writes and the cluster", () => {
  test("of an object created in the fork: all fields except status, times, uids and versions", () => {
    const here = object({ spec: { a: 1, at: "2026-01-01T00:00:00Z" } });
    const live = object(
      { spec: { a: 1, at: "2026-02-02T00:00:00Z" }, status: { ready: true } },
      { uid: "2", resourceVersion: "9", managedFields: [{ manager: "other" }] },
    );
    expect(missingFrom(live, { base: undefined, here })).toEqual([]);
    expect(missingFrom(object({ spec: { a: 2, at: "" } }), { base: undefined, here }).map(({ path }) => path)).toEqual([
      ".spec.a",
      ".spec.at",
    ]);
  });

  test("of one changed in the fork: the changes, including the status", () => {
    const base = object({ spec: { a: 1, b: 1 }, status: { phase: "new" } });
    const here = object({ spec: { a: 2, b: 1 }, status: { phase: "done" } });
    expect(missingFrom(object({ spec: { a: 2, b: 7 }, status: { phase: "done" } }), { base, here })).toEqual([]);
    expect(missingFrom(object({ spec: { a: 2, b: 7 }, status: { phase: "new" } }), { base, here })).toEqual([
      { path: ".status.phase", before: "done", after: "new" },
    ]);
  });

  test("owners are compared without their uids, labels and finalizers as they are", () => {
    const owner = { apiVersion: "v1", kind: "Site", name: "s", controller: true };
    const here = object({}, { ownerReferences: [{ ...owner, uid: "x" }], labels: { a: "1" } });
    const live = object({}, { ownerReferences: [{ ...owner, uid: "y" }], labels: { a: "1" } });
    expect(missingFrom(live, { base: undefined, here })).toEqual([]);
    const other = object({}, { ownerReferences: [{ ...owner, uid: "y" }], labels: { a: "2" }, finalizers: ["f"] });
    expect(missingFrom(other, { base: undefined, here }).map(({ path }) => path)).toEqual([
      ".metadata.labels.a",
      ".metadata.finalizers",
    ]);
  });

  test("deletions", () => {
    const base = object({});
    expect(missingFrom(undefined, { base, here: undefined })).toEqual([]);
    expect(missingFrom(base, { base, here: undefined })).toEqual([{ path: "", after: base }]);
    expect(missingFrom(undefined, { base: undefined, here: base })).toEqual([{ path: "", before: base }]);
  });
});
