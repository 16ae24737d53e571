/** Metadata, options and kinds of all requests, for kinds that differ in what they accept. */
import { del, get, paths, patch, post, put, type Case, type Step, type Table } from "../case.ts";

type Json = Readonly<Record<string, unknown>>;

const dry = "dryRun=All";
const apps = "/apis/apps/v1/namespaces/{ns}";
const named = (name: string, metadata: Json, body: Json = {}): Json => ({ metadata: { name, ...metadata }, ...body });

interface Kind {
  readonly path: string;
  readonly body: Json;
  readonly name?: string;
}

/** Kinds that validate metadata in three ways: like most kinds, only with the checks for every kind, or only after all else is valid. */
const kinds: Readonly<Record<string, Kind>> = {
  ConfigMaps: { path: paths.configmaps, body: {} },
  Events: { path: paths.events, body: { involvedObject: { namespace: "{ns}" } } },
  Leases: { path: paths.leases, body: { spec: {} } },
  RuntimeClasses: { path: "/apis/node.k8s.io/v1/runtimeclasses", body: { handler: "h" } },
  ControllerRevisions: { path: `${apps}/controllerrevisions`, body: { revision: 1, data: {} } },
  PodDisruptionBudgets: { path: paths.poddisruptionbudgets, body: { spec: { minAvailable: 1 } } },
  IPAddresses: {
    path: "/apis/networking.k8s.io/v1/ipaddresses",
    body: { spec: { parentRef: { resource: "services", name: "s" } } },
    name: "192.0.2.7",
  },
  APIServices: {
    path: "/apis/apiregistration.k8s.io/v1/apiservices",
    body: { spec: { group: "{ns}.example.com", version: "v1", groupPriorityMinimum: 1, versionPriority: 1 } },
    name: "v1.{ns}.example.com",
  },
};

const wild: readonly Json[] = [
  { finalizers: ["a"] },
  { finalizers: ["a b", "example.com/a"] },
  { generateName: "A_b" },
  { generateName: "a", generation: -1 },
  { generation: 7, selfLink: "/a", deletionGracePeriodSeconds: 5, deletionTimestamp: "2020-01-01T00:00:00Z" },
  { ownerReferences: [{ apiVersion: "a/b/c", kind: "K", name: "n", uid: "u" }] },
  { ownerReferences: [{ apiVersion: "a/", kind: "", name: "", uid: "" }] },
  { resourceVersion: "1" },
  { annotations: { "A/b": "c", "a b": "c" }, labels: { "": "x" } },
];

const ofKinds = Object.entries(kinds).flatMap(([kind, { path, body, name = "{ns}-a" }]): Case[] => [
  { name: `metadata of new ${kind}`, steps: wild.map((metadata) => post(path, named(name, metadata, body), dry)) },
  {
    name: `metadata of existing ${kind}`,
    steps: [
      post(path, named(name, {}, body)),
      ...wild
        .filter((metadata) => !("resourceVersion" in metadata))
        .map((metadata) =>
          put(
            `${path}/${name}`,
            named(name, { resourceVersion: "{0.metadata.resourceVersion}", ...metadata }, body),
            dry,
          ),
        ),
    ],
  },
]);

const deletions: readonly Json[] = [
  { kind: "" },
  { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" },
  { kind: "Other" },
  { propagationPolicy: "" },
  { propagationPolicy: "Orphan", orphanDependents: true, dryRun: ["Some"] },
  { dryRun: ["Some"] },
  { dryRun: ["All", "All"] },
  { preconditions: { uid: "" } },
  { preconditions: { resourceVersion: "" } },
  { preconditions: { uid: "{0.metadata.uid}", resourceVersion: "1" } },
];

const options: readonly Case[] = [
  {
    name: "options of a deletion",
    steps: [
      post(paths.configmaps, named("a", {})),
      ...deletions.map((body) => del(`${paths.configmaps}/a`, { dryRun: ["All"], ...body })),
      del(`${paths.configmaps}/a`, undefined, "dryRun=Some"),
      del(`${paths.configmaps}/a`, undefined, "dryRun=All&propagationPolicy="),
      get(`${paths.configmaps}/a`),
    ],
  },
  {
    name: "options of reviews, and reviews by name",
    steps: [
      ...["subjectaccessreviews", "selfsubjectrulesreviews"].flatMap((plural): Step[] => {
        const path = `/apis/authorization.k8s.io/v1/${plural}`;
        return [
          post(path, { spec: {} }, "fieldValidation=Loose"),
          post(path, { spec: 1 }, "dryRun=Some"),
          get(`${path}/a`),
          del(`${path}/a`),
          get(path),
        ];
      }),
      post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
        metadata: { generation: 0, deletionGracePeriodSeconds: 5 },
        spec: { nonResourceAttributes: { path: "/a", verb: "get" } },
      }),
    ],
  },
  {
    name: "what is wrong with a list's versions comes before what is wrong with its fields",
    steps: [
      get(paths.configmaps, "fieldSelector=spec.x%3Da&resourceVersion=0&resourceVersionMatch=Exact"),
      get(paths.configmaps, "fieldSelector=spec.x%3Da&labelSelector=a+b"),
      get(paths.configmaps, "labelSelector=a+b&resourceVersion=0&resourceVersionMatch=Exact"),
    ],
  },
  {
    name: "a strategic merge patch that says of what type a kind is",
    steps: [
      post(paths.configmaps, named("a", {})),
      ...[true, ["x"], { a: 1 }, 1, null, "Other"].map((kind) =>
        patch("strategic", `${paths.configmaps}/a`, { kind }, dry),
      ),
      patch("strategic", `${paths.configmaps}/a`, { apiVersion: {} }, dry),
    ],
  },
  {
    name: "a LimitRange without a name gets one",
    steps: [
      post(paths.limitranges, { spec: { limits: [{ type: "Pod" }] } }, dry),
      post(paths.limitranges, { metadata: { name: "a" }, spec: { limits: [] } }),
    ],
  },
  {
    name: "data of revisions, and parameters of devices, are objects",
    steps: [
      ...[[], "a", 1, null].map((data) =>
        post(`${apps}/controllerrevisions`, named("a", {}, { revision: 1, data }), dry),
      ),
      ...[[], "a", 1, null].map((parameters) =>
        post(
          "/apis/resource.k8s.io/v1/deviceclasses",
          named("{ns}", {}, { spec: { config: [{ opaque: { driver: "d.example.com", parameters } }] } }),
          dry,
        ),
      ),
    ],
  },
];

export const kindMetadata: Table = { name: "kinds-metadata", cases: [...ofKinds, ...options] };
