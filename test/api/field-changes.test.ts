import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { deepEqual, fieldChanges } from "../../src/api/field-changes.ts";

describe("fieldChanges", () => {
  test("names each changed field by its path, with its old and new value", () => {
    const before = {
      spec: { replicas: 3, containers: [{ name: "web", image: "a" }] },
      metadata: { labels: { "a.b/c": "1" } },
    };
    const after = {
      spec: { replicas: 5, containers: [{ name: "web", image: "b" }] },
      metadata: { labels: { "a.b/c": "2" } },
    };
    expect(fieldChanges(before, after)).toEqual([
      { path: ".spec.replicas", before: 3, after: 5 },
      { path: ".spec.containers[web].image", before: "a", after: "b" },
      { path: '.metadata.labels["a.b/c"]', before: "1", after: "2" },
    ]);
  });

  test("reports a field that appears or disappears as one change, however deep it is", () => {
    const changes = fieldChanges({ a: { b: { c: 1 } } }, { d: { e: { f: 1 } } });
    expect(changes).toEqual([
      { path: ".d", after: { e: { f: 1 } } },
      { path: ".a", before: { b: { c: 1 } } },
    ]);
  });

  test("identifies items that have names by these, wherever they are", () => {
    const ready = (status: string): object => ({ type: "Ready", status, name: "n" });
    const [placed, other] = [
      { type: "PodScheduled", status: "True" },
      { type: "example.com/gate", status: "True" },
    ];
    const [before, after] = [
      [placed, ready("False")],
      [ready("True"), other],
    ];
    expect(fieldChanges({ status: { conditions: before } }, { status: { conditions: after } })).toEqual([
      { path: ".status.conditions[Ready].status", before: "False", after: "True" },
      { path: ".status.conditions[example.com/gate]", after: other },
      { path: ".status.conditions[PodScheduled]", before: placed },
    ]);
  });

  test.each([
    {
      name: "only their order changes",
      before: [{ name: "a" }, { name: "b" }],
      after: [{ name: "b" }, { name: "a" }],
    },
    { name: "one of several has no name", before: [{ name: "a" }, {}], after: [{ name: "a" }] },
    { name: "two have the same name", before: [{ name: "a" }, { name: "a" }], after: [{ name: "a" }] },
  ])("a list is one change where $name", ({ before, after }) => {
    expect(fieldChanges({ list: before }, { list: after })).toEqual([{ path: ".list", before, after }]);
  });

  test("quotes a name that looks like an index", () => {
    const changes = fieldChanges({ list: [{ name: "0", n: 1 }] }, { list: [{ name: "0", n: 2 }] });
    expect(changes).toEqual([{ path: '.list["0"].n', before: 1, after: 2 }]);
  });

  test("reports lists of different lengths as one change", () => {
    expect(fieldChanges({ list: [1, 2] }, { list: [1] })).toEqual([{ path: ".list", before: [1, 2], after: [1] }]);
  });

  test("leaves out fields that change with every write", () => {
    const meta = (resourceVersion: string) => ({
      metadata: { resourceVersion, managedFields: [{ time: resourceVersion }] },
    });
    expect(fieldChanges(meta("1"), meta("2"))).toEqual([]);
  });

  test("leaves out fields that an object of a list lacks", () => {
    expect(fieldChanges({ spec: 1 }, { kind: "Pod", apiVersion: "v1", spec: 1 })).toEqual([]);
  });

  test("finds nothing between equal values, and something between different ones", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(fieldChanges(a, structuredClone(a))).toEqual([]);
        expect(fieldChanges(a, b).length === 0).toBe(deepEqual(a, b));
      }),
      { seed: 20261121, numRuns: 500 },
    );
  });

  test("treats a key of the prototype like any other", () => {
    expect(fieldChanges({}, JSON.parse('{"constructor": 1}'))).toEqual([{ path: ".constructor", after: 1 }]);
  });
});
