/** Steps of cases about CustomResourceDefinitions: each case has its own API group, named after its namespace. */
import { post, settle, watching, type Step } from "../case.ts";

type Json = Record<string, unknown>;

export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const group = "{ns}.example.com";

/** A schema with an object `spec`, as needed by most cases. */
export const specOf = (properties: Json, more: Json = {}): Json => ({
  type: "object",
  properties: { spec: { type: "object", properties, ...more } },
});

export interface DefinitionOptions {
  readonly plural?: string;
  readonly kind?: string;
  readonly scope?: string;
  readonly schema?: Json;
  /** Fields of the version, if there is only one. */
  readonly version?: Json;
  readonly versions?: readonly Json[];
  readonly names?: Json;
  readonly spec?: Json;
  readonly metadata?: Json;
}

/** A CustomResourceDefinition of widgets. */
export function definition(options: DefinitionOptions = {}): Json {
  const { plural = "widgets", kind = "Widget", scope = "Namespaced", schema = { type: "object" } } = options;
  const versions = options.versions ?? [
    { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...options.version },
  ];
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, ...options.metadata },
    spec: { group, names: { plural, kind, ...options.names }, scope, versions, ...options.spec },
  };
}

/** Two versions with one schema each; the first is the storage version. */
export const twoVersions = (first: Json, second: Json, more: readonly [Json, Json] = [{}, {}]): readonly Json[] => [
  { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: first }, ...more[0] },
  { name: "v2", served: true, storage: false, schema: { openAPIV3Schema: second }, ...more[1] },
];

/** Creates a definition, which must be the first step, and waits until its kind is served. */
export const established = (options: DefinitionOptions = {}): Step[] => [
  post(definitions, definition(options)),
  watching(
    definitions,
    2,
    `fieldSelector=metadata.name=${options.plural ?? "widgets"}.${group}&resourceVersion={0.metadata.resourceVersion}`,
  ),
  settle,
];

export const widgets: string = `/apis/${group}/v1/namespaces/{ns}/widgets`;
export const widgetsV2: string = `/apis/${group}/v2/namespaces/{ns}/widgets`;

/** A widget; `more` contains all fields but the name. */
export const widget = (name: string, more: Json = {}, version = "v1"): Json => ({
  apiVersion: `${group}/${version}`,
  kind: "Widget",
  metadata: { name },
  ...more,
});

/** Creates a widget with each spec as a dry run. */
export const tries = (...specs: readonly Json[]): Step[] =>
  specs.map((spec) => post(widgets, widget("a", { spec }), "dryRun=All"));
