/** Managers of fields set before an apply, managedFields changed by clients, and the effect of kubectl's last-applied annotation. */
import { apply, type Case, get, pass, patch, paths, post, put, type Step, type Table } from "../case.ts";

type Json = Record<string, unknown>;

const { configmaps, deployments } = paths;
const on = `${configmaps}/a`;
const web = `${deployments}/a`;
const configMap = (data?: Json, metadata: Json = {}): Json => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", ...metadata },
  ...(data === undefined ? {} : { data }),
});
const labels = { app: "a" };
const deployment = (spec: Json = {}, metadata: Json = {}): Json => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "a", ...metadata },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    ...spec,
  },
});
const one = (body: unknown, query?: string): Step => apply(on, "one", body, query);
const two = (body: unknown, query?: string): Step => apply(on, "two", body, query);
const made = post(configmaps, configMap({ a: "1", b: "1" }), "fieldManager=maker");
const cleared = patch("merge", on, { metadata: { managedFields: [{}] } }, "fieldManager=three");
const entry = (more: Json): Json => ({
  manager: "x",
  operation: "Update",
  apiVersion: "v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:data": { "f:a": {} } },
  ...more,
});
const sets = (...entries: readonly unknown[]): Step =>
  patch("json", on, [{ op: "add", path: "/metadata/managedFields", value: entries }], "fieldManager=three");

const annotation = "kubectl.kubernetes.io/last-applied-configuration";
const client = (last: unknown, data: Json): Json =>
  configMap(data, { annotations: { [annotation]: typeof last === "string" ? last : `${JSON.stringify(last)}\n` } });
const bySide = (last: unknown, data: Json): Step =>
  post(configmaps, client(last, data), "fieldManager=kubectl-client-side-apply");
const kubectl = (body: unknown, query?: string): Step => apply(on, "kubectl", body, query);

