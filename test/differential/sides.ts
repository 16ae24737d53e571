/**
 * The two sides: an API server where kube-controller-manager acts, one where our controllers act. Both keep audit logs, which
 * are read here for all scripts that play at the same time.
 */
import { replicaset } from "../../src/controllers/replicaset/replicaset.ts";
import { replicationcontroller } from "../../src/controllers/replicaset/replicationcontroller.ts";
import { accessCluster } from "../../src/client/cluster-access.ts";
import { connect } from "../../src/client/connect.ts";
import { startLive } from "../../src/modes/live.ts";
import { realHost } from "../../src/platform/host.ts";
import { realRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import { type Effect, effectsOf } from "../support/audit-log.ts";
import { type Cluster, startCluster } from "../support/cluster.ts";

/** What the controllers of a side did in one namespace, in order. */
export interface SideLog {
  readonly effects: Effect[];
  /** Up to when the audit log has been read, by `performance.now()`: what was done by then is in `effects`. */
  readUntil(): number;
}

export interface Side {
  readonly name: "oracle" | "ours";
  readonly cluster: Cluster;
  /** The log of a namespace grows while the side runs. */
  logOf(namespace: string): SideLog;
  stop(): Promise<void>;
}

const readEveryMs = 60;

/** kube-controller-manager 1.36.3, with the two controllers that are compared and no other. */
export async function oracleSide(): Promise<Side> {
  const cluster = await startCluster({
    audit: true,
    nodes: 0,
    scheduler: false,
    controllers: "replicaset-controller,replicationcontroller-controller",
    kcmFlags: ["--kube-api-qps=5000", "--kube-api-burst=5000"],
  });
  const feed = auditFeed(cluster, "kube-controller-manager");
  return {
    name: "oracle",
    cluster,
    logOf: feed.logOf,
    async stop() {
      await feed.stop();
      await cluster.stop();
    },
  };
}

/** Our controllers as `run` runs them, on frozen caches. */
export async function ourSide(): Promise<Side> {
  const cluster = await startCluster({ audit: true });
  const host = realHost();
  const timeline = realTimeline();
  const bus = new TraceBus({ now: () => timeline.now() });
  const connection = connect(await accessCluster(host, { kubeconfig: cluster.kubeconfig }), {
    host,
    timeline,
    bus,
    qps: 0,
  });
  const live = await startLive(
    {
      controllers: [replicaset, replicationcontroller],
      clientFor: connection.clientFor,
      bus,
      timeline,
      random: realRandom(),
      freeze: true,
      lease: { identity: "differential", isDead: () => false, force: false, onWait: () => undefined },
      preflight: () => Promise.resolve(),
      onLeaseLost: (why) => console.error(`the Lease was lost: ${why}`),
      onEventLost: () => undefined,
    },
    AbortSignal.timeout(60_000),
  );
  const feed = auditFeed(cluster, "kubectl-reconcile");
  return {
    name: "ours",
    cluster,
    logOf: feed.logOf,
    async stop() {
      await live.stop();
      connection.close();
      await feed.stop();
      await cluster.stop();
    },
  };
}

/** One reader of an audit log, that sorts what `agent` wrote by namespace. */
function auditFeed(cluster: Cluster, agent: string): { logOf: Side["logOf"]; stop: () => Promise<void> } {
  const logs = new Map<string, SideLog>();
  let readUntil = 0;
  const logOf = (namespace: string): SideLog => {
    const log = logs.get(namespace) ?? { effects: [], readUntil: () => readUntil };
    logs.set(namespace, log);
    return log;
  };
  let read = 0;
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      const events = await cluster.audit();
      for (const effect of effectsOf(events.slice(read))) {
        if (effect.agent === agent) logOf(effect.namespace).effects.push(effect);
      }
      read = events.length;
      readUntil = startedAt;
      await Bun.sleep(readEveryMs);
    }
  })();
  return {
    logOf,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
