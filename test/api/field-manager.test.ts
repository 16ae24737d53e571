import { describe, expect, test } from "bun:test";
import type { ManagedFieldsEntry, StoredObject } from "../../src/api/object.ts";
import { compactManagedFields, fieldManagerOfChange } from "../../src/api/field-manager.ts";
import { attributions, type RecordedVersion } from "../support/recorded-versions.ts";
import recorded from "./recorded-writers.json";

interface Row {
  readonly name: string;
  readonly before: object | undefined;
  readonly managedBefore?: readonly ManagedFieldsEntry[];
  readonly after: object;
  readonly managedAfter: readonly ManagedFieldsEntry[];
  readonly writer: string | undefined;
}

const object = (parts: object): StoredObject => {
  const { metadata, ...rest } = parts as { metadata?: object };
  return {
    metadata: { name: "a", uid: "u", resourceVersion: "1", creationTimestamp: "t", ...metadata },
    ...rest,
  };
};
const entry = (manager: string, time: string, fieldsV1: object, parts: object = {}): ManagedFieldsEntry => ({
  manager,
  operation: "Update",
  apiVersion: "v1",
  ...(time !== "" && { time }),
  fieldsType: "FieldsV1",
  fieldsV1,
  ...parts,
});
const size = { "f:spec": { "f:size": {} } };
const color = { "f:spec": { "f:color": {} } };
const both = { "f:spec": { "f:size": {}, "f:color": {} } };
const apply = { operation: "Apply" as const };
const label = (name: string): object => ({ "f:metadata": { "f:labels": { [`f:${name}`]: {} } } });
const ready = (status: string): object => ({ type: "Ready", status });

