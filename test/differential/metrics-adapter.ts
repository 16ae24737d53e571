/**
 * An extension API server for the three metrics APIs, behind kube-apiserver's aggregator. It returns what metrics-server and a metrics
 * adapter would, computed from the annotations that the sandbox also reads. It shares no code with the sandbox.
 */
import { makeCertificates } from "../platform/certificates.ts";
import type { StageServer } from "./stage.ts";

const prefix = "sandbox.kubectl-reconcile.io/";

interface Annotated {
  readonly metadata: {
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly name: string }[];
  };
}

interface PodLike extends Annotated {
  readonly spec: { readonly containers: readonly { readonly name: string }[] };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

const versions = {
  "metrics.k8s.io": "v1beta1",
  "custom.metrics.k8s.io": "v1beta2",
  "external.metrics.k8s.io": "v1beta1",
} as const;

const listKinds: Readonly<Record<string, string>> = {
  "metrics.k8s.io": "PodMetricsList",
  "custom.metrics.k8s.io": "MetricValueList",
  "external.metrics.k8s.io": "ExternalMetricValueList",
};

/** Serves and registers the APIs, and resolves when kube-apiserver serves them. The returned function stops the server. */
export async function serveMetrics(server: StageServer): Promise<() => Promise<void>> {
  const { cert, key } = makeCertificates().server;
  const adapter = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: { cert, key },
    fetch: (request) => respond(server, new URL(request.url)),
  });
  await send(server, "/api/v1/namespaces", { metadata: { name: "metrics" } });
  await send(server, "/api/v1/namespaces/metrics/services", {
    metadata: { name: "adapter" },
    spec: { type: "ExternalName", externalName: "localhost", ports: [{ port: adapter.port }] },
  });
  for (const [group, version] of Object.entries(versions)) {
    await send(server, "/apis/apiregistration.k8s.io/v1/apiservices", {
      metadata: { name: `${version}.${group}` },
      spec: {
        group,
        version,
        service: { namespace: "metrics", name: "adapter", port: adapter.port },
        insecureSkipTLSVerify: true,
        groupPriorityMinimum: 100,
        versionPriority: 100,
      },
    });
  }
  await Promise.all(Object.entries(versions).map(([group, version]) => served(server, `/apis/${group}/${version}`)));
  return () => adapter.stop(true);
}

async function send(server: StageServer, path: string, body: object): Promise<void> {
  const { status, body: responseBody } = await server.request("POST", path, body);
  if (status >= 400) throw new Error(`Cannot create at ${path}: ${JSON.stringify(responseBody)}`);
}

async function served(server: StageServer, path: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if ((await server.request("GET", path)).status === 200) return;
    await Bun.sleep(100);
  }
  throw new Error(`${path} is not served after 30 s`);
}

function notFound(): Response {
  return Response.json(
    { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", message: "not found", code: 404 },
    { status: 404 },
  );
}

async function respond(server: StageServer, { pathname, searchParams }: URL): Promise<Response> {
  const [, apis, group = "", version, ...rest] = pathname.split("/");
  if (apis !== "apis" || !(group in versions)) return notFound();
  const groupVersion = `${group}/${version}`;
  const entry = { name: "pods", singularName: "", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] };
  const resources = group === "metrics.k8s.io" ? [entry] : [];
  if (rest.length === 0) return Response.json({ kind: "APIResourceList", apiVersion: "v1", groupVersion, resources });
  const [, namespace = "", ...segments] = rest;
  const selector = searchParams.get("labelSelector") ?? "";
  const scene = { server, namespace, selector };
  const items = await itemsOf(group, scene, segments.map(decodeURIComponent));
  if (items === undefined) return notFound();
  return Response.json({ kind: listKinds[group], apiVersion: groupVersion, metadata: {}, items });
}

interface MetricsQuery {
  readonly server: StageServer;
  readonly namespace: string;
  readonly selector: string;
}