const cases: readonly Case[] = [
  {
    name: "managed fields are cleared by an empty entry and by an empty list, but not by null",
    steps: [
      made,
      cleared,
      get(on),
      made,
      patch("merge", on, { metadata: { managedFields: [] } }),
      patch("merge", on, { metadata: { managedFields: null } }),
      get(on),
    ],
  },
  {
    name: "an empty list clears, null does not",
    steps: [
      made,
      patch("merge", on, { metadata: { managedFields: null } }, "fieldManager=three"),
      patch("json", on, [{ op: "remove", path: "/metadata/managedFields" }], "fieldManager=three"),
      patch("merge", on, { metadata: { managedFields: [] } }, "fieldManager=three"),
      get(on),
    ],
  },
  {
    name: "after that there are no managers until the next apply",
    steps: [
      made,
      cleared,
      patch("merge", on, { data: { c: "1" } }, "fieldManager=three"),
      one(configMap({ a: "1" })),
      get(on),
    ],
  },
  {
    name: "the manager before the first apply",
    steps: [made, cleared, one(configMap({ a: "2" })), one(configMap({ a: "2" }), "force=true"), get(on)],
  },
  {
    name: "the manager before the first apply of a status",
    steps: [
      post(deployments, deployment(), "fieldManager=maker"),
      patch("merge", `${web}/status`, { status: { replicas: 1 } }),
      patch("merge", web, { metadata: { managedFields: [{}] } }),
      apply(`${web}/status`, "one", {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "a" },
        status: { replicas: 2 },
      }),
      apply(
        `${web}/status`,
        "one",
        { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" }, status: { replicas: 2 } },
        "force=true",
      ),
      get(web),
    ],
  },
  {
    name: "managed fields in a request are stored",
    steps: [made, sets(entry({})), get(on), one(configMap({ a: "2" })), one(configMap({ b: "2" })), get(on)],
  },
  {
    name: "managed fields in a request with a change",
    steps: [
      made,
      put(on, configMap({ a: "2", b: "1" }, { managedFields: [entry({})] }), "fieldManager=three"),
      get(on),
    ],
  },
  {
    name: "managed fields in a new object",
    steps: [
      post(
        configmaps,
        configMap(
          { a: "1" },
          { managedFields: [entry({}), entry({ manager: "y", fieldsV1: { "f:data": { "f:z": {} } } })] },
        ),
        "fieldManager=three",
      ),
      get(on),
    ],
  },
  {
    name: "cleared managed fields in a new object",
    steps: [post(configmaps, configMap({ a: "1" }, { managedFields: [{}] }), "fieldManager=three"), get(on)],
  },
  {
    name: "managed fields with another version, and with another kind of version",
    steps: [
      made,
      sets(
        entry({ apiVersion: "v2" }),
        entry({ manager: "y", apiVersion: "apps/v1" }),
        entry({ manager: "z", fieldsV1: { "f:data": { "f:b": {} } } }),
      ),
      get(on),
    ],
  },
  {
    name: "managed fields unordered, and duplicated",
    steps: [
      made,
      sets(
        entry({ manager: "z", time: "2026-01-02T00:00:00Z" }),
        entry({ manager: "y" }),
        entry({ manager: "y", fieldsV1: { "f:data": { "f:b": {} } } }),
        entry({ manager: "x", operation: "Apply" }),
      ),
      get(on),
    ],
  },
  {
    name: "managed fields without a time, a manager or a known subresource",
    steps: [
      made,
      sets(entry({ time: null }), entry({ manager: "" }), entry({ manager: "y", subresource: "nonsense" })),
      get(on),
      one(configMap({ a: "2" })),
    ],
  },
  ...[
    { operation: "Nonsense" },
    { apiVersion: "" },
    { fieldsType: "" },
    { fieldsType: "FieldsV2" },
    { fieldsV1: { nonsense: {} } },
    { fieldsV1: { "f:data": 5 } },
    { fieldsV1: { "k:nonsense": {} } },
    { fieldsV1: { "v:nonsense": {} } },
    { fieldsV1: { "i:x": {} } },
    { fieldsV1: { "x:y": {} } },
    { fieldsV1: {} },
    { fieldsV1: null },
    { fieldsV1: "text" },
    { time: "never" },
    { manager: "m".repeat(129) },
    { subresource: "s".repeat(257) },
  ].map((wrong): Case => ({
    name: `managed fields with ${JSON.stringify(wrong).slice(0, 40)}`,
    steps: [made, sets(entry(wrong)), get(on)],
  })),
  {
    name: "managed fields in a request to a subresource are ignored",
    steps: [
      post(deployments, deployment(), "fieldManager=maker"),
      patch(
        "merge",
        `${web}/status`,
        { metadata: { managedFields: [{}] }, status: { replicas: 1 } },
        "fieldManager=three",
      ),
      get(web),
    ],
  },
  {
    name: "managed fields of fields that have become atomic",
    steps: [
      post(deployments, deployment(), "fieldManager=maker"),
      patch(
        "json",
        web,
        [
          {
            op: "add",
            path: "/metadata/managedFields",
            value: [
              entry({
                apiVersion: "apps/v1",
                fieldsV1: { "f:spec": { "f:selector": { "f:matchLabels": { "f:app": {} } } } },
              }),
            ],
          },
        ],
        "fieldManager=three",
      ),
      get(web),
      apply(web, "one", deployment()),
    ],
  },
  {
    name: "more than ten managers of updates are merged into ten",
    steps: [
      made,
      ...Array.from({ length: 12 }, (_, index) =>
        patch("merge", on, { data: { [`k${index}`]: "1" } }, `fieldManager=m${String(index).padStart(2, "0")}`),
      ),
      get(on),
    ],
  },
  {
    name: "managers of applies do not count towards the ten",
    steps: [
      ...Array.from({ length: 12 }, (_, index) =>
        apply(on, `a${String(index).padStart(2, "0")}`, configMap({ [`k${index}`]: "1" })),
      ),
      patch("merge", on, { data: { z: "1" } }, "fieldManager=z"),
      get(on),
    ],
  },
  {
    name: "the user agent determines the manager",
    steps: [
      { ...post(configmaps, configMap({ a: "1" })), headers: { "user-agent": "agent/1.0 (x)" } },
      { ...patch("merge", on, { data: { b: "1" } }), headers: { "user-agent": "/1" } },
      { ...patch("merge", on, { data: { c: "1" } }), headers: { "user-agent": `${"m".repeat(200)}/1` } },
      get(on),
    ],
  },
  // The annotation of client-side apply.
  {
    name: "kubectl takes over fields of client-side apply",
    steps: [bySide(configMap({ a: "1" }), { a: "1" }), kubectl(configMap({ a: "2" })), get(on)],
  },
  {
    name: "kubectl takes over unchanged fields of client-side apply",
    steps: [
      bySide(configMap({ a: "1", b: "1" }), { a: "1", b: "1" }),
      patch("merge", on, { data: { b: "2" } }, "fieldManager=three"),
      kubectl(configMap({ a: "2", b: "1" })),
      kubectl(configMap({ a: "2" })),
      get(on),
    ],
  },
  {
    name: "other managers take over nothing",
    steps: [bySide(configMap({ a: "1" }), { a: "1" }), one(configMap({ a: "2" })), get(on)],
  },
  {
    name: "kubectl updates the annotation",
    steps: [
      bySide(configMap({ a: "1" }), { a: "1" }),
      kubectl(configMap({ a: "1", b: "<2>" }, { labels: { x: "1" } })),
      kubectl(configMap({ a: "1" })),
      kubectl(configMap({ a: "1" })),
      get(on),
    ],
  },
  {
    name: "kubectl's annotation is applied",
    steps: [
      kubectl(configMap({ a: "1" }, { annotations: { [annotation]: "text", b: "1" } })),
      kubectl(configMap({ a: "2" })),
      get(on),
    ],
  },
  ...[
    "text",
    "{}",
    "[]",
    "",
    '{"apiVersion":"v2","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"1"}}',
    '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"data":{"a":"1"}}',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"1"},"nonsense":1}',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"other"}}',
  ].map((last): Case => ({
    name: `an annotation of ${last.slice(0, 40)}… ${last.length}`,
    steps: [bySide(last, { a: "1" }), kubectl(configMap({ a: "2" })), kubectl(configMap({ a: "1", c: "1" })), get(on)],
  })),
  {
    name: "kubectl migrates from client-side to server-side apply",
    steps: [
      bySide(configMap({ a: "1", b: "1" }), { a: "1", b: "1" }),
      kubectl(configMap({ a: "1" })),
      patch(
        "json",
        on,
        [
          {
            op: "replace",
            path: "/metadata/managedFields",
            value: [
              entry({ manager: "kubectl", operation: "Apply", fieldsV1: { "f:data": { "f:a": {}, "f:b": {} } } }),
            ],
          },
          { op: "replace", path: "/metadata/resourceVersion", value: "{1.metadata.resourceVersion}" },
        ],
        "fieldManager=kubectl",
      ),
      kubectl(configMap({ a: "1" })),
      get(on),
    ],
  },
  {
    name: "kubectl without an annotation",
    steps: [made, kubectl(configMap({ a: "2" })), kubectl(configMap({ a: "2" }), "force=true"), get(on)],
  },
];

