/** Server-side apply of objects: ownership of fields, conflicts, removal of fields. */
import { apply, type Case, del, get, patch, paths, post, put, type Step, type Table } from "../case.ts";

type Json = Record<string, unknown>;

const { configmaps, deployments, services, pods } = paths;
const on = `${configmaps}/a`;

const named = (kind: string, apiVersion: string, body: Json, metadata: Json = {}): Json => ({
  apiVersion,
  kind,
  metadata: { name: "a", ...metadata },
  ...body,
});
const configMap = (data?: Json, metadata?: Json): Json =>
  named("ConfigMap", "v1", data === undefined ? {} : { data }, metadata);
const deployment = (spec: Json, metadata?: Json): Json => named("Deployment", "apps/v1", { spec }, metadata);

const labels = { app: "a" };
const container = (more: Json = {}): Json => ({ name: "c", image: "i", ...more });
const template = (containers: readonly Json[] = [container()], more: Json = {}): Json => ({
  metadata: { labels },
  spec: { containers, ...more },
});
const whole = (more: Json = {}): Json =>
  deployment({ selector: { matchLabels: labels }, template: template(), ...more });
const replicas = (count: number): Json => deployment({ replicas: count });
const image = (name: string): Json => deployment({ template: { spec: { containers: [{ name: "c", image: name }] } } });

const one = (body: unknown, query?: string): Step => apply(on, "one", body, query);
const two = (body: unknown, query?: string): Step => apply(on, "two", body, query);
const web = `${deployments}/a`;

