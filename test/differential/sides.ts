/**
 * The three sides of a suite: an API server where kube-controller-manager acts, one where our controllers act, and a sandbox, served over
 * HTTPS, where they act too. The first two keep audit logs, which are read here for all scripts that run concurrently. For the sandbox,
 * only the write events of our controllers' traces are kept.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Kind, resourceOf } from "../../src/api/kind.ts";
import { VolumeAttachments } from "../../src/api/kinds.ts";
import { splitKey } from "../../src/api/key.ts";
import { controllerNamedBy } from "../../src/api/own-field-manager.ts";
import { startEmbedded } from "../../src/modes/run/embedded.ts";
import { realRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { serveSandbox } from "../../src/sandbox/https.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import type { WriteEvent } from "../../src/trace/events.ts";
import { type Effect, effectsOf } from "../support/audit-log.ts";
import { adminOf, type Cluster, startCluster } from "../support/cluster.ts";
import { type LiveControllers, startControllers } from "../support/live-controllers.ts";
import { known } from "./kinds.ts";
import type { SideLog } from "./side-log.ts";
import type { StageServer } from "./stage.ts";
import type { Suite } from "./suite.ts";
import { wholePods } from "./whole-pods.ts";

export interface Side {
  readonly name: "oracle" | "ours" | "sandbox";
  readonly server: StageServer;
  /** The log of a stage, by its namespace. It grows while the side runs. The sandbox's log has no bodies. */
  logOf(namespace: string): SideLog;
  stop(): Promise<void>;
}

const readEveryMs = 60;

/** kube-controller-manager 1.36.3, with only the controllers that are compared. */
export async function oracleSide(suite: Suite): Promise<Side> {
  const cluster = await startCluster({
    audit: true,
    ...nodesOf(suite),
    controllers: suite.oracle,
    // Many concurrent scripts must not wait for its ten workers: a step would be over before the workers get to it.
    kcmFlags: [
      "--kube-api-qps=5000",
      "--kube-api-burst=5000",
      "--concurrent-namespace-syncs=50",
      ...(suite.oracleFlags ?? []),
    ],
  });
  const unprepare = await suite.prepare?.(cluster);
  const feed = auditFeed(cluster, "kube-controller-manager", { components: suite.only?.theirs });
  return {
    name: "oracle",
    server: cluster,
    logOf: feed.logOf,
    async stop() {
      await feed.stop();
      await cluster.stop();
      await unprepare?.();
    },
  };
}

/** Our controllers as `run` runs them, on frozen caches. */
export async function ourSide(suite: Suite): Promise<Side> {
  const cluster = await startCluster({
    audit: true,
    ...nodesOf(suite),
    ...((suite.nodes ?? 0) > 0 && { controllers: "none" }),
  });
  const unprepare = await suite.prepare?.(cluster);
  const controllers = await runOurs(suite, cluster.kubeconfig);
  const isBusy = (): boolean => controllers.isBusy();
  const feed = auditFeed(cluster, "kubectl-reconcile", { components: suite.only?.ours, isBusy });
  return {
    name: "ours",
    server: cluster,
    logOf: feed.logOf,
    async stop() {
      await controllers.stop();
      await feed.stop();
      await cluster.stop();
      await unprepare?.();
    },
  };
}

