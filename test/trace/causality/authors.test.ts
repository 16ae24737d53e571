import { expect, test } from "bun:test";
import type { AuditEvent } from "../../support/audit-log.ts";
import { Authors } from "./authors.ts";

interface Logged {
  readonly id: string;
  readonly verb: string;
  readonly at: number;
  readonly subresource?: string;
  readonly responseObject: object;
}

function logged({ id, verb, at, subresource, responseObject }: Logged): AuditEvent {
  const time = (second: number): string => new Date(second * 1000).toISOString();
  const event = {
    auditID: id,
    stage: "ResponseComplete",
    verb,
    requestURI: "/",
    user: { username: id },
    objectRef: { resource: "pods", namespace: "shop", name: "a", ...(subresource !== undefined && { subresource }) },
    responseStatus: { code: 200 },
    responseObject: responseObject,
    requestReceivedTimestamp: time(at),
    stageTimestamp: time(at + 1),
  };
  // Only the fields that are read.
  return event as unknown as AuditEvent;
}

const pod = (resourceVersion: string, metadata: object = {}): object => ({
  kind: "Pod",
  metadata: { name: "a", namespace: "shop", uid: "a", resourceVersion, ...metadata },
});
const terminating = { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 30 };

const authorsOf = (version: string, ...events: readonly Logged[]): readonly string[] =>
  new Authors(events.map(logged), new Map()).of("pods", "shop/a", version).map(({ id }) => id);

const binding: Logged = {
  id: "binding",
  verb: "create",
  at: 1,
  subresource: "binding",
  responseObject: { kind: "Status" },
};

test("a delete stores the version of its response", () => {
  const started: Logged = { id: "first", verb: "delete", at: 3, responseObject: pod("7", terminating) };
  const second: Logged = { id: "second", verb: "delete", at: 5, responseObject: pod("7", terminating) };
  expect(authorsOf("7", binding, started, second)).toEqual(["first"]);
});

test("a delete whose response shows no deletion did not store the version in it", () => {
  const late: Logged = { id: "late", verb: "delete", at: 3, responseObject: pod("5") };
  expect(authorsOf("5", binding, late)).toContain("binding");
});
