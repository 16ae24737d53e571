import { describe, expect, test } from "bun:test";
import { readReconcile, type ReconcileRef, writeReconcile } from "../../src/trace/reconcile-ref.ts";

describe("the header Reconcile", () => {
  test.each<[string, ReconcileRef]>([
    ["id=7", { id: "7" }],
    [
      "controller=site; object=shop/web; id=3f1c",
      { id: "3f1c", controller: "site", object: { kind: "", key: "shop/web" } },
    ],
    ["id=1;object=Node a", { id: "1", object: { kind: "Node", key: "a" } }],
    [
      "controller=rs; object=ReplicaSet shop/web; id=rs-12; because=Pod shop/web-1@812",
      {
        id: "rs-12",
        controller: "rs",
        object: { kind: "ReplicaSet", key: "shop/web" },
        because: { kind: "Pod", key: "shop/web-1", resourceVersion: "812" },
      },
    ],
    ["id=a=b", { id: "a=b" }],
    ["id=1; because=retry", { id: "1", again: "retry" }],
    ["id=1; because=chance", { id: "1" }],
    ["id=1; object=a b c/d; because=Pod shop/web-1", { id: "1" }],
  ])("%s", (reconcile, expected) => {
    expect(readReconcile({ reconcile })).toEqual(expected);
  });

  test.each(["", "controller=site", "id=", `id=${"x".repeat(3000)}`])("%p says nothing", (reconcile) => {
    expect(readReconcile({ reconcile })).toBeUndefined();
  });

  test("is parsed as it was formatted", () => {
    const ref = {
      id: "site-1",
      controller: "site",
      object: { kind: "", key: "shop/web" },
      because: { kind: "Site", key: "shop/web", resourceVersion: "5" },
    };
    expect(readReconcile({ reconcile: writeReconcile(ref) })).toEqual(ref);
  });

  test("is replaced by the trace of traceparent if it is missing", () => {
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    expect(readReconcile({ traceparent })).toEqual({ id: "4bf92f3577b34da6a3ce929d0e0e4736" });
    expect(readReconcile({ traceparent, reconcile: "id=7" })).toEqual({ id: "7" });
    expect(readReconcile({ traceparent: "00-xyz-1-01" })).toBeUndefined();
    expect(readReconcile({})).toBeUndefined();
  });
});
