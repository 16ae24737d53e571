/** The syncs of a run as OpenTelemetry spans, with their decisions and writes, sent with OTLP over HTTP. */
import type { Attributes, Span, SpanKind, Tracer } from "@opentelemetry/api";
import type { SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Timeline } from "../../src/platform/timeline.ts";
import type { DoneEvent, EventHead, GetEvent, StageEvent, WriteEvent } from "../../src/trace/events.ts";
import { GenerationalCache } from "../../src/trace/generational-cache.ts";
import type { Trigger } from "../../src/trace/triggers.ts";

/** Options of `RunSpans`. */
export interface SpansOptions {
  /** Of this program. */
  readonly version: string;
  /** The environment; the library itself reads the standard `OTEL_` variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called once, the first time that spans could not be delivered. */
  readonly onUndelivered: (why: string) => void;
}

/** The stages to listen to. */
export const spannedStages: readonly StageEvent["stage"][] = ["get", "decision", "write", "done"];

/** The maximum number that wait for the collector; a busy run finishes 2,000 syncs a second. */
const mostWaiting = 100_000;
/** The minimum number of finished syncs whose late writes are recognized. */
const mostEnded = 10_000;
const longestCloseMs = 5000;
const longestSendMs = 4000;
const defaultEndpoint = "http://localhost:4318";

type Api = typeof import("@opentelemetry/api");

/** Where to send spans, according to the environment. Source: OpenTelemetry's specification of the OTLP exporter. */
export function spansEndpoint(env: SpansOptions["env"]): string {
  const traces = env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
  if (traces !== undefined && traces !== "") return traces;
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all = "" } = env;
  return `${(all === "" ? defaultEndpoint : all).replace(/\/+$/, "")}/v1/traces`;
}

interface NewSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly startTime: number;
  readonly attributes: Attributes;
  readonly parent?: Span | undefined;
}

/** One span for each sync, from its `get` to its `done`, and one for each of its writes. */
export class RunSpans {
  readonly #api: Api;
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #delivery: Delivery;
  readonly #syncs = new Map<string, Span>();
  /** Events are written after the sync that recorded them, but are still its children. */
  readonly #ended = new GenerationalCache<string, Span>(mostEnded);

  private constructor(
    api: Api,
    { provider, delivery }: { readonly provider: TracerProvider; readonly delivery: Delivery },
  ) {
    this.#api = api;
    this.#provider = provider;
    this.#delivery = delivery;
    this.#tracer = provider.getTracer("kubectl-reconcile");
  }

