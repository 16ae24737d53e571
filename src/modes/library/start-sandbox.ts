/** A cluster on virtual time inside the calling program: where a controller is tried out and tested. */
import type { CreateInput } from "../../api/object.ts";
import { parseTime } from "../../api/time.ts";
import type { Transport } from "../../api/transport.ts";
import type { CustomResourceDefinition } from "../../api/types.ts";
import type { Client } from "../../client/api/verbs.ts";
import { createClient } from "../../client/api/client.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { controllersOfEmbedded } from "../../controllers/index.ts";
import { type Random, seededRandom } from "../../platform/random.ts";
import { sleep, type Timeline } from "../../platform/timeline.ts";
import { virtualTimeline } from "../../platform/virtual-timeline.ts";
import { TraceBus } from "../../trace/bus.ts";
import { startEmbedded } from "../run/embedded.ts";
import { TimeDriver } from "./time-driver.ts";

/** What a sandbox cluster consists of. */
export interface SandboxOptions {
  /** Your controllers. */
  readonly controllers?: readonly ControllerDefinition[];
  /** The CustomResourceDefinitions of your kinds: served before the controllers start, which wait for the first list of each kind. */
  readonly definitions?: readonly CreateInput<CustomResourceDefinition>[];
  /** Whether the built-in controllers run as well (Deployment, ReplicaSet, garbage collector, …). Default true. */
  readonly builtIn?: boolean;
  /** Number of simulated nodes. Default 3. */
  readonly nodes?: number;
  /** Chooses among actions that are ready at the same time, and all generated names: same seed, same run. Default 1. */
  readonly seed?: number;
  /** Receives the stage events of the start, too. Unset: `sandbox.bus` is a new one, and the start is not traced. */
  readonly bus?: TraceBus;
}

/** A cluster in this process, from `startSandbox`. */
export interface Sandbox {
  /** A client of a cluster administrator, with the field manager `test`. */
  readonly client: Client;
  /** Carries the stage events of all controllers; subscribe with `bus.listen`. */
  readonly bus: TraceBus;
  /** The virtual clock. */
  readonly timeline: Timeline;
  /** Random numbers made from `seed`. */
  readonly random: Random;
  /** The API server without a socket: for a client of your own. */
  readonly transport: Transport;
  /** Returns the time in the sandbox, in milliseconds since 1970. It begins at 2026-01-01T00:00:00Z. */
  now(): number;
  /** Returns a client with its own field manager. */
  clientFor(fieldManager: string): Client;
  /**
   * Runs the cluster until nothing is left to do but heartbeats and other periodic work; resolves with `steady` then, or with `time`
   * if `limitMs` of virtual time pass first (default 60,000), as for a controller that requeues its keys.
   * @throws Error after 50,000 steps: a controller that its own writes wake never becomes steady.
   */
  settle(limitMs?: number): Promise<"steady" | "time">;
  /** Runs the cluster for `ms` of virtual time. */
  advance(ms: number): Promise<void>;
  /** Finishes the syncs in flight, stops all controllers and ends all watches. */
  stop(): Promise<void>;
}

const startsAt = parseTime("2026-01-01T00:00:00Z");

/**
 * Starts a cluster inside this process: the embedded API server of Kubernetes 1.36 with validation, admission and defaults, a
 * scheduler, simulated nodes and kubelets, the built-in controllers, and yours. No network, no files, no binary is involved.
 *
 * Time is virtual. It advances while a call of `client`, `settle` or `advance` is awaited, and stands still otherwise; five minutes
 * of waiting take no time, and a run is a function of its input and `seed`. Cached objects are frozen, so that a controller which
 * changes one fails at once. Custom resources are served once their definition is
 * established, and are validated, including their CEL rules.
 *
 * @throws RangeError for a controller that cannot run; StatusError or Error for a definition that cannot be served.
 * @example
 * ```ts
 * import { kinds, startSandbox } from "kubectl-reconcile";
 *
 * const sandbox = await startSandbox();
 * const labels = { app: "web" };
 * await sandbox.client.create(kinds.Deployments, {
 *   metadata: { namespace: "default", name: "web" },
 *   spec: {
 *     replicas: 3,
 *     selector: { matchLabels: labels },
 *     template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
 *   },
 * });
 * await sandbox.settle();
 * const web = await sandbox.client.get(kinds.Deployments, { namespace: "default", name: "web" });
 * if (web.status?.availableReplicas !== 3) throw new Error("expected 3 available pods");
 * await sandbox.stop();
 * ```
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { seed = 1, controllers = [], definitions = [], builtIn = true, nodes } = options;
  const timeline = virtualTimeline(startsAt, seededRandom(seed));
  const driver = new TimeDriver(timeline);
  const bus = options.bus ?? new TraceBus({ now: () => timeline.now() });
  const random = seededRandom(seed + 1);
  const cluster = await driver.during(
    startEmbedded({
      timeline,
      random,
      bus,
      freeze: true,
      definitions,
      controllers: [...(builtIn ? controllersOfEmbedded : []), ...controllers],
      ...(nodes !== undefined && { nodes }),
    }),
  );
  const transportFor = (actor: string): Transport => driver.driven(cluster.sandbox.transport({ actor }));
  const clientFor = (fieldManager: string): Client =>
    createClient({ transport: transportFor(fieldManager), bus, timeline, fieldManager });
  return {
    client: clientFor("test"),
    bus,
    timeline,
    random,
    transport: transportFor("transport"),
    now: () => timeline.now(),
    clientFor,
    settle: (limitMs = 60_000) => driver.settle(limitMs),
    advance: (ms) => driver.during(sleep(timeline, ms, "advance")),
    stop: () => driver.during(cluster.stop()),
  };
}
