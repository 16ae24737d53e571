/** The world of a rehearsal: a program, the controllers and the simulated parts of a cluster, in a place of their own, in real time. */
import type { StoredObject } from "../../api/object.ts";
import type { Pod } from "../../api/types.ts";
import type { Transport } from "../../api/transport.ts";
import { SharedInformerFactory } from "../../cache/shared-informer-factory.ts";
import { createClient } from "../../client/api/client.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { ControllerManager } from "../../controller/runtime/controller-manager.ts";
import { resourcequota } from "../../controllers/resourcequota/resourcequota.ts";
import { scheduler } from "../../controllers/scheduler/scheduler.ts";
import type { Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import { TraceBus } from "../../trace/bus.ts";
import type { StageEvent } from "../../trace/events.ts";
import type { KindName } from "../../trace/names.ts";
import { CustomObjects, noCustomResources } from "../dry-run/custom-objects.ts";
import { dryRunKubelet } from "../dry-run/kubelet.ts";
import { whatPodLacks } from "../dry-run/lacking.ts";
import type { World } from "../dry-run/play.ts";
import { type Scope, withinScope } from "../dry-run/scope.ts";
import { listenToStore, lookupIn, stateOf, volumesIn } from "../dry-run/store.ts";
import { fieldManagerOf } from "../../controller/runtime/field-manager.ts";
import { Movement, type Patience } from "./movement.ts";
import type { Place } from "./place.ts";
import { ReferencedObjects } from "./references.ts";

/** A program that can be started once, such as a process behind a door. */
export interface Program {
  /** @throws Error with the system's `code` if it cannot be started. */
  start(): Promise<{ readonly pid: number; readonly exited: Promise<number> }>;
  signal(name: string): void;
  /** After its end: reports what it has sent, and leaves nothing behind. */
  close(): Promise<void>;
  /** Ends it at once. */
  abandon(): void;
}

/** What a program reaches, and what hears of its requests. */
export interface Behind {
  readonly transport: Transport;
  readonly bus: TraceBus;
}

/** What runs, where, and for how long at most. */
export interface RehearsalOptions extends Patience {
  readonly place: Place;
  /** In addition to the scheduler, the kubelet and the resourcequota controller, which always run. */
  readonly controllers: readonly ControllerDefinition[];
  readonly prepare: (behind: Behind) => Promise<Program>;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly onStarted?: (pid: number) => void;
}

/** A world that can be ended. */
export interface Rehearsal extends World {
  readonly scope: Scope;
  /** Whether the program has sent a request. */
  readonly hasConnected: boolean;
  /** Ends the program and all that runs; leaves nothing behind. */
  stop(): Promise<void>;
  /** The same at once, for an exit that waits for nothing. */
  abandon(): void;
}

/** The program ended before it was asked to. */
export class ProgramEndedError extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`the program ended by itself with exit code ${code}`);
    this.name = "ProgramEndedError";
    this.code = code;
  }
}

/** Once a key has failed so often, it is not waited for any more. */
const patientFailures = 3;
/** From SIGTERM to SIGKILL. */
const mostEndingMs = 10_000;

