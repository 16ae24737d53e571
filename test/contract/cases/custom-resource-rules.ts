/** Validation rules of custom resources (`x-kubernetes-validations`): rejected objects and the messages. */
import { apply, del, get, patch, post, put, settle, type Case, type Step, type Table } from "../case.ts";
import {
  type DefinitionOptions,
  definitions,
  established,
  group,
  specOf,
  tries,
  twoVersions,
  widget,
  widgets,
  widgetsV2,
} from "./definition-steps.ts";
import { definedRuleCases } from "./rule-definitions.ts";

type Json = Record<string, unknown>;
type Rule = string | Json;

const own = `${definitions}/widgets.${group}`;

const text = { type: "string" };
const int = { type: "integer" };
const longest = (maxLength: number): Json => ({ type: "string", maxLength });

const ruled = (schema: Json, ...rules: readonly Rule[]): Json => ({
  ...schema,
  "x-kubernetes-validations": rules.map((rule) => (typeof rule === "string" ? { rule } : rule)),
});

const of = (name: string, options: DefinitionOptions, ...steps: readonly Step[]): Case => ({
  name,
  steps: [...established(options), ...steps],
});

/** A field with rules, and values for it. */
const field = (name: string, { schema, rules }: { schema: Json; rules: readonly Rule[] }, ...values: unknown[]): Case =>
  of(
    name,
    { schema: specOf({ field: ruled(schema, ...rules) }) },
    ...tries(...values.map((value) => ({ field: value }))),
  );

/** A spec with rules, and specs to validate. */
const spec = (name: string, { fields, rules }: { fields: Json; rules: readonly Rule[] }, ...specs: Json[]): Case =>
  of(
    name,
    { schema: { type: "object", properties: { spec: ruled({ type: "object", properties: fields }, ...rules) } } },
    ...tries(...specs),
  );

const create = (specValue: Json): Step => post(widgets, widget("a", { spec: specValue }));
const change = (specValue: Json): Step => patch("merge", `${widgets}/a`, { spec: specValue });

const withStatus = { subresources: { status: {} } };

const rising = "self >= oldSelf";
const list = (items: Json, more: Json = {}): Json => ({ type: "array", maxItems: 10, items, ...more });
const keyed = (rule: Rule): Json =>
  list(ruled({ type: "object", required: ["k"], properties: { k: longest(9), v: int } }, rule), {
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
  });

const messages: readonly Case[] = [
  field("a rule without a message", { schema: int, rules: ["self > 1"] }, 1, 2),
  field(
    "a rule with a message",
    { schema: int, rules: [{ rule: "self > 1", message: " must be more than one " }] },
    1,
    2,
  ),
  field(
    "a message expression",
    {
      schema: int,
      rules: [{ rule: "self > 1", message: "no", messageExpression: "self == 0 ? 'nothing  ' : 'little'" }],
    },
    0,
  ),
  field(
    "message expressions with unusable results",
    {
      schema: int,
      rules: [{ rule: "self > 4", message: "no", messageExpression: "['', ' ', 'a\\nb', 'a\\rb'][self]" }],
    },
    0,
    1,
    2,
    3,
    4,
  ),
  field(
    "message expressions that fail",
    { schema: int, rules: [{ rule: "self > 1", messageExpression: "string(1 / self)" }] },
    0,
    1,
  ),
  field(
    "the longest message",
    {
      schema: { type: "string", maxLength: 6000 },
      rules: [{ rule: "self == ''", message: "no", messageExpression: "self" }],
    },
    "x".repeat(5120),
    "x".repeat(5121),
  ),
  ...["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"].map((reason) =>
    spec(
      `reason ${reason}`,
      {
        fields: { a: ruled(int, { rule: "self > 0", reason, message: "no" }), b: int },
        rules: [{ rule: "self.b > 0", reason }],
      },
      { a: 0, b: 1 },
      { a: 1, b: 0 },
    ),
  ),
  spec(
    "the path of a field",
    {
      fields: { a: int, "b.c": int },
      rules: [
        { rule: "self.a > 0", fieldPath: ".a" },
        { rule: "self.a != 0", fieldPath: "['b.c']" },
      ],
    },
    { a: 0 },
  ),
  spec(
    "paths into maps",
    {
      fields: { a: int, m: { type: "object", additionalProperties: { type: "object", properties: { x: int } } } },
      rules: [
        { rule: "self.a > 0", fieldPath: ".m['x/y']", reason: "FieldValueRequired" },
        { rule: "self.a > 1", fieldPath: ".m.one.x", reason: "FieldValueForbidden" },
      ],
    },
    { a: 0 },
    { a: 1 },
  ),
  field(
    "several rules for a value",
    { schema: int, rules: ["self > 1", "self % 2 == 0", { rule: "self < 9", message: "too much" }] },
    1,
    11,
    4,
  ),
];

