import { expect, test } from "bun:test";
import type { AuditEvent } from "../../support/audit-log.ts";
import { auditedWrites } from "./owner-writes.ts";

const owner = { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "owner", controller: true };

function patched(metadata: object): AuditEvent {
  return {
    auditID: "1",
    stage: "ResponseComplete",
    requestURI: "/apis/apps/v1/namespaces/shop/replicasets/web-1",
    verb: "patch",
    user: { username: "gc" },
    objectRef: { resource: "replicasets", apiGroup: "apps", namespace: "shop", name: "web-1" },
    responseStatus: { code: 200 },
    responseObject: {
      metadata: {
        name: "web-1",
        namespace: "shop",
        uid: "set",
        resourceVersion: "7",
        ownerReferences: [owner],
        ...metadata,
      },
    },
    requestReceivedTimestamp: "2026-01-01T00:00:00.000000Z",
    stageTimestamp: "2026-01-01T00:00:00.000000Z",
  };
}

test("an object that loses its last finalizer during its deletion is gone", () => {
  const changes = (metadata: object): readonly string[] =>
    auditedWrites([patched(metadata)]).changes.map(({ is }) => is);
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  expect(changes({ deletionTimestamp })).toEqual(["controlled", "left"]);
  expect(changes({ deletionTimestamp, finalizers: ["example.com/hold"] })).toEqual(["controlled"]);
  expect(changes({ deletionTimestamp, deletionGracePeriodSeconds: 30 })).toEqual(["controlled"]);
  expect(changes({})).toEqual(["controlled"]);
});

test("an object that others delete is touched with its status, one that they patch is not", () => {
  const touched = (verb: string): readonly string[] => [
    ...auditedWrites([{ ...patched({}), verb }]).touchedBeside("deployment-controller"),
  ];
  expect(touched("delete")).toEqual(["replicasets.apps shop/web-1", "replicasets.apps/status shop/web-1"]);
  expect(touched("patch")).toEqual(["replicasets.apps shop/web-1"]);
});

test("a patch that leaves the version of an earlier write is idle, whoever made that; a deletion is not", () => {
  const by = (component: string, verb = "patch"): AuditEvent => ({
    ...patched({}),
    verb,
    userAgent: `kube-controller-manager/v1.36.3/${component}`,
  });
  const idle = (...events: readonly AuditEvent[]): readonly boolean[] =>
    auditedWrites(events)
      .of("gc")
      .map(({ isIdle }) => isIdle === true);
  expect(idle(by("gc"))).toEqual([false]);
  expect(idle(by("user"), by("gc"))).toEqual([true]);
  expect(idle(by("user"), by("gc", "delete"))).toEqual([false]);
});

test("an object that went had the owners that earlier responses show, of any event before", () => {
  const deleted = { ...patched({}), verb: "delete", responseObject: { status: "Success" } };
  const uids = (from: number): readonly string[] =>
    auditedWrites([patched({}), deleted], from).changes.flatMap((change) =>
      change.is === "left" ? change.ownerUids : [],
    );
  expect([uids(0), uids(1)]).toEqual([["owner"], ["owner"]]);
});