const ofConfigMaps: readonly Case[] = [
  { name: "creates a missing object", steps: [one(configMap({ a: "1" })), get(on)] },
  {
    name: "creates with labels and annotations",
    steps: [one(configMap({ a: "1" }, { labels: { x: "1" }, annotations: { n: "m" } }))],
  },
  { name: "creates an object with only a name", steps: [one(configMap()), two(configMap()), get(on)] },
  {
    name: "without a change changes nothing",
    steps: [one(configMap({ a: "1" })), one(configMap({ a: "1" })), get(on)],
  },
  { name: "changes what it owns", steps: [one(configMap({ a: "1", b: "1" })), one(configMap({ a: "2", b: "1" }))] },
  {
    name: "removes owned fields that are no longer sent",
    steps: [one(configMap({ a: "1", b: "1" })), one(configMap({ a: "1" })), get(on)],
  },
  { name: "removes everything it owns", steps: [one(configMap({ a: "1", b: "1" })), one(configMap()), get(on)] },
  {
    name: "removes labels and annotations that are no longer sent",
    steps: [
      one(configMap({ a: "1" }, { labels: { x: "1", y: "1" }, annotations: { n: "m" } })),
      one(configMap({ a: "1" }, { labels: { x: "1" } })),
      get(on),
    ],
  },
  {
    name: "keeps other fields that others update",
    steps: [
      one(configMap({ a: "1" })),
      patch("merge", on, { data: { b: "1" } }, "fieldManager=three"),
      one(configMap({ a: "2" })),
      get(on),
    ],
  },
  {
    name: "shares the ownership of equal values",
    steps: [one(configMap({ a: "1" })), two(configMap({ a: "1" })), get(on)],
  },
  {
    name: "keeps what another manager still applies",
    steps: [one(configMap({ a: "1", b: "1" })), two(configMap({ a: "1" })), one(configMap({ b: "1" })), get(on)],
  },
  {
    name: "removes what the last of two managers gives up",
    steps: [
      one(configMap({ a: "1", b: "1" })),
      two(configMap({ a: "1" })),
      one(configMap({ b: "1" })),
      two(configMap({ c: "1" })),
      get(on),
    ],
  },
  {
    name: "conflicts with another applied value",
    steps: [one(configMap({ a: "1" })), two(configMap({ a: "2" })), get(on)],
  },
  {
    name: "conflicts with two fields",
    steps: [one(configMap({ a: "1", b: "1", c: "1" })), two(configMap({ a: "2", b: "2", c: "1" }))],
  },
  {
    name: "conflicts with several managers",
    steps: [
      one(configMap({ a: "1", z: "1" })),
      two(configMap({ b: "1" })),
      patch("merge", on, { data: { c: "1" } }, "fieldManager=three"),
      apply(on, "four", configMap({ a: "2", b: "2", c: "2", z: "2" })),
    ],
  },
  {
    name: "conflicts with one of two managers that share a field",
    steps: [
      one(configMap({ a: "1" })),
      two(configMap({ a: "1" })),
      one(configMap({ a: "2" })),
      one(configMap({ a: "2" }), "force=true"),
      get(on),
    ],
  },
  {
    name: "conflicts with an update",
    steps: [post(configmaps, configMap({ a: "1" }), "fieldManager=maker"), one(configMap({ a: "2" }))],
  },
  {
    name: "does not conflict with the same value",
    steps: [post(configmaps, configMap({ a: "1" }), "fieldManager=maker"), one(configMap({ a: "1" })), get(on)],
  },
  {
    name: "overrides with force",
    steps: [one(configMap({ a: "1" })), two(configMap({ a: "2" }), "force=true"), get(on)],
  },
  {
    name: "overrides several managers with force",
    steps: [
      one(configMap({ a: "1" })),
      two(configMap({ b: "1" })),
      apply(on, "three", configMap({ a: "2", b: "2" }), "force=true"),
      get(on),
    ],
  },
  {
    name: "does not override with force=false",
    steps: [
      one(configMap({ a: "1" })),
      two(configMap({ a: "2" }), "force=false"),
      two(configMap({ a: "2" }), "force=0"),
      two(configMap({ a: "2" }), "force"),
      get(on),
    ],
  },
  {
    name: "does not remove a field that it lost to force",
    steps: [
      one(configMap({ a: "1", b: "1" })),
      two(configMap({ a: "2" }), "force=true"),
      one(configMap({ b: "1" })),
      get(on),
    ],
  },
  {
    name: "loses a field to an update without a conflict",
    steps: [
      one(configMap({ a: "1", b: "1" })),
      put(on, configMap({ a: "2", b: "1" }), "fieldManager=three"),
      get(on),
      one(configMap({ a: "1", b: "1" })),
    ],
  },
  {
    name: "restores what an update removed",
    steps: [
      one(configMap({ a: "1" })),
      patch("json", on, [{ op: "remove", path: "/data/a" }], "fieldManager=three"),
      get(on),
      one(configMap({ a: "1" })),
      get(on),
    ],
  },
  {
    name: "recreates a deleted object",
    steps: [one(configMap({ a: "1" })), del(on), one(configMap({ a: "2" }))],
  },
  {
    name: "as a dry run",
    steps: [
      one(configMap({ a: "1" }), "dryRun=All"),
      get(on),
      one(configMap({ a: "1" })),
      two(configMap({ b: "2" }), "dryRun=All"),
      two(configMap({ a: "2" }), "dryRun=All"),
      get(on),
    ],
  },
  {
    name: "with the current resourceVersion, and with an old one",
    steps: [
      one(configMap({ a: "1" })),
      one(configMap({ a: "2" }, { resourceVersion: "{0.metadata.resourceVersion}" })),
      one(configMap({ a: "3" }, { resourceVersion: "{0.metadata.resourceVersion}" })),
    ],
  },
  {
    name: "with a resourceVersion of a missing object",
    steps: [one(configMap({ a: "1" }, { resourceVersion: "5" })), get(on)],
  },
  {
    name: "with the uid of the object, and with another uid",
    steps: [
      one(configMap({ a: "1" })),
      one(configMap({ a: "2" }, { uid: "{0.metadata.uid}" })),
      one(configMap({ a: "3" }, { uid: "other" })),
    ],
  },
  { name: "with a uid of a missing object", steps: [one(configMap({ a: "1" }, { uid: "5" }))] },
  {
    name: "of a null value",
    steps: [
      one(configMap({ a: "1" })),
      one({ ...configMap(), data: null }),
      one({ ...configMap(), data: { b: null } }),
      get(on),
    ],
  },
  {
    name: "of an empty map",
    steps: [one(configMap({})), get(on), one(configMap({ a: "1" })), one(configMap({})), get(on)],
  },
  {
    name: "of keys that must be escaped in a path",
    steps: [
      one(configMap({ "a.b-c_d": "1" }, { annotations: { "example.com/a": "<&>" } })),
      two(configMap({ "a.b-c_d": "2" }, { annotations: { "example.com/a": "2" } })),
    ],
  },
  {
    name: "of finalizers as a set",
    steps: [
      one(configMap(undefined, { finalizers: ["example.com/a"] })),
      two(configMap(undefined, { finalizers: ["example.com/b"] })),
      one(configMap()),
      two(configMap()),
      get(on),
    ],
  },
  {
    name: "of owner references with their uid as the key",
    steps: [
      one(configMap(undefined, { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "1" }] })),
      two(configMap(undefined, { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "q", uid: "2" }] })),
      two(configMap(undefined, { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "q", uid: "1" }] })),
      one(configMap()),
      get(on),
    ],
  },
  {
    name: "of immutable fields",
    steps: [
      one({ ...configMap({ a: "1" }), immutable: true }),
      one({ ...configMap({ a: "2" }), immutable: true }),
      one(configMap({ a: "1" })),
      get(on),
    ],
  },
  {
    name: "of invalid values",
    steps: [one(configMap({ "not good": "1" })), one(configMap({ a: "1" }, { labels: { x: "not good" } })), get(on)],
  },
  {
    name: "to a terminating object",
    steps: [
      one(configMap({ a: "1" }, { finalizers: ["example.com/a"] })),
      del(on),
      one(configMap({ a: "2" }, { finalizers: ["example.com/a"] })),
      one(configMap({ a: "2" })),
      get(on),
    ],
  },
  {
    name: "with an invalid name",
    steps: [apply(`${configmaps}/A_B`, "one", { ...configMap(), metadata: { name: "A_B" } })],
  },
];

