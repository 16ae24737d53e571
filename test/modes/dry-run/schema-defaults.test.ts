import { expect, test } from "bun:test";
import { type Schema, withDefaults } from "../../../src/modes/dry-run/schema-defaults.ts";

const schema: Schema = {
  properties: {
    spec: {
      default: {},
      properties: {
        size: { default: 1 },
        mode: { nullable: true, default: "a" },
        ports: { items: { properties: { port: {}, protocol: { default: "TCP" } } } },
        labels: { additionalProperties: { properties: { on: { default: true } } } },
      },
    },
  },
};

const rows: readonly { readonly name: string; readonly of: object; readonly is: object }[] = [
  { name: "of fields below a missing field", of: {}, is: { spec: { size: 1, mode: "a" } } },
  {
    name: "of the items of lists and maps",
    of: { spec: { size: 2, mode: "b", ports: [{ port: 80 }, { protocol: "UDP" }], labels: { x: {} } } },
    is: {
      spec: {
        size: 2,
        mode: "b",
        ports: [{ port: 80, protocol: "TCP" }, { protocol: "UDP" }],
        labels: { x: { on: true } },
      },
    },
  },
  {
    name: "in place of nulls, unless these are permitted",
    of: { spec: { size: null, mode: null, ports: null }, other: null },
    is: { spec: { size: 1, mode: null }, other: null },
  },
];

test.each(rows)("defaults $name are filled in", ({ of, is }) => {
  const before = structuredClone(of);
  expect(withDefaults(of, schema)).toEqual(is);
  expect(of).toEqual(before);
});

test("without a schema an object is unchanged", () => {
  expect(withDefaults({ a: null }, undefined)).toEqual({ a: null });
});
