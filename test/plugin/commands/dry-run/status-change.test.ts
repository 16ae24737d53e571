import { expect, test } from "bun:test";
import { statusChangeText } from "../../../../plugin/commands/dry-run/report/status-change.ts";
import type { StoredObject } from "../../../../src/api/object.ts";

const metadata = { name: "web", namespace: "shop", uid: "u", resourceVersion: "1", creationTimestamp: "" };
const withStatus = (status: object): StoredObject => ({ metadata, status }) as StoredObject;
const available = (status: string, reason: string): object => ({ type: "Available", status, reason });

test.each([
  { was: { readyReplicas: 3 }, is: { readyReplicas: 3, terminatingReplicas: 1 }, says: "terminatingReplicas 0 → 1" },
  { was: { readyReplicas: 3, replicas: 3 }, is: { replicas: 3 }, says: "readyReplicas 3 → 0" },
  { was: {}, is: { phase: "Bound" }, says: "phase none → Bound" },
  {
    was: { conditions: [available("True", "MinimumReplicasAvailable"), { type: "Old", status: "True" }] },
    is: { conditions: [available("False", "MinimumReplicasUnavailable")] },
    says: "Available False (MinimumReplicasUnavailable), Old removed",
  },
  { was: { conditions: [available("True", "A")] }, is: { conditions: [available("True", "B")] }, says: "" },
  { was: { replicas: 1, hash: [1] }, is: { replicas: 1, hash: [2] }, says: "" },
])("from $was to $is: $says", ({ was, is, says }) => {
  expect(statusChangeText(withStatus(was), withStatus(is))).toBe(says);
});

test("a status that did not exist before", () => {
  expect(statusChangeText(undefined, withStatus({ replicas: 2 }))).toBe("replicas 0 → 2");
});
