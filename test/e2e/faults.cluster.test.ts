/**
 * The ReplicaSet controller through faults, on a real kube-apiserver, while ReplicaSets are scaled and pods deleted: in the end no
 * pod is too many or too few, and the caches equal the server's lists. LONG=1: more seeds, and faults in random succession.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { below, type Random, seededRandom } from "../../src/platform/random.ts";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";
import { type FaultProxy, startFaultProxy } from "../support/fault-proxy.ts";
import {
  expiredFrame,
  type HttpFault,
  type HttpFaultProxy,
  type ProxiedRequest,
  startHttpFaultProxy,
} from "../support/http-fault-proxy.ts";
import { tries } from "../support/long.ts";
import { type LiveScene, startLiveScene } from "./support/live-scene.ts";

interface Ground {
  readonly cluster: Cluster;
  readonly tcp: FaultProxy;
  readonly http: HttpFaultProxy;
}

interface Fault {
  readonly name: string;
  readonly through: "tcp" | "http";
  /**
   * A write may be applied and its answer lost: then a pod more is created and taken back, as upstream does (replica_set.go
   * manageReplicas: CreationObserved on any error).
   */
  readonly losesAnswers?: true;
  /** What must have come of it for the run, or else it was no fault. */
  readonly suffers?: keyof LiveScene["failures"];
  /** Churn while the fault lasts, and the fault's end. Answers how many requests or connections it was for. */
  readonly strike: (ground: Ground, scene: LiveScene, random: Random) => Promise<number>;
}

const isWrite = ({ method, path }: ProxiedRequest): boolean => method !== "GET" && !path.includes("/leases");
const isWatch = (request: ProxiedRequest): boolean => request.isWatch;

/** A fault of some requests, each as the dice say, while there is churn. */
function some(
  match: (request: ProxiedRequest) => boolean,
  share: number,
  fault: (random: Random) => HttpFault,
): Fault["strike"] {
  return async ({ http }, scene, random) => {
    let hits = 0;
    // One injection a request, so that each has a fault of its own.
    for (let n = 0; n < 60; n++) {
      const unlucky = (request: ProxiedRequest): boolean => match(request) && random.next() < share && ++hits > 0;
      http.inject({ match: unlucky, times: 1, fault: fault(random) });
    }
    if (match({ method: "GET", path: "", query: new URLSearchParams(), isWatch: true, body: "" }))
      http.breakConnections();
    await scene.churn(random, 25);
    http.clear();
    return hits;
  };
}

const faults: readonly Fault[] = [
  {
    name: "the server is killed and started again",
    through: "tcp",
    suffers: "relists",
    losesAnswers: true,
    async strike({ cluster, tcp }, scene, random) {
      const hit = tcp.open;
      const churning = scene.churn(random, 10);
      await cluster.killApiServer();
      await churning;
      await cluster.start("kube-apiserver");
      return hit;
    },
  },
  {
    name: "watches are cut at any byte",
    through: "http",
    suffers: "watches",
    strike: some(isWatch, 1, (random) => ({ is: "cut", afterBytes: below(random, 4000) })),
  },
  {
    name: "all connections are cut at any byte",
    through: "tcp",
    suffers: "watches",
    losesAnswers: true,
    async strike({ tcp }, scene, random) {
      const hit = tcp.open;
      for (let n = 0; n < 5; n++) {
        await tcp.set({ is: "cut", afterBytes: below(random, 20_000) });
        await scene.churn(random, 4);
      }
      await tcp.set({ is: "none" });
      return hit;
    },
  },
  {
    name: "connections are half-open",
    through: "tcp",
    suffers: "watches",
    losesAnswers: true,
    async strike({ tcp }, scene, random) {
      const hit = tcp.open;
      await tcp.set({ is: "stall" });
      await scene.churn(random, 20);
      await tcp.set({ is: "none" });
      return hit;
    },
  },
  {
    name: "watches fall silent",
    through: "http",
    suffers: "watches",
    strike: some(isWatch, 0.7, (random) => ({ is: "stall", afterBytes: below(random, 2000) })),
  },
  {
    name: "a watch is refused with 410",
    through: "http",
    suffers: "relists",
    strike: some(isWatch, 0.5, () => ({ is: "answer", status: 410, reason: "Expired" })),
  },
  {
    name: "a watch is ended by a 410 in the stream",
    through: "http",
    suffers: "relists",
    strike: some(isWatch, 0.6, (random) => ({ is: "frame", afterBytes: below(random, 2000), frame: expiredFrame })),
  },
  {
    name: "the server has compacted its history while it was away",
    through: "tcp",
    suffers: "relists",
    losesAnswers: true,
    async strike({ cluster, tcp }, scene, random) {
      const hit = tcp.open;
      await tcp.set({ is: "refuse" });
      await scene.churn(random, 15);
      await compact(cluster);
      await cluster.restartApiServer();
      await scene.churn(random, 5);
      await tcp.set({ is: "none" });
      return hit;
    },
  },
  {
    name: "429 with Retry-After",
    through: "http",
    strike: some(isWrite, 0.4, () => ({ is: "answer", status: 429, reason: "TooManyRequests", retryAfterSeconds: 1 })),
  },
  {
    name: "500 on any request",
    through: "http",
    strike: some(
      ({ path }) => !path.includes("/leases"),
      0.4,
      () => ({ is: "answer", status: 500, reason: "InternalError", message: "injected" }),
    ),
  },
  {
    name: "slow answers",
    through: "http",
    strike: some(
      () => true,
      0.5,
      (random) => ({ is: "delay", ms: below(random, 800) }),
    ),
  },
  {
    name: "a slow network",
    through: "tcp",
    async strike({ tcp }, scene, random) {
      const hit = tcp.open;
      await tcp.set({ is: "slow", bytesPerSecond: 20_000 });
      await scene.churn(random, 20);
      await tcp.set({ is: "none" });
      return hit;
    },
  },
  {
    name: "writes are applied and their answers lost",
    through: "http",
    suffers: "writes",
    losesAnswers: true,
    strike: some(isWrite, 0.3, () => ({ is: "lose-answer" })),
  },
  {
    name: "writes are lost",
    through: "http",
    suffers: "writes",
    strike: some(isWrite, 0.3, () => ({ is: "lose-request" })),
  },
];

