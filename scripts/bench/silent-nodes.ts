/**
 * Nodes that fall silent. No kwok: it renews the Leases of all its nodes or of none. This process renews them, and stops for some; so no
 * kubelet interferes with what the controllers write about their pods either.
 */
import { post } from "./api-server.ts";
import { inLanes } from "./lanes.ts";
import type { Scene, Stage } from "./scenes.ts";
import { type Watched, watchStates } from "./state-watch.ts";

const nodes = 500;
const silent = 50;
const podsEach = 10;
const lanes = 16;
/** As a kubelet does. */
const renewEveryMs = 10_000;

const readiness = ({ status }: Watched): string | undefined =>
  status?.conditions?.find(({ type }) => type === "Ready")?.status;

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

/** From the first node whose readiness is unknown to the last of the silent nodes' pods that is not ready. */
export function silence(): Scene {
  let renewing: Renewing | undefined;
  return {
    name: `${silent} of ${nodes} nodes fall silent, with ${podsEach} pods each`,
    controllers: ["node-lifecycle"],
    async warm(stage) {
      await makeNodes(stage);
      renewing = renewLeases(stage);
      await untainted(stage);
      await makePods(stage);
    },
    async play(stage) {
      const { cluster, namespace } = stage;
      const unknown = await watchStates(cluster, {
        path: "/api/v1/nodes",
        isReached: (node) => readiness(node) === "Unknown",
      });
      const notReady = await watchStates(cluster, {
        path: `/api/v1/namespaces/${namespace}/pods`,
        isReached: (pod) => readiness(pod) === "False",
      });
      try {
        await renewing?.silence();
        const [from, to] = await Promise.all([unknown.reached(1), notReady.reached(silent * podsEach)]);
        return to - from;
      } finally {
        unknown.stop();
        notReady.stop();
      }
    },
    async end() {
      await renewing?.stop();
    },
    leaves: (namespace) => [`/api/v1/namespaces/${namespace}/pods`, "/api/v1/nodes", leases],
  };
}

const nameOf = (namespace: string, n: number): string => `${namespace}-${n}`;

const condition = (type: string, status: string): object => {
  const now = new Date().toISOString();
  return { type, status, reason: "Bench", lastHeartbeatTime: now, lastTransitionTime: now };
};

async function makeNodes({ cluster, namespace }: Stage): Promise<void> {
  const size = { cpu: "32", memory: "256Gi", pods: "110" };
  await inLanes({ count: nodes, lanes }, async (n) => {
    const name = nameOf(namespace, n);
    await post(cluster, "/api/v1/nodes", {
      metadata: { name, labels: { "kubernetes.io/hostname": name } },
      status: { allocatable: size, capacity: size, conditions: [condition("Ready", "True")] },
    });
    await post(cluster, leases, {
      metadata: { name },
      spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTime() },
    });
  });
}

/** A new node has a taint until the controller has seen that it is ready. */
async function untainted({ cluster }: Stage): Promise<void> {
  const watch = await watchStates(cluster, {
    path: "/api/v1/nodes",
    isReached: ({ spec }) => (spec?.taints ?? []).length === 0,
  });
  try {
    await watch.reached(nodes);
  } finally {
    watch.stop();
  }
}

async function makePods({ cluster, namespace }: Stage): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const merge = { "content-type": "application/merge-patch+json" };
  await inLanes({ count: nodes * podsEach, lanes }, async (n) => {
    const name = `pod-${n}`;
    await post(cluster, path, {
      metadata: { name },
      spec: {
        nodeName: nameOf(namespace, n % nodes),
        containers: [{ name: "main", image: "registry.example.com/main:1" }],
      },
    });
    const status = { phase: "Running", conditions: [condition("Ready", "True")] };
    const response = await cluster.request("PATCH", `${path}/${name}/status`, { status }, merge);
    if (response.status !== 200) throw new Error(`PATCH ${path}/${name}/status: ${response.status}`);
  });
}

/** A `MicroTime`, as Leases have it. */
const microTime = (): string => new Date().toISOString().replace("Z", "000Z");

interface Renewing {
  /** Renews the Leases of the nodes that fall silent for the last time. */
  silence(): Promise<void>;
  stop(): Promise<void>;
}

function renewLeases({ cluster, namespace }: Stage): Renewing {
  const merge = { "content-type": "application/merge-patch+json" };
  const renew = (first: number, count: number): Promise<void> =>
    inLanes({ count, lanes }, async (n) => {
      const spec = { renewTime: microTime() };
      await cluster.request("PATCH", `${leases}/${nameOf(namespace, first + n)}`, { spec }, merge);
    });
  let first = 0;
  const stopped = new AbortController();
  const renewAlways = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await renew(first, nodes - first);
      const until = performance.now() + renewEveryMs;
      while (!stopped.signal.aborted && performance.now() < until) await Bun.sleep(100);
    }
  };
  const running = renewAlways();
  return {
    async silence() {
      first = silent;
      await renew(0, silent);
    },
    async stop() {
      stopped.abort();
      await running;
    },
  };
}
