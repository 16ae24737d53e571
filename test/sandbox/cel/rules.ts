/** Schemas with rules, and objects to validate with them. */
import type { Question } from "../../../scripts/cel/oracle.ts";

const root = (spec: object, rest: object = {}): object => ({
  type: "object",
  ...rest,
  properties: { spec: { type: "object", ...spec } },
});

const rules = (...list: readonly (string | object)[]): object => ({
  "x-kubernetes-validations": list.map((rule) => (typeof rule === "string" ? { rule } : rule)),
});

const object = (spec: object): object => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "a" },
  spec,
});

const question = (schema: object, ...objects: readonly (object | readonly [object, object])[]): Question => ({
  rules: schema,
  objects: objects.map((one) =>
    Array.isArray(one) ? { object: object(one[0]), old: object(one[1]) } : { object: object(one) },
  ),
});

const text = { type: "string" };
const short = { type: "string", maxLength: 10 };
const int = { type: "integer" };

const judged: readonly Question[] = [
  question(
    root({ properties: { a: int, b: int }, ...rules("self.a <= self.b") }),
    { a: 1, b: 2 },
    { a: 3, b: 2 },
    { a: 1 },
  ),
  question(root({ properties: { a: int }, ...rules({ rule: "self.a > 0", message: " must be positive " }) }), { a: 0 }),
  question(
    root({ properties: { a: int }, ...rules({ rule: "self.a > 0", messageExpression: '"a is " + string(self.a)' }) }),
    { a: 0 },
  ),
  question(
    root({
      properties: { a: int },
      ...rules({ rule: "self.a > 0", message: "fallback", messageExpression: '"x\\ny"' }),
    }),
    { a: 0 },
  ),
  question(root({ properties: { a: int }, ...rules({ rule: "self.a > 0", messageExpression: '" "' }) }), { a: 0 }),
  question(
    root({
      properties: { a: int },
      ...rules({ rule: "self.a > 0", messageExpression: "string(1 / (self.a - self.a))" }),
    }),
    { a: 0 },
  ),
  ...["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"].map((reason) =>
    question(
      root({
        properties: { a: { ...int, ...rules({ rule: "self > 0", reason }) } },
        ...rules({ rule: "self.a > 0", reason }),
      }),
      { a: 0 },
    ),
  ),
  question(root({ properties: { a: int }, ...rules({ rule: "self.a > 0", fieldPath: ".a" }) }), { a: 0 }),
  question(
    root({
      properties: { "a.b": int, m: { type: "object", additionalProperties: int } },
      ...rules({ rule: "false", fieldPath: "['a.b']" }, { rule: "false", fieldPath: ".m['x/y']" }),
    }),
    {},
  ),
  question(root({ properties: { a: { ...text, ...rules("self.startsWith('x')") } } }), { a: "xy" }, { a: "y" }),
  question(root({ properties: { a: { type: "array", items: { ...text, ...rules("self.size() < 3") } } } }), {
    a: ["a", "bcd"],
  }),
  question(root({ properties: { a: { type: "object", additionalProperties: { ...int, ...rules("self > 1") } } } }), {
    a: { x: 1, y: 2, "z.z": 0 },
  }),
  question(root({ properties: { a: { type: "number", ...rules("self > 1.5") } } }), { a: 1 }, { a: 2.5 }),
  question(root({ properties: { a: { type: "boolean", ...rules("self") } } }), { a: false }),
  // Transition rules.
  question(
    root({ properties: { a: { ...int, ...rules("self >= oldSelf") } } }),
    [{ a: 1 }, { a: 2 }],
    [{ a: 2 }, { a: 1 }],
    { a: 0 },
    [{ a: 1 }, {}],
  ),
  question(
    root({
      properties: {
        a: { ...int, ...rules({ rule: "!oldSelf.hasValue() || oldSelf.value() <= self", optionalOldSelf: true }) },
      },
    }),
    { a: 1 },
    [{ a: 1 }, { a: 2 }],
    [{ a: 2 }, { a: 1 }],
  ),
  question(
    root({
      properties: { a: int },
      ...rules({ rule: "oldSelf.optMap(o, o.a < self.a).orValue(self.a == 0)", optionalOldSelf: true }),
    }),
    { a: 1 },
    { a: 0 },
    [{ a: 1 }, { a: 2 }],
  ),
  question(
    root({
      properties: { "x-y": text, t: { type: "string", format: "date-time" } },
      ...rules({ rule: "oldSelf.hasValue() ? has(oldSelf.value().x__dash__y) : true", optionalOldSelf: true }),
    }),
    [{ "x-y": "a" }, { "x-y": "b" }],
  ),
  question(root({ properties: { a: int }, ...rules({ rule: "true", optionalOldSelf: true }) }), { a: 1 }),
  question(
    root({
      properties: {
        l: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
          items: { type: "object", required: ["k"], properties: { k: text, v: int }, ...rules("self.v >= oldSelf.v") },
        },
      },
    }),
    [
      {
        l: [
          { k: "b", v: 1 },
          { k: "a", v: 1 },
        ],
      },
      {
        l: [
          { k: "a", v: 2 },
          { k: "b", v: 1 },
        ],
      },
    ],
    [{ l: [{ k: "c", v: 1 }] }, { l: [{ k: "a", v: 2 }] }],
  ),
  question(root({ properties: { l: { type: "array", items: { ...int, ...rules("self >= oldSelf") } } } }), { l: [1] }),
  question(
    root({ properties: { m: { type: "object", additionalProperties: { ...int, ...rules("self >= oldSelf") } } } }),
    [{ m: { a: 1, b: 3 } }, { m: { a: 2, b: 2 } }],
  ),
  // Unchanged values are not validated again.
  question(
    root({ properties: { a: { ...int, ...rules("self > 0") }, b: int }, ...rules("self.a > 0") }),
    [
      { a: 0, b: 1 },
      { a: 0, b: 1 },
    ],
    [
      { a: 0, b: 2 },
      { a: 0, b: 1 },
    ],
    [{ a: 0 }, { a: -1 }],
  ),
  question(
    root({ properties: { l: { type: "array", items: { ...int, ...rules("self > 0") } } } }),
    [{ l: [0] }, { l: [0] }],
    [{ l: [0, 0] }, { l: [0] }],
  ),
  // Runtime errors.
  question(
    root({ properties: { a: int }, ...rules("1 / self.a > 0", "[1, 2][self.a] == 1", "dyn(self.a) + 'x' == 'y'") }),
    { a: 0 },
    { a: 5 },
  ),
  question(
    root({ properties: { a: { "x-kubernetes-int-or-string": true, ...rules("self > 5") } } }),
    { a: 3 },
    { a: "x" },
    { a: 9 },
  ),
  question(
    root({
      properties: { a: { type: "array", items: { type: "integer" }, maxItems: 3000 } },
      ...rules("self.a.all(x, self.a.all(y, x + y >= 0))", "true"),
    }),
    { a: Array.from({ length: 700 }, (_, n) => n) },
    { a: [1] },
  ),
  question(
    root({
      properties: {
        a: {
          type: "array",
          maxItems: 100,
          items: { type: "array", maxItems: 500, items: int, ...rules("self.all(x, self.all(y, x + y >= 0))") },
        },
      },
    }),
    { a: Array.from({ length: 40 }, () => Array.from({ length: 300 }, (_, n) => n)) },
  ),
  // Rules on the whole resource, and on an embedded one.
  question(
    {
      ...root({ properties: { a: int } }),
      ...rules("self.metadata.name == 'a'", "self.kind == 'Other'", "self.spec.a > 0"),
    },
    { a: 0 },
  ),
  question(
    root({
      properties: {
        t: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
          ...rules("self.kind == 'Pod'", "has(self.metadata.name)"),
        },
      },
    }),
    { t: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } } },
    { t: { apiVersion: "v1", kind: "Node", metadata: {} } },
  ),
  question(root({ properties: { n: { ...text, nullable: true, ...rules("self == 'x'") } } }), { n: null }, { n: "y" }),
  question(
    root({
      properties: { d: { type: "string", format: "date-time" } },
      ...rules("self.d > timestamp('2020-01-01T00:00:00Z')"),
    }),
    { d: "2019-01-01T00:00:00Z" },
    { d: "bad" },
  ),
];