const places: readonly Case[] = [
  spec(
    "a rule that compares fields",
    { fields: { a: int, b: int }, rules: ["self.a <= self.b"] },
    { a: 1, b: 2 },
    { a: 3, b: 2 },
    { a: 1 },
  ),
  spec(
    "optional fields",
    { fields: { a: int, b: int }, rules: ["!has(self.b) || self.a == self.b", "self.?b.orValue(1) == 1"] },
    { a: 1 },
    { a: 2 },
    { a: 2, b: 2 },
  ),
  of(
    "a rule for the whole object can use its name and kind",
    {
      schema: ruled(
        { type: "object" },
        "self.metadata.name.startsWith('a')",
        "self.kind == 'Widget' && self.apiVersion.endsWith('/v1')",
        { rule: "!has(self.metadata.generateName)", message: "named by its author" },
      ),
    },
    post(widgets, widget("a"), "dryRun=All"),
    post(widgets, widget("b"), "dryRun=All"),
    post(widgets, { ...widget(""), metadata: { name: "ab", generateName: "a" } }, "dryRun=All"),
  ),
  field(
    "items of a list",
    { schema: list(ruled(longest(9), "self.size() < 3")), rules: ["self.size() > 1"] },
    ["a", "b"],
    ["abc", "d"],
    ["a"],
  ),
  field(
    "values of a map",
    {
      schema: { type: "object", maxProperties: 9, additionalProperties: ruled(int, "self > 0") },
      rules: ["'a' in self"],
    },
    { a: 1 },
    { b: 1 },
    { a: 1, "x/y": 0 },
  ),
  field(
    "sets are compared without order",
    { schema: list(longest(5), { "x-kubernetes-list-type": "set" }), rules: ["self == ['a', 'b']"] },
    ["a", "b"],
    ["b", "a"],
    ["a"],
  ),
  field(
    "lists are compared with order",
    { schema: list(longest(5)), rules: ["self == ['a', 'b']"] },
    ["a", "b"],
    ["b", "a"],
  ),
  field(
    "numbers and booleans",
    {
      schema: { type: "object", properties: { n: ruled({ type: "number" }, "self > 1.5"), b: { type: "boolean" } } },
      rules: ["self.b || self.n > 2.0"],
    },
    { n: 1, b: true },
    { n: 1.7, b: false },
    { n: 3, b: false },
  ),
  field(
    "null values where they are allowed",
    {
      schema: { type: "object", nullable: true, properties: { a: { ...int, nullable: true } } },
      rules: ["has(self.a)"],
    },
    null,
    { a: null },
    { a: 1 },
  ),
  field(
    "int-or-string",
    { schema: { "x-kubernetes-int-or-string": true }, rules: ["type(self) == string ? self == 'x' : self > 5"] },
    3,
    6,
    "x",
    "y",
  ),
  field(
    "int-or-string compared with the wrong type",
    { schema: { "x-kubernetes-int-or-string": true }, rules: ["self > 5"] },
    "x",
    6,
  ),
  field(
    "unknown fields that are preserved",
    {
      schema: { type: "object", properties: { a: int }, "x-kubernetes-preserve-unknown-fields": true },
      rules: ["self.a > 1"],
    },
    { a: 1, b: 1 },
    { a: 2, b: 1 },
  ),
  field(
    "escaped names in expressions",
    {
      schema: { type: "object", properties: { "a-b": int, "c.d": int, "e/f": int, if: int, x__y: int } },
      rules: ["self.a__dash__b + self.c__dot__d + self.e__slash__f + self.__if__ + self.x__underscores__y == 5"],
    },
    { "a-b": 1, "c.d": 1, "e/f": 1, if: 1, x__y: 1 },
    { "a-b": 2, "c.d": 1, "e/f": 1, if: 1, x__y: 1 },
  ),
  of(
    "an embedded resource",
    {
      schema: specOf({
        field: ruled(
          {
            type: "object",
            "x-kubernetes-embedded-resource": true,
            properties: { data: { type: "object", properties: { a: int } } },
          },
          "self.kind == 'ConfigMap'",
          "self.metadata.name != 'no'",
          "!has(self.data) || self.data.a > 1",
        ),
      }),
    },
    ...tries(
      { field: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } } },
      { field: { apiVersion: "v1", kind: "Secret", metadata: { name: "x" } } },
      { field: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "no" }, data: { a: 1 } } },
    ),
  ),
];