async function itemsOf(
  group: string,
  query: MetricsQuery,
  path: readonly string[],
): Promise<readonly object[] | undefined> {
  const timestamp = new Date().toISOString();
  const [resource = "", name = "", metric = ""] = path;
  if (group === "metrics.k8s.io") return usage(query, timestamp);
  if (group === "external.metrics.k8s.io") {
    const value = await annotationOf(query, "", `external.${resource}`);
    return value === undefined ? [] : [{ metricName: resource, metricLabels: {}, timestamp, value }];
  }
  if (resource === "pods" && name === "*") {
    const scene = await look(query);
    return scene.pods.flatMap((pod) => {
      const value = shareOf(scene, { pod, name: `metric.${metric}` });
      return value === undefined ? [] : [valueOf(pod.metadata.name, value, timestamp)];
    });
  }
  const of = resource === "metrics" ? "" : `/${resource}/${name}`;
  const value = await annotationOf(query, of, `metric.${resource === "metrics" ? name : metric}`);
  return value === undefined ? undefined : [valueOf(name, value, timestamp)];
}

function valueOf(name: string, value: string, timestamp: string): object {
  return { describedObject: { name }, metric: { name: "" }, timestamp, windowSeconds: 15, value };
}

/** Reads an annotation of an object in the core group, or of the namespace itself if `path` is empty. */
async function annotationOf(
  { server, namespace }: MetricsQuery,
  path: string,
  name: string,
): Promise<string | undefined> {
  const { body } = await server.request("GET", `/api/v1/namespaces/${namespace}${path}`);
  return (body as Partial<Annotated>).metadata?.annotations?.[`${prefix}${name}`];
}

async function usage(query: MetricsQuery, timestamp: string): Promise<readonly object[]> {
  const scene = await look(query);
  return scene.pods.map((pod) => {
    const of = (name: string): string => shareOf(scene, { pod, name }) ?? "0";
    return {
      metadata: { name: pod.metadata.name, namespace: query.namespace },
      timestamp,
      window: "15s",
      // Pods in these suites have one container.
      containers: [{ name: pod.spec.containers[0]?.name, usage: { cpu: of("cpu"), memory: of("memory") } }],
    };
  });
}

interface Looked {
  /** Running pods that are not being deleted. */
  readonly pods: readonly PodLike[];
  readonly deployments: readonly Annotated[];
}

async function look({ server, namespace, selector }: MetricsQuery): Promise<Looked> {
  const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=${encodeURIComponent(selector)}`;
  const [pods, deployments] = await Promise.all([
    server.request("GET", path),
    server.request("GET", `/apis/apps/v1/namespaces/${namespace}/deployments`),
  ]);
  const running = (pods.body as { readonly items: readonly PodLike[] }).items.filter(
    ({ status, metadata }) => status?.phase === "Running" && metadata.deletionTimestamp === undefined,
  );
  return { pods: running, deployments: (deployments.body as { readonly items: readonly Annotated[] }).items };
}

const units: Readonly<Record<string, number>> = { m: 1, "": 1000, Ki: 1024e3, Mi: 1024 ** 2 * 1e3 };

/** Returns a pod's own value, or its share of its Deployment's value: `900m` for three ready pods is `300m` each. */
function shareOf(
  { pods, deployments }: Looked,
  { pod, name }: { readonly pod: PodLike; readonly name: string },
): string | undefined {
  const of = ({ metadata }: Annotated): string | undefined => metadata.annotations?.[`${prefix}${name}`];
  const own = of(pod);
  const owner = deployments.find(({ metadata }) => metadata.name === pod.metadata.ownerReferences?.[0]?.name);
  const total = owner === undefined ? undefined : of(owner);
  if (own !== undefined || total === undefined) return own;
  const sharing = pods.filter((each) => isReady(each) && of(each) === undefined).length;
  const [, amount = "0", unit = ""] = /^(\d+)(\D*)$/.exec(total) ?? [];
  const nano = (BigInt(amount) * BigInt(units[unit] ?? 0) * 1_000_000n) / BigInt(Math.max(1, sharing));
  return `${isReady(pod) ? nano : 0n}n`;
}

function isReady({ status }: PodLike): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
}
