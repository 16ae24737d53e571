/** `run --metrics-bind-address`: its counts match the API server's audit log and the stage events. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";
import { startProgram } from "./support/program.ts";

interface Line {
  readonly stage: string;
  readonly controller?: string;
  readonly delayMs?: number;
  readonly error?: string;
}

/** A sample in Prometheus text format: `name{label="value"} 3`. */
interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

function samplesIn(text: string): readonly Sample[] {
  return text.split("\n").flatMap((line) => {
    const [, name = "", inside = "", value = ""] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === "") return [];
    const labels = [...inside.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = "", text = ""]) => [label, text] as const);
    return [{ name, labels: Object.fromEntries(labels), value: Number(value) }];
  });
}

const sum = (samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>> = {}): number =>
  samples
    .filter(
      (sample) => sample.name === name && Object.entries(labels).every(([key, text]) => sample.labels[key] === text),
    )
    .reduce((total, { value }) => total + value, 0);

const set = {
  metadata: { name: "web" },
  spec: {
    replicas: 5,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
};

describe.skipIf(clusterMissing !== undefined)("run --metrics-bind-address", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ audit: true });
    await cluster.createNamespace("shop");
  }, 120_000);
  afterAll(() => cluster.stop());

  const methods: Readonly<Record<string, readonly string[]>> = {
    GET: ["get", "list", "watch"],
    POST: ["create"],
    PUT: ["update"],
    PATCH: ["patch"],
    DELETE: ["delete"],
  };

  /** Number of our requests that got a response, by method. */
  async function audited(): Promise<ReadonlyMap<string, number>> {
    const ours = (await cluster.audit()).filter(({ userAgent = "" }) => userAgent.startsWith("kubectl-reconcile/"));
    const verbById = new Map(
      ours.filter(({ stage }) => stage !== "RequestReceived").map(({ auditID, verb }) => [auditID, verb]),
    );
    const count = (verbs: readonly string[]): number =>
      [...verbById.values()].filter((verb) => verbs.includes(verb)).length;
    return new Map(Object.entries(methods).map(([method, verbs]) => [method, count(verbs)]));
  }

  test("counts requests as the audit log does, and syncs as the events do", async () => {
    await using run = startProgram(
      ["run", "replicaset", "-n", "shop", "--force", "-o", "json", "--metrics-bind-address", "127.0.0.1:0"],
      { kubeconfig: cluster.kubeconfig },
    );
    await run.says(/metrics http:\S+\/metrics/);
    const [, url = ""] = /metrics (http:\S+)\/metrics/.exec(run.stderr + run.stdout) ?? [];
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await run.says(/running replicaset/);
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([200, "ok\n"]);
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
    await cluster.request("POST", "/apis/apps/v1/namespaces/shop/replicasets", set);
    const pods = async (): Promise<number> =>
      ((await cluster.request("GET", "/api/v1/namespaces/shop/pods")).body["items"] as readonly unknown[]).length;
    for (let look = 0; look < 300 && (await pods()) < 5; look++) await Bun.sleep(100);
    await run.says(/"stage":"write".*"kind":"ReplicaSet"/);
    // From here on only the Lease changes.
    await Bun.sleep(1500);

    const before = await audited();
    const response = await fetch(`${url}/metrics`);
    const text = await response.text();
    await Bun.sleep(500);
    const after = await audited();
    expect(response.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
    const samples = samplesIn(text);
    for (const [method, least] of before) {
      const counted = sum(samples, "rest_client_requests_total", { method });
      // /version is requested once, and the audit policy omits it.
      const unlogged = method === "GET" ? 1 : 0;
      const logged = counted - unlogged;
      const most = after.get(method) ?? 0;
      expect({ method, counted, within: logged >= least && logged <= most }).toEqual({
        method,
        counted,
        within: true,
      });
      expect(sum(samples, "rest_client_request_duration_seconds_count", { verb: method })).toBe(counted);
    }
    expect(before.get("POST")).toBeGreaterThanOrEqual(5);
    expect(
      new Set(samples.filter(({ name }) => name === "rest_client_requests_total").map(({ labels }) => labels["host"])),
    ).toEqual(new Set([new URL(cluster.url).host]));

    run.signal("SIGINT");
    const { stdout, code } = await run.end();
    const lines = stdout.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Line] : []));
    const of = (stage: string): readonly Line[] =>
      lines.filter((line) => line.stage === stage && line.controller === "replicaset");
    const failed = of("done").filter(({ error }) => error !== undefined).length;
    expect({
      adds: sum(samples, "workqueue_adds_total", { name: "replicaset" }),
      depth: sum(samples, "workqueue_depth", { name: "replicaset" }),
      waited: sum(samples, "workqueue_queue_duration_seconds_count", { name: "replicaset" }),
      worked: sum(samples, "workqueue_work_duration_seconds_count", { name: "replicaset" }),
      unfinished: sum(samples, "workqueue_unfinished_work_seconds", { name: "replicaset" }),
      retries: sum(samples, "workqueue_retries_total", { name: "replicaset" }),
      reconciles: sum(samples, "controller_runtime_reconcile_total", { controller: "replicaset" }),
      errors: sum(samples, "controller_runtime_reconcile_errors_total", { controller: "replicaset" }),
      workers: sum(samples, "controller_runtime_max_concurrent_reconciles", { controller: "replicaset" }),
      active: sum(samples, "controller_runtime_active_workers", { controller: "replicaset" }),
    }).toEqual({
      adds: of("get").length,
      depth: 0,
      waited: of("get").length,
      worked: of("done").length,
      unfinished: 0,
      retries: of("enqueue").filter(({ delayMs }) => delayMs !== undefined).length,
      reconciles: of("done").length,
      errors: failed,
      workers: 5,
      active: 0,
    });
    expect(of("get").length).toBeGreaterThan(0);
    expect(code).toBe(0);
  }, 120_000);

  test.each([
    ["8080", "error: --metrics-bind-address 8080 is not an address"],
    ["127.0.0.1:99999", "error: --metrics-bind-address 127.0.0.1:99999 is not an address"],
    ["192.0.2.1:80", "error: cannot listen on 192.0.2.1:80"],
  ])("an address where nothing can be served: %s", async (address, says) => {
    await using run = startProgram(["run", "replicaset", "--metrics-bind-address", address], {
      kubeconfig: cluster.kubeconfig,
    });
    const { code, stderr } = await run.end();
    expect(stderr).toContain(says);
    expect(code).toBe(2);
  });
});
