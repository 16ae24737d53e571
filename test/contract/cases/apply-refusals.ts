/** Server-side applies that are rejected, with the messages: bodies, options, values of the wrong type. */
import { apply, type Case, get, patch, paths, post, type Step, type Table } from "../case.ts";

type Json = Record<string, unknown>;

const { configmaps, deployments, services, pods } = paths;
const on = `${configmaps}/a`;
const web = `${deployments}/a`;
const configMap = (more: Json = {}): Json => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a" },
  ...more,
});
const pod = (spec: unknown): Json => ({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec });
const deployment = (spec: unknown): Json => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "a" },
  spec,
});
const service = (spec: unknown): Json => ({ apiVersion: "v1", kind: "Service", metadata: { name: "a" }, spec });
const labels = { app: "a" };
const whole = (more: Json = {}): Json =>
  deployment({
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    ...more,
  });
const one = (body: unknown, query?: string): Step => apply(on, "one", body, query);
const each = (name: string, path: string, bodies: readonly unknown[], query?: string): Case => ({
  name,
  steps: bodies.map((body) => apply(path, "one", body, query)),
});

const yaml = `apiVersion: v1
kind: ConfigMap
metadata:
  name: a
data:
  a: "1"
`;

const cases: readonly Case[] = [
  {
    name: "without a manager",
    steps: [
      patch("apply", on, configMap()),
      patch("apply", on, configMap(), "fieldManager="),
      patch("apply", on, configMap(), "fieldManager=&force=true"),
    ],
  },
  {
    name: "with an invalid manager",
    steps: [apply(on, "m".repeat(129), configMap()), apply(on, "a%0Ab", configMap()), apply(on, "%C3%BC", configMap())],
  },
  {
    name: "with invalid options",
    steps: [
      one(configMap(), "dryRun=None"),
      one(configMap(), "fieldValidation=Loose"),
      one(configMap(), "force=maybe"),
    ],
  },
  {
    name: "force is only for apply",
    steps: [
      one(configMap()),
      patch("merge", on, {}, "force=true"),
      patch("strategic", on, {}, "force=false&fieldManager=one"),
    ],
  },
  {
    name: "with managed fields",
    steps: [
      one(configMap({ metadata: { name: "a", managedFields: [] } })),
      one(configMap({ metadata: { name: "a", managedFields: [{ manager: "x" }] } })),
      one(configMap({ metadata: { name: "a", managedFields: [{}] } })),
      one(configMap({ metadata: { name: "a", managedFields: null } })),
      one(configMap({ metadata: { name: "a", managedFields: null } })),
      get(on),
    ],
  },
  each("another name", on, [configMap({ metadata: { name: "b" } })]),
  each("no name", on, [
    configMap({ metadata: {} }),
    configMap({ metadata: { name: "" } }),
    { apiVersion: "v1", kind: "ConfigMap" },
  ]),
  {
    name: "no name, for an existing object",
    steps: [
      one(configMap({ data: { a: "1" } })),
      one(configMap({ metadata: {}, data: { a: "1" } })),
      one({ apiVersion: "v1", kind: "ConfigMap" }),
      get(on),
    ],
  },
  {
    name: "another name, for an existing object",
    steps: [one(configMap()), one(configMap({ metadata: { name: "b" } }))],
  },
  each("another namespace", on, [
    configMap({ metadata: { name: "a", namespace: "other" } }),
    configMap({ metadata: { name: "a", namespace: "{ns}" } }),
  ]),
  each("a namespace for a cluster-scoped object", "/api/v1/namespaces/{ns}", [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "{ns}", namespace: "x" } },
  ]),
  each("another kind", on, [
    { ...configMap(), kind: "Secret" },
    { ...configMap(), kind: "Nonsense" },
    { ...configMap(), kind: "" },
  ]),
  each("another version", on, [
    { ...configMap(), apiVersion: "v2" },
    { ...configMap(), apiVersion: "apps/v1" },
    { ...configMap(), apiVersion: "a/b/c" },
  ]),
  each("no kind and no version", on, [
    { kind: "ConfigMap", metadata: { name: "a" } },
    { apiVersion: "v1", metadata: { name: "a" } },
    { metadata: { name: "a" } },
    {},
    "",
    "null",
    "{}",
  ]),
  each("a kind that is not a string", on, [
    { ...configMap(), kind: 1 },
    { ...configMap(), apiVersion: null },
  ]),
  each("something other than an object", on, ["[]", "[1]", "text", "5", "true", '"text"']),
  each("invalid YAML", on, ["{", "a: b: c", "a: [", "\ta: 1", '{"a": 1,}', "a: 'b"]),
  {
    name: "YAML",
    steps: [apply(on, "one", yaml), apply(on, "one", `# first\n${yaml}  b: two\n---\nsecond: 1\n`), get(on)],
  },
  {
    name: "YAML with words that are not strings",
    steps: [
      apply(on, "one", yaml.replace('"1"', "1")),
      apply(on, "one", yaml.replace('"1"', "yes")),
      apply(on, "one", yaml.replace('"1"', "1.5")),
      apply(on, "one", yaml.replace('"1"', "~")),
    ],
  },
  ...["Strict", "Warn", "Ignore"].map((validation): Case => ({
    name: `duplicate keys, ${validation}`,
    steps: [
      apply(on, "one", `${yaml}  a: "2"\n`, `fieldValidation=${validation}`),
      apply(
        on,
        "one",
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"1","a":"2"}}',
        `fieldValidation=${validation}`,
      ),
      get(on),
    ],
  })),
  ...["Strict", "Warn", "Ignore"].map((validation) =>
    each(
      `an unknown field, ${validation}`,
      on,
      [configMap({ nonsense: 1 }), configMap({ metadata: { name: "a", nonsense: 1 } })],
      `fieldValidation=${validation}`,
    ),
  ),
  each("a nested unknown field", web, [
    whole({ template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i", nonsense: 1 }] } } }),
    whole({ strategy: { rollingUpdate: { nonsense: null } } }),
  ]),
  each("strings of a wrong type", on, [
    configMap({ data: { a: 1 } }),
    configMap({ data: { a: true } }),
    configMap({ data: { a: 1.5 } }),
    configMap({ data: { a: { b: [1, "x", null, true] } } }),
    configMap({ data: { a: ["b"] } }),
  ]),
  each("maps of a wrong type", on, [
    configMap({ data: "text" }),
    configMap({ data: [] }),
    configMap({ data: 1 }),
    configMap({ metadata: "text" }),
    configMap({ data: [{ a: 1 }] }),
  ]),
  each("numbers of a wrong type", web, [
    whole({ replicas: "3" }),
    whole({ replicas: true }),
    whole({ replicas: {} }),
    whole({ replicas: [] }),
    whole({ replicas: 1.5 }),
    whole({ replicas: 3e9 }),
  ]),
  each("booleans of a wrong type", web, [whole({ paused: "yes" }), whole({ paused: 1 }), whole({ paused: {} })]),
  each("lists of a wrong type", `${pods}/a`, [
    pod({ containers: {} }),
    pod({ containers: "text" }),
    pod({ containers: [{ name: "c", image: "i", args: "text" }] }),
    pod({ containers: [{ name: "c", image: "i", args: [1] }] }),
  ]),
  each("invalid quantities", `${pods}/a`, [
    pod({ containers: [{ name: "c", image: "i", resources: { limits: { cpu: "much" } } }] }),
    pod({ containers: [{ name: "c", image: "i", resources: { limits: { cpu: {} } } }] }),
    pod({ containers: [{ name: "c", image: "i", resources: { limits: { cpu: true } } }] }),
  ]),
  each("invalid times", on, [
    configMap({ metadata: { name: "a", creationTimestamp: "now" } }),
    configMap({ metadata: { name: "a", creationTimestamp: 5 } }),
    configMap({ metadata: { name: "a", creationTimestamp: null } }),
  ]),
  each("invalid int-or-string values", `${services}/a`, [
    service({ ports: [{ port: 80, targetPort: true }] }),
    service({ ports: [{ port: 80, targetPort: {} }] }),
    service({ ports: [{ port: 80, targetPort: [] }] }),
    service({ ports: [{ port: 80, targetPort: "80" }] }),
  ]),
  each("invalid bytes", `${paths.secrets}/a`, [
    { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, data: { a: "???" } },
    { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, data: { a: "YQ==" } },
  ]),
  each("several errors in a list", `${pods}/a`, [
    pod({
      containers: [
        { name: "c", image: 1 },
        { name: "d", image: 2 },
      ],
    }),
  ]),
  {
    name: "to a collection, or without a name",
    steps: [
      {
        method: "PATCH",
        path: configmaps,
        type: "application/apply-patch+yaml",
        body: configMap(),
        query: "fieldManager=one",
      },
      apply("/api/v1/namespaces/nowhere/configmaps/a", "one", configMap()),
    ],
  },
  {
    name: "in a missing namespace",
    steps: [apply("/api/v1/namespaces/{ns}-none/configmaps/a", "one", configMap())],
  },
  {
    name: "with other media types",
    steps: [
      "application/apply-patch+cbor",
      "application/apply-patch+yaml; charset=utf-8",
      "application/apply-patch+json",
      "application/Apply-patch+yaml",
    ].map((type) => ({ method: "PATCH", path: on, type, body: configMap(), query: "fieldManager=one" })),
  },
  {
    name: "with other forms of the response",
    steps: [
      { ...one(configMap()), accept: "application/json;as=Table;g=meta.k8s.io;v=v1" },
      { ...one(configMap()), accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" },
      { ...one(configMap()), accept: "application/yaml" },
    ],
  },
  {
    name: "immutable fields of other kinds",
    steps: [
      apply(web, "one", whole()),
      apply(web, "one", whole({ selector: { matchLabels: { app: "b" } } })),
      get(web),
    ],
  },
  {
    name: "rejected by an admission plugin",
    steps: [
      post(paths.limitranges, {
        metadata: { name: "l" },
        spec: { limits: [{ type: "Container", max: { cpu: "1" } }] },
      }),
      apply(`${pods}/a`, "one", pod({ containers: [{ name: "c", image: "i", resources: { limits: { cpu: "2" } } }] })),
    ],
  },
];

export const appliedRefusals: Table = {
  name: "apply-refusals",
  cases: cases.map((one) => ({ ...one, name: `apply: ${one.name}` })),
};