const formats: readonly Case[] = [
  field(
    "dates and times",
    {
      schema: { type: "string", format: "date-time" },
      rules: ["self > timestamp('2026-01-01T00:00:00Z')", "self.getFullYear() < 2030"],
    },
    "2025-06-01T00:00:00Z",
    "2026-06-01T00:00:00Z",
    "2031-06-01T00:00:00Z",
  ),
  field(
    "durations",
    { schema: { type: "string", format: "duration" }, rules: ["self <= duration('1h')"] },
    "30m",
    "61m",
  ),
  field(
    "bytes",
    { schema: { type: "string", format: "byte", maxLength: 40 }, rules: ["self == b'abc'"] },
    "YWJj",
    "YWJk",
  ),
  field(
    "quantities",
    { schema: longest(20), rules: ["isQuantity(self) && quantity(self).isLessThan(quantity('1Gi'))"] },
    "500Mi",
    "2Gi",
    "x",
  ),
  field(
    "IP addresses and CIDRs",
    {
      schema: longest(50),
      rules: ["isCIDR(self) ? cidr(self).containsIP('10.0.0.7') : isIP(self) && ip(self).family() == 4"],
    },
    "10.0.0.0/8",
    "11.0.0.0/8",
    "1.2.3.4",
    "::1",
  ),
  field(
    "URLs",
    {
      schema: longest(50),
      rules: ["isURL(self) && url(self).getScheme() == 'https' && url(self).getPort() == '8443'"],
    },
    "https://x.example:8443/a",
    "http://x.example:8443/a",
    "x",
  ),
  field(
    "patterns and strings",
    {
      schema: longest(30),
      rules: ["self.matches('^[a-z]+$')", "self.find('[aeiou]') != ''", "self.lowerAscii().split('b').size() < 3"],
    },
    "hello",
    "Hello",
    "xyz",
    "abbba",
  ),
  field(
    "versions and named formats",
    {
      schema: longest(30),
      rules: ["isSemver(self) ? semver(self).major() > 1 : !format.dns1123Label().validate(self).hasValue()"],
    },
    "2.0.1",
    "1.0.0",
    "abc",
    "A_b",
  ),
  field(
    "lists",
    {
      schema: list(int),
      rules: ["self.sum() < 10 && self.isSorted() && self.max() < 7", "self.all(x, self.exists_one(y, x == y))"],
    },
    [1, 2],
    [2, 1],
    [5, 6],
    [1, 1],
  ),
];

const failing: readonly Case[] = [
  field("a division by zero", { schema: int, rules: ["1 / self > 0"] }, 0),
  field("an index out of bounds", { schema: int, rules: ["[1, 2][self] > 0"] }, 5),
  field(
    "a missing key",
    {
      schema: { type: "object", maxProperties: 9, additionalProperties: int },
      rules: [{ rule: "self['a'] > 0", message: "a is needed" }],
    },
    { b: 1 },
  ),
  field("an overflow", { schema: int, rules: ["self * 9007199254740991 > 0"] }, 9007199254740991),
  field(
    "a call whose cost is too high",
    { schema: list(int, { maxItems: 1000 }), rules: ["self.all(x, self.all(y, x + y >= 0))", "true"] },
    Array.from({ length: 700 }, (_, n) => n),
    [1],
  ),
  field(
    "rules whose cost at runtime is too high together",
    {
      schema: list(
        ruled(list(int, { maxItems: 380 }), ...[0, -1].map((n) => `self.all(x, self.all(y, x + y >= ${n}))`)),
        { maxItems: 9 },
      ),
      rules: ["true"],
    },
    Array.from({ length: 9 }, () => Array.from({ length: 380 }, (_, n) => n)),
  ),
  spec(
    "rules are evaluated only for a valid object",
    { fields: { a: { type: "string", maxLength: 3 }, b: { ...int, minimum: 5 } }, rules: ["false"] },
    { a: "abcd" },
    { a: 1 },
    { b: 1 },
    {},
  ),
  of(
    "rules are evaluated only with required fields and supported values",
    { schema: specOf({ a: { type: "string", enum: ["x"] }, b: ruled(int, "false") }, { required: ["b"] }) },
    ...tries({}, { b: 1 }, { a: "y", b: 1 }),
  ),
];

