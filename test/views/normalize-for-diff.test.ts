import { expect, test } from "bun:test";
import type { DiffVisibility } from "../../src/views/normalize-for-diff.ts";
import { normalizeForDiff } from "../../src/views/normalize-for-diff.ts";

const changedAt = "endpoints.kubernetes.io/last-change-trigger-time";
const endpoints = {
  kind: "Endpoints",
  apiVersion: "v1",
  metadata: {
    name: "web",
    namespace: "shop",
    uid: "u1",
    resourceVersion: "7",
    creationTimestamp: "2026-11-24T22:25:09Z",
    annotations: { [changedAt]: "2026-11-24T22:25:34Z", note: "kept" },
  },
  subsets: [{ addresses: [{ ip: "10.0.0.1", targetRef: { kind: "Pod", name: "a", uid: "u2" } }] }],
};
const shown = (what: DiffVisibility): object => normalizeForDiff({ group: "", kind: "Endpoints" }, endpoints, what);

test("of Endpoints neither the time of the change nor uids of pods are shown", () => {
  const { uid: _, resourceVersion: __, creationTimestamp: ___, ...metadata } = endpoints.metadata;
  expect(shown({})).toEqual({
    ...endpoints,
    metadata: { ...metadata, annotations: { note: "kept" } },
    subsets: [{ addresses: [{ ip: "10.0.0.1", targetRef: { kind: "Pod", name: "a" } }] }],
  });
});

test("they are shown on request", () => {
  expect(shown({ ids: true, times: true })).toEqual(endpoints);
});
