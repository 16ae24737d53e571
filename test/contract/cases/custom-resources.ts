/** Custom resources: reading, pruning, defaulting, validation and writes according to their schema. */
import { apply, del, get, patch, post, put, settle, watching, type Case, type Step, type Table } from "../case.ts";
import {
  type DefinitionOptions,
  definition,
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

type Json = Record<string, unknown>;

const own = `${definitions}/widgets.${group}`;
const strict = "fieldValidation=Strict&dryRun=All";
const table = "application/json;as=Table;g=meta.k8s.io;v=v1";

const of = (name: string, options: DefinitionOptions, ...steps: readonly Step[]): Case => ({
  name,
  steps: [...established(options), ...steps],
});

/** Values of one field, with the messages for those that are rejected. */
const field = (name: string, schema: Json, ...values: readonly unknown[]): Case =>
  of(name, { schema: specOf({ field: schema }) }, ...tries(...values.map((value) => ({ field: value }))));

/** The real server creates the storage of a kind on the first request, and lists nothing before it exists. */
const warmed = post(widgets, widget("x"), "dryRun=All");

const text = { type: "string" };
const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const anything = { schema: { type: "object", properties: { spec: open, status: open } } };
const withStatus = { ...anything, version: { subresources: { status: {} } } };
const scaled = {
  ...anything,
  version: {
    subresources: {
      status: {},
      scale: {
        specReplicasPath: ".spec.replicas",
        statusReplicasPath: ".status.replicas",
        labelSelectorPath: ".status.selector",
      },
    },
  },
};
const listMap = {
  type: "array",
  items: { type: "object", properties: { name: text, value: { type: "integer", maximum: 5 } }, required: ["name"] },
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
};

/** Two managers apply values of every type, nested in each other, in a field or at the top level. */
function appliedAsFound(field: string): readonly Step[] {
  const nested = (values: Json): Json => widget("a", field === "" ? values : { [field]: values });
  const first = {
    size: 1,
    on: true,
    name: "x",
    none: null,
    deep: { a: { b: 1, none: null }, list: [{ x: 1 }, 2, null] },
  };
  return [
    apply(`${widgets}/a`, "one", nested(first)),
    apply(`${widgets}/a`, "one", nested(first)),
    apply(
      `${widgets}/a`,
      "two",
      nested({ deep: { a: { c: "2" }, list: [{ x: 1 }, 2, null] }, more: { empty: {}, items: [] } }),
    ),
    apply(`${widgets}/a`, "two", nested({ deep: { a: { b: 2 } }, size: "now a text" })),
    apply(`${widgets}/a`, "two", nested({ deep: { a: { b: 2 } }, size: "now a text" }), "force=true"),
    apply(`${widgets}/a`, "one", nested({ name: { is: "now an object" } })),
    patch("merge", `${widgets}/a`, nested({ deep: { a: null, list: [3] }, none: { a: null, b: [null] } })),
    apply(`${widgets}/a`, "two", nested({})),
    get(`${widgets}/a`),
  ];
}

export const customResourceCases: Table = {
  name: "custom-resources",
  sideBySide: true,
  cases: [
    of(
      "an object is created, read, listed and deleted",
      anything,
      post(widgets, widget("a", { spec: { size: 1 } })),
      get(`${widgets}/a`),
      get(widgets),
      get(`/apis/${group}/v1/widgets`),
      post(widgets, widget("a")),
      del(`${widgets}/a`),
      get(`${widgets}/a`),
      get(widgets),
    ),
    of(
      "cluster-scoped objects",
      { ...anything, scope: "Cluster" },
      post(`/apis/${group}/v1/widgets`, widget("a")),
      get(`/apis/${group}/v1/widgets/a`),
      get(widgets),
      get(`/apis/${group}/v1/widgets`),
    ),
    of(
      "an update increments the generation",
      anything,
      post(widgets, widget("a", { spec: { size: 1 } })),
      put(`${widgets}/a`, widget("a", { spec: { size: 2 } })),
      put(
        `${widgets}/a`,
        widget("a", { metadata: { name: "a", resourceVersion: "{3.metadata.resourceVersion}" }, spec: { size: 2 } }),
      ),
      patch("merge", `${widgets}/a`, { metadata: { labels: { a: "b" } } }),
      patch("merge", `${widgets}/a`, { status: { ready: true } }),
      patch("merge", `${widgets}/a`, { status: { ready: true } }),
    ),
    of(
      "patches",
      anything,
      post(widgets, widget("a", { spec: { list: [1, 2], map: { a: 1, b: 2 } } })),
      patch("merge", `${widgets}/a`, { spec: { map: { a: null, c: 3 }, list: [3] } }),
      patch("json", `${widgets}/a`, [{ op: "add", path: "/spec/list/-", value: 4 }]),
      patch("json", `${widgets}/a`, [{ op: "test", path: "/spec/list/0", value: 9 }]),
      patch("strategic", `${widgets}/a`, { spec: { list: [5] } }),
      patch("merge", `${widgets}/b`, {}),
    ),
    of(
      "the status subresource",
      withStatus,
      post(widgets, widget("a", { spec: { size: 1 }, status: { ready: false } })),
      patch("merge", `${widgets}/a`, { status: { ready: true }, spec: { size: 2 } }),
      patch("merge", `${widgets}/a/status`, {
        status: { ready: true },
        spec: { size: 3 },
        metadata: { labels: { a: "b" } },
      }),
      get(`${widgets}/a/status`),
      put(
        `${widgets}/a/status`,
        widget("a", { metadata: { name: "a", resourceVersion: "{5.metadata.resourceVersion}" } }),
      ),
    ),
    of(
      "without subresources",
      anything,
      post(widgets, widget("a")),
      get(`${widgets}/a/status`),
      get(`${widgets}/a/scale`),
    ),
    of(
      "the scale subresource",
      scaled,
      post(widgets, widget("a", { spec: { replicas: 3 } })),
      get(`${widgets}/a/scale`),
      patch("merge", `${widgets}/a/status`, { status: { replicas: 2, selector: "a=b" } }),
      get(`${widgets}/a/scale`),
      patch("merge", `${widgets}/a/scale`, { spec: { replicas: 5 } }),
      get(`${widgets}/a`),
    ),
    of(
      "a scale without a value",
      scaled,
      post(widgets, widget("a")),
      get(`${widgets}/a/scale`),
      post(widgets, widget("b", { spec: { replicas: -1 } })),
      post(widgets, widget("b", { spec: { replicas: 4294967296 } })),
    ),
    of(
      "unknown fields are pruned",
      { schema: specOf({ size: { type: "integer" }, deep: { type: "object", properties: { a: text } } }) },
      post(widgets, widget("a", { spec: { size: 1, extra: true, deep: { a: "b", c: 1 } }, other: 1 })),
      post(widgets, widget("b", { spec: { size: 1, extra: true } }), strict),
      post(widgets, widget("b", { spec: { size: 1, extra: true }, metadata: { name: "b", extra: 1 } }), strict),
      post(widgets, widget("b", { spec: { size: 1, extra: true } }), "fieldValidation=Ignore&dryRun=All"),
      patch("merge", `${widgets}/a`, { spec: { extra: 2 } }),
      patch("merge", `${widgets}/a`, { spec: { extra: 2 } }, "fieldValidation=Strict"),
    ),
    of(
      "unknown fields are kept if the schema preserves them",
      { schema: specOf({ open, known: { ...open, properties: { a: { type: "object", properties: { b: text } } } } }) },
      post(widgets, widget("a", { spec: { open: { x: { y: 1 } }, known: { a: { b: "c", d: 1 }, e: 2 }, gone: 1 } })),
    ),
    of(
      "null values",
      {
        schema: specOf({
          a: text,
          b: { ...text, nullable: true },
          c: { ...text, default: "d" },
          list: { type: "array", items: text },
        }),
      },
      post(widgets, widget("a", { spec: { a: null, b: null, c: null } })),
      post(widgets, widget("b", { spec: { list: [null] } })),
    ),
    of(
      "defaults",
      {
        schema: specOf({
          size: { type: "integer", default: 3 },
          deep: { type: "object", properties: { a: { ...text, default: "x" } } },
          filled: { type: "object", default: {}, properties: { a: { ...text, default: "y" } } },
          list: { type: "array", items: { type: "object", properties: { a: { ...text, default: "z" } } } },
          map: {
            type: "object",
            additionalProperties: { type: "object", properties: { a: { ...text, default: "w" } } },
          },
        }),
      },
      post(widgets, widget("a", { spec: {} })),
      post(
        widgets,
        widget("b", { spec: { size: 0, deep: {}, filled: { a: "v" }, list: [{}, { a: "u" }], map: { k: {} } } }),
      ),
      post(widgets, widget("c")),
      patch("merge", `${widgets}/a`, { spec: { size: null } }),
    ),
    of(
      "defaults of a later schema are added on reading",
      { schema: specOf({ size: { type: "integer" } }) },
      post(widgets, widget("a", { spec: { size: 1 } })),
      patch("json", own, [
        {
          op: "add",
          path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/color",
          value: { ...text, default: "red" },
        },
      ]),
      settle,
      get(`${widgets}/a`),
      patch("merge", `${widgets}/a`, { spec: { size: 1 } }),
    ),
    field("a wrong type", { type: "integer" }, "a", 1.5, true, {}, [], null, 1),
    field("a string", { type: "string", minLength: 2, maxLength: 4, pattern: "^[a-z]*$" }, "a", "abcde", "AB", 1, "ab"),
    field("a number", { type: "integer", minimum: 1, maximum: 10, multipleOf: 2 }, 0, 11, 3, 12, 4),
    field(
      "exclusive bounds",
      { type: "number", minimum: 0, maximum: 1, exclusiveMinimum: true, exclusiveMaximum: true },
      0,
      1,
      0.5,
    ),
    field("a 32-bit integer", { type: "integer", format: "int32" }, 2147483648, 5, "a"),
    field("an enum", { type: "string", enum: ["a", "b", "c"] }, "d", 1, "a"),
    field("an enum of numbers", { type: "integer", enum: [1, 2] }, 3, 1),
    field(
      "a list",
      { type: "array", items: { type: "integer" }, minItems: 1, maxItems: 2 },
      [],
      [1, 2, 3],
      ["a"],
      {},
      [1],
    ),
    field("an object", { type: "object", properties: { a: text }, required: ["a"] }, {}, { a: 1 }, "a", { a: "b" }),
    field(
      "a map",
      { type: "object", additionalProperties: { type: "integer" }, minProperties: 1, maxProperties: 2 },
      {},
      { a: "b" },
      { a: 1, b: 2, c: 3 },
      { a: 1 },
    ),
    field("an int-or-string", { "x-kubernetes-int-or-string": true }, 1, "a", true, 1.5, {}),
    field("nullable", { type: "string", nullable: true }, null, 1),
    field(
      "oneOf",
      { type: "object", properties: { a: text, b: text }, oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      {},
      { a: "x", b: "y" },
      { a: "x" },
    ),
    field("anyOf", { type: "integer", anyOf: [{ minimum: 10 }, { maximum: 3 }] }, 5, 11, 2),
    field("allOf", { type: "integer", allOf: [{ minimum: 10 }, { maximum: 30 }] }, 5, 31, 20),
    field("not", { type: "string", not: { enum: ["a"] } }, "a", "b"),
    field("date-time", { type: "string", format: "date-time" }, "yesterday", "2026-01-01T00:00:00Z", 5, true),
    field("date", { type: "string", format: "date" }, "2026-02-30", "2026-02-28"),
    field("duration", { type: "string", format: "duration" }, "fast", "1h30m", "5 days"),
    field("ipv4", { type: "string", format: "ipv4" }, "1.2.3", "1.2.3.4", "::1"),
    field("ipv6", { type: "string", format: "ipv6" }, "1.2.3.4", "::1", "fe80::1::2"),
    field("cidr", { type: "string", format: "cidr" }, "10.0.0.0", "10.0.0.0/8", "10.0.0.0/33"),
    field("uuid", { type: "string", format: "uuid" }, "x", "123e4567-e89b-12d3-a456-426614174000"),
    field("uri", { type: "string", format: "uri" }, "", "a b", "https://example.com/a", "/a"),
    field("email", { type: "string", format: "email" }, "x", "a@example.com"),
    field("hostname", { type: "string", format: "hostname" }, "a_b", "example.com"),
    field("byte", { type: "string", format: "byte" }, "*", "YWJj"),
    field("mac", { type: "string", format: "mac" }, "1:2", "01:23:45:67:89:ab"),
    field("a short name", { type: "string", format: "k8s-short-name" }, "A", "a-b"),
    field("hex color", { type: "string", format: "hexcolor" }, "red", "#fff"),
    field("an unknown format", { type: "string", format: "colour" }, "red", 1),
    of(
      "a set",
      { schema: specOf({ set: { type: "array", items: text, "x-kubernetes-list-type": "set" } }) },
      ...tries({ set: ["a", "a"] }, { set: ["a", "b", "a", "b"] }, { set: ["a", "b"] }),
    ),
    of(
      "a keyed list",
      { schema: specOf({ list: listMap }) },
      ...tries(
        { list: [{ name: "a" }, { name: "a" }] },
        { list: [{ value: 1 }] },
        { list: [{ name: "a" }, { name: "b" }] },
      ),
    ),
    of(
      "an embedded resource",
      { schema: specOf({ object: { ...open, "x-kubernetes-embedded-resource": true } }) },
      ...tries(
        { object: {} },
        {
          object: {
            apiVersion: "v1",
            kind: "Pod",
            metadata: { name: "a", extra: 1, labels: { a: "b" } },
            spec: { x: 1 },
          },
        },
        { object: { apiVersion: 1, kind: "Pod" } },
        { object: { apiVersion: "v1", kind: "Pod", metadata: { labels: { a: 1 } } } },
        { object: { apiVersion: "v1", kind: "po d" } },
      ),
    ),
    of(
      "unchanged values need not be valid",
      { schema: specOf({ a: text, b: text }) },
      post(widgets, widget("a", { spec: { a: "long", b: "x" } })),
      patch("json", own, [
        { op: "add", path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/a/maxLength", value: 2 },
      ]),
      settle,
      patch("merge", `${widgets}/a`, { spec: { b: "y" } }),
      patch("merge", `${widgets}/a`, { spec: { a: "longer" } }),
      patch("merge", `${widgets}/a`, { spec: { a: "ok" } }),
    ),
    of(
      "items of a keyed list are ratcheted one by one",
      {
        schema: specOf({
          list: { ...listMap, items: { ...listMap.items, properties: { name: text, value: { type: "integer" } } } },
        }),
      },
      post(
        widgets,
        widget("a", {
          spec: {
            list: [
              { name: "a", value: 9 },
              { name: "b", value: 1 },
            ],
          },
        }),
      ),
      patch("json", own, [
        {
          op: "add",
          path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/list/items/properties/value/maximum",
          value: 5,
        },
      ]),
      settle,
      patch("merge", `${widgets}/a`, {
        spec: {
          list: [
            { name: "b", value: 2 },
            { name: "a", value: 9 },
          ],
        },
      }),
      patch("merge", `${widgets}/a`, {
        spec: {
          list: [
            { name: "b", value: 7 },
            { name: "a", value: 9 },
          ],
        },
      }),
    ),
    of(
      "several versions",
      { versions: twoVersions(specOf({ a: text, both: text }), specOf({ b: text, both: text })) },
      post(widgets, widget("a", { spec: { a: "x", both: "y" } })),
      get(`${widgetsV2}/a`),
      post(widgetsV2, widget("b", { spec: { b: "x", both: "y" } }, "v2")),
      get(`${widgets}/b`),
      get(widgetsV2),
      patch("merge", `${widgetsV2}/a`, { spec: { both: "z" } }),
      post(widgets, widget("c", {}, "v2")),
    ),
    of(
      "deprecated versions",
      {
        versions: twoVersions(specOf({ a: text }), specOf({ b: text }), [
          { deprecated: true },
          { deprecated: true, deprecationWarning: "gone soon" },
        ]),
      },
      warmed,
      get(widgets),
      post(widgetsV2, widget("x", {}, "v2"), "dryRun=All"),
      get(widgetsV2),
    ),
    of(
      "a version that is not served",
      { versions: twoVersions(specOf({ a: text }), specOf({ b: text }), [{}, { served: false }]) },
      get(widgetsV2),
      get(`/apis/${group}`),
    ),
    of(
      "another kind or version in the body",
      anything,
      post(widgets, { ...widget("a"), kind: "Gadget" }),
      post(widgets, { ...widget("a"), apiVersion: "v1" }),
      post(widgets, { ...widget("a"), apiVersion: "other.example.com/v1" }),
      post(widgets, { metadata: { name: "a" } }),
      post(widgets, { apiVersion: `${group}/v1`, metadata: { name: "a" } }),
      post(widgets, []),
      post(widgets, "{"),
    ),
    of(
      "metadata",
      anything,
      post(widgets, widget("a", { metadata: { name: "A_b" } })),
      post(widgets, widget("a", { metadata: { name: "a", labels: { a: 1 } } })),
      post(widgets, widget("a", { metadata: { name: "a", finalizers: ["x"] } })),
      post(widgets, widget("a", { metadata: { name: "a", finalizers: ["example.com"] } }), "dryRun=All"),
      post(widgets, widget("a", { metadata: { generateName: "made-" } }), "dryRun=All"),
      post(widgets, widget("a", { metadata: { name: "a", namespace: "other" } })),
      post(widgets, widget("a", { metadata: {} })),
    ),
    of(
      "columns",
      {
        ...anything,
        version: {
          additionalPrinterColumns: [
            { name: "Size", type: "integer", jsonPath: ".spec.size" },
            {
              name: "Ready",
              type: "string",
              jsonPath: '.status.conditions[?(@.type=="Ready")].status',
              description: "Whether it is ready",
            },
            { name: "Ratio", type: "number", jsonPath: ".spec.ratio", priority: 1, format: "double" },
            { name: "On", type: "boolean", jsonPath: ".spec.on" },
            { name: "List", type: "string", jsonPath: ".spec.list" },
            { name: "Map", type: "string", jsonPath: ".spec.map" },
          ],
        },
      },
      warmed,
      { ...get(widgets), accept: table },
      post(
        widgets,
        widget("a", {
          spec: { size: 3, ratio: 1.5, on: true, list: ["x", 1], map: { k: "v" } },
          status: {
            conditions: [
              { type: "Other", status: "False" },
              { type: "Ready", status: "True" },
            ],
          },
        }),
      ),
      post(widgets, widget("b", { spec: { size: "x", ratio: 2, on: "y" } })),
      { ...get(widgets), accept: table },
      { ...get(`${widgets}/a`), accept: table },
    ),
    of("the age column", anything, post(widgets, widget("a")), { ...get(widgets), accept: table }),
    of(
      "selectable fields",
      {
        schema: specOf({ color: text, size: { type: "integer" } }),
        version: { selectableFields: [{ jsonPath: ".spec.color" }, { jsonPath: ".spec.size" }] },
      },
      post(widgets, widget("a", { spec: { color: "red", size: 1 } })),
      post(widgets, widget("b", { spec: { color: "blue" } })),
      settle,
      get(widgets, "fieldSelector=spec.color=red"),
      get(widgets, "fieldSelector=spec.size=1"),
      get(widgets, "fieldSelector=spec.size="),
      get(widgets, "fieldSelector=spec.other=1"),
      get(widgets, "fieldSelector=metadata.name=a"),
    ),
    of(
      "a watch sees objects created, changed and deleted",
      anything,
      post(widgets, widget("a", { spec: { size: 1 } })),
      patch("merge", `${widgets}/a`, { spec: { size: 2 } }),
      del(`${widgets}/a`),
      watching(widgets, 2, "resourceVersion={3.metadata.resourceVersion}"),
    ),
    of(
      "a collection is deleted",
      anything,
      post(widgets, widget("a", { metadata: { name: "a", labels: { x: "1" } } })),
      post(widgets, widget("b", { metadata: { name: "b" } })),
      settle,
      del(widgets, undefined, "labelSelector=x=1"),
      get(widgets),
    ),
    of(
      "finalizers keep an object",
      anything,
      post(widgets, widget("a", { metadata: { name: "a", finalizers: ["example.com/stay"] } })),
      del(`${widgets}/a`),
      patch("merge", `${widgets}/a`, { metadata: { finalizers: null } }),
      get(`${widgets}/a`),
    ),
    of(
      "managed fields of lists and maps",
      {
        schema: specOf({
          list: listMap,
          set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
          plain: { type: "array", items: text },
          map: { type: "object", additionalProperties: text },
          whole: { type: "object", properties: { a: text }, "x-kubernetes-map-type": "atomic" },
        }),
      },
      post(
        widgets,
        widget("a", {
          spec: { list: [{ name: "x", value: 1 }], set: ["s"], plain: ["p"], map: { k: "v" }, whole: { a: "b" } },
        }),
      ),
      patch(
        "merge",
        `${widgets}/a`,
        { spec: { list: [{ name: "x", value: 2 }, { name: "y" }], map: { l: "w" } } },
        "fieldManager=other",
      ),
    ),
    of(
      "managed fields of fields without a schema",
      anything,
      post(widgets, widget("a", { spec: { a: { b: 1 }, c: [1] } })),
    ),
    {
      name: "a definition is recreated",
      steps: [
        ...established(anything),
        post(widgets, widget("a")),
        del(own),
        watching(
          definitions,
          2,
          `fieldSelector=metadata.name=widgets.${group}&resourceVersion={4.metadata.resourceVersion}`,
        ),
        post(definitions, definition(anything)),
        watching(
          definitions,
          2,
          `fieldSelector=metadata.name=widgets.${group}&resourceVersion={6.metadata.resourceVersion}`,
        ),
        settle,
        warmed,
        get(widgets),
      ],
    },
    of("fields without a schema are applied by their types: the whole object", { schema: open }, ...appliedAsFound("")),
    of("fields without a schema are applied by their types: a spec", anything, ...appliedAsFound("spec")),
    of(
      "fields without a schema are applied by their types: objects without properties",
      { schema: specOf({ rest: { type: "object" }, some: { ...open, properties: { n: { type: "integer" } } } }) },
      apply(`${widgets}/a`, "one", widget("a", { spec: { rest: { a: 1 }, some: { n: 1, m: { deep: [1, 2] } } } })),
      apply(`${widgets}/a`, "two", widget("a", { spec: { some: { m: { deep: [1, 2], other: "x" } } } })),
      apply(`${widgets}/a`, "one", widget("a", { spec: { some: { n: 2 } } })),
    ),
  ],
};
