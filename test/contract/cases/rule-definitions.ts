/** Definitions with rules (`x-kubernetes-validations`): which are rejected, with the messages. */
import { patch, post, type Case } from "../case.ts";
import {
  definition,
  type DefinitionOptions,
  definitions,
  established,
  group,
  specOf,
  twoVersions,
} from "./definition-steps.ts";

type Json = Record<string, unknown>;
type Rule = string | Json;

const text = { type: "string" };
const int = { type: "integer" };

const ruled = (schema: Json, ...rules: readonly Rule[]): Json => ({
  ...schema,
  "x-kubernetes-validations": rules.map((rule) => (typeof rule === "string" ? { rule } : rule)),
});

/** Creates definitions as dry runs. */
const tried = (name: string, ...options: readonly DefinitionOptions[]): Case => ({
  name,
  steps: options.map((each) => post(definitions, definition(each), "dryRun=All")),
});

/** Definitions of a field with rules. */
const fields = (name: string, ...schemas: readonly Json[]): Case =>
  tried(name, ...schemas.map((schema) => ({ schema: specOf({ field: schema }) })));

/** Definitions of an integer field, each with one of the rules. */
const rules = (name: string, ...each: readonly Rule[]): Case => fields(name, ...each.map((rule) => ruled(int, rule)));

/** Definitions of an object with two fields, each with one of the rules. */
const objectRules = (name: string, ...each: readonly Rule[]): Case =>
  fields(
    name,
    ...each.map((rule) =>
      ruled(
        {
          type: "object",
          properties: {
            a: int,
            "b.c": text,
            m: { type: "object", additionalProperties: int },
            l: { type: "array", items: int },
          },
        },
        rule,
      ),
    ),
  );

const costly = "self.all(x, self.all(y, x == y))";
const texts = (maxItems?: number, maxLength?: number): Json => ({
  type: "array",
  items: { type: "string", ...(maxLength === undefined ? {} : { maxLength }) },
  ...(maxItems === undefined ? {} : { maxItems }),
});