  /** Loads the libraries: only a run that sends spans pays for them. */
  static async open(options: SpansOptions): Promise<RunSpans> {
    const [api, sdk, { OTLPTraceExporter }, { defaultResource, resourceFromAttributes }] = await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
    ]);
    const { env, version } = options;
    const name = env["OTEL_SERVICE_NAME"] ?? "kubectl-reconcile";
    const own = resourceFromAttributes({ "service.name": name, "service.version": version });
    // Shorter than the final wait, so the reason is known by its end.
    const patience = env["OTEL_EXPORTER_OTLP_TIMEOUT"] === undefined ? { timeoutMillis: longestSendMs } : {};
    const exporter = new OTLPTraceExporter({ url: spansEndpoint(env), ...patience });
    const delivery = new Delivery(exporter, options.onUndelivered);
    const provider = new sdk.TracerProvider({
      resource: defaultResource().merge(own),
      spanProcessors: [new sdk.BatchSpanProcessor({ exporter: delivery.exporter, maxQueueSize: mostWaiting })],
    });
    return new RunSpans(api, { provider, delivery });
  }

  /** For the stages of `spannedStages`. */
  readonly listener = (event: StageEvent): void => {
    if (event.stage === "get") this.#begin(event);
    else if (event.stage === "write") this.#write(event);
    else if (event.stage === "done") this.#end(event);
    else if (event.stage === "decision") {
      const decision = { "reconcile.rule": event.rule, "reconcile.sentence": event.sentence };
      this.#syncs.get(nameOf(event))?.addEvent("decision", decision, event.at);
    }
  };

  #begin(event: GetEvent & EventHead): void {
    const { controller, key, sync, waitedMs, failures, triggers, at } = event;
    const span = this.#start({
      name: `reconcile ${controller}`,
      kind: this.#api.SpanKind.INTERNAL,
      startTime: at,
      attributes: {
        "reconcile.controller": controller,
        ...objectAttributes(key),
        "reconcile.sync": sync,
        "reconcile.queue.wait_ms": waitedMs,
        "reconcile.failures": failures,
        "reconcile.triggers": [...triggers.first, ...triggers.last].map(triggerText),
      },
    });
    this.#syncs.set(nameOf(event), span);
  }

  /** Writes outside a sync are separate spans. */
  #write(event: WriteEvent & EventHead): void {
    const { controller, sync, verb, of, subresource, key, status, sentAt, ms, error, resourceVersion } = event;
    const made = controller === undefined || sync === undefined ? "" : nameOf({ controller, sync });
    const parent = this.#syncs.get(made) ?? this.#ended.get(made);
    const kind = `${of.kind}${subresource === undefined ? "" : `/${subresource}`}`;
    const span = this.#start({
      name: `${verb} ${kind}`,
      kind: this.#api.SpanKind.CLIENT,
      startTime: sentAt,
      attributes: {
        "reconcile.verb": verb,
        "reconcile.kind": kind,
        ...objectAttributes(key),
        ...(status !== 0 && { "http.response.status_code": status }),
        ...(resourceVersion !== "" && { "reconcile.resource_version": resourceVersion }),
      },
      parent,
    });
    this.#fail(span, error);
    span.end(sentAt + ms);
  }

  #end(event: DoneEvent & EventHead): void {
    const name = nameOf(event);
    const span = this.#syncs.get(name);
    if (span === undefined) return;
    this.#syncs.delete(name);
    this.#ended.set(name, span);
    const { outcome, error, at } = event;
    span.setAttribute("reconcile.outcome", outcome.is);
    if ("delayMs" in outcome) span.setAttribute("reconcile.requeue_ms", outcome.delayMs);
    this.#fail(span, error);
    span.end(at);
  }

  #start({ name, parent, ...options }: NewSpan): Span {
    const { ROOT_CONTEXT, trace } = this.#api;
    this.#delivery.made++;
    const within = parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent);
    return this.#tracer.startSpan(name, options, within);
  }

  #fail(span: Span, error: string | undefined): void {
    if (error !== undefined) span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: error });
  }

  /** Sends pending spans, for at most 5 s. @returns how many spans were not delivered, of how many. */
  async close(timeline: Timeline): Promise<{ readonly undelivered: number; readonly made: number }> {
    for (const span of this.#syncs.values()) span.end();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = timeline.after(longestCloseMs, "last spans", resolve);
    await Promise.race([this.#provider.shutdown().catch(() => undefined), late]);
    cancel();
    const { made, delivered } = this.#delivery;
    return { undelivered: made - delivered, made };
  }
}

/** Counts deliveries. */
class Delivery {
  readonly exporter: SpanExporter;
  made = 0;
  delivered = 0;
  #hasFailed = false;

  constructor(inner: SpanExporter, onUndelivered: (why: string) => void) {
    this.exporter = {
      export: (spans, done) =>
        inner.export(spans, (result) => {
          if (result.error === undefined) this.delivered += spans.length;
          else if (!this.#hasFailed) {
            this.#hasFailed = true;
            onUndelivered(result.error.message);
          }
          done(result);
        }),
      shutdown: () => inner.shutdown(),
    };
  }
}

function nameOf({ controller, sync }: { readonly controller: string; readonly sync: number }): string {
  return `${controller} ${sync}`;
}

function objectAttributes(key: string): Attributes {
  // A key of the garbage collector starts with a kind: it is not the name of an object.
  if (key.includes(" ")) return { "reconcile.object": key };
  const [namespace, name] = key.includes("/") ? key.split("/") : [undefined, key];
  return {
    "reconcile.object": key,
    ...(namespace !== undefined && { "k8s.namespace.name": namespace }),
    "k8s.object.name": name,
  };
}

function triggerText(trigger: Trigger): string {
  switch (trigger.cause) {
    case "delta":
      return `${trigger.kind} ${trigger.key} ${trigger.type}`;
    case "requeue":
      return `requeue: ${trigger.why}`;
    case "retry":
      return `retry after ${trigger.failures} failures`;
    case "other":
      return trigger.why;
  }
}
