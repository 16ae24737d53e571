import { describe, expect, test } from "bun:test";
import { schemaIn } from "../../../src/controllers/validatingadmissionpolicy-status/schemas.ts";

const gvk = { group: "example.com", version: "v1", kind: "Widget" };
const of = { "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "Other" }, gvk] };
const ref = (name: string): { readonly $ref: string } => ({ $ref: `#/components/schemas/${name}` });
const text = { type: "string" };

const filled = (root: object, parts: Readonly<Record<string, object>> = {}): unknown =>
  schemaIn({ components: { schemas: { ...parts, root: { ...of, ...root } } } }, gvk);

describe("references in a kind's schema are resolved", () => {
  test("in properties, items and values, beside other fields", () => {
    const root = {
      type: "object",
      required: ["spec"],
      properties: {
        spec: ref("spec"),
        list: { type: "array", items: ref("item") },
        map: { additionalProperties: ref("item") },
      },
      additionalProperties: ref("item"),
      items: ref("item"),
    };
    const parts = { spec: { type: "object", properties: { item: ref("item") } }, item: text };
    expect(filled(root, parts)).toEqual({
      ...of,
      type: "object",
      required: ["spec"],
      properties: {
        spec: { type: "object", properties: { item: text } },
        list: { type: "array", items: text },
        map: { additionalProperties: text },
      },
      additionalProperties: text,
      items: text,
    });
  });

  test("in place of a default and a description beside it", () => {
    const spec = { allOf: [ref("spec")], default: {}, description: "the spec" };
    expect(filled({ properties: { spec } }, { spec: text })).toMatchObject({ properties: { spec: text } });
  });

  test("to an object without fields in a cycle, and completely if they are repeated", () => {
    const node = { type: "object", properties: { left: ref("node"), name: text } };
    const whole = { type: "object", properties: { left: { type: "object" }, name: text } };
    const root = { properties: { one: ref("node"), other: ref("node"), again: ref("root") } };
    expect(filled(root, { node })).toEqual({
      ...of,
      properties: { one: whole, other: whole, again: { type: "object" } },
    });
  });

  test("with numbers or strings as in Kubernetes' own kinds, by their format", () => {
    const port = { oneOf: [{ type: "integer" }, text], format: "int-or-string" };
    expect(filled({ properties: { port } })).toMatchObject({
      properties: { port: { "x-kubernetes-int-or-string": true } },
    });
  });

  test("and fields of any kind as they are", () => {
    expect(filled({ additionalProperties: true })).toEqual({ ...of, additionalProperties: true });
  });
});

describe("there is no schema", () => {
  test("for a kind, version or group that the document does not have", () => {
    const document = { components: { schemas: { root: of, plain: text } } };
    for (const other of [{ kind: "Gadget" }, { version: "v2" }, { group: "" }])
      expect(schemaIn(document, { ...gvk, ...other })).toBeUndefined();
    expect([schemaIn({}, gvk), schemaIn({ components: {} }, gvk)]).toEqual([undefined, undefined]);
  });

  test("with a reference to a missing one", () => {
    expect(filled({ properties: { spec: { type: "array", items: ref("none") } } })).toBeUndefined();
  });
});
