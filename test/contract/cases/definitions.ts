/** CustomResourceDefinitions: validation, status, creation and deletion. */
import { del, get, patch, post, put, settle, watching, type Case, type Table } from "../case.ts";
import {
  definition,
  type DefinitionOptions,
  definitions,
  established,
  group,
  specOf,
  twoVersions,
  widget,
  widgets,
} from "./definition-steps.ts";

const own = `${definitions}/widgets.${group}`;

/** Definitions that are rejected, or accepted with warnings, in a dry run. */
const tried = (name: string, ...options: readonly DefinitionOptions[]): Case => ({
  name,
  steps: options.map((each) => post(definitions, definition(each), "dryRun=All")),
});

const field = (schema: Record<string, unknown>): DefinitionOptions => ({ schema: specOf({ field: schema }) });

export const definitionCases: Table = {
  name: "definitions",
  sideBySide: true,
  cases: [
    { name: "a definition gets its names and is established", steps: [...established(), get(own)] },
    {
      name: "given names are kept",
      steps: [
        ...established({
          names: { singular: "thing", listKind: "Things", shortNames: ["w", "wd"], categories: ["all"] },
        }),
        get(own),
      ],
    },
    tried("a dry run of a definition"),
    tried(
      "the name consists of plural and group",
      { metadata: { name: "other.example.com" } },
      { metadata: { name: "UPPER" } },
    ),
    tried("group", { spec: { group: "" } }, { spec: { group: "nodots" }, metadata: { name: "widgets.nodots" } }),
    tried("scope", { scope: "Elsewhere" }, { scope: "" }),
    tried("invalid names", { names: { plural: "Widgets" } }, { names: { kind: "wid get" } }),
    tried("more invalid names", { names: { shortNames: ["A b"] } }, { names: { categories: ["A b"] } }),
    tried("kind and listKind must differ", { names: { listKind: "Widget" } }),
    tried(
      "a protected group",
      {
        spec: { group: "widgets.k8s.io" },
        metadata: { name: "widgets.widgets.k8s.io" },
      },
      {
        spec: { group: "widgets.k8s.io" },
        metadata: { name: "widgets.widgets.k8s.io", annotations: { "api-approved.kubernetes.io": "yes" } },
      },
    ),
    tried("a version without a schema", { version: { schema: {} } }, { version: { schema: undefined } }),
    tried("a version's name", { version: { name: "1" } }),
    tried(
      "the deprecation of a version",
      { version: { deprecationWarning: "old" } },
      {
        version: { deprecated: true, deprecationWarning: "" },
      },
    ),
    tried(
      "the type at the root",
      { schema: { type: "string" } },
      { schema: {} },
      { schema: { type: "object", nullable: true } },
    ),
    tried("a field without a type", { schema: { type: "object", properties: { spec: {} } } }),
    tried("a type that does not exist", field({ type: "text" }), field({ type: "null" })),
    tried("an array without items", field({ type: "array" })),
    tried("properties and additionalProperties", {
      schema: specOf({ a: { type: "string" } }, { additionalProperties: { type: "string" } }),
    }),
    tried("uniqueItems", field({ type: "array", items: { type: "string" }, uniqueItems: true })),
    tried("a reference", field({ type: "string", $ref: "#/definitions/x" })),
    tried("items as a list of schemas", field({ type: "array", items: [{ type: "string" }] })),
    tried("an invalid pattern", field({ type: "string", pattern: "(" })),
    tried("a type inside anyOf", field({ type: "string", anyOf: [{ type: "string", minLength: 3 }] })),
    tried(
      "int-or-string",
      field({ "x-kubernetes-int-or-string": true }),
      field({ anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true }),
    ),
    tried("an invalid default", field({ type: "integer", default: "a" })),
    tried(
      "a default with unknown fields",
      field({ type: "object", properties: { a: { type: "string" } }, default: { b: 1 } }),
    ),
    tried("a default in metadata", {
      schema: {
        type: "object",
        properties: { metadata: { type: "object", properties: { name: { type: "string", default: "x" } } } },
      },
    }),
    tried("a schema of metadata", {
      schema: {
        type: "object",
        properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } },
      },
    }),
    tried(
      "a list type that does not exist",
      field({ type: "array", items: { type: "string" }, "x-kubernetes-list-type": "bag" }),
    ),
    tried("a list type of a string", field({ type: "string", "x-kubernetes-list-type": "set" })),
    tried(
      "a keyed list without keys",
      field({ type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map" }),
    ),
    tried(
      "keys of a list that are not required",
      field({
        type: "array",
        items: { type: "object", properties: { name: { type: "string" } } },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
      }),
    ),
    tried(
      "keys that are not properties",
      field({
        type: "array",
        items: { type: "object", properties: { name: { type: "string" } } },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["key"],
      }),
    ),
    tried("a set of objects", field({ type: "array", items: { type: "object" }, "x-kubernetes-list-type": "set" })),
    tried(
      "a map type",
      field({ type: "object", "x-kubernetes-map-type": "loose" }),
      field({ type: "string", "x-kubernetes-map-type": "atomic" }),
    ),
    tried(
      "unknown fields that are not preserved",
      field({ type: "object", "x-kubernetes-preserve-unknown-fields": false }),
    ),
    tried(
      "an embedded resource",
      field({ type: "object", "x-kubernetes-embedded-resource": true }),
      field({ type: "string", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true }),
    ),
    tried(
      "a format that does not exist",
      field({ type: "string", format: "colour" }),
      field({ type: "integer", format: "int16" }),
    ),
    {
      ...tried("the root of a schema with a status", {
        version: {
          schema: { openAPIV3Schema: { type: "object", maxProperties: 3 } },
          subresources: { status: {} },
        },
      }),
      differs: "the real server prints the schema with all fields of its Go type",
    },
    tried(
      "columns",
      { version: { additionalPrinterColumns: [{ name: "A", type: "text", jsonPath: ".a" }] } },
      {
        version: { additionalPrinterColumns: [{ name: "", type: "string", format: "x", jsonPath: "a" }] },
      },
    ),
    tried(
      "a scale",
      { version: { subresources: { scale: { specReplicasPath: ".x", statusReplicasPath: ".status.n" } } } },
      {
        version: {
          subresources: {
            scale: { specReplicasPath: ".spec.n", statusReplicasPath: "status", labelSelectorPath: ".meta" },
          },
        },
      },
    ),
    tried("selectable fields", {
      schema: specOf({ a: { type: "object" } }),
      version: { selectableFields: [{ jsonPath: ".spec.a" }] },
    }),
    tried(
      "conversion",
      { spec: { conversion: { strategy: "Magic" } } },
      { spec: { conversion: { strategy: "Webhook" } } },
    ),
    tried(
      "how a conversion webhook is called",
      ...[
        {},
        { url: "http://x/convert" },
        { url: "https://x/convert?a=b" },
        { service: { namespace: "", name: "s" } },
        { service: { namespace: "n", name: "" } },
        { service: { namespace: "n", name: "s", path: "a//b", port: 70_000 } },
        { url: "https://x", service: { namespace: "n", name: "s" } },
        { service: { namespace: "n", name: "s", path: "/convert" } },
      ].map((clientConfig) => ({
        spec: { conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } } },
      })),
    ),
    tried("conversion None without a webhook", {
      spec: { conversion: { strategy: "None", webhook: { conversionReviewVersions: ["v1"] } } },
    }),
    tried("two versions with different schemas", {
      versions: twoVersions(specOf({ a: { type: "string", pattern: "(" } }), specOf({ b: { type: "nothing" } })),
    }),
    {
      name: "unknown fields of a definition",
      steps: [
        post(definitions, definition({ spec: { extra: 1 } }), "dryRun=All&fieldValidation=Strict"),
        post(definitions, definition({ version: { extra: 1 } }), "dryRun=All"),
        post(definitions, definition({ schema: { type: "object", extra: 1 } }), "dryRun=All&fieldValidation=Ignore"),
      ],
    },
    {
      name: "preserveUnknownFields is no longer supported",
      steps: [post(definitions, definition({ spec: { preserveUnknownFields: true } }), "dryRun=All")],
    },
    {
      name: "fields that cannot be changed once a definition is established",
      steps: [
        ...established(),
        patch("merge", own, { spec: { scope: "Cluster" } }),
        patch("merge", own, { spec: { names: { kind: "Other" } } }),
        patch("merge", own, { spec: { names: { plural: "others" } } }),
        patch("merge", own, { spec: { group: "other.example.com" } }),
      ],
    },
    {
      name: "a definition is updated",
      steps: [
        ...established(),
        patch("merge", own, { spec: { names: { shortNames: ["w"] } } }),
        watching(
          definitions,
          1,
          `fieldSelector=metadata.name=widgets.${group}&resourceVersion={3.metadata.resourceVersion}`,
        ),
        get(own),
      ],
    },
    {
      name: "an update needs a resourceVersion",
      steps: [...established(), put(own, definition())],
    },
    {
      name: "a definition is deleted",
      steps: [
        ...established(),
        // The real server creates the storage of a kind on the first request, and cannot delete objects before it exists.
        post(widgets, widget("x"), "dryRun=All"),
        settle,
        del(own),
        watching(
          definitions,
          2,
          `fieldSelector=metadata.name=widgets.${group}&resourceVersion={5.metadata.resourceVersion}`,
        ),
        get(own),
        settle,
        get(widgets),
      ],
    },
    {
      name: "a definition is removed after its objects",
      steps: [
        ...established(),
        post(widgets, widget("a")),
        del(own),
        watching(
          definitions,
          2,
          `fieldSelector=metadata.name=widgets.${group}&resourceVersion={4.metadata.resourceVersion}`,
        ),
        get(own),
        settle,
        get(widgets),
      ],
    },
    {
      name: "a terminating definition accepts no new objects",
      steps: [
        ...established(),
        post(widgets, widget("a", { metadata: { name: "a", finalizers: ["example.com/stay"] } })),
        del(own),
        watching(
          definitions,
          1,
          `fieldSelector=metadata.name=widgets.${group}&resourceVersion={4.metadata.resourceVersion}`,
        ),
        settle,
        // The objects of the definition are deleted a moment later.
        watching(widgets, 1, "resourceVersion={3.metadata.resourceVersion}"),
        post(widgets, widget("b")),
        get(`/apis/${group}/v1`),
        get(`${widgets}/a`),
      ],
    },
    {
      name: "names of another definition in the group",
      steps: [
        ...established(),
        post(definitions, definition({ plural: "gadgets", names: { singular: "widget", shortNames: ["widgets"] } })),
        watching(
          definitions,
          1,
          `fieldSelector=metadata.name=gadgets.${group}&resourceVersion={3.metadata.resourceVersion}`,
        ),
        get(`${definitions}/gadgets.${group}`),
        get(`/apis/${group}/v1/namespaces/{ns}/gadgets`),
      ],
    },
    {
      name: "its paths return 404 before and after",
      steps: [get(`/apis/${group}`), get(`/apis/${group}/v1`), get(widgets), post(widgets, widget("a"))],
    },
    {
      name: "discovery of a group with several versions and subresources",
      steps: [
        ...established({
          names: { shortNames: ["w"], categories: ["all"] },
          versions: twoVersions(specOf({ a: { type: "integer" } }), specOf({ b: { type: "integer" } }), [
            { subresources: { status: {} } },
            { subresources: { status: {}, scale: { specReplicasPath: ".spec.b", statusReplicasPath: ".status.b" } } },
          ]),
        }),
        get(`/apis/${group}`),
        get(`/apis/${group}/v1`),
        get(`/apis/${group}/v2`),
        get(`/apis/${group}/v3`),
      ],
    },
    {
      name: "versions are listed by stability",
      steps: [
        ...established({
          versions: ["v1alpha1", "v2", "v1beta2", "v1", "v10", "mine"].map((name, index) => ({
            name,
            served: true,
            storage: index === 0,
            schema: { openAPIV3Schema: { type: "object", properties: { [`p${index}`]: { type: "string" } } } },
          })),
        }),
        get(`/apis/${group}`),
      ],
    },
  ],
};
