/** The objects that a new kube-apiserver creates itself, compared with those of a sandbox. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { serveSandbox, type SandboxHttps } from "../../src/sandbox/https.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { adminOf, type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";
import { type Json, namesOf } from "./names.ts";
import { normalized } from "./normalize.ts";

type Send = Cluster["request"];

/** Kinds that the sandbox does not have. */
const leftOut: readonly { readonly kind: string; readonly because: string }[] = [
  { kind: "api/v1/componentstatuses", because: "there is no scheduler, controller manager or etcd to ask" },
  { kind: "api/v1/serviceaccounts", because: "kube-controller-manager's part: the test's cluster made one by hand" },
  { kind: "apis/coordination.k8s.io/v1/leases", because: "there is no second server to tell that it lives" },
];

/**
 * Objects that only exist after some starts, because a repair loop sees the address of the Service `kubernetes` before its registration.
 */
const occasional: ReadonlySet<string> = new Set(["api/v1/events", "apis/events.k8s.io/v1/events"]);

interface FreshServer {
  readonly send: Send;
  readonly port: number;
  readonly ca: string;
  /** Start of the server, in ms since 1970. */
  readonly startedAt: number;
}

/** All objects by kind and key. The server's own ports and addresses are replaced by the same names. */
async function everything({ send, port, ca, startedAt }: FreshServer): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>();
  const { groups } = (await send("GET", "/apis")).body as { groups: { preferredVersion: { groupVersion: string } }[] };
  const versions = ["api/v1", ...groups.map(({ preferredVersion }) => `apis/${preferredVersion.groupVersion}`)];
  for (const version of versions) {
    const { resources } = (await send("GET", `/${version}`)).body as { resources: { name: string; verbs: string[] }[] };
    for (const { name } of resources.filter(({ verbs, name }) => verbs.includes("list") && !name.includes("/"))) {
      const { items } = (await send("GET", `/${version}/${name}`)).body as { items: Json[] };
      for (const item of items) {
        const { metadata } = item as { metadata: { namespace?: string; name: string } };
        const own = JSON.stringify(item)
          .replaceAll(JSON.stringify(ca).slice(1, -1), "CA")
          .replaceAll(new RegExp(`:${port}\\b`, "g"), ":0")
          .replaceAll(/"(127\.0\.0\.1|192\.0\.2\.2)"/g, '"HOST"')
          .replaceAll(/"since":"[-\d]*"/g, '"since":"DATE"');
        const key = `${version}/${name} ${metadata.namespace ?? ""}/${metadata.name}`;
        const response = { body: JSON.parse(own) as unknown, from: startedAt, until: Date.now() };
        // Each object has its own names, because the order of creation is random.
        const names = namesOf([response], { startedAt, sent: undefined, ordersTimes: false });
        found.set(key, normalized(response.body, { ...response, names }));
      }
    }
  }
  return found;
}

/** A definition that contains what the two versions of OpenAPI represent differently. */
const widgets = {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "Widgets" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "A widget.",
            required: ["spec"],
            properties: {
              spec: {
                type: "object",
                required: ["mode", "replicas"],
                properties: {
                  replicas: { type: "integer", format: "int32", default: 1, minimum: 0 },
                  port: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
                  open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                  mode: { type: "string", enum: ["a", "b"], nullable: true },
                  list: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
                  },
                  map: { type: "object", additionalProperties: { type: "string", maxLength: 4 } },
                  pod: {
                    type: "object",
                    "x-kubernetes-embedded-resource": true,
                    properties: { spec: { type: "object" } },
                  },
                  any: {
                    type: "object",
                    "x-kubernetes-embedded-resource": true,
                    "x-kubernetes-preserve-unknown-fields": true,
                  },
                },
              },
              status: { type: "object", properties: { replicas: { type: "integer" } } },
            },
          },
        },
      },
      {
        name: "v2",
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
} as const;

interface OpenApi {
  readonly index: readonly string[];
  readonly documents: ReadonlyMap<string, unknown>;
  readonly swagger: Swagger;
}

interface Swagger {
  readonly paths: Readonly<Record<string, object>>;
  readonly definitions: Readonly<Record<string, object>>;
  readonly parameters?: Readonly<Record<string, object>>;
}

/** Returns all OpenAPI documents, once they contain the definition. */
async function openApiOf(send: Send): Promise<OpenApi> {
  await send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgets);
  let swagger: Swagger | undefined;
  let paths: Record<string, unknown> = {};
  // The real server publishes a new kind after some seconds.
  for (let tries = 0; tries < 120; tries++) {
    swagger = (await send("GET", "/openapi/v2")).body as Swagger;
    const { body } = await send("GET", "/openapi/v3");
    ({ paths } = (typeof body === "string" ? JSON.parse(body) : body) as { paths: Record<string, unknown> });
    const versions = ["v1", "v2"].map((version) => `apis/example.com/${version}`);
    if (versions.every((version) => paths[version] !== undefined) && swagger.definitions["com.example.v1.Widget"])
      break;
    await Bun.sleep(250);
  }
  const index = Object.keys(paths);
  const documents = new Map<string, unknown>();
  for (const path of index) documents.set(path, (await send("GET", `/openapi/v3/${path}`)).body);
  return { index: index.sort(), documents, swagger: swagger as Swagger };
}