const transitions: readonly Case[] = [
  of(
    "a value can only increase",
    { schema: specOf({ field: ruled(int, rising) }) },
    create({ field: 1 }),
    change({ field: 2 }),
    change({ field: 1 }),
    change({ field: null }),
    change({ field: 0 }),
  ),
  of(
    "a value cannot change",
    { schema: specOf({ field: ruled(text, { rule: "self == oldSelf", message: "field is immutable" }) }) },
    create({ field: "a" }),
    change({ field: "b" }),
    patch("merge", `${widgets}/a`, { metadata: { labels: { a: "b" } } }),
  ),
  of(
    "an optional oldSelf",
    {
      schema: specOf({
        field: ruled(int, { rule: "oldSelf.hasValue() ? self > oldSelf.value() : self == 1", optionalOldSelf: true }),
      }),
    },
    create({ field: 2 }),
    create({ field: 1 }),
    change({ field: 1 }),
    patch("merge", `${widgets}/a`, { metadata: { labels: { a: "b" } } }),
    change({ field: 2 }),
  ),
  of(
    "the message of a transition rule",
    {
      schema: specOf({
        field: ruled(int, { rule: rising, messageExpression: "oldSelf == 5 ? 'was five' : 'was another'" }),
      }),
    },
    create({ field: 5 }),
    change({ field: 3 }),
  ),
  of(
    "items of a keyed list",
    { schema: specOf({ field: keyed("self.v >= oldSelf.v") }) },
    create({
      field: [
        { k: "a", v: 1 },
        { k: "b", v: 5 },
      ],
    }),
    change({
      field: [
        { k: "b", v: 5 },
        { k: "a", v: 2 },
        { k: "c", v: 0 },
      ],
    }),
    change({ field: [{ k: "b", v: 4 }] }),
  ),
  of(
    "values of a map, by key",
    { schema: specOf({ field: { type: "object", maxProperties: 9, additionalProperties: ruled(int, rising) } }) },
    create({ field: { a: 1, b: 3 } }),
    change({ field: { a: 2, c: 0 } }),
    change({ field: { b: 2 } }),
  ),
  of(
    "a rule for the whole spec",
    {
      schema: {
        type: "object",
        properties: {
          spec: ruled(
            { type: "object", properties: { a: int, b: int } },
            { rule: "!has(oldSelf.a) || has(self.a)", message: "a stays" },
          ),
        },
      },
    },
    create({ a: 1, b: 1 }),
    change({ a: null }),
    change({ b: 2 }),
    put(`${widgets}/a`, widget("a", { metadata: { name: "a", resourceVersion: "{3.metadata.resourceVersion}" } })),
  ),
  of(
    "a PUT and an apply are updates",
    { schema: specOf({ field: ruled(int, rising) }) },
    create({ field: 3 }),
    put(
      `${widgets}/a`,
      widget("a", { metadata: { name: "a", resourceVersion: "{3.metadata.resourceVersion}" }, spec: { field: 2 } }),
    ),
    apply(`${widgets}/a`, "m", widget("a", { spec: { field: 2 } }), "force=true"),
    apply(`${widgets}/b`, "m", widget("b", { spec: { field: 2 } })),
    apply(`${widgets}/b`, "m", widget("b", { spec: { field: 1 } })),
  ),
  of(
    "rules are not evaluated when an object is deleted",
    { schema: specOf({ field: ruled(int, rising) }) },
    create({ field: 3 }),
    del(`${widgets}/a`),
    create({ field: 1 }),
  ),
];

/** Creates an object under one schema, then gives the definition another schema. */
const later = (name: string, [before, after]: readonly [Json, Json], stored: Json, ...steps: readonly Step[]): Case =>
  of(
    name,
    { schema: before },
    create(stored),
    patch("merge", own, {
      spec: { versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: after } }] },
    }),
    settle,
    ...steps,
  );

const labelled = (value: string): Step => patch("merge", `${widgets}/a`, { metadata: { labels: { a: value } } });

const ratcheted: readonly Case[] = [
  later(
    "unchanged values that were stored before the rule only cause a warning",
    [specOf({ a: int, b: int }), specOf({ a: ruled(int, "self > 5"), b: int })],
    { a: 1, b: 1 },
    labelled("x"),
    change({ b: 2 }),
    change({ a: 2 }),
    change({ a: 7 }),
    change({ a: 1 }),
  ),
  later(
    "a rule for the object around a change is evaluated",
    [
      specOf({ a: int, b: int }),
      { type: "object", properties: { spec: ruled({ type: "object", properties: { a: int, b: int } }, "self.a > 5") } },
    ],
    { a: 1, b: 1 },
    labelled("x"),
    change({ b: 2 }),
  ),
  later(
    "items without keys count as new when their list changes",
    [specOf({ l: list(int), b: int }), specOf({ l: list(ruled(int, "self > 5")), b: int })],
    { l: [1], b: 1 },
    change({ b: 2 }),
    change({ l: [1, 9] }),
  ),
  later(
    "items with keys are ratcheted one by one",
    [specOf({ l: keyed("true") }), specOf({ l: keyed("self.v > 5") })],
    { l: [{ k: "a", v: 1 }] },
    change({
      l: [
        { k: "a", v: 1 },
        { k: "b", v: 9 },
      ],
    }),
    change({ l: [{ k: "a", v: 2 }] }),
  ),
  later(
    "transition rules are never ratcheted",
    [specOf({ a: int, b: int }), specOf({ a: ruled(int, "self > oldSelf"), b: int })],
    { a: 1, b: 1 },
    labelled("x"),
    change({ b: 2 }),
    change({ a: 2 }),
  ),
];

