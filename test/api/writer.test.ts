import { describe, expect, test } from "bun:test";
import type { ManagedFieldsEntry, StoredObject } from "../../src/api/object.ts";
import { compactManagedFields, writerOfChange } from "../../src/api/writer.ts";

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
    name: "a new object was made by its only manager",
    before: undefined,
    after: { spec: { size: 1 } },
    managedAfter: [entry("kubectl", "10:00", size)],
    writer: "kubectl",
  },
  {
    name: "a new object with two managers was made by nobody knows whom",
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
    name: "who only lost a field did not write",
    before: { spec: { size: 1, color: "red" } },
    managedBefore: [entry("a", "10:00", both)],
    after: { spec: { size: 2, color: "red" } },
    managedAfter: [entry("a", "10:00", color), entry("b", "10:00", size)],
    writer: "b",
  },
  {
    name: "an entry without a time counts as new by its field set (kubectl scale)",
    before: { spec: { size: 1 } },
    managedBefore: [entry("creator", "10:00", size)],
    after: { spec: { size: 2 } },
    managedAfter: [entry("kubectl", "", size, { subresource: "scale" })],
    writer: "kubectl",
  },
  {
    name: "twice in one second by one manager: its entry is as it was, and nobody else owns what has changed",
    before: { spec: { size: 1 } },
    managedBefore: [entry("a", "10:00", size)],
    after: { spec: { size: 2 } },
    managedAfter: [entry("a", "10:00", size), entry("b", "10:00", color)],
    writer: "a",
  },
  {
    name: "twice in one second where two managers own what has changed",
    before: { spec: { size: 1 } },
    managedBefore: [entry("a", "10:00", size), entry("b", "10:00", size)],
    after: { spec: { size: 2 } },
    managedAfter: [entry("a", "10:00", size), entry("b", "10:00", size)],
    writer: undefined,
  },
  {
    name: "a new time on an entry that does not have the changed field says nothing of it",
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
    name: "an item of a list is found by its keys",
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
    name: "an item that is only gone was taken away by nobody knows whom, though another lost it",
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
    name: "an item of a set is found by its value",
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
    name: "two parts of one manager are one writer",
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
    name: "nothing is said of a change whose earlier managers are not known",
    before: { spec: { size: 1 } },
    after: { spec: { size: 2 } },
    managedAfter: [entry("a", "10:00", size)],
    writer: undefined,
  },
  {
    name: "generation and version belong to the server: they do not hide the writer",
    before: { metadata: { generation: 1, resourceVersion: "5" }, spec: { size: 1 } },
    managedBefore: [entry("a", "10:00", size)],
    after: { metadata: { generation: 2, resourceVersion: "6" }, spec: { size: 2 } },
    managedAfter: [entry("a", "10:03", size)],
    writer: "a",
  },
];

describe("writerOfChange", () => {
  for (const row of rows) {
    test(row.name, () => {
      const managedBefore = row.managedBefore === undefined ? undefined : compactManagedFields(row.managedBefore);
      const before = row.before === undefined ? undefined : object(row.before);
      const after = object(row.after);
      expect(writerOfChange({ before, managedBefore, after, managedAfter: row.managedAfter })).toBe(
        row.writer as string,
      );
    });
  }
});
