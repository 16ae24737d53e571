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
  { name: "creates what is not there", steps: [one(configMap({ a: "1" })), get(on)] },
  {
    name: "creates with labels and annotations",
    steps: [one(configMap({ a: "1" }, { labels: { x: "1" }, annotations: { n: "m" } }))],
  },
  { name: "creates an object with nothing but a name", steps: [one(configMap()), two(configMap()), get(on)] },
  {
    name: "that changes nothing changes nothing",
    steps: [one(configMap({ a: "1" })), one(configMap({ a: "1" })), get(on)],
  },
  { name: "changes what it owns", steps: [one(configMap({ a: "1", b: "1" })), one(configMap({ a: "2", b: "1" }))] },
  {
    name: "removes what it no longer sends",
    steps: [one(configMap({ a: "1", b: "1" })), one(configMap({ a: "1" })), get(on)],
  },
  { name: "removes all that it owns", steps: [one(configMap({ a: "1", b: "1" })), one(configMap()), get(on)] },
  {
    name: "removes labels and annotations that it no longer sends",
    steps: [
      one(configMap({ a: "1" }, { labels: { x: "1", y: "1" }, annotations: { n: "m" } })),
      one(configMap({ a: "1" }, { labels: { x: "1" } })),
      get(on),
    ],
  },
  {
    name: "keeps what others update beside it",
    steps: [
      one(configMap({ a: "1" })),
      patch("merge", on, { data: { b: "1" } }, "fieldManager=three"),
      one(configMap({ a: "2" })),
      get(on),
    ],
  },
  { name: "shares what two apply alike", steps: [one(configMap({ a: "1" })), two(configMap({ a: "1" })), get(on)] },
  {
    name: "keeps what another still applies",
    steps: [one(configMap({ a: "1", b: "1" })), two(configMap({ a: "1" })), one(configMap({ b: "1" })), get(on)],
  },
  {
    name: "removes what the last of two gives up",
    steps: [
      one(configMap({ a: "1", b: "1" })),
      two(configMap({ a: "1" })),
      one(configMap({ b: "1" })),
      two(configMap({ c: "1" })),
      get(on),
    ],
  },
  {
    name: "conflicts with another that applied another value",
    steps: [one(configMap({ a: "1" })), two(configMap({ a: "2" })), get(on)],
  },
  {
    name: "conflicts in two fields",
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
    name: "conflicts with one of two that share a field",
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
  { name: "takes by force", steps: [one(configMap({ a: "1" })), two(configMap({ a: "2" }), "force=true"), get(on)] },
  {
    name: "takes by force from several",
    steps: [
      one(configMap({ a: "1" })),
      two(configMap({ b: "1" })),
      apply(on, "three", configMap({ a: "2", b: "2" }), "force=true"),
      get(on),
    ],
  },
  {
    name: "does not take by force what is false",
    steps: [
      one(configMap({ a: "1" })),
      two(configMap({ a: "2" }), "force=false"),
      two(configMap({ a: "2" }), "force=0"),
      two(configMap({ a: "2" }), "force"),
      get(on),
    ],
  },
  {
    name: "of one that lost a field to force removes nothing of it",
    steps: [
      one(configMap({ a: "1", b: "1" })),
      two(configMap({ a: "2" }), "force=true"),
      one(configMap({ b: "1" })),
      get(on),
    ],
  },
  {
    name: "loses to an update without a word",
    steps: [
      one(configMap({ a: "1", b: "1" })),
      put(on, configMap({ a: "2", b: "1" }), "fieldManager=three"),
      get(on),
      one(configMap({ a: "1", b: "1" })),
    ],
  },
  {
    name: "of what an update removed adds it again",
    steps: [
      one(configMap({ a: "1" })),
      patch("json", on, [{ op: "remove", path: "/data/a" }], "fieldManager=three"),
      get(on),
      one(configMap({ a: "1" })),
      get(on),
    ],
  },
  {
    name: "of an object that is gone makes another",
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
    name: "with a resourceVersion that is current, and one that is not",
    steps: [
      one(configMap({ a: "1" })),
      one(configMap({ a: "2" }, { resourceVersion: "{0.metadata.resourceVersion}" })),
      one(configMap({ a: "3" }, { resourceVersion: "{0.metadata.resourceVersion}" })),
    ],
  },
  {
    name: "with a resourceVersion where there is nothing",
    steps: [one(configMap({ a: "1" }, { resourceVersion: "5" })), get(on)],
  },
  {
    name: "with the uid of the object, and with another",
    steps: [
      one(configMap({ a: "1" })),
      one(configMap({ a: "2" }, { uid: "{0.metadata.uid}" })),
      one(configMap({ a: "3" }, { uid: "other" })),
    ],
  },
  { name: "with a uid where there is nothing", steps: [one(configMap({ a: "1" }, { uid: "5" }))] },
  {
    name: "of null as a value",
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
    name: "of keys that a path has to escape",
    steps: [
      one(configMap({ "a.b-c_d": "1" }, { annotations: { "example.com/a": "<&>" } })),
      two(configMap({ "a.b-c_d": "2" }, { annotations: { "example.com/a": "2" } })),
    ],
  },
  {
    name: "of finalizers is of a set",
    steps: [
      one(configMap(undefined, { finalizers: ["example.com/a"] })),
      two(configMap(undefined, { finalizers: ["example.com/b"] })),
      one(configMap()),
      two(configMap()),
      get(on),
    ],
  },
  {
    name: "of owner references goes by their uid",
    steps: [
      one(configMap(undefined, { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "1" }] })),
      two(configMap(undefined, { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "q", uid: "2" }] })),
      two(configMap(undefined, { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "q", uid: "1" }] })),
      one(configMap()),
      get(on),
    ],
  },
  {
    name: "of what may not change",
    steps: [
      one({ ...configMap({ a: "1" }), immutable: true }),
      one({ ...configMap({ a: "2" }), immutable: true }),
      one(configMap({ a: "1" })),
      get(on),
    ],
  },
  {
    name: "of what is not valid",
    steps: [one(configMap({ "not good": "1" })), one(configMap({ a: "1" }, { labels: { x: "not good" } })), get(on)],
  },
  {
    name: "while the object is being deleted",
    steps: [
      one(configMap({ a: "1" }, { finalizers: ["example.com/a"] })),
      del(on),
      one(configMap({ a: "2" }, { finalizers: ["example.com/a"] })),
      one(configMap({ a: "2" })),
      get(on),
    ],
  },
  {
    name: "of a name that is no good",
    steps: [apply(`${configmaps}/A_B`, "one", { ...configMap(), metadata: { name: "A_B" } })],
  },
];

