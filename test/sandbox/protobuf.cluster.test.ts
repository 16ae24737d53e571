/**
 * The sandbox reads the protobuf of the real kube-apiserver, which must equal the JSON of the same server; and the real server reads the
 * protobuf of the sandbox.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { messageTypes } from "../../src/api/wire/decode.ts";
import { loadApiData, loadFieldNumbers } from "../../src/api/wire/load.ts";
import { type ProtobufReader, protobufReader } from "../../src/sandbox/serialization/protobuf-body.ts";
import { ProtobufWriter } from "../../src/sandbox/serialization/protobuf-response.ts";
import { schemaOf } from "../../src/api/wire/schema.ts";
import { deployment, node, oneOfEach, pod, podStatus } from "../kubectl/scripts/every-kind.ts";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";

type Json = Record<string, unknown>;

/** The value without empty fields: JSON contains some of them, protobuf none. */
function meant(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(meant);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value)
    .map(([key, item]) => [key, meant(item)] as const)
    .filter(([, item]) => !isNothing(item));
  return Object.fromEntries(kept);
}

function isNothing(value: unknown): boolean {
  if (value === null || value === "" || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}

const everywhere = `
apiVersion: v1
kind: Pod
metadata: {name: full, namespace: default, finalizers: [example.com/keep]}
spec:
  activeDeadlineSeconds: 4000000
  affinity:
    nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: a, operator: In, values: [b, c]}]}}]}
  hostAliases: [{ip: 1.2.3.4, hostnames: [a, b]}]
  securityContext: {runAsUser: 0, fsGroup: 5, supplementalGroups: [1, 300, 70000], sysctls: [{name: a.b, value: "1"}]}
  shareProcessNamespace: false
  topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {a: b}}}]
  containers:
    - name: main
      image: i
      resources: {requests: {cpu: 1500m, memory: "1000000"}, limits: {cpu: "2", memory: 2Gi}}
      ports: [{containerPort: 80, hostPort: 80, protocol: UDP}]
      lifecycle: {preStop: {httpGet: {path: /x, port: named, httpHeaders: [{name: a, value: b}]}}}
      startupProbe: {grpc: {port: 9}, periodSeconds: 3}
      envFrom: [{configMapRef: {name: c, optional: true}}, {prefix: p, secretRef: {name: s}}]
      volumeMounts: [{name: v, mountPath: /v, readOnly: true, subPath: s}]
  volumes:
    - {name: v, projected: {sources: [{downwardAPI: {items: [{path: p, fieldRef: {fieldPath: metadata.name}}]}}, {serviceAccountToken: {path: t, expirationSeconds: 900}}]}}
    - {name: e, emptyDir: {medium: Memory, sizeLimit: 1500M}}
    - {name: c, csi: {driver: d, volumeAttributes: {a: b, c: ""}}}
---
apiVersion: v1
kind: Secret
metadata: {name: bytes, namespace: default}
data: {empty: "", bin: AAECA/8=}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: isolated, namespace: default}
spec: {podSelector: {}, ingress: [{ports: [{port: 80}, {port: http}]}, {}], policyTypes: [Ingress]}
`;

const expected = { kind: "Pod", apiVersion: "v1" };

describe.skipIf(clusterMissing !== undefined)("protobuf of a real kube-apiserver", () => {
  let cluster: Cluster;
  let read: ProtobufReader;
  let writer: ProtobufWriter;
  beforeAll(async () => {
    cluster = await startCluster();
    const types = messageTypes(schemaOf(await loadApiData()), await loadFieldNumbers());
    read = protobufReader(types);
    writer = new ProtobufWriter(types);
    await cluster.createNamespace("shop");
    await cluster.createNamespace("default").catch(() => cluster.kubectl(["create", "sa", "default", "-n", "default"]));
    const manifests = [node, deployment, pod, oneOfEach, everywhere].join("\n---\n");
    const { stderr, code } = await cluster.kubectl(["apply", "-n", "default", "-f", "-"], manifests);
    expect({ stderr: stderr.replaceAll(/^Warning: .*\n/gm, ""), code }).toEqual({ stderr: "", code: 0 });
    const status = ["patch", "pod", "one", "-n", "default", "--subresource=status", "--type=merge", "-p", podStatus];
    expect((await cluster.kubectl(status)).code).toBe(0);
  });
  afterAll(() => cluster.stop());

  async function bytes(path: string): Promise<Uint8Array> {
    const response = await fetch(`${cluster.url}${path}`, {
      tls: { ca: cluster.ca },
      headers: { authorization: `Bearer ${cluster.token}`, accept: "application/vnd.kubernetes.protobuf" },
    });
    expect([path, response.status]).toEqual([path, 200]);
    return new Uint8Array(await response.arrayBuffer());
  }

  interface Listed {
    readonly kind: string;
    readonly apiVersion: string;
    readonly path: string;
    readonly item: Json & { readonly metadata: Json };
  }

  /** Some objects of each kind that can be listed; all of them would not show more. */
  async function* objectsOf(verb: "get" | "update", most: number): AsyncGenerator<Listed> {
    const { resources } = await loadApiData();
    for (const [apiVersion, entries] of Object.entries(resources)) {
      if (/apiextensions|apiregistration/.test(apiVersion)) continue;
      for (const { name, verbs, kind } of entries) {
        if (!verbs.includes("list") || !verbs.includes(verb) || kind === "ComponentStatus") continue;
        const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
        const { body } = await cluster.request("GET", `${root}/${name}`);
        for (const item of (body as { items: Listed["item"][] }).items.slice(0, most)) {
          const { namespace, name: own } = item.metadata as Record<string, string>;
          const path = `${root}/${namespace === undefined ? "" : `namespaces/${namespace}/`}${name}/${own}`;
          yield { kind, apiVersion, path, item };
        }
      }
    }
  }

  test("every object of every kind is decoded to its JSON", async () => {
    let objects = 0;
    const kinds = new Set<string>();
    for await (const { kind, apiVersion, path } of objectsOf("get", 10)) {
      const message = await bytes(path);
      const json = (await cluster.request("GET", path)).body as Json;
      expect([path, meant(read(message, { kind, apiVersion }))]).toEqual([path, meant(json)]);
      objects++;
      kinds.add(kind);
    }
    expect(objects).toBeGreaterThan(80);
    expect(kinds.size).toBeGreaterThan(35);
  });

  test("every object that the sandbox encodes is the same object for the real server", async () => {
    let objects = 0;
    const put = (path: string, object: Json): Promise<Response> =>
      fetch(`${cluster.url}${path}?dryRun=All&fieldManager=nobody`, {
        method: "PUT",
        tls: { ca: cluster.ca },
        headers: {
          authorization: `Bearer ${cluster.token}`,
          "content-type": "application/vnd.kubernetes.protobuf",
        },
        body: writer.body(object),
      });
    for await (const { kind, apiVersion, path, item: listed } of objectsOf("update", 5)) {
      if (kind === "Namespace") continue;
      let item = listed;
      let response = await put(path, { ...item, kind, apiVersion });
      // The API server may have changed its own object since it was listed: it renews its Lease every ten seconds.
      for (let tries = 1; response.status === 409 && tries < 5; tries++) {
        item = (await cluster.request("GET", path)).body as Listed["item"];
        response = await put(path, { ...item, kind, apiVersion });
      }
      // An update without changes is not stored: an unchanged resourceVersion shows that every field was read correctly.
      const { metadata, ...fields } = (await response.json()) as Json & { metadata: Json };
      const { metadata: before, ...rest } = item;
      const expected = [path, { ...rest, kind, apiVersion }, before["resourceVersion"]];
      expect([path, fields, metadata["resourceVersion"]]).toEqual(expected);
      objects++;
    }
    expect(objects).toBeGreaterThan(60);
  });

  test("a pointer to zero is kept, an unset plain field does not appear", async () => {
    const ours = read(await bytes("/api/v1/namespaces/default/pods/full"), expected) as unknown as {
      spec: { securityContext: Json; shareProcessNamespace: boolean };
      metadata: Json;
    };
    expect(ours.spec.securityContext["runAsUser"]).toBe(0);
    expect(ours.spec.shareProcessNamespace).toBe(false);
    expect(Object.keys(ours.metadata)).not.toContain("generateName");
    expect(Object.keys(ours.metadata)).not.toContain("deletionTimestamp");
  });

  test("a truncated message is refused, never mistaken for another error", async () => {
    const message = await bytes("/api/v1/namespaces/default/pods/full");
    let refused = 0;
    for (let length = 0; length < message.length; length += 7) {
      try {
        read(message.subarray(0, length), expected);
      } catch (error) {
        expect((error as { code?: number }).code).toBe(400);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(message.length / 7 - 5);
  });
});