const ofWorkloads: readonly Case[] = [
  { name: "creates with defaults that have no owner", steps: [apply(web, "one", whole()), get(web)] },
  {
    name: "of some fields keeps the others",
    steps: [apply(web, "one", whole()), apply(web, "two", replicas(3)), get(web)],
  },
  {
    name: "gives up the replicas to another manager",
    steps: [
      apply(web, "one", whole({ replicas: 2 })),
      apply(web, "two", replicas(2)),
      apply(web, "one", whole()),
      get(web),
      apply(web, "two", replicas(5)),
    ],
  },
  {
    name: "restores defaults of fields that nobody owns",
    steps: [apply(web, "one", whole({ replicas: 3 })), apply(web, "one", whole()), get(web)],
  },
  {
    name: "of another image conflicts",
    steps: [
      apply(web, "one", whole()),
      apply(web, "two", image("other")),
      apply(web, "two", image("other"), "force=true"),
      get(web),
    ],
  },
  {
    name: "increments the generation",
    steps: [
      apply(web, "one", whole()),
      apply(web, "one", whole()),
      apply(web, "one", whole({ paused: true })),
      apply(web, "one", { ...whole({ paused: true }), metadata: { name: "a", annotations: { a: "b" } } }),
    ],
  },
  {
    name: "of a selector replaces all of it",
    steps: [
      apply(web, "one", whole()),
      apply(web, "two", deployment({ selector: { matchLabels: { app: "b" } } })),
      apply(web, "two", deployment({ selector: { matchLabels: { app: "b" } } }), "force=true"),
    ],
  },
  {
    name: "of a status by the main resource owns nothing of it",
    steps: [apply(web, "one", { ...whole(), status: { replicas: 5 } }), get(web)],
  },
  {
    name: "of quantities as numbers changes their notation",
    steps: [
      apply(web, "one", whole({ template: template([container({ resources: { limits: { cpu: "1000m" } } })]) })),
      apply(
        web,
        "two",
        deployment({ template: { spec: { containers: [{ name: "c", resources: { limits: { cpu: 1 } } }] } } }),
      ),
      get(web),
      apply(web, "one", whole({ template: template([container({ resources: { limits: { cpu: "1000m" } } })]) })),
    ],
  },
  {
    name: "of an empty struct",
    steps: [
      apply(web, "one", whole({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } })),
      apply(web, "one", whole({ strategy: {} })),
      get(web),
    ],
  },
  {
    name: "of one of several containers",
    steps: [
      apply(web, "one", whole()),
      apply(web, "two", deployment({ template: { spec: { containers: [{ name: "d", image: "j" }] } } })),
      apply(web, "one", whole()),
      apply(web, "two", deployment({})),
      get(web),
    ],
  },
  {
    name: "of a container to which another manager has added",
    steps: [
      apply(web, "one", whole({ template: template([container(), container({ name: "d" })]) })),
      apply(
        web,
        "two",
        deployment({ template: { spec: { containers: [{ name: "d", env: [{ name: "E", value: "1" }] }] } } }),
      ),
      apply(web, "one", whole()),
      get(web),
    ],
  },
  {
    name: "of a Service with allocated ports",
    steps: [
      apply(
        `${services}/a`,
        "one",
        named("Service", "v1", { spec: { selector: labels, type: "ClusterIP", ports: [{ port: 80 }] } }),
      ),
      apply(
        `${services}/a`,
        "one",
        named("Service", "v1", {
          spec: {
            selector: labels,
            type: "ClusterIP",
            ports: [
              { port: 80, name: "x" },
              { port: 81, name: "y" },
            ],
          },
        }),
      ),
      get(`${services}/a`),
    ],
  },
  {
    name: "of a pod",
    steps: [
      apply(`${pods}/a`, "one", named("Pod", "v1", { spec: { containers: [container()] } })),
      apply(`${pods}/a`, "one", named("Pod", "v1", { spec: { containers: [container({ image: "j" })] } })),
      apply(`${pods}/a`, "one", named("Pod", "v1", { spec: { containers: [container({ image: "j", tty: true })] } })),
      get(`${pods}/a`),
    ],
  },
  {
    name: "of a Secret",
    steps: [
      apply(`${paths.secrets}/a`, "one", named("Secret", "v1", { data: { a: "YQ==" }, stringData: { b: "b" } })),
      apply(`${paths.secrets}/a`, "one", named("Secret", "v1", { data: { a: "YQ==" } })),
      get(`${paths.secrets}/a`),
    ],
  },
];

const table = (name: string, cases: readonly Case[]): Table => ({
  name,
  cases: cases.map((one) => ({ ...one, name: `apply ${one.name}` })),
});

export const applied: Table = table("apply-objects", [...ofConfigMaps, ...ofWorkloads]);
