/** Traces controllers that act in their own embedded cluster. */
import { controllersOfEmbedded } from "../../../src/controllers/index.ts";
import { sandboxKinds } from "../../../src/modes/dry-run/kinds.ts";
import type { TraceBus } from "../../../src/trace/bus.ts";
import type { FindObject } from "../../../src/views/chains.ts";
import { maxFailures } from "../../cli/idle.ts";
import type { Session } from "../../cli/session.ts";
import { connectToSandbox, type SandboxConnection } from "../../connections/sandbox-connection.ts";
import { openBus } from "../../connections/trace-bus.ts";
import { missingInSandboxText } from "./object.ts";
import type { TraceRequest } from "./request.ts";
import { worksOnEveryKind } from "./subject.ts";
import { findIn, type TracePlace, type TraceTarget } from "./target.ts";

/** Every controller runs in the sandbox; only the named ones are shown. */
class SandboxTarget implements TraceTarget {
  readonly bus: TraceBus;
  readonly place: TracePlace;
  readonly #request: TraceRequest;
  readonly #session: Session;
  #connected: SandboxConnection | undefined;

  constructor(request: TraceRequest, session: Session, place: TracePlace) {
    this.bus = openBus(session.io);
    this.place = place;
    this.#request = request;
    this.#session = session;
  }

  readonly find: FindObject = (name) => findIn(this.#connected?.cluster.manager)(name);

  async start(): Promise<void> {
    const { flags, controllers } = this.#request;
    this.#connected = await connectToSandbox(
      {
        manifests: flags.manifests ?? [],
        load: flags.load,
        namespace: this.place.namespace,
        controllers: [...new Set([...controllersOfEmbedded, ...controllers])],
        bus: this.bus,
      },
      this.#session.io,
    );
    const lookup = { ...this.place, request: this.#request };
    const missing = await missingInSandboxText(lookup, this.#connected.clientFor("kubectl-reconcile"));
    if (missing !== undefined) this.#session.say(missing);
  }

  isIdle(): boolean {
    return this.#connected?.cluster.manager.isIdle(maxFailures) === true;
  }

  withoutOwner(): readonly string[] {
    return [];
  }

  async stop(): Promise<void> {
    const connected = this.#connected;
    this.#connected = undefined;
    await connected?.close();
  }
}

/** A sandbox that is started when the target is. */
export async function openSandbox(request: TraceRequest, session: Session): Promise<TraceTarget> {
  return new SandboxTarget(request, session, {
    mode: "sandbox",
    namespace: request.flags.namespace ?? "default",
    only: false,
    kinds: worksOnEveryKind(request) ? await sandboxKinds() : [],
  });
}
