import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import {
  parseFrameDroppingManagedFields,
  parseListDroppingManagedFields,
} from "../../../src/client/api/managed-fields.ts";

const seed = 20261121;
const runs = 2000;

/** Strings that resemble keys and ends of arrays. */
const nasty = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    "managedFields",
    '"managedFields":[',
    "}]},",
    '}]},"spec',
    "}],",
    "]",
    "[",
    '}]}, "a":',
    "\\",
    '\\"managedFields\\":[{}]',
    "ä€",
  ),
);
/** Field sets as the server writes them, and some that contain arrays. */
const fieldSet: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  set: fc.oneof(
    { maxDepth: 3 },
    fc.constant({}),
    fc.dictionary(nasty, tie("set"), { maxKeys: 3 }),
    fc.array(tie("set"), { maxLength: 2 }),
  ),
})).set;
const managedFields = fc.array(fc.record({ manager: nasty, fieldsV1: fieldSet, time: nasty }, { requiredKeys: [] }), {
  maxLength: 3,
});
/** Any value, with keys of that name at any depth. */
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    nasty,
    fc.constantFrom(0, 1, null, true),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(nasty, fc.constantFrom("managedFields", "metadata", "spec")), tie("value"), { maxKeys: 3 }),
    fc.record({ managedFields }),
  ),
})).value;
const metadata = fc.record(
  { name: nasty, labels: fc.dictionary(nasty, nasty, { maxKeys: 2 }), managedFields, zone: value },
  { requiredKeys: ["name"] },
);
/** Objects with the fields that may precede and follow the metadata. */
const object = fc.oneof(
  fc.record({ kind: nasty, metadata, spec: value, status: value }, { requiredKeys: ["kind", "metadata"] }),
  fc.record({ data: value, kind: nasty, metadata, zeal: value }, { requiredKeys: ["kind"] }),
);

/** The expected result: the whole object parsed, then its own managedFields deleted if the parser may cut them. */
function without(one: unknown): unknown {
  const copy = structuredClone(one) as { metadata?: { managedFields?: unknown } };
  delete copy.metadata?.managedFields;
  return copy;
}

describe("reading without managedFields", () => {
  test(`changes nothing else in a frame (seed ${seed})`, () => {
    fc.assert(
      fc.property(object, (one) => {
        const frame = { type: "MODIFIED", object: one };
        const read = parseFrameDroppingManagedFields(JSON.stringify(frame)) as typeof frame;
        expect(without(read.object)).toEqual(without(JSON.parse(JSON.stringify(one))));
        // They are complete or missing, never partial.
        const left = (read.object as { metadata?: { managedFields?: unknown } }).metadata;
        if (left !== undefined && "managedFields" in left)
          expect(left).toEqual(JSON.parse(JSON.stringify(one.metadata)));
      }),
      { seed, numRuns: runs },
    );
  });

  test(`changes nothing else in a list (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.array(object, { maxLength: 4 }), (items) => {
        const text = JSON.stringify({ kind: "List", metadata: { resourceVersion: "7" }, items });
        const read = parseListDroppingManagedFields(text) as { items: unknown[]; metadata: unknown };
        expect(read.metadata).toEqual({ resourceVersion: "7" });
        expect(read.items.map(without)).toEqual((JSON.parse(text) as typeof read).items.map(without));
      }),
      { seed, numRuns: runs },
    );
  });

  test("removes the managedFields of an object as written by the API server", () => {
    const entry = { manager: "kubelet", operation: "Update", fieldsV1: { "f:status": { 'k:{"type":"Ready"}': {} } } };
    const pod = {
      kind: "Pod",
      metadata: { name: "a", managedFields: [entry, entry] },
      spec: { containers: [] },
    };
    const frame = parseFrameDroppingManagedFields(JSON.stringify({ type: "ADDED", object: pod })) as {
      object: unknown;
    };
    expect(frame.object).toEqual({ kind: "Pod", metadata: { name: "a" }, spec: { containers: [] } });
    const list = parseListDroppingManagedFields(JSON.stringify({ metadata: {}, items: [pod, pod] }));
    expect(list).toEqual({ metadata: {}, items: [frame.object, frame.object] });
  });

  test("keeps a key of that name elsewhere", () => {
    const object = { spec: { managedFields: [{ a: 1 }], zone: "b" }, metadata: { name: "a" } };
    expect(parseFrameDroppingManagedFields(JSON.stringify({ object }))).toEqual({ object });
    expect(parseListDroppingManagedFields(JSON.stringify({ items: [object] }))).toEqual({ items: [object] });
  });

  test("throws a SyntaxError for text that is not JSON", () => {
    expect(() => parseFrameDroppingManagedFields('{"object":{"metadata":{"managedFields":[{}],"a":')).toThrow(
      SyntaxError,
    );
    expect(() => parseListDroppingManagedFields("<html>")).toThrow(SyntaxError);
  });
});
