/** Server-side apply of lists: sets, lists with keys, atomic lists, their order, duplicate items. */
import { apply, type Case, get, patch, paths, post, put, type Step, type Table } from "../case.ts";

type Json = Record<string, unknown>;

const pod = `${paths.pods}/a`;
const service = `${paths.services}/a`;
const web = `${paths.deployments}/a`;

const podOf = (spec: Json, metadata: Json = {}): Json => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", ...metadata },
  spec,
});
const containers = (...list: readonly Json[]): Json => ({ containers: list });
const c = (more: Json = {}): Json => ({ name: "c", image: "i", ...more });
const serviceOf = (...ports: readonly Json[]): Json => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "a" },
  spec: { selector: { app: "a" }, ports },
});
const labels = { app: "a" };
const deploymentOf = (spec: Json, more: Json = {}): Json => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "a" },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec }, ...more },
});
const part = (spec: Json): Json => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "a" },
  spec: { template: { spec } },
});
const env = (...names: readonly string[]): Json[] => names.map((name) => ({ name, value: name }));
const one = (body: Json, query?: string): Step => apply(web, "one", body, query);
const two = (body: Json, query?: string): Step => apply(web, "two", body, query);
const withEnv = (...names: readonly string[]): Json => deploymentOf(containers(c({ env: env(...names) })));
const partEnv = (...names: readonly string[]): Json => part(containers({ name: "c", env: env(...names) }));
const volumes = (...names: readonly string[]): Json[] => names.map((name) => ({ name, emptyDir: {} }));

