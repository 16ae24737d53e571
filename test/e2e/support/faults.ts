/** Faults between controllers and their API server, injected by two proxies: one breaks connections, the other single requests. */
import { expect } from "bun:test";
import { below, type Random } from "../../../src/platform/random.ts";
import { type Cluster, startCluster, type ClusterOptions } from "../../support/cluster.ts";
import { type FaultProxy, startFaultProxy } from "../../support/fault-proxy.ts";
import {
  expiredFrame,
  type HttpFault,
  type HttpFaultProxy,
  type ProxiedRequest,
  startHttpFaultProxy,
} from "../../support/http-fault-proxy.ts";
import type { Failures } from "./faulty-run.ts";

export interface Ground {
  readonly cluster: Cluster;
  readonly tcp: FaultProxy;
  readonly http: HttpFaultProxy;
}

/** The target of a fault: changes that continue during the fault, and a record of the failures in the run. */
export interface Scene {
  /** Makes `steps` random changes in sequence, directly on the API server. Those that fail, as when it is down, are skipped. */
  churn(random: Random, steps: number): Promise<void>;
  /** Failures of the run so far. */
  readonly failures: Failures;
}

/** A scene in its own namespace that is known to converge. */
export interface ConvergingScene extends Scene {
  readonly namespace: string;
  /**
   * Waits until everything is in the required state: nothing lost, nothing duplicated, nothing deleted that had an owner; see the checks.
   * @throws the findings of the last check.
   */
  converged(): Promise<void>;
  /** Waits for what takes longer, after everything else is done. @throws the findings of the last check. */
  end?(): Promise<void>;
}

export interface Fault {
  readonly name: string;
  readonly through: "tcp" | "http";
  /** The failure count that the fault must raise in the run; otherwise it had no effect. */
  readonly suffers?: keyof Failures;
  /** Churns during the fault, then ends the fault. Returns the number of affected requests or connections. */
  readonly strike: (ground: Ground, scene: Scene, random: Random) => Promise<number>;
}

const isWrite = ({ method, path }: ProxiedRequest): boolean => method !== "GET" && !path.includes("/leases");
const isWatch = (request: ProxiedRequest): boolean => request.isWatch;

/** Injects a fault into a random share of the matching requests during churn. */
function some(
  match: (request: ProxiedRequest) => boolean,
  share: number,
  fault: (random: Random) => HttpFault,
): Fault["strike"] {
  return async ({ http }, scene, random) => {
    let hits = 0;
    // One injection per request, so that each request has its own fault.
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

/** Network and server faults, each mild enough for a run to survive. */
export const faults: readonly Fault[] = [
  {
    name: "the server is killed and started again",
    through: "tcp",
    suffers: "relists",
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
    strike: some(isWatch, 0.5, () => ({ is: "respond", status: 410, reason: "Expired" })),
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
    strike: some(isWrite, 0.4, () => ({ is: "respond", status: 429, reason: "TooManyRequests", retryAfterSeconds: 1 })),
  },
  {
    name: "500 on any request",
    through: "http",
    strike: some(
      ({ path }) => !path.includes("/leases"),
      0.4,
      () => ({ is: "respond", status: 500, reason: "InternalError", message: "injected" }),
    ),
  },
  {
    name: "slow responses",
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
    name: "writes are applied and their responses lost",
    through: "http",
    suffers: "writes",
    strike: some(isWrite, 0.3, () => ({ is: "lose-response" })),
  },
  {
    name: "writes are lost",
    through: "http",
    suffers: "writes",
    strike: some(isWrite, 0.3, () => ({ is: "lose-request" })),
  },
];

/** Compacts etcd up to the current revision, through its HTTP gateway. */
async function compact(cluster: Cluster): Promise<void> {
  const etcd = `http://127.0.0.1:${cluster.port + 1}/v3/kv`;
  const post = (path: string, body: unknown): Promise<Response> =>
    fetch(etcd + path, { method: "POST", body: JSON.stringify(body), signal: AbortSignal.timeout(60_000) });
  const { header } = (await (await post("/range", { key: btoa("/none") })).json()) as { header: { revision: string } };
  const done = await post("/compaction", { revision: header.revision, physical: true });
  expect(done.status).toBe(200);
}

/** Starts a cluster with both proxies in front of it. */
export async function startGround(options: ClusterOptions = {}): Promise<Ground & { stop(): Promise<void> }> {
  const cluster = await startCluster(options);
  const [tcp, http] = await Promise.all([startFaultProxy(cluster.port), startHttpFaultProxy(cluster)]);
  return {
    cluster,
    tcp,
    http,
    async stop() {
      await tcp.stop();
      await http.stop();
      await cluster.stop();
    },
  };
}

/** Removes all faults. */
export async function calm({ tcp, http }: Ground): Promise<void> {
  http.clear();
  await tcp.set({ is: "none" });
}