const statuses: readonly Case[] = [
  of(
    "rules of the status",
    {
      schema: {
        type: "object",
        properties: {
          spec: { type: "object", properties: { a: int } },
          status: { type: "object", properties: { n: ruled(int, rising) } },
        },
      },
      version: withStatus,
    },
    post(widgets, widget("a", { spec: { a: 1 }, status: { n: 5 } })),
    patch("merge", `${widgets}/a/status`, { status: { n: 3 } }),
    patch("merge", `${widgets}/a/status`, { status: { n: 2 } }),
    change({ a: 2 }),
    get(`${widgets}/a`),
  ),
  of(
    "a rule for spec and status",
    {
      schema: ruled(
        {
          type: "object",
          properties: {
            spec: { type: "object", properties: { a: int } },
            status: { type: "object", properties: { n: int } },
          },
        },
        {
          rule: "!has(self.status) || self.status.n <= self.spec.a",
          message: "n is at most a",
          fieldPath: ".status.n",
        },
      ),
      version: withStatus,
    },
    post(widgets, widget("a", { spec: { a: 1 } })),
    patch("merge", `${widgets}/a/status`, { status: { n: 1 } }),
    patch("merge", `${widgets}/a/status`, { status: { n: 2 } }),
    change({ a: 0 }),
  ),
  of(
    "a rule for the spec, when the status is written",
    {
      schema: {
        type: "object",
        properties: {
          spec: ruled({ type: "object", properties: { a: int } }, "self.a > 0"),
          status: { type: "object", properties: { n: int } },
        },
      },
      version: withStatus,
    },
    post(widgets, widget("a", { spec: { a: 1 } })),
    patch("merge", `${widgets}/a/status`, { spec: { a: 0 }, status: { n: 1 } }),
  ),
  of(
    "a scale",
    {
      schema: specOf({ replicas: ruled(int, { rule: "self <= 3", message: "three at most" }) }),
      version: {
        subresources: { scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } },
      },
    },
    create({ replicas: 1 }),
    patch("merge", `${widgets}/a/scale`, { spec: { replicas: 3 } }),
    patch("merge", `${widgets}/a/scale`, { spec: { replicas: 4 } }),
  ),
  of(
    "rules see defaults",
    {
      schema: {
        type: "object",
        properties: {
          spec: ruled({ type: "object", properties: { a: { ...int, default: 7 } } }, "self.a == 7"),
        },
      },
    },
    post(widgets, widget("a"), "dryRun=All"),
    ...tries({}, { a: 1 }),
  ),
  of(
    "rules do not see pruned fields",
    { schema: specOf({ a: ruled({ type: "object", properties: { b: int } }, "has(self.b)") }) },
    ...tries({ a: { c: 1 } }, { a: { b: 1, c: 1 } }),
  ),
  of(
    "each version has its own rules",
    {
      versions: twoVersions(
        specOf({ a: ruled(int, "self < 5", rising) }),
        specOf({ a: ruled(int, "self > 2", { rule: "self != oldSelf + 1", message: "not by one" }) }),
      ),
    },
    post(widgets, widget("x", { spec: { a: 9 } })),
    post(widgets, widget("x", { spec: { a: 3 } })),
    patch("merge", `${widgetsV2}/x`, { spec: { a: 4 } }),
    patch("merge", `${widgetsV2}/x`, { spec: { a: 2 } }),
    patch("merge", `${widgetsV2}/x`, { spec: { a: 9 } }),
    patch("merge", `${widgets}/x`, { spec: { a: 8 } }),
  ),
];

export const customResourceRules: Table = {
  name: "custom-resource-rules",
  sideBySide: true,
  slow: "the real server takes two seconds to serve a new kind",
  cases: [
    ...definedRuleCases,
    ...messages,
    ...places,
    ...formats,
    ...failing,
    ...transitions,
    ...ratcheted,
    ...statuses,
  ],
};
