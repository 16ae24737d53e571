/** The world of a rehearsal: a program, the controllers and the simulated parts of a cluster, in an isolated place, in real time. */
import type { ServerVersion } from "../../api/server-version.ts";
import { createClient } from "../../client/api/client.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import type { ControllerManager } from "../../controller/runtime/controller-manager.ts";
import type { Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import { TraceBus } from "../../trace/bus.ts";
import type { StageEvent } from "../../trace/events.ts";
import type { KindName } from "../../trace/names.ts";
import { CustomObjects, noCustomResources } from "../dry-run/custom-objects.ts";
import { failingKeys } from "../dry-run/failing.ts";
import type { World } from "../dry-run/play.ts";
import type { Scope } from "../dry-run/scope.ts";
import { simulatedManager } from "../dry-run/simulated-manager.ts";
import { listenToStore, stateOf } from "../dry-run/store.ts";
import { releaseLeases } from "./leases.ts";
import { Movement, type Patience } from "./movement.ts";
import type { Place } from "./place.ts";
import { type ProgramPlan, ProgramRun } from "./program.ts";
import { ReferencedObjects } from "./references.ts";

/** What runs, where, and for how long at most (see `Patience`). */
export interface RehearsalOptions extends Patience {
  readonly place: Place;
  /** In addition to the scheduler, the kubelet and the controllers of `dry-run/always-run.ts`. */
  readonly controllers: readonly ControllerDefinition[];
  /** The version of the cluster that was copied; ours by default. */
  readonly serverVersion?: ServerVersion;
  /** Runs from the start. */
  readonly first?: ProgramPlan;
  /** Starts with the changes; replaces the first, if there is one. */
  readonly later?: ProgramPlan;
  readonly timeline: Timeline;
  readonly random: Random;
  /** Called with the name and the process id of each program that starts. */
  readonly onStarted?: (name: string, pid: number) => void;
}

/** A world that can be stopped. */
export interface Rehearsal extends World {
  readonly scope: Scope;
  /** The running program that has sent no request. */
  readonly silent: string | undefined;
  /** Stops the programs and everything that runs; leaves nothing behind. */
  stop(): Promise<void>;
  /** The same at once, for an exit that waits for nothing. */
  abandon(): void;
}

/** A key that has failed this often is no longer waited for. */
const patientFailures = 3;

/** Opens the proxies and fills the caches of the controllers. @throws Error with the system's `code`; StatusError, TransportError. */
export async function createRehearsal(options: RehearsalOptions): Promise<Rehearsal> {
  const { place, timeline, random } = options;
  const { sandbox } = place;
  const bus = new TraceBus({ now: () => timeline.now() });
  // Nothing listens to requests of the rehearsal itself.
  const silentBus = new TraceBus({ now: () => timeline.now() });
  const unread = new Map<string, string>();
  const scope: Scope = { namespaces: undefined, held: new Map(), unread, uncounted: new Set() };
  const clientOn = (on: TraceBus, fieldManager: string): Client =>
    createClient({ transport: place.transportFor(fieldManager), bus: on, timeline, fieldManager });
  const referenced = new ReferencedObjects({
    sandbox,
    client: clientOn(silentBus, "kubectl-reconcile"),
    onUnreadable: ({ group, kind }, why) => void unread.set(`${group}/${kind}`, why),
  });
  const manager = simulatedManager({
    sandbox,
    controllers: options.controllers,
    pods: place.pods,
    scope,
    serverVersion: options.serverVersion,
    clock: "real",
    timeline,
    random,
    bus,
    clientOn,
    bringIn: (pod) => referenced.bringIn(pod),
  });
  const parts = { options, bus, manager, referenced, releasing: clientOn(silentBus, "kubectl-reconcile") };
  const behind = { transport: place.transportFor("program"), bus, timeline };
  const opened: ProgramRun[] = [];
  const open = async (plan: ProgramPlan | undefined): Promise<ProgramRun | undefined> => {
    if (plan === undefined) return undefined;
    const run = await ProgramRun.open(plan, behind);
    opened.push(run);
    return run;
  };
  try {
    const programs = { first: await open(options.first), later: await open(options.later) };
    await manager.fillCaches();
    const customs = new CustomObjects({ known: noCustomResources, random, now: () => timeline.now() });
    return new RunningRehearsal({ ...parts, programs, customs, scope });
  } catch (error) {
    for (const each of opened) await each.end();
    await manager.stop();
    throw error;
  }
}

interface Parts {
  readonly options: RehearsalOptions;
  readonly bus: TraceBus;
  readonly manager: ControllerManager;
  readonly referenced: ReferencedObjects;
  readonly programs: { readonly first: ProgramRun | undefined; readonly later: ProgramRun | undefined };
  /** For Leases of a program that has exited. */
  readonly releasing: Client;
  readonly customs: CustomObjects;
  readonly scope: Scope;
}

class RunningRehearsal implements Rehearsal {
  readonly sandbox: World["sandbox"];
  readonly customs: CustomObjects;
  readonly timeline: Timeline;
  readonly bus: TraceBus;
  readonly scope: Scope;
  readonly writes: World["writes"] = [];
  readonly #parts: Parts;
  readonly #movement: Movement;
  #current: ProgramRun | undefined;
  /** `group/Kind` of the kinds that the current program lists or watches. */
  readonly #watched = new Set<string>();

  constructor(parts: Parts) {
    const { options, bus, customs, scope } = parts;
    const { place, timeline } = options;
    this.sandbox = place.sandbox;
    this.customs = customs;
    this.timeline = timeline;
    this.bus = bus;
    this.scope = scope;
    this.#parts = parts;
    this.#movement = new Movement({ sandbox: place.sandbox, bus, timeline });
    bus.listen((event) => this.#onEvent(event), { stages: ["request", "watch"] });
  }

  get silent(): string | undefined {
    return this.#current?.hasConnected === false ? this.#current.name : undefined;
  }

  /** The API server itself handles the definition of a kind. */
  follows({ group, kind }: KindName): boolean {
    return this.#watched.has(`${group}/${kind}`) || kind === "CustomResourceDefinition";
  }

  clientFor(fieldManager: string): Client {
    const { place } = this.#parts.options;
    const { timeline, bus } = this;
    return createClient({ transport: place.transportFor(fieldManager), bus, timeline, fieldManager });
  }

  versionAtStart(...args: Parameters<World["versionAtStart"]>): string | undefined {
    return this.#parts.options.place.versionAtStart(...args);
  }

  during<T>(promise: Promise<T>): Promise<T> {
    return promise;
  }

  onChange(listener: Parameters<World["onChange"]>[0]): () => void {
    const listening = listenToStore(this.sandbox, listener);
    return () => listening.end();
  }

  state(): ReturnType<World["state"]> {
    return stateOf(this.sandbox);
  }

  completed(earlier: ReturnType<World["state"]>): ReturnType<World["state"]> {
    return this.#parts.options.place.completed(earlier);
  }

  async start(): Promise<void> {
    const { manager, programs } = this.#parts;
    manager.startWorkers();
    if (programs.first !== undefined) await this.#run(programs.first);
  }

  async begin(): Promise<void> {
    const { programs, releasing } = this.#parts;
    if (programs.later === undefined) return;
    if (programs.first !== undefined) {
      await programs.first.end();
      await releaseLeases(releasing, this.state());
    }
    await this.#run(programs.later);
  }

  async #run(program: ProgramRun): Promise<void> {
    const pid = await program.start();
    this.#current = program;
    this.#watched.clear();
    this.#parts.options.onStarted?.(program.name, pid);
  }

  async untilConverged(): ReturnType<World["untilConverged"]> {
    const { manager, options } = this.#parts;
    const end = await this.#movement.untilQuiet(
      {
        isIdle: () => this.silent === undefined && manager.isIdle({ failures: patientFailures }),
        nextDueAt: () => manager.nextDueAt(),
        check: () => this.#current?.checkRunning(),
      },
      options,
    );
    await this.#bringInReferences();
    return end;
  }

  failing(): ReturnType<World["failing"]> {
    return failingKeys(this.#parts.manager);
  }

  #onEvent(event: StageEvent): void {
    // A watch is a request that is reported when it ends.
    const isWatch = event.stage === "watch" && event.agent !== undefined;
    const isList = event.stage === "request" && (event.verb === "watch" || event.verb === "list");
    if ((isWatch || isList) && event.of !== undefined) this.#watched.add(`${event.of.group}/${event.of.kind}`);
  }

  /** Brings in the references of everything written here. */
  async #bringInReferences(): Promise<void> {
    const { options, referenced } = this.#parts;
    await Promise.all(options.place.written().map((object) => referenced.bringIn(object)));
  }

  async stop(): Promise<void> {
    const { manager, programs, options } = this.#parts;
    this.#movement.end();
    await programs.first?.end();
    await programs.later?.end();
    await manager.stop();
    options.place.stop();
  }

  abandon(): void {
    const { first, later } = this.#parts.programs;
    first?.abandon();
    later?.abandon();
  }
}