/** Inlines shared parameters, and sorts media types and parameters, which have no order. */
function spread(value: unknown, { parameters = {} }: Swagger): unknown {
  const within = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(within);
    if (inner === null || typeof inner !== "object") return inner;
    const { $ref } = inner as { $ref?: unknown };
    if (typeof $ref === "string" && $ref.startsWith("#/parameters/"))
      return parameters[$ref.slice("#/parameters/".length)];
    return Object.fromEntries(
      Object.entries(inner).map(([key, one]: [string, unknown]) => {
        const made = within(one);
        return [key, Array.isArray(made) && /^(consumes|produces|parameters)$/.test(key) ? sorted(made) : made];
      }),
    );
  };
  return within(value);
}

function sorted(values: readonly unknown[]): readonly unknown[] {
  const keyOf = (value: unknown): string => {
    const { name, in: place } = (typeof value === "string" ? { name: value } : value) as { name: string; in?: string };
    return `${name} ${place}`;
  };
  return [...values].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

describe.skipIf(clusterMissing !== undefined)("a new server", () => {
  let cluster: Cluster;
  let served: SandboxHttps;
  let theirs: Map<string, unknown>;
  let ours: Map<string, unknown>;
  beforeAll(async () => {
    const startedAt = Date.now();
    cluster = await startCluster();
    const sandbox = await createSandbox({
      timeline: realTimeline(),
      random: seededRandom(1),
      defaultServiceAccounts: false,
      rbac: true,
    });
    served = await serveSandbox(sandbox);
    ours = await everything({ ...served, send: adminOf(served).request, startedAt });
    // The real server creates its own objects in the first seconds, in random order.
    const last = "apis/discovery.k8s.io/v1/endpointslices default/kubernetes";
    for (let tries = 0; tries < 30; tries++) {
      theirs = await everything({ ...cluster, send: (...args) => cluster.request(...args), startedAt });
      const cidr = JSON.stringify(theirs.get("apis/networking.k8s.io/v1/servicecidrs /kubernetes") ?? {});
      if (theirs.has(last) && cidr.includes("Ready")) break;
      await Bun.sleep(500);
    }
  });
  afterAll(async () => {
    await served.close();
    await cluster.stop();
  });

  const kindOf = (key: string): string => key.split(" ")[0] ?? "";
  const isLeftOut = (key: string): boolean =>
    occasional.has(kindOf(key)) || leftOut.some(({ kind }) => kind === kindOf(key));

  test("has the same objects, except documented kinds", () => {
    expect([...ours.keys()].sort()).toEqual([...theirs.keys()].filter((key) => !isLeftOut(key)).sort());
    expect(leftOut.filter(({ kind }) => ![...theirs.keys()].some((key) => kindOf(key) === kind))).toEqual([]);
  });

  test("publishes the same OpenAPI, also for a custom resource", async () => {
    const [real, own] = await Promise.all([
      openApiOf((...args) => cluster.request(...args)),
      openApiOf(adminOf(served).request),
    ]);
    expect(own.index).toEqual(real.index);
    expect(own.index.length).toBeGreaterThan(45);
    const differing = real.index.filter((path) => !Bun.deepEquals(own.documents.get(path), real.documents.get(path)));
    expect(differing).toEqual([]);
    const names = Object.keys(real.swagger.definitions).sort();
    expect(Object.keys(own.swagger.definitions).sort()).toEqual(names);
    const isSame = (name: string): boolean =>
      Bun.deepEquals(own.swagger.definitions[name], real.swagger.definitions[name]);
    expect(names.filter((name) => !isSame(name))).toEqual([]);
    const paths = Object.keys(real.swagger.paths);
    expect(Object.keys(own.swagger.paths).sort()).toEqual(paths.sort());
    const isSamePath = (path: string): boolean =>
      Bun.deepEquals(spread(own.swagger.paths[path], own.swagger), spread(real.swagger.paths[path], real.swagger));
    expect(paths.filter((path) => !isSamePath(path))).toEqual([]);
  });

  test("has the same fields in them, each with the same owner", () => {
    const differing = [...ours].filter(([key, object]) => !Bun.deepEquals(object, theirs.get(key)));
    // The real server writes its status with server-side apply, the sandbox with a patch.
    expect(differing.map(([key]) => key)).toEqual(["apis/networking.k8s.io/v1/servicecidrs /kubernetes"]);
  });
});
