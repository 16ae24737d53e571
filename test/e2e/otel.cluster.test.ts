/** `run --otel`: what a collector receives by OTLP over HTTP, compared with the events of the same run. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";
import { startProgram } from "./support/program.ts";

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values: readonly Value[] };
}

interface Attribute {
  readonly key: string;
  readonly value: Value;
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly events?: readonly { readonly name: string; readonly attributes: readonly Attribute[] }[];
  readonly status?: { readonly code?: number; readonly message?: string };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

interface Line {
  readonly stage: string;
  readonly controller?: string;
  readonly sync?: number;
  readonly key: string;
  readonly at: number;
  readonly ms: number;
  readonly rule: string;
  readonly verb: string;
  readonly status: number;
  readonly of?: { readonly kind: string };
  readonly subresource?: string;
}

/** An OTLP collector for JSON that keeps everything. */
function startCollector(): { readonly url: string; readonly exports: readonly Export[]; stop(): Promise<void> } {
  const exports: Export[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (new URL(request.url).pathname !== "/v1/traces") return new Response("", { status: 404 });
      exports.push((await request.json()) as Export);
      return Response.json({});
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, exports, stop: () => server.stop(true) };
}

function attribute(attributes: readonly Attribute[], key: string): string | number | undefined {
  const value = attributes.find((one) => one.key === key)?.value;
  return value?.stringValue ?? value?.intValue ?? value?.doubleValue;
}

const set = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: "web", namespace: "shop" },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "none" }] } },
  },
};

describe.skipIf(clusterMissing !== undefined)("run --otel", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
    await cluster.createNamespace("shop");
    await cluster.request("POST", "/apis/apps/v1/namespaces/shop/replicasets", set);
  }, 120_000);
  afterAll(() => cluster.stop());

  const runOnce = (endpoint: string): ReturnType<typeof startProgram> =>
    startProgram(["run", "replicaset", "-n", "shop", "--force", "--once", "-o", "json", "--otel"], {
      kubeconfig: cluster.kubeconfig,
      through: `OTEL_EXPORTER_OTLP_ENDPOINT=${endpoint} exec "$@"`,
    });

  test("exports each sync as a span, with its decisions, and each of its writes as a child", async () => {
    const collector = startCollector();
    try {
      await using run = runOnce(collector.url);
      const { stdout, stderr, code } = await run.end();
      expect({ code, undelivered: /not delivered/.test(stderr) }).toEqual({ code: 0, undelivered: false });
      const lines = stdout.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Line] : []));
      const resources = collector.exports.flatMap(({ resourceSpans }) => resourceSpans);
      expect(resources.map(({ resource }) => attribute(resource.attributes, "service.name"))).toEqual(
        resources.map(() => "kubectl-reconcile"),
      );
      const spans = resources.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
      const syncs = spans.filter(({ name }) => name === "reconcile replicaset");
      const done = lines.filter(({ stage }) => stage === "done");
      expect(syncs.map(({ attributes }) => String(attribute(attributes, "reconcile.object"))).toSorted()).toEqual(
        done.map(({ key }) => key).toSorted(),
      );
      expect(syncs.length).toBeGreaterThanOrEqual(1);
      expect(syncs.every(({ parentSpanId }) => parentSpanId === undefined || parentSpanId === "")).toBe(true);
      for (const sync of syncs) {
        const number = Number(attribute(sync.attributes, "reconcile.sync"));
        const its = lines.filter((line) => line.controller === "replicaset" && line.sync === number);
        const rules = its.filter(({ stage }) => stage === "decision").map(({ rule }) => rule);
        expect((sync.events ?? []).map(({ attributes }) => attribute(attributes, "reconcile.rule"))).toEqual(rules);
        const writes = its.filter(({ stage }) => stage === "write");
        const children = spans.filter(({ parentSpanId }) => parentSpanId === sync.spanId);
        const textOf = ({ verb, of, subresource, status }: Line): string =>
          `${verb} ${of?.kind}${subresource === undefined ? "" : `/${subresource}`} ${status}`;
        expect(
          children
            .map(({ name, attributes }) => `${name} ${attribute(attributes, "http.response.status_code")}`)
            .toSorted(),
        ).toEqual(writes.map(textOf).toSorted());
        expect(children.every(({ traceId, kind }) => traceId === sync.traceId && kind === 3)).toBe(true);
        const begun = its.find(({ stage }) => stage === "get")?.at ?? NaN;
        expect(Math.abs(Number(BigInt(sync.startTimeUnixNano) / 1000n) / 1000 - begun)).toBeLessThan(1);
        expect(BigInt(sync.endTimeUnixNano) >= BigInt(sync.startTimeUnixNano)).toBe(true);
      }
      const creates = spans.filter(({ name }) => name === "create Pod");
      expect(creates.length).toBe(3);
    } finally {
      await collector.stop();
    }
  }, 60_000);

  test("loses only spans without a collector, and reports their number in a line", async () => {
    await cluster.request(
      "PATCH",
      "/apis/apps/v1/namespaces/shop/replicasets/web",
      { spec: { replicas: 5 } },
      {
        "content-type": "application/merge-patch+json",
      },
    );
    await using run = runOnce("http://127.0.0.1:1");
    const { stderr, code } = await run.end();
    expect(code).toBe(0);
    expect(stderr).toMatch(/^cannot send spans to http:\/\/127\.0\.0\.1:1\/v1\/traces: \S.*$/m);
    expect(stderr).toMatch(/^(\d+) of \1 spans were not delivered$/m);
    const { body } = await cluster.request("GET", "/api/v1/namespaces/shop/pods");
    expect(body.items.length).toBe(5);
  }, 60_000);
});
