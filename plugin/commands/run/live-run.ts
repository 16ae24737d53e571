/** One run of `run`, from the preflight to the summary. */
import { messageOf } from "../../../src/api/error-message.ts";
import { ownVersion, type ServerVersion } from "../../../src/api/server-version.ts";
import { createClient } from "../../../src/client/api/client.ts";
import { type ControllerDefinition, isNamespaced } from "../../../src/controller/api/definition.ts";
import { LeaseHeldError } from "../../../src/controller/runtime/lease.ts";
import type { LeaseFence } from "../../../src/controller/runtime/lease-fence.ts";
import { isDeadHere, ownIdentity } from "../../../src/modes/run/identity.ts";
import { type LiveOptions, type LiveRun, startLive } from "../../../src/modes/run/live.ts";
import { leaseNamespace } from "../../../src/modes/run/run-leases.ts";
import type { MetricsEndpoint } from "../../telemetry/endpoint.ts";
import { measuredStages } from "../../telemetry/metrics.ts";
import { type RunSpans, spannedStages } from "../../telemetry/spans.ts";
import { quoted, reconcileAdvice } from "../../cli/advice.ts";
import { maxFailures } from "../../cli/idle.ts";
import type { Session } from "../../cli/session.ts";
import { formatDuration } from "../../../src/api/duration.ts";
import { pluralize } from "../../cli/style.ts";
import { UserError } from "../../cli/user-error.ts";
import type { Connected } from "../../connections/connection.ts";
import { cachesText } from "../../render/preflight-text.ts";
import { summaryLine } from "../../render/run-lines.ts";
import { Leadership } from "./leadership.ts";
import { Reload } from "./reload.ts";
import type { RunRequest } from "./request.ts";
import { preflightOfRun } from "./run-preflight.ts";
import { type RunScreen, showRun } from "./screen.ts";

/** The parts of a `Run`. The caller closes the connection. */
export interface RunParts {
  readonly request: RunRequest;
  readonly session: Session;
  readonly connected: Connected;
  /** The fence of the connection, which holds back writes while a Lease may not be held. */
  readonly fence: LeaseFence;
  /** Undefined without metrics. */
  readonly endpoint: MetricsEndpoint | undefined;
  /** Undefined without spans. */
  readonly spans: RunSpans | undefined;
}

/** The exit code when leadership is lost, so that another copy may lead. */
const deposedExitCode = 3;
/** The maximum length of an object's name. */
const maxNameLength = 253;

/** A run of controllers that write. */
export class Run {
  readonly #request: RunRequest;
  readonly #session: Session;
  readonly #connected: Connected;
  readonly #fence: LeaseFence;
  readonly #endpoint: MetricsEndpoint | undefined;
  /** Undefined for all namespaces. */
  readonly #namespace: string | undefined;
  readonly #controllers: readonly ControllerDefinition[];
  readonly #reload: Reload | undefined;
  readonly #screen: RunScreen;
  /** The server's, from the preflight on. */
  #version: ServerVersion = ownVersion;
  #eventsLost = 0;
  #isAnnounced = false;
  /** The error that ended the run. */
  #stopped: UserError | undefined;
  readonly #identity: string;
  /** Undefined without leader election. */
  #leadership: Leadership | undefined;