const ofWorkloads: readonly Case[] = [
  { name: "creates with defaults that nobody owns", steps: [apply(web, "one", whole()), get(web)] },
  {
    name: "of a part leaves the rest alone",
    steps: [apply(web, "one", whole()), apply(web, "two", replicas(3)), get(web)],
  },
  {
    name: "gives the replicas up to another",
    steps: [
      apply(web, "one", whole({ replicas: 2 })),
      apply(web, "two", replicas(2)),
      apply(web, "one", whole()),
      get(web),
      apply(web, "two", replicas(5)),
    ],
  },
  {
    name: "falls back to defaults where nobody says more",
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
    name: "counts the generation",
    steps: [
      apply(web, "one", whole()),
      apply(web, "one", whole()),
      apply(web, "one", whole({ paused: true })),
      apply(web, "one", { ...whole({ paused: true }), metadata: { name: "a", annotations: { a: "b" } } }),
    ],
  },
  {
    name: "of a selector is of a whole",
    steps: [
      apply(web, "one", whole()),
      apply(web, "two", deployment({ selector: { matchLabels: { app: "b" } } })),
      apply(web, "two", deployment({ selector: { matchLabels: { app: "b" } } }), "force=true"),
    ],
  },
  {
    name: "of a status owns nothing of it",
    steps: [apply(web, "one", { ...whole(), status: { replicas: 5 } }), get(web)],
  },
  {
    name: "of numbers as quantities are other values",
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
    name: "of a struct that is left empty",
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
    name: "of a container that another has added to",
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
    name: "of a Service with ports allocated",
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