const timed = (name: string, ...steps: readonly Step[]): Case => ({
  name: `times: ${name}`,
  ordersTimes: true,
  steps: steps.flatMap((step, index) => (index === 0 ? [step] : [pass, step])),
});

const times: readonly Case[] = [
  timed(
    "an apply with a change gets a new time, one without does not",
    one(configMap({ a: "1" })),
    one(configMap({ a: "1" })),
    one(configMap({ a: "2" })),
    get(on),
  ),
  timed(
    "an apply of existing values has no time yet",
    one(configMap({ a: "1" })),
    two(configMap({ a: "1" })),
    two(configMap({ a: "1", b: "1" })),
    get(on),
  ),
  timed(
    "an apply that only removes gets a new time",
    one(configMap({ a: "1", b: "1" })),
    one(configMap({ a: "1" })),
    get(on),
  ),
  timed(
    "an apply gives up what another manager owns",
    one(configMap({ a: "1", b: "1" })),
    two(configMap({ a: "1" })),
    one(configMap({ b: "1" })),
    get(on),
  ),
  timed(
    "a manager that loses a field keeps its time",
    one(configMap({ a: "1", b: "1" })),
    two(configMap({ a: "2" }), "force=true"),
    get(on),
  ),
  timed(
    "an apply and an update with the same manager are separate",
    one(configMap({ a: "1" })),
    patch("merge", on, { data: { b: "1" } }, "fieldManager=one"),
    get(on),
  ),
  timed(
    "another notation of a value is not a change",
    apply(
      web,
      "one",
      deployment({
        template: {
          metadata: { labels },
          spec: { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "1000m" } } }] },
        },
      }),
    ),
    apply(
      web,
      "one",
      deployment({
        template: {
          metadata: { labels },
          spec: { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "1000m" } } }] },
        },
      }),
    ),
    get(web),
  ),
  timed(
    "a scale is applied",
    apply(web, "one", deployment({ replicas: 1 })),
    apply(
      `${web}/scale`,
      "one",
      { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "a" }, spec: { replicas: 2 } },
      "force=true",
    ),
    get(web),
  ),
  timed("before the first apply", made, cleared, one(configMap({ c: "1" })), get(on)),
  timed(
    "the oldest managers are merged",
    made,
    ...Array.from({ length: 11 }, (_, index) =>
      patch("merge", on, { data: { [`k${index}`]: "1" } }, `fieldManager=m${String(11 - index).padStart(2, "0")}`),
    ),
    get(on),
  ),
];

export const appliedManagers: Table = {
  name: "apply-managers",
  cases: [...cases, ...times].map((one: Case) => ({ ...one, name: `apply: ${one.name}` })),
};