const rows: Row[] = [
  {
    name: "a new object was created by its only manager",
    before: undefined,
    after: { spec: { size: 1 } },
    managedAfter: [entry("kubectl", "10:00", size)],
    writer: "kubectl",
  },
  {
    name: "the creator of a new object with two managers is unknown",
    before: undefined,
    after: { spec: { size: 1, color: "red" } },
    managedAfter: [entry("kubectl", "10:00", size), entry("scaler", "10:00", color)],
    writer: undefined,
  },
  {
    name: "the last entry is not the last writer: an apply is sorted before an older update",
    before: { spec: { size: 1, color: "red" } },
    managedBefore: [entry("creator", "10:00", both)],
    after: { spec: { size: 2, color: "red" } },
    managedAfter: [entry("applier", "10:05", size, apply), entry("creator", "10:00", color)],
    writer: "applier",
  },
  {
    name: "a changed value was written by the entry that has it and a new time",
    before: { spec: { size: 1, color: "red" } },
    managedBefore: [entry("a", "10:00", color), entry("b", "10:00", size)],
    after: { spec: { size: 2, color: "red" } },
    managedAfter: [entry("a", "10:00", color), entry("b", "10:07", size)],
    writer: "b",
  },
  {
    name: "a manager that only lost a field is not the writer",
    before: { spec: { size: 1, color: "red" } },
    managedBefore: [entry("a", "10:00", both)],
    after: { spec: { size: 2, color: "red" } },
    managedAfter: [entry("a", "10:00", color), entry("b", "10:00", size)],
    writer: "b",
  },
  {
    name: "an entry without a time counts as new if its field set is (kubectl scale)",
    before: { spec: { size: 1 } },
    managedBefore: [entry("creator", "10:00", size)],
    after: { spec: { size: 2 } },
    managedAfter: [entry("kubectl", "", size, { subresource: "scale" })],
    writer: "kubectl",
  },
  {
    name: "two writes by one manager within a second: its entry is unchanged, and it alone owns the changed field",
    before: { spec: { size: 1 } },
    managedBefore: [entry("a", "10:00", size)],
    after: { spec: { size: 2 } },
    managedAfter: [entry("a", "10:00", size), entry("b", "10:00", color)],
    writer: "a",
  },
  {
    name: "two writes within a second if two managers own the changed field",
    before: { spec: { size: 1 } },
    managedBefore: [entry("a", "10:00", size), entry("b", "10:00", size)],
    after: { spec: { size: 2 } },
    managedAfter: [entry("a", "10:00", size), entry("b", "10:00", size)],
    writer: undefined,
  },
  {
    name: "a new time on an entry without the changed field proves nothing",
    before: { spec: { size: 1, color: "red" } },
    managedBefore: [entry("a", "10:00", color)],
    after: { spec: { size: 2, color: "red" } },
    managedAfter: [entry("a", "10:01", color)],
    writer: undefined,
  },
  {
    name: "a removed label leaves no entry",
    before: { metadata: { labels: { x: "1", y: "1" } } },
    managedBefore: [entry("a", "10:00", { "f:metadata": { "f:labels": { "f:x": {}, "f:y": {} } } })],
    after: { metadata: { labels: { y: "1" } } },
    managedAfter: [entry("a", "10:00", label("y"))],
    writer: undefined,
  },
  {
    name: "an apply that removes a label renews its time",
    before: { metadata: { labels: { x: "1", y: "1" } } },
    managedBefore: [entry("a", "10:00", { "f:metadata": { "f:labels": { "f:x": {}, "f:y": {} } } }, apply)],
    after: { metadata: { labels: { y: "1" } } },
    managedAfter: [entry("a", "10:09", label("y"), apply)],
    writer: "a",
  },
  {
    name: "a deletionTimestamp has no author, whoever wrote last",
    before: { spec: { size: 1 } },
    managedBefore: [entry("a", "10:00", size)],
    after: { metadata: { deletionTimestamp: "10:09" }, spec: { size: 1 } },
    managedAfter: [entry("a", "10:09", size)],
    writer: undefined,
  },
  {
    name: "an item of a list is identified by its keys",
    before: { status: { conditions: [ready("False"), { type: "Live", status: "True" }] } },
    managedBefore: [
      entry("kubelet", "10:00", { "f:status": { "f:conditions": { 'k:{"type":"Ready"}': { "f:status": {} } } } }),
      entry("prober", "10:00", { "f:status": { "f:conditions": { 'k:{"type":"Live"}': { "f:status": {} } } } }),
    ],
    after: { status: { conditions: [ready("True"), { type: "Live", status: "True" }] } },
    managedAfter: [
      entry("kubelet", "10:01", { "f:status": { "f:conditions": { 'k:{"type":"Ready"}': { "f:status": {} } } } }),
      entry("prober", "10:01", { "f:status": { "f:conditions": { 'k:{"type":"Live"}': { "f:status": {} } } } }),
    ],
    writer: "kubelet",
  },
  {
    name: "the remover of an item is unknown, though another manager lost it",
    before: { spec: { items: [{ name: "a" }, { name: "b" }] } },
    managedBefore: [
      entry("x", "10:00", {
        "f:spec": { "f:items": { 'k:{"name":"a"}': { ".": {} }, 'k:{"name":"b"}': { ".": {} } } },
      }),
    ],
    after: { spec: { items: [{ name: "b" }] } },
    managedAfter: [entry("x", "10:00", { "f:spec": { "f:items": { 'k:{"name":"b"}': { ".": {} } } } })],
    writer: undefined,
  },
  {
    name: "an item of a set is identified by its value",
    before: { metadata: { finalizers: ["a"] } },
    managedBefore: [entry("x", "10:00", { "f:metadata": { "f:finalizers": { 'v:"a"': {} } } })],
    after: { metadata: { finalizers: ["a", "b"] } },
    managedAfter: [
      entry("x", "10:00", { "f:metadata": { "f:finalizers": { 'v:"a"': {} } } }),
      entry("y", "10:01", { "f:metadata": { "f:finalizers": { 'v:"b"': {} } } }),
    ],
    writer: "y",
  },
  {
    name: "an atomic field is owned as a whole",
    before: { spec: { selector: { app: "a" } } },
    managedBefore: [entry("x", "10:00", { "f:spec": { "f:selector": {} } })],
    after: { spec: { selector: { app: "b" } } },
    managedAfter: [entry("x", "10:02", { "f:spec": { "f:selector": {} } })],
    writer: "x",
  },
  {
    name: "two entries of one manager are one writer",
    before: { spec: { size: 1 }, status: {} },
    managedBefore: [entry("kcm", "10:00", { ...size, "f:status": {} }, { subresource: "status" })],
    after: { spec: { size: 2 }, status: {} },
    managedAfter: [
      entry("kcm", "10:01", size, apply),
      entry("kcm", "10:01", { ...size, "f:status": {} }, { subresource: "status" }),
    ],
    writer: "kcm",
  },
  {
    name: "the writer of a change is unknown if the earlier managers are",
    before: { spec: { size: 1 } },
    after: { spec: { size: 2 } },
    managedAfter: [entry("a", "10:00", size)],
    writer: undefined,
  },
  {
    name: "in a fight over a label: the manager that created the map and has lost this label owns none of it any more",
    before: { metadata: { labels: { owner: "a" } } },
    managedBefore: [
      entry("a", "10:00", { "f:metadata": { "f:labels": { ".": {}, "f:owner": {} } } }),
      entry("b", "10:00", { "f:data": {} }),
    ],
    after: { metadata: { labels: { owner: "b" } } },
    managedAfter: [entry("a", "10:00", { "f:metadata": { "f:labels": {} } }), entry("b", "10:01", label("owner"))],
    writer: "b",
  },
  {
    name: "the same within one second",
    before: { metadata: { labels: { owner: "a" } } },
    managedBefore: [entry("a", "10:00", label("owner")), entry("b", "10:00", { "f:metadata": { "f:labels": {} } })],
    after: { metadata: { labels: { owner: "b" } } },
    managedAfter: [entry("a", "10:00", { "f:metadata": { "f:labels": {} } }), entry("b", "10:00", label("owner"))],
    writer: "b",
  },
  {
    name: "a part without an owner does not belong to the manager that created the map",
    before: { spec: { nodeSelector: { zone: "a", disk: "x" } } },
    managedBefore: [entry("a", "10:00", { "f:spec": { "f:nodeSelector": {} } })],
    after: { spec: { nodeSelector: { zone: "b", disk: "x" } } },
    managedAfter: [
      entry("a", "10:00", { "f:spec": { "f:nodeSelector": {} } }),
      entry("b", "10:00", { "f:spec": { "f:nodeSelector": { "f:disk": {} } } }),
    ],
    writer: undefined,
  },
  {
    name: "the same in any map of which a manager owns a part",
    before: { spec: { nodeSelector: { zone: "a" } } },
    managedBefore: [entry("a", "10:00", { "f:spec": { "f:nodeSelector": { ".": {}, "f:zone": {} } } })],
    after: { spec: { nodeSelector: { zone: "b" } } },
    managedAfter: [
      entry("a", "10:00", { "f:spec": { "f:nodeSelector": {} } }),
      entry("b", "10:00", { "f:spec": { "f:nodeSelector": { "f:zone": {} } } }),
    ],
    writer: "b",
  },
  {
    name: "in a fight over a condition: the manager that created the list of conditions owns none of the others",
    before: { status: { conditions: [ready("False")] } },
    managedBefore: [
      entry("a", "10:00", {
        "f:status": { "f:conditions": { ".": {}, 'k:{"type":"Ready"}': { ".": {}, "f:status": {}, "f:type": {} } } },
      }),
    ],
    after: { status: { conditions: [ready("True")] } },
    managedAfter: [
      entry("a", "10:00", {
        "f:status": { "f:conditions": { ".": {}, 'k:{"type":"Ready"}': { ".": {}, "f:type": {} } } },
      }),
      entry("b", "10:00", { "f:status": { "f:conditions": { 'k:{"type":"Ready"}': { "f:status": {} } } } }),
    ],
    writer: "b",
  },
  {
    name: "who changed a condition that lost its message is unknown, though a manager owns the rest of it",
    before: { status: { conditions: [{ ...ready("True"), message: "fine" }] } },
    managedBefore: [
      entry("a", "10:00", {
        "f:status": { "f:conditions": { 'k:{"type":"Ready"}': { "f:status": {}, "f:message": {} } } },
      }),
    ],
    after: { status: { conditions: [ready("True")] } },
    managedAfter: [
      entry("a", "10:00", { "f:status": { "f:conditions": { 'k:{"type":"Ready"}': { "f:status": {} } } } }),
    ],
    writer: undefined,
  },
  {
    name: "fields that the server defaults beside the change have no owner, and do not hide the writer",
    before: { spec: { type: "ClusterIP", ports: [{ port: 80 }] } },
    managedBefore: [
      entry("a", "10:00", { "f:spec": { "f:type": {}, "f:ports": { 'k:{"port":80}': { "f:port": {} } } } }),
    ],
    after: { spec: { type: "NodePort", ports: [{ port: 80, nodePort: 30080 }] } },
    managedAfter: [
      entry("a", "10:00", { "f:spec": { "f:ports": { 'k:{"port":80}': { "f:port": {} } } } }),
      entry("b", "10:00", { "f:spec": { "f:type": {} } }),
    ],
    writer: "b",
  },
  {
    name: "an entry that has lost its time is not new: a scale removes it",
    before: { spec: { replicas: 0 } },
    managedBefore: [entry("a", "10:00", { "f:spec": { "f:replicas": {} } })],
    after: { spec: { replicas: 0 } },
    managedAfter: [entry("a", "", { "f:spec": { "f:replicas": {} } })],
    writer: undefined,
  },
  {
    name: "an entry of a scale that is merged into the manager's other one is not a sign of a write",
    before: { metadata: { labels: { x: "1" } } },
    managedBefore: [entry("a", "", { "f:spec": { "f:replicas": {} } }), entry("a", "10:00", size)],
    after: { metadata: { labels: {} } },
    managedAfter: [entry("a", "10:00", size)],
    writer: undefined,
  },
  {
    name: "an apply without changes is recognized by its new entry, though that has no time",
    before: { spec: { replicas: 1 } },
    managedBefore: [entry("a", "10:00", { "f:spec": { "f:replicas": {} } })],
    after: { spec: { replicas: 1 } },
    managedAfter: [
      entry("b", "", { "f:spec": { "f:replicas": {} } }, apply),
      entry("a", "10:00", { "f:spec": { "f:replicas": {} } }),
    ],
    writer: "b",
  },
  {
    name: "a first apply belongs to the applier, not to the entry with the earlier fields",
    before: { spec: { size: 1 }, data: { x: "1" } },
    managedBefore: [],
    after: { spec: { size: 2 }, data: { x: "1" } },
    managedAfter: [
      entry("applier", "10:01", size, apply),
      entry("before-first-apply", "10:01", { "f:spec": { "f:size": {} }, "f:data": { "f:x": {} } }),
    ],
    writer: "applier",
  },
  {
    name: "generation and resourceVersion belong to the server, and do not hide the writer",
    before: { metadata: { generation: 1, resourceVersion: "5" }, spec: { size: 1 } },
    managedBefore: [entry("a", "10:00", size)],
    after: { metadata: { generation: 2, resourceVersion: "6" }, spec: { size: 2 } },
    managedAfter: [entry("a", "10:03", size)],
    writer: "a",
  },
];

describe("fieldManagerOfChange", () => {
  for (const row of rows) {
    test(row.name, () => {
      const managedBefore = row.managedBefore === undefined ? undefined : compactManagedFields(row.managedBefore);
      const before = row.before === undefined ? undefined : object(row.before);
      const after = object(row.after);
      expect(fieldManagerOfChange({ before, managedBefore, after, managedAfter: row.managedAfter })).toBe(
        row.writer as string,
      );
    });
  }
});

describe("fieldManagerOfChange with recordings of a real API server", () => {
  const attributed = attributions(recorded as unknown as readonly RecordedVersion[]);

  test("never names a wrong manager", () => {
    expect(attributed.filter(({ by, inferred: name }) => name !== undefined && name !== by)).toEqual([]);
  });

  test("names every manager that added or changed something", () => {
    const unknown = attributed.filter(({ inferred: name }) => name === undefined).map(({ how }) => how);
    expect(unknown.filter((how) => /^(sets|applies)/.test(how))).toEqual([]);
    expect(attributed.filter(({ how }) => /^(sets|applies)/.test(how)).length).toBeGreaterThan(40);
  });
});
