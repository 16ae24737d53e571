/** Controllers running live through a faulty proxy, in this process so that their caches can be inspected. */
import { join } from "node:path";
import { loadRestConfig } from "../../../src/client/config/load-rest-config.ts";
import { connect, type Connection } from "../../../src/client/connect.ts";
import { builtInControllers } from "../../../src/controllers/index.ts";
import { type LiveRun, startLive } from "../../../src/modes/run/live.ts";
import { realHost } from "../../../src/platform/host.ts";
import { realRandom } from "../../../src/platform/random.ts";
import { realTimeline } from "../../../src/platform/real-timeline.ts";
import { TransportError } from "../../../src/api/transport.ts";
import { TraceBus } from "../../../src/trace/bus.ts";
import type { Cluster } from "../../support/cluster.ts";
import { kubeconfigThrough } from "../../support/fault-proxy.ts";

const timeline = realTimeline();
/** Idle watches are reopened after this time, instead of after 90 s. */
const silentMs = 3000;

/** Counts of failures so far. */
export interface Failures {
  /** Writes refused or lost; conflicts are not counted. */
  readonly writes: number;
  /** Writes without a response, among them: they may have been applied. */
  readonly unconfirmed: number;
  /** Watches that ended. */
  readonly watches: number;
  /** Lists after the first one. */
  readonly relists: number;
}

export interface FaultyRun {
  readonly live: LiveRun;
  readonly failures: Failures;
  /** Why Leases were lost; should stay empty. */
  readonly leasesLost: readonly string[];
  /**
   * The keys whose last sync failed, one line each: when it ended, when it will be retried, and the error. Then those whose sync has not
   * ended, with its start.
   */
  unfinished(): readonly string[];
  /** The rules that the last sync of a key decided by. */
  lastRules(controller: string, key: string): ReadonlySet<string>;
  stop(): Promise<void>;
}

/** A connection without a client-side rate limit. */
export async function connectedBy(kubeconfig: string, bus: TraceBus): Promise<Connection> {
  const host = { ...realHost(), env: {} };
  return connect(await loadRestConfig(host, { kubeconfig }), { host, timeline, bus, qps: 0, silentMs });
}

/** `EVENTS=FOLDER`: writes all events of each run to a file of its own, as JSON lines, to find out why something does not converge. */
function writeEvents(bus: TraceBus): { end(): unknown } | undefined {
  const folder = process.env["EVENTS"];
  if (folder === undefined) return undefined;
  const file = Bun.file(join(folder, `${Date.now()}.jsonl`)).writer();
  bus.listen((event) => void file.write(`${JSON.stringify(event)}\n`));
  return file;
}

/** Follows the syncs of a run. */
class Syncs {
  readonly #failing = new Map<string, string>();
  readonly #running = new Map<string, string>();
  readonly #rules = new Map<string, Set<string>>();

  listen(bus: TraceBus): void {
    const now = (): string => new Date().toISOString();
    const idOf = ({ controller, key }: { readonly controller: string; readonly key: string }): string =>
      `${controller} ${key}`;
    bus.listen((event) => {
      if (event.stage === "get") {
        this.#running.set(idOf(event), `${now()} ${idOf(event)}: its sync has not ended`);
        this.#rules.set(idOf(event), new Set());
      }
      if (event.stage === "decision") this.#rules.get(idOf(event))?.add(event.rule);
      if (event.stage !== "done") return;
      const { outcome, error } = event;
      this.#running.delete(idOf(event));
      if (error === undefined) this.#failing.delete(idOf(event));
      else this.#failing.set(idOf(event), `${now()} ${idOf(event)} ${JSON.stringify(outcome)}: ${error}`);
    });
  }

  unfinished(): readonly string[] {
    return [...this.#failing.values(), ...this.#running.values()];
  }

  lastRules(controller: string, key: string): ReadonlySet<string> {
    return this.#rules.get(`${controller} ${key}`) ?? new Set();
  }
}

interface FaultyRunOptions {
  readonly controllers: readonly string[];
  readonly namespace?: string;
}

/** How often a start is tried. */
const mostStarts = 5;

/**
 * Starts controllers by name, in one namespace or in all, with frozen caches, sending their requests to `url`. Starts again if a response
 * takes longer than `silentMs`, as it may on a busy machine; nothing repeats the requests of a start.
 */
export async function startFaultyRun(cluster: Cluster, url: string, options: FaultyRunOptions): Promise<FaultyRun> {
  for (let tries = 1; ; tries++) {
    try {
      return await startOnce({ cluster, url, ...options });
    } catch (error) {
      if (!(error instanceof TransportError) || error.failure !== "timeout" || tries === mostStarts) throw error;
    }
  }
}

interface Start extends FaultyRunOptions {
  readonly cluster: Cluster;
  readonly url: string;
}

async function startOnce({ cluster, url, controllers, namespace }: Start): Promise<FaultyRun> {
  const bus = new TraceBus({ now: () => timeline.now() });
  const failures = { writes: 0, unconfirmed: 0, watches: 0, relists: 0 };
  const leasesLost: string[] = [];
  const syncs = new Syncs();
  syncs.listen(bus);
  bus.listen((event) => {
    if (event.stage === "write" && event.error !== undefined && event.status !== 409) failures.writes++;
    if (event.stage === "write" && event.status === 0) failures.unconfirmed++;
    if (event.stage === "watch" && event.state !== "opened") failures.watches++;
    if (event.stage === "list" && event.why !== "start") failures.relists++;
  });
  const events = writeEvents(bus);
  const connection = await connectedBy(kubeconfigThrough(cluster, url), bus);
  const live = await startLive(
    {
      controllers: builtInControllers.filter(({ name }) => controllers.includes(name)),
      clientFor: connection.clientFor,
      bus,
      timeline,
      random: realRandom(),
      ...(namespace !== undefined && { namespace }),
      freeze: true,
      lease: { identity: "test", isDead: () => false, force: false, onWait: () => undefined },
      preflight: () => Promise.resolve(),
      onLeaseLost: (why) => void leasesLost.push(why),
      onLeaseLate: () => undefined,
      onEventLost: () => undefined,
    },
    new AbortController().signal,
  ).catch((error: unknown) => {
    connection.close();
    throw error;
  });
  return {
    live,
    failures,
    leasesLost,
    unfinished: () => syncs.unfinished(),
    lastRules: (controller, key) => syncs.lastRules(controller, key),
    async stop() {
      await live.stop();
      connection.close();
      await events?.end();
    },
  };
}