  constructor({ request, session, connected, fence, endpoint, spans }: RunParts) {
    const { flags, controllers, isAll, json, sinceStart } = request;
    this.#request = request;
    this.#session = session;
    this.#connected = connected;
    this.#fence = fence;
    this.#endpoint = endpoint;
    if (spans !== undefined) connected.bus.listen(spans.listener, { stages: spannedStages });
    this.#namespace = flags.allNamespaces === true ? undefined : (flags.namespace ?? connected.namespace);
    const { reloads } = request;
    this.#reload = reloads ? new Reload(session.io.controllerFiles, session) : undefined;
    const chosen = isAll ? this.#fitting(controllers) : controllers;
    this.#controllers = chosen.map((each) => this.#reload?.standingFor(each) ?? each);
    this.#screen = showRun(connected.bus, {
      out: session.io.out,
      json,
      controllers: this.#controllers.map(({ name }) => name),
      ...(sinceStart && { sinceStartAt: session.startedAt }),
    });
    this.#identity = ownIdentity(session.io.random);
  }

  /** Runs until the session ends. @returns the exit code. @throws UserError if the run was refused or had to stop. */
  async untilEnded(): Promise<number> {
    try {
      return await this.#untilEnded();
    } finally {
      await this.#leadership?.resign();
    }
  }

  async #untilEnded(): Promise<number> {
    const { once, forMs } = this.#request;
    const session = this.#session;
    this.#measure();
    const live = await session.unlessInterrupted(() => this.#start());
    if (live === undefined) return this.#whyEnded() ?? 0;
    if (this.#endpoint !== undefined) {
      this.#endpoint.metrics.measure(live.manager.controllers);
      this.#endpoint.missing = undefined;
    }
    await this.#reload?.start(live.manager.controllers);
    session.endAfter(forMs);
    if (once) session.endWhenIdle(() => live.manager.isIdle(maxFailures));
    await session.ended;
    const dropped = await live.stop();
    session.say(summaryLine(this.#screen.report.summary, session.elapsedMs));
    if (this.#eventsLost > 1) session.warn(`${this.#eventsLost} Events in total could not be recorded`);
    if (dropped > 0 && !once) {
      const objects = pluralize(dropped, "object");
      session.warn(`${objects} had changed or failed since the last sync; the next run syncs each at its start`);
    }
    return this.#whyEnded() ?? (once ? this.#warnOfFailing(live) : 0);
  }

  /** The exit code if this copy no longer leads; undefined if nothing forced the end. @throws UserError if the run had to stop. */
  #whyEnded(): number | undefined {
    if (this.#stopped !== undefined) throw this.#stopped;
    const deposed = this.#leadership?.deposed;
    if (deposed === undefined) return undefined;
    this.#session.warn(`stopped: ${deposed}`);
    return deposedExitCode;
  }

  /** The controllers that can be restricted to the namespace; prints which ones are left out. */
  #fitting(all: readonly ControllerDefinition[]): readonly ControllerDefinition[] {
    if (this.#namespace === undefined) return all;
    const wide = all.filter((definition) => !isNamespaced(definition)).map(({ name }) => name);
    if (wide.length > 0) {
      this.#session.warn(
        `left out, since they work beyond namespace ${this.#namespace}: ${wide.join(", ")}; -A runs them too`,
      );
    }
    return all.filter(isNamespaced);
  }

  /** Undefined if the run ended before all caches were filled. */
  async #start(): Promise<LiveRun | undefined> {
    const session = this.#session;
    const over = new AbortController();
    try {
      await this.#lead();
      void session.ended.then(() => over.abort(new Error("the run has ended")));
      const live = await startLive(this.#liveOptions(), AbortSignal.any([session.signal, over.signal]));
      session.say(`caches  ${cachesText(live.caches)} · ${formatDuration(live.cachesMs)}`);
      this.#announce("running");
      return live;
    } catch (error) {
      if (over.signal.aborted && !session.signal.aborted) return undefined;
      if (error instanceof LeaseHeldError) throw heldByACopy(error);
      throw this.#connected.translateError(error);
    }
  }

  /** Prints where metrics are served, and starts collecting them. */
  #measure(): void {
    const endpoint = this.#endpoint;
    if (endpoint === undefined) return;
    endpoint.metrics.server = this.#connected.server;
    this.#connected.bus.listen(endpoint.metrics.listener, { stages: measuredStages });
    this.#session.say(`metrics ${endpoint.url}/metrics · /healthz · /readyz`);
  }

  /** With leader election, waits until this copy leads. */
  async #lead(): Promise<void> {
    const { leaderElect } = this.#request;
    if (leaderElect === undefined) return;
    this.#leadership = new Leadership({
      leaderElect,
      defaults: { namespace: leaseNamespace(this.#namespace), name: this.#electionName() },
      identity: this.#identity,
      connected: this.#connected,
      session: this.#session,
      fence: this.#fence,
      endpoint: this.#endpoint,
    });
    await this.#leadership.won();
  }

  /** The name of the Lease, equal for all copies with the same controllers. */
  #electionName(): string {
    const { isAll } = this.#request;
    const names = isAll ? ["all"] : this.#controllers.map(({ name }) => name).sort();
    return `kubectl-reconcile-leader-${names.join("-")}`.slice(0, maxNameLength);
  }

  #liveOptions(): LiveOptions {
    const { selector, workers, resyncMs, freeze, json, flags } = this.#request;
    const { bus, unlimited: transport, clientFor, serverCa } = this.#connected;
    const { timeline, random } = this.#session.io;
    const session = this.#session;
    return {
      controllers: this.#controllers,
      clientFor,
      readingClient: createClient({ transport, bus, timeline }),
      bus,
      timeline,
      random,
      serverCa,
      serverVersion: () => this.#version,
      fence: this.#fence,
      lease: this.#lease(),
      preflight: () => this.#preflight(),
      onEarlyStart: () => this.#announce("starting"),
      onLeaseLost: (why) => this.#stop(new UserError(`stopped: ${why}`)),
      onLeaseLate: (why) => session.warn(`warning: ${why}; nothing is written from the 15th second on until it is`),
      onLeasesRenewed: (ms) => session.warn(`renewed after ${formatDuration(ms)}: the run continues`),
      onEventLost: (why) => this.#eventLost(why),
      onDiscoveryFailed: (controller, why) =>
        session.warn(
          `warning: ${controller} could not discover the kinds of the server, and continues with those it knows: ${why}`,
        ),
      ...(flags.sandbox !== true && { onOtherOwner: (controller, clause) => this.#otherOwner(controller, clause) }),
      // The text output does not show writers.
      trackFieldManagers: json,
      freeze,
      ...(this.#namespace !== undefined && { namespace: this.#namespace }),
      ...(selector !== undefined && { selector }),
      ...(workers !== undefined && { workers }),
      ...(resyncMs !== undefined && { resyncMs }),
    };
  }

  #lease(): LiveOptions["lease"] {
    return {
      identity: this.#identity,
      isDead: isDeadHere,
      force: this.#request.force,
      onWait: (controller, holder, atMostMs) =>
        this.#session.warn(
          `${holder} holds the Lease for ${controller} here; waiting at most ${formatDuration(atMostMs)} to see whether it still renews it`,
        ),
    };
  }

  #preflight(): Promise<void> {
    return preflightOfRun({
      request: this.#request,
      session: this.#session,
      connected: this.#connected,
      controllers: this.#controllers,
      namespace: this.#namespace,
      traceCommand: this.#traceCommand(),
      onVersion: (version) => {
        this.#version = version;
        this.#screen.begin();
      },
    });
  }

  /** Prints what runs, once, before the first block of a sync. */
  #announce(how: "starting" | "running"): void {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    const { workers, once, forMs } = this.#request;
    const named = this.#controllers.map(
      (controller) => `${controller.name} with ${pluralize(workers ?? controller.workers, "worker")}`,
    );
    const ends = [
      ...(once ? ["until all is synced"] : []),
      ...(forMs === undefined ? [] : [`for ${formatDuration(forMs)}`]),
    ];
    const until = ends.length === 0 ? "Ctrl-C stops" : ends.join(" or ");
    const early = how === "starting" ? "each when its caches have synced, " : "";
    this.#session.say(`${how} ${named.join(", ")}, ${early}${until}`);
    this.#session.say("");
  }

  /** Reports the first lost Event and counts the others, since there may be hundreds. */
  #eventLost(why: string): void {
    if (++this.#eventsLost === 1) this.#session.warn(`warning: an Event could not be recorded: ${why}`);
  }

  /** Stops because another instance of a controller was found: together they would do everything twice. */
  #otherOwner(controller: string, clause: string): void {
    if (this.#request.force) {
      this.#session.warn(`warning: ${clause}: it also does what our ${controller} does; running anyway (--force)`);
      return;
    }
    this.#stop(
      new UserError(`stopped: ${clause}, which our ${controller} does here as well`, [
        "To trace it without writing anything:",
        `  ${this.#traceCommand()}`,
        "Use --force to run anyway.",
      ]),
    );
  }

  /** Ends the run with an error, unless it has already ended. */
  #stop(why: UserError): void {
    if (!this.#session.isOver) this.#stopped = why;
    this.#session.end();
  }

  #traceCommand(): string {
    const names = this.#controllers
      .filter(({ companionOf }) => companionOf === undefined)
      .map(({ name }) => name)
      .join(" ");
    const where = this.#namespace === undefined ? "-A" : `-n ${quoted(this.#namespace)}`;
    return reconcileAdvice(this.#session.io.calledAs, this.#request.flags, `trace ${names} ${where}`);
  }

  /** Prints the keys whose last sync failed. @returns the exit code. */
  #warnOfFailing({ manager }: LiveRun): number {
    const failing = manager.controllers.flatMap(({ definition, failing }) =>
      [...failing].map(([key, error]) => `${definition.name} ${key}: ${messageOf(error)}`),
    );
    for (const line of failing) this.#session.warn(`not synced: ${line}`);
    return failing.length === 0 ? 0 : 1;
  }
}

function heldByACopy(error: LeaseHeldError): UserError {
  return new UserError(`refused: another kubectl reconcile does this here (${error.message}).`, [
    "Stop that one first, or add --force to take over from it.",
  ]);
}
