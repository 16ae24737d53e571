import { expect, test } from "bun:test";
import { objectKey, splitKey } from "../../src/api/key.ts";
import { pathOf } from "../../src/api/kind.ts";
import { Leases, Pods, ReplicaSets } from "../../src/api/kinds.ts";
import { formatMicroTime, formatTime, parseTime } from "../../src/api/time.ts";

test("times are parsed and formatted as in the API server", () => {
  const ms = parseTime("2026-11-21T10:41:07.212345Z");
  expect(formatTime(ms)).toBe("2026-11-21T10:41:07Z");
  expect(formatMicroTime(parseTime("2026-11-21T10:41:07Z") + 212.345)).toMatch(/^2026-11-21T10:41:07\.21234[45]Z$/);
  expect(() => parseTime("yesterday")).toThrow('Cannot read the time "yesterday"');
});

test("keys are namespace/name, or only the name", () => {
  expect([objectKey("shop", "web"), objectKey("", "node-1"), objectKey(undefined, "node-1")]).toEqual([
    "shop/web",
    "node-1",
    "node-1",
  ]);
  expect([splitKey("shop/web"), splitKey("node-1")]).toEqual([
    { namespace: "shop", name: "web" },
    { namespace: "", name: "node-1" },
  ]);
  expect(() => splitKey("a/b/c")).toThrow("more than one slash");
});

test("paths consist of group, namespace, name and subresource", () => {
  expect(pathOf(Pods, {})).toBe("/api/v1/pods");
  expect(pathOf(Pods, { namespace: "shop", name: "a b" })).toBe("/api/v1/namespaces/shop/pods/a%20b");
  expect(pathOf(ReplicaSets, { namespace: "shop", name: "web", subresource: "status" })).toBe(
    "/apis/apps/v1/namespaces/shop/replicasets/web/status",
  );
  expect(pathOf(Leases, { namespace: "kube-system" })).toBe(
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases",
  );
});
