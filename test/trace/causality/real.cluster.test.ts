/**
 * Compares links between writes and deltas on a real API server with its audit log: our controllers run, users, kube-scheduler and kwok
 * also write, and the server is killed and restarted in between.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { DecisionId, Transport } from "../../../src/api/transport.ts";
import { createClient } from "../../../src/client/api/client.ts";
import { loadRestConfig } from "../../../src/client/config/load-rest-config.ts";
import { connect, type Connection } from "../../../src/client/connect.ts";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { garbageCollector } from "../../../src/controllers/garbage-collector/garbage-collector.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { startLive } from "../../../src/modes/run/live.ts";
import { realHost } from "../../../src/platform/host.ts";
import { below, type Random, realRandom, seededRandom } from "../../../src/platform/random.ts";
import { realTimeline } from "../../../src/platform/real-timeline.ts";
import { TraceBus } from "../../../src/trace/bus.ts";
import { Linker } from "../../../src/trace/linker.ts";
import { Changes } from "../../modes/shadow/changes.ts";
import { type Cluster, controllersMissing, startCluster } from "../../support/cluster.ts";
import { type FaultProxy, kubeconfigThrough, startFaultProxy } from "../../support/fault-proxy.ts";
import { long, tries } from "../../support/long.ts";
import { Authors } from "./authors.ts";
import { Claims, judge, type Verdict } from "./links.ts";

const seed = Number(process.env["SEED"] ?? 20261121);
const objects = 8;

interface Run {
  readonly claims: Claims;
  readonly senders: Map<string, { readonly agent: string; readonly decision: DecisionId | undefined }>;
  /** The proxy for lists and watches. */
  readonly watches: FaultProxy;
  /** Waits until nothing has happened for this long, starting now. */
  quiet(ms: number): Promise<void>;
  stop(): Promise<void>;
}

/** Runs our controllers as `run` does, with an Audit-ID for every write that the server's log contains. */
async function runOurs(cluster: Cluster): Promise<Run> {
  const timeline = realTimeline();
  const bus = new TraceBus({ now: () => timeline.now() });
  const claims = new Claims();
  const senders: Run["senders"] = new Map();
  let lastAt = timeline.now();
  bus.listen(new Linker(bus).listener);
  bus.listen(claims.listener);
  bus.listen(({ stage }) => {
    if (stage === "delta" || stage === "done") lastAt = timeline.now();
  });
  const host = { ...realHost(), env: {} };
  const open = async (kubeconfig: string): Promise<Connection> =>
    connect(await loadRestConfig(host, { kubeconfig }), { host, timeline, bus, qps: 0 });
  const watches = await startFaultProxy(cluster.port);
  const reading = await open(kubeconfigThrough(cluster, watches.url));
  const connection = await open(cluster.kubeconfig);
  const numbered = (agent: string): Transport => ({
    send(request) {
      const id = `ours-${senders.size}`;
      if (request.method === "GET") return connection.transport.send(request);
      senders.set(id, { agent, decision: request.decision });
      return connection.transport.send({ ...request, headers: { ...request.headers, "audit-id": id } });
    },
  });
  const live = await startLive(
    {
      controllers: [deployment, replicaset, garbageCollector],
      clientFor: (fieldManager) => createClient({ transport: numbered(fieldManager), bus, timeline, fieldManager }),
      readingClient: reading.client,
      bus,
      timeline,
      random: realRandom(),
      freeze: true,
      lease: { identity: "causality", isDead: () => false, force: false, onWait: () => undefined },
      preflight: () => Promise.resolve(),
      onLeaseLost: (why) => console.error(`the Lease was lost: ${why}`),
      onEventLost: () => undefined,
    },
    AbortSignal.timeout(180_000),
  );
  return {
    claims,
    senders,
    watches,
    async quiet(ms) {
      lastAt = timeline.now();
      for (let tries = 0; tries < 600 && timeline.now() - lastAt < ms; tries++) await Bun.sleep(100);
    },
    async stop() {
      await live.stop();
      reading.close();
      connection.close();
      await watches.stop();
    },
  };
}

/**
 * The watches stall while writes continue; when they resume, the server no longer knows their resourceVersions, because it has restarted
 * with a state that none of them has seen. Then every kind is listed again.
 */
