import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { deepEqual, fieldChanges } from "../../src/api/field-changes.ts";

describe("fieldChanges", () => {
  test("names each changed field by its path, with what it was and is", () => {
    const before = { spec: { replicas: 3, containers: [{ image: "a" }] }, metadata: { labels: { "a.b/c": "1" } } };
    const after = { spec: { replicas: 5, containers: [{ image: "b" }] }, metadata: { labels: { "a.b/c": "2" } } };
    expect(fieldChanges(before, after)).toEqual([
      { path: ".spec.replicas", before: 3, after: 5 },
      { path: ".spec.containers[0].image", before: "a", after: "b" },
      { path: '.metadata.labels["a.b/c"]', before: "1", after: "2" },
    ]);
  });

  test("a field that appears or goes is one change, however deep it is", () => {
    const changes = fieldChanges({ a: { b: { c: 1 } } }, { d: { e: { f: 1 } } });
    expect(changes).toEqual([
      { path: ".d", after: { e: { f: 1 } } },
      { path: ".a", before: { b: { c: 1 } } },
    ]);
  });

  test("lists of another length are one change", () => {
    expect(fieldChanges({ list: [1, 2] }, { list: [1] })).toEqual([{ path: ".list", before: [1, 2], after: [1] }]);
  });

  test("leaves out what changes with every write", () => {
    const meta = (resourceVersion: string) => ({
      metadata: { resourceVersion, managedFields: [{ time: resourceVersion }] },
    });
    expect(fieldChanges(meta("1"), meta("2"))).toEqual([]);
  });

  test("leaves out what an object of a list comes without", () => {
    expect(fieldChanges({ spec: 1 }, { kind: "Pod", apiVersion: "v1", spec: 1 })).toEqual([]);
  });

  test("finds nothing between equal values, and something between others", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(fieldChanges(a, structuredClone(a))).toEqual([]);
        expect(fieldChanges(a, b).length === 0).toBe(deepEqual(a, b));
      }),
      { seed: 20261121, numRuns: 500 },
    );
  });

  test("a key of the prototype is a key like others", () => {
    expect(fieldChanges({}, JSON.parse('{"constructor": 1}'))).toEqual([{ path: ".constructor", after: 1 }]);
  });
});