/** Definitions with rules that are rejected. */
export const definedRuleCases: readonly Case[] = [
  rules("expressions that cannot be parsed", "self >", "self === 1", "(self > 1", "self > 1)", "'a"),
  rules(
    "expressions of the wrong type",
    "self > 'a'",
    "self + 1",
    "self.a > 1",
    "undeclared > 1",
    "self.startsWith('a')",
  ),
  objectRules(
    "fields that are not in the schema",
    "self.x > 1",
    "self.b.c == 'a'",
    "self.m.x.y == 1",
    "self.metadata.name == 'a'",
  ),
  fields(
    "a multi-line expression",
    ruled(int, { rule: "self > 1 &&\n  self < 'a'", message: "no" }),
    ruled(int, "self > 1 &&\nself < 9"),
  ),
  rules(
    "a constant that fails",
    "int('x') > self",
    "duration('x') > duration('1s')",
    "timestamp('x') > timestamp('2020-01-01T00:00:00Z')",
    "'a'.matches('(')",
  ),
  rules("rules without an expression", "", "  ", {}, { rule: "", message: "no" }),
  rules(
    "invalid messages",
    { rule: "true", message: "  " },
    { rule: "true", message: "a\nb" },
    { rule: "true", message: "" },
  ),
  rules(
    "message expressions",
    { rule: "true", messageExpression: "  " },
    { rule: "true", messageExpression: "1" },
    { rule: "true", messageExpression: "self +" },
    { rule: "true", messageExpression: "string(int('x'))" },
    { rule: "true", messageExpression: "'is ' + string(oldSelf)" },
  ),
  rules("reasons", { rule: "true", reason: "FieldValueTooLong" }, { rule: "true", reason: "" }),
  objectRules(
    "paths of missing fields",
    ...[" ", ".x", "a", ".a.b", ".a\n", ".l[0]", ".m", ".m['x']", "['b.c']", ".b.c", ".m['x", "..a", ".a[", "[a]"].map(
      (fieldPath) => ({ rule: "true", fieldPath }),
    ),
  ),
  rules(
    "an oldSelf that can be missing, without optionalOldSelf",
    { rule: "true", optionalOldSelf: true },
    { rule: "true", optionalOldSelf: false },
    { rule: "oldSelf.hasValue()", optionalOldSelf: true },
    { rule: "oldSelf > 1", optionalOldSelf: true },
  ),
  fields(
    "transition rules for items without old values",
    { type: "array", maxItems: 5, items: ruled(int, "self >= oldSelf") },
    { type: "array", maxItems: 5, "x-kubernetes-list-type": "set", items: ruled(int, "self >= oldSelf") },
    { type: "array", maxItems: 5, items: { type: "object", properties: { a: ruled(int, "self >= oldSelf") } } },
    { type: "array", maxItems: 5, items: ruled(int, { rule: "oldSelf.hasValue()", optionalOldSelf: true }) },
  ),
  fields(
    "a rule whose cost is too high",
    ruled(texts(), costly),
    ruled(texts(100), costly),
    ruled(texts(100, 10), costly),
    ruled(texts(200, 2000), costly),
  ),
  fields(
    "a rule whose cost is slightly too high",
    ruled({ type: "array", items: { type: "integer" }, maxItems: 1500 }, "self.all(x, self.all(y, x >= y))"),
    ruled({ type: "array", items: { type: "integer" }, maxItems: 1000 }, "self.all(x, self.all(y, x >= y))"),
  ),
  fields(
    "a message expression whose cost is too high",
    ruled(texts(), { rule: "true", messageExpression: "self.map(x, self.map(y, x + y).join('')).join('')" }),
  ),
  fields(
    "rules whose cost is too high for the number of their values",
    { type: "array", items: ruled({ type: "array", maxItems: 50, items: { type: "string", maxLength: 20 } }, costly) },
    {
      type: "object",
      maxProperties: 1000,
      additionalProperties: ruled({ type: "array", maxItems: 50, items: { type: "string", maxLength: 20 } }, costly),
    },
    {
      type: "array",
      maxItems: 4,
      items: ruled({ type: "array", maxItems: 50, items: { type: "string", maxLength: 20 } }, costly),
    },
  ),
  tried("rules whose total cost is too high", {
    schema: specOf({
      field: ruled(
        { type: "array", maxItems: 1000, items: { type: "integer" } },
        ...Array.from({ length: 15 }, (_, n) => `self.all(x, self.all(y, x + y > ${n}))`),
      ),
    }),
  }),
  tried(
    "rules are checked only if the schema around them is valid",
    { schema: specOf({ field: ruled({ ...int, uniqueItems: true }, "self > 'a'") }) },
    { schema: ruled(specOf({ field: { ...int, uniqueItems: true } }), "self.spec.field > 'a'") },
    {
      schema: {
        type: "object",
        properties: { spec: specOf({ field: { ...int, uniqueItems: true } }), status: ruled(int, "self > 'a'") },
      },
    },
    { schema: specOf({ field: ruled({ "x-kubernetes-int-or-string": true, type: "object" }, "self > 'a'") }) },
  ),
  tried("rules at the root, beside a status", {
    schema: ruled({ type: "object", properties: { status: { type: "object" } } }, "has(self.status)"),
    version: { subresources: { status: {} } },
  }),
  fields(
    "rules in unsupported parts of the schema",
    { type: "object", properties: { a: int }, allOf: [ruled({}, "true")] },
    { type: "object", properties: { a: int }, not: { properties: { a: ruled({}, "true") } } },
  ),
  fields(
    "defaults that satisfy the rules, and defaults that do not",
    ruled({ ...int, default: 5 }, "self > 3"),
    ruled({ ...int, default: 2 }, "self > 3"),
    ruled({ ...int, default: 2 }, { rule: "self > oldSelf" }),
    ruled({ ...int, default: 2 }, { rule: "oldSelf.hasValue()", optionalOldSelf: true, message: "no" }),
  ),
  fields("a default beside a rule that does not compile", ruled({ ...int, default: 5 }, "self > 'a'")),
  fields(
    "a default of an object with nested rules",
    { type: "object", default: { a: 1 }, properties: { a: ruled(int, "self > 3") } },
    { type: "object", default: { a: 4 }, properties: { a: ruled(int, "self > 3") } },
  ),
  tried(
    "several versions with rules",
    { versions: twoVersions(specOf({ a: ruled(int, "self > 'a'") }), specOf({ b: ruled(int, "true") })) },
    { versions: twoVersions(specOf({ a: ruled(int, "self > 'a'") }), specOf({ a: ruled(int, "self > 'a'") })) },
  ),
  fields(
    "several rules of one value",
    ruled(int, "self > 'a'", "true", "self", { rule: "1", message: " " }),
    ruled(int, "self > 'a'", "true", "self"),
  ),
  fields(
    "types of values in expressions",
    ruled({ type: "string", format: "date-time" }, "self > duration('1h')"),
    ruled({ type: "string", format: "duration" }, "self.getHours() > 'a'"),
    ruled({ "x-kubernetes-int-or-string": true }, "self > 5 || self == 'a'"),
    ruled({ type: "object", "x-kubernetes-preserve-unknown-fields": true }, "self.a == 1"),
    ruled(
      { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      "self.metadata.name == 'a' && self.metadata.labels == {}",
    ),
  ),
  {
    name: "a rule that is added later",
    steps: [
      ...established({ schema: specOf({ field: int }) }),
      ...["self > 1", "self > 'a'", "self > oldSelf"].map((rule) =>
        patch("json", `${definitions}/widgets.${group}`, [
          {
            op: "add",
            path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/field/x-kubernetes-validations",
            value: [{ rule }],
          },
        ]),
      ),
    ],
  },
];
