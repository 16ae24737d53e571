/** The metrics of `run`, with the names that dashboards for Kubernetes' controllers use. */
import type { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { CompletedRequest } from "../../src/client/http/completed.ts";
import type { StageEvent } from "../../src/trace/events.ts";

/** A controller whose queue is read when metrics are scraped. */
export interface MeasuredController {
  readonly definition: { readonly name: string; readonly workers: number };
  readonly queue: { pending(): readonly unknown[]; readonly inFlight: number };
}

/** What is measured in addition to the events of a run. */
export interface MetricsOptions {
  /** By the monotonic clock, in ms. */
  readonly now: () => number;
  /** Per controller; undefined: its own number. */
  readonly workers: number | undefined;
}

/** Source: k8s.io/component-base v0.36 metrics/prometheus/workqueue/metrics.go: 10 ns and nine times ten times that. */
const queueBuckets = Array.from({ length: 10 }, (_, power) => 10e-9 * 10 ** power);
/** Source: k8s.io/component-base v0.36 metrics/prometheus/restclient/metrics.go. */
const requestBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
/** Source: controller-runtime v0.25 pkg/internal/controller/metrics/metrics.go. */
const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** The stages to listen to. */
export const measuredStages: readonly StageEvent["stage"][] = ["enqueue", "get", "done"];

interface Syncing {
  readonly controller: string;
  readonly since: number;
}

/** Counts from its creation on. */
export class RunMetrics {
  readonly #options: MetricsOptions;
  readonly #registry: Registry;
  readonly #taken = new Map<string, number>();
  readonly #syncing = new Map<string, Syncing>();
  readonly #waited: Histogram<"name">;
  readonly #worked: Histogram<"name">;
  readonly #retries: Counter<"name">;
  readonly #requests: Counter<"code" | "method" | "host">;
  readonly #requestTimes: Histogram<"verb" | "host">;
  readonly #reconciles: Counter<"controller" | "result">;
  readonly #reconcileErrors: Counter<"controller">;
  readonly #reconcileTimes: Histogram<"controller">;
  readonly #leads: Gauge<"name">;
  #controllers: readonly MeasuredController[] = [];
  #host = "";

  private constructor({ Counter, Gauge, Histogram, Registry }: typeof import("prom-client"), options: MetricsOptions) {
    this.#options = options;
    this.#registry = new Registry();
    const registers = [this.#registry];
    const name = { registers, labelNames: ["name"] as const };
    const controller = { registers, labelNames: ["controller"] as const };
    this.#waited = new Histogram({
      name: "workqueue_queue_duration_seconds",
      help: "Seconds from when a key was added until a worker took it.",
      buckets: queueBuckets,
      ...name,
    });
    this.#worked = new Histogram({
      name: "workqueue_work_duration_seconds",
      help: "Seconds that a sync took.",
      buckets: queueBuckets,
      ...name,
    });
    this.#retries = new Counter({
      name: "workqueue_retries_total",
      help: "Keys that were requeued: retries, and requeues that a sync requested.",
      ...name,
    });
    this.#requests = new Counter({
      name: "rest_client_requests_total",
      help: "Requests to the API server that were answered or failed.",
      registers,
      labelNames: ["code", "method", "host"],
    });
    this.#requestTimes = new Histogram({
      name: "rest_client_request_duration_seconds",
      help: "Seconds until the response to a request began.",
      buckets: requestBuckets,
      registers,
      labelNames: ["verb", "host"],
    });
    this.#reconciles = new Counter({
      name: "controller_runtime_reconcile_total",
      help: "Syncs, by how they ended.",
      registers,
      labelNames: ["controller", "result"],
    });
    this.#reconcileErrors = new Counter({
      name: "controller_runtime_reconcile_errors_total",
      help: "Syncs that failed.",
      ...controller,
    });
    this.#reconcileTimes = new Histogram({
      name: "controller_runtime_reconcile_time_seconds",
      help: "Seconds that a sync took.",
      buckets: reconcileBuckets,
      ...controller,
    });
    this.#leads = new Gauge({
      name: "leader_election_master_status",
      help: "1 while this copy leads by the Lease, otherwise 0.",
      ...name,
    });
    this.#measureOnScrape({ Counter, Gauge });
  }

  /** Loads the library: only a run with an endpoint pays for it. */
  static async open(options: MetricsOptions): Promise<RunMetrics> {
    return new RunMetrics(await import("prom-client"), options);
  }

  /** Current values are read when metrics are scraped. */
  #measureOnScrape({ Counter, Gauge }: Pick<typeof import("prom-client"), "Counter" | "Gauge">): void {
    const measured = (): readonly MeasuredController[] => this.#controllers;
    for (const [name, help, valueOf] of this.#gauges()) {
      const label = name.startsWith("workqueue") ? "name" : "controller";
      const gauge = new Gauge({
        name,
        help,
        registers: [],
        labelNames: [label],
        collect() {
          for (const each of measured()) this.set({ [label]: each.definition.name }, valueOf(each));
        },
      });
      this.#registry.registerMetric(gauge);
    }
    const taken = this.#taken;
    const adds = new Counter({
      name: "workqueue_adds_total",
      help: "Keys that were added.",
      registers: [],
      labelNames: ["name"],
      collect() {
        this.reset();
        // Each added key has been taken by a worker, or waits for one.
        for (const { definition, queue } of measured())
          this.inc({ name: definition.name }, (taken.get(definition.name) ?? 0) + queue.pending().length);
      },
    });
    this.#registry.registerMetric(adds);
  }

  #gauges(): readonly (readonly [name: string, help: string, valueOf: (controller: MeasuredController) => number])[] {
    return [
      ["workqueue_depth", "Keys that wait for a worker.", ({ queue }) => queue.pending().length],
      [
        "workqueue_unfinished_work_seconds",
        "Seconds that all syncs in progress have taken so far, together.",
        (each) => this.#unfinished(each).reduce((sum, seconds) => sum + seconds, 0),
      ],
      [
        "workqueue_longest_running_processor_seconds",
        "Seconds that the longest sync in progress has taken so far.",
        (each) => Math.max(0, ...this.#unfinished(each)),
      ],
      ["controller_runtime_active_workers", "Workers that have a key.", ({ queue }) => queue.inFlight],
      [
        "controller_runtime_max_concurrent_reconciles",
        "Workers.",
        ({ definition }) => this.#options.workers ?? definition.workers,
      ],
    ];
  }

  #unfinished({ definition }: MeasuredController): readonly number[] {
    const now = this.#options.now();
    const its = [...this.#syncing.values()].filter(({ controller }) => controller === definition.name);
    return its.map(({ since }) => (now - since) / 1000);
  }

  /** The controllers of the run, once they exist. */
  measure(controllers: readonly MeasuredController[]): void {
    this.#controllers = controllers;
  }

  /** For the stages of `measuredStages`. */
  readonly listener = (event: StageEvent): void => {
    if (event.stage === "enqueue") {
      if (event.delayMs !== undefined) this.#retries.inc({ name: event.controller });
    } else if (event.stage === "get") {
      const { controller, sync, waitedMs } = event;
      this.#taken.set(controller, (this.#taken.get(controller) ?? 0) + 1);
      this.#syncing.set(`${controller} ${sync}`, { controller, since: this.#options.now() });
      this.#waited.observe({ name: controller }, waitedMs / 1000);
    } else if (event.stage === "done") {
      const { controller, sync, ms, error, outcome } = event;
      this.#syncing.delete(`${controller} ${sync}`);
      this.#worked.observe({ name: controller }, ms / 1000);
      this.#reconcileTimes.observe({ controller }, ms / 1000);
      if (error !== undefined) this.#reconcileErrors.inc({ controller });
      const result = error !== undefined ? "error" : outcome.is === "requeued" ? "requeue_after" : "success";
      this.#reconciles.inc({ controller, result });
    }
  };

  /** The API server, as named in the request metrics: `https://127.0.0.1:6443`. */
  set server(url: string) {
    this.#host = URL.canParse(url) ? new URL(url).host : url;
  }

  /** Called when the response of the API server to a request begins, or when the request fails. */
  readonly request = ({ request: { method }, status, ms }: CompletedRequest): void => {
    const host = this.#host;
    this.#requests.inc({ code: status === undefined ? "<error>" : String(status), method, host });
    this.#requestTimes.observe({ verb: method, host }, ms / 1000);
  };

  /** Records whether this copy leads, according to the Lease with this name. */
  leads(name: string, isLeader: boolean): void {
    this.#leads.set({ name }, isLeader ? 1 : 0);
  }

  /** In Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** The media type of the text. */
  get contentType(): string {
    return this.#registry.contentType;
  }
}