/** Opens the door and fills the caches of the controllers. @throws Error with the system's `code`; StatusError, TransportError. */
export async function createRehearsal(options: RehearsalOptions): Promise<Rehearsal> {
  const { place, timeline, random } = options;
  const { sandbox } = place;
  const bus = new TraceBus({ now: () => timeline.now() });
  // Nothing listens to deltas of controllers here, nor to writes of the simulated components.
  const unheard = new TraceBus({ now: () => timeline.now() });
  const unread = new Map<string, string>();
  const scope: Scope = { namespaces: undefined, held: new Map(), unread, uncounted: new Set() };
  const clientOn = (on: TraceBus, fieldManager: string): Client =>
    createClient({ transport: place.transportFor(fieldManager), bus: on, timeline, fieldManager });
  const referenced = new ReferencedObjects({
    sandbox,
    client: clientOn(unheard, "kubectl-reconcile"),
    onUnreadable: ({ group, kind }, why) => void unread.set(`${group}/${kind}`, why),
  });
  const storage = { lookup: lookupIn(sandbox), volumes: () => volumesIn(sandbox), scope };
  const lacks = async (pod: Pod & StoredObject): Promise<string | undefined> => {
    await referenced.bringIn(pod);
    return whatPodLacks(pod, storage);
  };
  const simulated = [scheduler, dryRunKubelet({ ...place.pods, lacks }), resourcequota];
  const asked = options.controllers.filter(({ name }) => name !== resourcequota.name);
  const isSimulated = ({ name }: ControllerDefinition): boolean => simulated.some((each) => each.name === name);
  const manager = new ControllerManager({
    controllers: withinScope([...asked, ...simulated], scope),
    informers: new SharedInformerFactory({
      client: clientOn(unheard, "informers"),
      timeline,
      random,
      bus: unheard,
      trackFieldManagers: false,
    }),
    clientOf: (definition) => clientOn(isSimulated(definition) ? unheard : bus, fieldManagerOf(definition)),
    bus,
    timeline,
    random,
    events: false,
  });
  const parts = { options, bus, manager, referenced };
  try {
    const program = await options.prepare({ transport: place.transportFor("program"), bus });
    await manager.fillCaches();
    const customs = new CustomObjects({ known: noCustomResources, random, now: () => timeline.now() });
    return new RunningRehearsal({ ...parts, program, customs, scope });
  } catch (error) {
    await manager.stop();
    throw error;
  }
}

interface Parts {
  readonly options: RehearsalOptions;
  readonly bus: TraceBus;
  readonly manager: ControllerManager;
  readonly referenced: ReferencedObjects;
  readonly program: Program;
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
  #exited: Promise<number> | undefined;
  #exitCode: number | undefined;
  /** `group/Kind` of what the program watches. */
  readonly #watched = new Set<string>();
  #hasConnected = false;

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
    bus.listen((event) => this.#heard(event), { stages: ["request"] });
  }

  get hasConnected(): boolean {
    return this.#hasConnected;
  }

  /** The definition of a kind is taken up by the API server itself. */
  follows({ group, kind }: KindName): boolean {
    return this.#watched.has(`${group}/${kind}`) || kind === "CustomResourceDefinition";
  }

  clientFor(fieldManager: string): Client {
    const { place } = this.#parts.options;
    const { timeline, bus } = this;
    return createClient({ transport: place.transportFor(fieldManager), bus, timeline, fieldManager });
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
    const { manager, program, options } = this.#parts;
    manager.startWorkers();
    const { pid, exited } = await program.start();
    this.#exited = exited.then((code) => (this.#exitCode = code));
    options.onStarted?.(pid);
  }

  async untilConverged(): ReturnType<World["untilConverged"]> {
    const { manager, options } = this.#parts;
    const end = await this.#movement.untilQuiet(
      {
        isIdle: () => this.#hasConnected && manager.isIdle({ failures: patientFailures }),
        nextDueAt: () => manager.nextDueAt(),
        check: () => {
          if (this.#exitCode !== undefined) throw new ProgramEndedError(this.#exitCode);
        },
      },
      options,
    );
    await this.#bringInReferences();
    return end;
  }

  #heard(event: StageEvent): void {
    if (event.stage !== "request") return;
    this.#hasConnected = true;
    if (event.of !== undefined && (event.verb === "watch" || event.verb === "list"))
      this.#watched.add(`${event.of.group}/${event.of.kind}`);
  }

  /** Of all that was written here. */
  async #bringInReferences(): Promise<void> {
    const { options, referenced } = this.#parts;
    await Promise.all(options.place.written().map((object) => referenced.bringIn(object)));
  }

  async stop(): Promise<void> {
    const { manager, program, options } = this.#parts;
    this.#movement.end();
    if (this.#exited !== undefined && this.#exitCode === undefined) {
      program.signal("SIGTERM");
      const cancel = this.timeline.after(mostEndingMs, "end of the program", () => program.signal("SIGKILL"));
      await this.#exited;
      cancel();
    }
    await program.close();
    await manager.stop();
    options.place.stop();
  }

  abandon(): void {
    this.#parts.program.abandon();
  }
}