const refused: readonly Question[] = [
  "self.a >",
  "self.missing > 0",
  "self.a + 1",
  "int('x') > 0",
  "self.s.matches('(')",
  "oldSelf.missing",
  "self.l.all(x, self.l.all(y, x == y))",
  "self.l.all(x, self.l.all(y, self.l.all(z, x == y)))",
  "self.s.contains(self.s)",
  "self.short == 'a'",
  "self.m.all(k, self.m[k] == 'x')",
  "self.l.map(x, x + 'y').join(',').contains('z')",
  "self.s.findAll('x').size() > 1",
  "self.a == 1 && self.s == 'x'",
  "foo",
  "cel.bind(x, self.a, x > 0)",
  "self.nested.all(l, l.all(x, x == 'a'))",
  "self.open.x == 1",
  "self.p == 1 || self.p == 'a'",
].map((rule) =>
  question(
    root({
      properties: {
        a: int,
        s: text,
        short,
        p: { "x-kubernetes-int-or-string": true },
        open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        l: { type: "array", items: text },
        m: { type: "object", additionalProperties: text },
        nested: { type: "array", items: { type: "array", items: short } },
      },
      ...rules(rule),
    }),
  ),
);

const costly: readonly Question[] = [
  question(
    root({ properties: { l: { type: "array", items: { ...text, ...rules("self.contains('x')", "self == 'a'") } } } }),
  ),
  question(
    root({ properties: { l: { type: "array", maxItems: 10, items: { ...short, ...rules("self.contains('x')") } } } }),
  ),
  question(
    root({
      properties: {
        l: {
          type: "array",
          items: { type: "object", properties: { m: { type: "array", items: { ...int, ...rules("self > 0") } } } },
        },
      },
    }),
  ),
  question(
    root({
      properties: {
        m: {
          type: "object",
          additionalProperties: { type: "object", properties: { a: short }, ...rules("self.a == 'x'", "has(self.a)") },
        },
      },
    }),
  ),
  question(
    root({
      properties: {
        m: {
          type: "object",
          maxProperties: 100,
          additionalProperties: { ...text, ...rules("self.size() < 5", "self.matches('^[a-z]+$')") },
        },
      },
    }),
  ),
  question(
    root({
      properties: Object.fromEntries(
        Array.from({ length: 12 }, (_, n) => [
          `f${n}`,
          { type: "array", items: { ...int, ...rules("self > 0 && self < 100") } },
        ]),
      ),
    }),
  ),
  question(
    root({
      properties: { a: int, s: text },
      ...rules({ rule: "self.a > 0", messageExpression: "self.s + self.s.replace('a', 'b')" }),
    }),
  ),
  question(
    root({
      properties: { a: int, l: { type: "array", items: text } },
      ...rules({ rule: "self.a > 0", messageExpression: "self.l.map(x, self.l.map(y, x + y).join()).join()" }),
    }),
  ),
  question(
    root({
      properties: { a: int },
      ...rules(
        { rule: "self.a > 0", messageExpression: "self.a" },
        { rule: "self.a > 0", messageExpression: "self.b" },
      ),
    }),
  ),
  question(
    root({
      properties: {
        l: { type: "array", "x-kubernetes-list-type": "set", items: { ...text, ...rules("self == oldSelf") } },
      },
    }),
  ),
  question(root({ properties: { e: { type: "string", enum: ["a", "bb"], ...rules("self.matches('a+')") } } })),
  question(
    root({
      properties: { d: { type: "string", format: "duration" }, b: { type: "string", format: "byte" } },
      ...rules("self.d > duration('1s') && self.b == b'x'"),
    }),
  ),
];

/** Every question of the corpus about rules. */
export const questions: readonly Question[] = [...judged, ...refused, ...costly];