const cases: readonly Case[] = [
  { name: "a keyed list is merged", steps: [one(withEnv("A", "B")), two(partEnv("C")), get(web)] },
  {
    name: "the order of a keyed list follows the applied one",
    steps: [one(withEnv("A", "B", "C")), one(withEnv("C", "A", "B")), get(web)],
  },
  {
    name: "items of other managers keep their positions",
    steps: [one(withEnv("A", "B")), two(partEnv("X", "B", "Y"), "force=true"), one(withEnv("B", "A")), get(web)],
  },
  {
    name: "items of other managers between items that change positions",
    steps: [
      one(withEnv("A", "B", "C", "D")),
      two(partEnv("X", "C", "Y", "A")),
      two(partEnv("A", "Y", "C", "X")),
      one(withEnv("D", "C", "B", "A")),
      get(web),
    ],
  },
  { name: "an item of a keyed list is removed", steps: [one(withEnv("A", "B")), one(withEnv("B")), get(web)] },
  {
    name: "all items of a keyed list are removed",
    steps: [one(withEnv("A", "B")), one(deploymentOf(containers(c()))), get(web)],
  },
  { name: "an empty keyed list", steps: [one(withEnv("A", "B")), one(withEnv()), get(web), two(partEnv())] },
  {
    name: "an item that two managers apply is kept until both give it up",
    steps: [
      one(withEnv("A", "B")),
      two(partEnv("A")),
      one(withEnv("B")),
      get(web),
      two(part(containers({ name: "c" }))),
      get(web),
    ],
  },
  {
    name: "a field that another manager added to an item is kept",
    steps: [
      one(deploymentOf(containers(c(), c({ name: "d" })))),
      patch("strategic", web, part(containers({ name: "d", tty: true })), "fieldManager=three"),
      one(deploymentOf(containers(c()))),
      get(web),
    ],
  },
  {
    name: "a list with two keys, one of which has a default",
    steps: [
      apply(service, "one", serviceOf({ port: 80, name: "a" })),
      apply(service, "two", serviceOf({ port: 80, name: "a", protocol: "TCP" })),
      apply(service, "two", serviceOf({ port: 80, name: "b", protocol: "UDP" }), "force=true"),
      get(service),
    ],
  },
  {
    name: "two items that become equal by a default",
    steps: [apply(service, "one", serviceOf({ port: 80, name: "a" }, { port: 80, name: "b", protocol: "TCP" }))],
  },
  {
    name: "ports of containers",
    steps: [
      apply(
        pod,
        "one",
        podOf(containers(c({ ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }] }))),
      ),
      get(pod),
    ],
  },
  { name: "an item applied twice", steps: [one(withEnv("A", "A")), one(deploymentOf(containers(c(), c())))] },
  {
    name: "an item that exists twice",
    steps: [
      post(paths.deployments, withEnv("A", "A", "B"), "fieldManager=maker"),
      get(web),
      one(withEnv("A", "B"), "force=true"),
      get(web),
    ],
  },
  {
    name: "an item that exists twice is not changed",
    steps: [post(paths.deployments, withEnv("A", "A", "B"), "fieldManager=maker"), two(partEnv("C")), get(web)],
  },
  {
    name: "an update duplicates an item, and removes the duplicate",
    steps: [
      one(withEnv("A", "B")),
      put(web, withEnv("A", "B", "A"), "fieldManager=three"),
      get(web),
      put(web, withEnv("A", "B"), "fieldManager=three"),
      get(web),
    ],
  },
  {
    name: "an item without its key",
    steps: [
      one(deploymentOf({ containers: [{ image: "i" }] })),
      one(deploymentOf(containers(c({ env: [{ value: "x" }] })))),
      apply(service, "one", serviceOf({ name: "x" })),
    ],
  },
  {
    name: "an item that is not an object",
    steps: [one(deploymentOf({ containers: ["text"] })), one(deploymentOf({ containers: [null] }))],
  },
  {
    name: "a null list",
    steps: [one(withEnv("A")), one(deploymentOf(containers({ name: "c", image: "i", env: null }))), get(web)],
  },
  {
    name: "an atomic list has one owner",
    steps: [
      one(deploymentOf(containers(c({ args: ["a", "b"] })))),
      two(part(containers({ name: "c", args: ["a"] }))),
      two(part(containers({ name: "c", args: ["a"] })), "force=true"),
      one(deploymentOf(containers(c()))),
      get(web),
    ],
  },
  {
    name: "an atomic list is given up",
    steps: [one(deploymentOf(containers(c({ command: ["a"] })))), one(deploymentOf(containers(c()))), get(web)],
  },
  {
    name: "tolerations are atomic",
    steps: [
      one(deploymentOf({ ...containers(c()), tolerations: [{ key: "a" }] })),
      two(part({ tolerations: [{ key: "a" }, { key: "b" }] })),
    ],
  },
  {
    name: "an atomic map has one owner",
    steps: [
      one(deploymentOf({ ...containers(c()), nodeSelector: { a: "1" } })),
      two(part({ nodeSelector: { b: "1" } })),
      two(part({ nodeSelector: { b: "1" } }), "force=true"),
      get(web),
    ],
  },
  {
    name: "the selector of a Service is atomic",
    steps: [
      apply(service, "one", serviceOf({ port: 80 })),
      apply(service, "two", {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "a" },
        spec: { selector: { b: "1" } },
      }),
    ],
  },
  {
    name: "an atomic struct has one owner",
    steps: [
      one(
        deploymentOf(containers(c({ env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] }))),
      ),
      two(
        part(
          containers({ name: "c", env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } }] }),
        ),
      ),
    ],
  },
  {
    name: "another source of a volume replaces the first",
    steps: [
      one(deploymentOf({ ...containers(c()), volumes: volumes("v") })),
      one(deploymentOf({ ...containers(c()), volumes: [{ name: "v", configMap: { name: "m" } }] })),
      get(web),
    ],
  },
  {
    name: "a set of one manager and that of another",
    steps: [
      one({ ...withEnv("A"), metadata: { name: "a", finalizers: ["example.com/a", "example.com/b"] } }),
      two({ ...part({}), metadata: { name: "a", finalizers: ["example.com/b", "example.com/c"] } }),
      one({ ...withEnv("A"), metadata: { name: "a", finalizers: ["example.com/b"] } }),
      two(part({})),
      get(web),
    ],
  },
  {
    name: "an item of a set applied twice",
    steps: [one({ ...withEnv("A"), metadata: { name: "a", finalizers: ["example.com/a", "example.com/a"] } })],
  },
  {
    name: "a set with items that are not strings",
    steps: [
      one({ ...withEnv("A"), metadata: { name: "a", finalizers: [1] } }),
      one({ ...withEnv("A"), metadata: { name: "a", finalizers: [null] } }),
      one({ ...withEnv("A"), metadata: { name: "a", finalizers: [{ a: 1 }] } }),
      one({ ...withEnv("A"), metadata: { name: "a", finalizers: [["a"]] } }),
    ],
  },
  {
    name: "an image pull secret can lack a name",
    steps: [
      apply(pod, "one", podOf({ ...containers(c()), imagePullSecrets: [{}] })),
      apply(pod, "two", podOf({ imagePullSecrets: [{ name: "x" }] })),
      get(pod),
    ],
  },
  {
    name: "a ServiceAccount's secret without a name has no owner",
    steps: [
      apply(`${paths.serviceaccounts}/a`, "one", {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "a" },
        secrets: [{ namespace: "n" }],
      }),
      post(paths.serviceaccounts, { metadata: { name: "a" }, secrets: [{ namespace: "n" }] }),
      get(`${paths.serviceaccounts}/a`),
      apply(`${paths.serviceaccounts}/a`, "one", {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "a", labels: { x: "1" } },
      }),
    ],
  },
  {
    name: "topology spread constraints have two keys",
    steps: [
      one(
        deploymentOf({
          ...containers(c()),
          topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }],
        }),
      ),
      two(
        part({ topologySpreadConstraints: [{ maxSkew: 2, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway" }] }),
      ),
      two(
        part({ topologySpreadConstraints: [{ maxSkew: 2, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }] }),
      ),
      get(web),
    ],
  },
  {
    name: "a volume's claim is owned field by field",
    steps: [
      apply("/api/v1/persistentvolumes/{ns}", "one", {
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: { name: "{ns}" },
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          hostPath: { path: "/a" },
          claimRef: { namespace: "n", name: "c" },
        },
      }),
      apply("/api/v1/persistentvolumes/{ns}", "two", {
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: { name: "{ns}" },
        spec: { claimRef: { uid: "u" } },
      }),
    ],
  },
];

export const appliedLists: Table = {
  name: "apply-lists",
  cases: cases.map((one) => ({ ...one, name: `apply: ${one.name}` })),
};