async function miss({ watches, claims }: Run, cluster: Cluster, part: number): Promise<void> {
  await Bun.sleep(300);
  const { open } = claims.watches();
  await watches.set({ is: "stall" });
  await Bun.sleep(700);
  const unseen = await cluster.request("POST", "/api/v1/namespaces/default/configmaps", {
    metadata: { name: `unseen-${part}` },
  });
  if (unseen.status !== 201) throw new Error(`Cannot write what no watch sees: ${JSON.stringify(unseen.body)}`);
  await cluster.restartApiServer();
  const readingsBefore = claims.reading.length;
  await watches.set({ is: "none" });
  watches.breakConnections();
  const relisted = (): ReadonlySet<string> =>
    new Set(
      claims.reading
        .slice(readingsBefore)
        .flatMap((event) => (event.stage === "watch" && event.state === "opened" && event.why === "start" ? event : []))
        .map(({ of }) => `${of.kind}.${of.group}`),
    );
  await eventually(`a list and a watch of ${open.join(", ")} after the restart`, () => {
    const again = relisted();
    return open.every((kind) => again.has(kind));
  });
}

/** @throws Error if `holds` is not true within two minutes. */
async function eventually(what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1200; tries++) {
    if (holds()) return;
    await Bun.sleep(100);
  }
  throw new Error(`There was no ${what}`);
}

/** The verdict once all expected deltas have arrived; after a minute of waiting, the verdict as it is. */
async function settledVerdict(run: Run, judged: () => Promise<Verdict>): Promise<Verdict> {
  for (let tries = 0; ; tries++) {
    await run.quiet(3000);
    const verdict = await judged();
    if (verdict.missing.length === 0 || tries === 20) return verdict;
  }
}

/** Makes `count` random changes by users, in bursts; changes that the server rejects or misses while it is down have no effect. */
async function churn(cluster: Cluster, namespaces: readonly string[], count: number, random: Random): Promise<void> {
  const users = namespaces.map((namespace, index) => {
    const kind = index === 0 ? "replicasets" : "deployments";
    return new Changes({ cluster, namespace, random, kind });
  });
  for (let number = 0; number < count; number++) {
    const user = users[number % users.length];
    await user?.change(below(random, objects)).catch(() => undefined);
    await Bun.sleep(below(random, 4) === 0 ? 200 : 0);
  }
}

describe.skipIf(controllersMissing !== undefined)("causality on a real API server", () => {
  let cluster: Cluster;
  const resources = new Map<string, string>();
  beforeAll(async () => {
    cluster = await startCluster({
      controllers: "none",
      audit: true,
      // The reader would miss a log that is rotated, by default after 100 MB.
      apiServerFlags: ["--audit-log-maxsize=8192"],
    });
    const { stdout } = await cluster.kubectl(["api-resources", "--no-headers"]);
    for (const line of stdout.trim().split("\n"))
      resources.set(line.trim().split(/\s+/).at(-1) ?? "", line.split(" ")[0] ?? "");
  });
  afterAll(() => cluster.stop());

  const changes = tries(120, 1000);
  const restarts = long ? 3 : 1;
  test(`over ${changes} random changes and ${restarts} restarts of the server no link is wrong, and every write has one`, async () => {
    const namespaces = ["cause-one", "cause-two"];
    for (const namespace of namespaces) await cluster.createNamespace(namespace);
    const run = await runOurs(cluster);
    const random = seededRandom(seed);
    let verdict: Verdict;
    try {
      for (let part = 0; part <= restarts; part++) {
        const churning = churn(cluster, namespaces, Math.ceil(changes / (restarts + 1)), random);
        if (part > 0) await miss(run, cluster, part);
        await churning;
      }
      verdict = await settledVerdict(run, async () =>
        judge(run.claims, new Authors(await cluster.audit(), run.senders), ({ of }) => resources.get(of.kind) ?? ""),
      );
    } finally {
      await run.stop();
    }
    const { falseLinks, missing, falseTriggers, ...counted } = verdict;
    const counts = Object.entries(counted).map(
      ([name, some]) => `${typeof some === "number" ? some : some.length} ${name}`,
    );
    console.log(
      `causality, seed ${seed}: ${changes} changes, ${run.claims.writes.size} writes, ${run.claims.deltas.size} deltas, ` +
        `${run.claims.relists} relists; ${counts.join(", ")}`,
    );
    expect(falseLinks).toEqual([]);
    expect(missing).toEqual([]);
    expect(falseTriggers).toEqual([]);
    // Concurrent identical requests get identical responses: there are few of them, and no link is claimed.
    expect(verdict.unproven.length).toBeLessThan(verdict.links / 10);
    // The log does not contain the server's last actions before it was killed.
    expect(verdict.unknown.slice(2 * restarts)).toEqual([]);
    expect(verdict.ambiguous.slice(Math.floor(verdict.links / 50))).toEqual([]);
    expect(verdict.raced.slice(Math.floor(verdict.links / 50))).toEqual([]);
    expect(verdict.links).toBeGreaterThan(changes);
    expect(run.claims.relists).toBeGreaterThan(0);
    // Whether a list overtakes the delta of a write is random, but it happens over many changes.
    if (long) expect(verdict.superseded).toBeGreaterThan(0);
  });
});