/** Our controllers on a sandbox, over HTTPS as on any other cluster. The simulated kubelet replaces the kwok of the other sides. */
export async function sandboxSide(suite: Suite): Promise<Side> {
  const nodes = suite.nodes ?? 0;
  const embedded = await startEmbedded({
    timeline: realTimeline(),
    random: realRandom(),
    nodes,
    scheduler: nodes > 0,
    kubelet: nodes > 0,
    metrics: suite.prepare !== undefined,
    serviceRanges: suite.serviceRanges,
    rbac: suite.rbac === true,
  });
  const https = await serveSandbox(embedded.sandbox);
  const folder = mkdtempSync(join(tmpdir(), "sandbox-"));
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, https.kubeconfig(), { mode: 0o600 });
  const logs = logsByStage({ readUntil: () => performance.now(), isBusy: () => controllers.isBusy() });
  const kinds = [...Object.values<Kind>(known), ...suite.kinds.map(({ kind }) => kind)];
  const controllers = await runOurs(suite, kubeconfig, (write) => {
    // Compares field managers, because Events are not written by a sync, but with the same field manager.
    const controller = controllerNamedBy(write.fieldManager) ?? "";
    if (suite.only?.ours.includes(controller) !== false) logs.add(effectOf(write, kinds));
  });
  return {
    name: "sandbox",
    server: adminOf(https),
    logOf: logs.of,
    async stop() {
      await controllers.stop();
      await https.close();
      await embedded.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function nodesOf({ nodes = 0, apiServerFlags = [], serviceRanges = [] }: Suite): {
  readonly nodes: number;
  readonly scheduler: boolean;
  readonly apiServerFlags: readonly string[];
} {
  const ranges = serviceRanges.length === 0 ? [] : [`--service-cluster-ip-range=${serviceRanges.join(",")}`];
  // The reader of the log cannot follow a rotation, which happens after 100 MB by default.
  return { nodes, scheduler: nodes > 0, apiServerFlags: ["--audit-log-maxsize=8192", ...ranges, ...apiServerFlags] };
}

function runOurs(
  { ours: controllers }: Suite,
  kubeconfig: string,
  onWrite?: (write: WriteEvent) => void,
): Promise<LiveControllers> {
  const bus = new TraceBus({ now: () => Date.now() });
  if (onWrite !== undefined) {
    bus.listen((event) => {
      if (event.stage === "write") onWrite(event);
    });
  }
  return startControllers(kubeconfig, { controllers, bus });
}

/** Matches `play-1a2b3c4d-one`, in namespaces and in names of cluster-scoped objects. */
const stageName = /play-[0-9a-f]{8}-[a-z]{3}/;

interface Logs {
  readonly of: (namespace: string) => SideLog;
  /** Adds an effect to the log of the stage whose name its namespace, name or API group contains. Drops it if there is none. */
  readonly add: (effect: Effect) => void;
}

function logsByStage(clock: Omit<SideLog, "effects">): Logs {
  const logs = new Map<string, SideLog>();
  /** The stages of VolumeAttachments, by name: names are hashes, so the stage is found in the name of the node in the create request. */
  const attachments = new Map<string, string>();
  const of = (namespace: string): SideLog => {
    const log = logs.get(namespace) ?? { effects: [], ...clock };
    logs.set(namespace, log);
    return log;
  };
  return {
    of: (namespace) => of(stageName.exec(namespace)?.[0] ?? namespace),
    add(effect) {
      if (effect.resource === resourceOf(VolumeAttachments) && effect.verb === "create") {
        const made = stageName.exec(JSON.stringify(effect.request ?? ""))?.[0];
        if (made !== undefined) attachments.set(effect.name, made);
      }
      const named = stageName.exec(`${effect.namespace} ${effect.name} ${effect.resource}`)?.[0];
      const stage = named ?? attachments.get(effect.name);
      // Drops effects on kinds that another stage has defined: a controller that deletes objects of all kinds causes them.
      const ofAnother = stageName.exec(effect.resource)?.[0] ?? stage;
      if (stage !== undefined && ofAnother === stage) of(stage).effects.push(effect);
    },
  };
}

/** Reads an audit log and sorts the writes of `agent`, or of some of its controllers, by stage. */
function auditFeed(
  cluster: Cluster,
  agent: string,
  { components, isBusy }: { readonly components?: readonly string[] | undefined; readonly isBusy?: () => boolean },
): { logOf: Side["logOf"]; stop: () => Promise<void> } {
  let readUntil = 0;
  const logs = logsByStage({ readUntil: () => readUntil, ...(isBusy !== undefined && { isBusy }) });
  const withWholePod = wholePods();
  let read = 0;
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      const events = await cluster.audit();
      for (const effect of effectsOf(events.slice(read)).map(withWholePod))
        if (effect.agent === agent && components?.includes(effect.component) !== false) logs.add(effect);
      read = events.length;
      readUntil = startedAt;
      await Bun.sleep(readEveryMs);
    }
  })();
  return {
    logOf: logs.of,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Converts a write event of our own trace to an effect without bodies. */
function effectOf(write: WriteEvent, kinds: readonly Kind[]): Effect {
  const { verb, of, key, status, subresource } = write;
  const kind = kinds.find((each) => each.kind === of.kind && each.group === of.group);
  const resource = kind === undefined ? of.kind.toLowerCase() : resourceOf(kind);
  return {
    index: 0,
    agent: "kubectl-reconcile",
    component: "kubectl-reconcile",
    user: "",
    verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    ...splitKey(key),
    dryRun: false,
    query: {},
    request: undefined,
    response: undefined,
    code: status,
    reason: "",
    at: Date.now() - write.ms,
  };
}