/** Drops all history up to now from etcd, by its HTTP gateway. */
async function compact(cluster: Cluster): Promise<void> {
  const etcd = `http://127.0.0.1:${cluster.port + 1}/v3/kv`;
  const post = (path: string, body: unknown): Promise<Response> =>
    fetch(etcd + path, { method: "POST", body: JSON.stringify(body), signal: AbortSignal.timeout(10_000) });
  const { header } = (await (await post("/range", { key: btoa("/none") })).json()) as { header: { revision: string } };
  const done = await post("/compaction", { revision: header.revision, physical: true });
  expect(done.status).toBe(200);
}

describe.skipIf(clusterMissing !== undefined)(
  "through faults the ReplicaSets get their pods, and the caches stay true",
  () => {
    let ground: Ground;
    let scenes = 0;
    beforeAll(async () => {
      const cluster = await startCluster();
      ground = { cluster, tcp: await startFaultProxy(cluster.port), http: await startHttpFaultProxy(cluster) };
    }, 120_000);
    afterAll(async () => {
      await ground.tcp.stop();
      await ground.http.stop();
      await ground.cluster.stop();
    });

    async function inScene(through: Fault["through"], act: (scene: LiveScene) => Promise<void>): Promise<void> {
      const scene = await startLiveScene(ground.cluster, ground[through].url, `faults-${++scenes}`);
      try {
        await act(scene);
      } finally {
        ground.http.clear();
        await ground.tcp.set({ is: "none" });
        await scene.stop();
      }
    }

    for (const { name, through, losesAnswers, suffers, strike } of faults) {
      for (let seed = 1; seed <= tries(1, 10); seed++) {
        test(`${name} (seed ${seed})`, async () => {
          await inScene(through, async (scene) => {
            const random = seededRandom(seed);
            expect(await strike(ground, scene, random)).toBeGreaterThan(0);
            await scene.churn(random, 4);
            const excess = await scene.converged();
            if (suffers !== undefined) expect(scene.failures[suffers]).toBeGreaterThan(0);
            if (losesAnswers !== true) expect(excess).toBe(0);
          });
        }, 180_000);
      }
    }

    for (const through of ["tcp", "http"] as const) {
      for (let seed = 1; seed <= tries(0, 10); seed++) {
        test(`several faults in random succession, by the ${through} proxy (seed ${seed})`, async () => {
          await inScene(through, async (scene) => {
            const random = seededRandom(1000 + seed);
            const possible = faults.filter((fault) => fault.through === through);
            for (let n = 0; n < 6; n++) await possible[below(random, possible.length)]?.strike(ground, scene, random);
            expect(await scene.converged()).toBeGreaterThanOrEqual(0);
          });
        }, 600_000);
      }
    }
  },
);
