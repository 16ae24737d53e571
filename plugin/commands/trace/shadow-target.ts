/** Traces controllers in shadow mode, over a read-only connection. */
import type { Kind } from "../../../src/api/kind.ts";
import { createClient } from "../../../src/client/api/client.ts";
import { discover, isNameOf } from "../../../src/client/api/discovery.ts";
import type { Client } from "../../../src/client/api/verbs.ts";
import { type ShadowPreflight, shadowOwners, shadowPreflight } from "../../../src/modes/shadow/owners.ts";
import { type Shadow, startShadow } from "../../../src/modes/shadow/shadow.ts";
import type { TraceBus } from "../../../src/trace/bus.ts";
import type { FindObject } from "../../../src/views/chains.ts";
import { maxFailures } from "../../cli/idle.ts";
import type { Session } from "../../cli/session.ts";
import { formatDuration } from "../../../src/api/duration.ts";
import type { ServerVersion } from "../../../src/api/server-version.ts";
import { type Connected, connectAs } from "../../connections/connection.ts";
import { refuseKeyless } from "../../names/controller-names.ts";
import { MissingNamespace, namespaceExists } from "../../names/missing-namespace.ts";
import { cachesText } from "../../render/preflight-text.ts";
import { missingObjectText, namespaceOfObject, neitherTypeNor } from "./object.ts";
import type { TraceRequest } from "./request.ts";
import { refuseWithoutRights, shadowLines } from "./shadow-text.ts";
import { kindsKnown, scopeOf, type TraceScope, worksOnEveryKind } from "./subject.ts";
import { findIn, type TracePlace, type TraceTarget } from "./target.ts";

interface ShadowParts {
  readonly request: TraceRequest;
  readonly session: Session;
  readonly connected: Connected;
  readonly version: ServerVersion;
  readonly scope: TraceScope;
  readonly preflight: ShadowPreflight;
  readonly place: TracePlace;
}

class ShadowTarget implements TraceTarget {
  readonly #parts: ShadowParts;
  #shadow: Shadow | undefined;
  #isClosed = false;

  constructor(parts: ShadowParts) {
    this.#parts = parts;
  }

  get bus(): TraceBus {
    return this.#parts.connected.bus;
  }

  get place(): TracePlace {
    return this.#parts.place;
  }

  readonly find: FindObject = (name) => findIn(this.#shadow?.manager)(name);

  async start(): Promise<void> {
    const { request, session, connected, version, scope, preflight, place } = this.#parts;
    const { timeline, random } = session.io;
    const { controllers, namespace } = scope;
    const startedAt = timeline.now();
    try {
      const shadow = await startShadow(
        {
          controllers,
          transport: connected.unlimited,
          bus: connected.bus,
          timeline,
          random,
          serverCa: connected.serverCa,
          serverVersion: version,
          ownerOf: shadowOwners(preflight),
          onOwnerSeen: (controller, manager) => {
            session.say(`shadow: ${manager} started writing what ${controller} owns; comparing with it from now on`);
            session.say("");
          },
          ...(namespace !== undefined && { namespace }),
        },
        session.signal,
      );
      this.#shadow = shadow;
      session.say(`caches  ${cachesText(shadow.informers.states())} · ${formatDuration(timeline.now() - startedAt)}`);
      const missing = missingObjectText(request, { place, controllers, find: this.find });
      if (missing !== undefined) session.say(missing);
      session.say("");
      shadow.startWorkers();
    } catch (error) {
      throw connected.translateError(error);
    }
  }

  isIdle(): boolean {
    const shadow = this.#shadow;
    return shadow?.isIdle() === true && shadow.manager.isIdle(maxFailures) && shadow.intentions.awaited === 0;
  }

  withoutOwner(): readonly string[] {
    return this.#shadow?.withoutOwner() ?? [];
  }

  async stop(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#shadow?.stop();
    await this.#parts.connected.close();
  }
}

/** Connects, checks owners and rights, and prints the result. @throws UserError, KubeconfigError. */
export async function openShadow(request: TraceRequest, session: Session): Promise<TraceTarget> {
  refuseKeyless(request.controllers);
  const connected = await connectAs(request.flags, session.io, { qps: 0, burst: 0, readOnly: true });
  try {
    return new ShadowTarget(await shadowParts(request, session, connected));
  } catch (error) {
    await connected.close();
    throw connected.translateError(error);
  }
}

async function shadowParts(request: TraceRequest, session: Session, connected: Connected): Promise<ShadowParts> {
  const { flags, why } = request;
  const { bus, unlimited: transport, context, server, user } = connected;
  const client = createClient({ transport, bus, timeline: session.io.timeline });
  const kinds = await kindsBeyond(request, client);
  const ofObject = namespaceOfObject(request, kinds);
  const own = ofObject ?? flags.namespace ?? connected.namespace;
  const requestedNamespace = flags.allNamespaces === true ? undefined : own;
  const scope = scopeOf(request, { namespace: requestedNamespace, why });
  const { controllers, namespace, notes } = scope;
  const where = namespace === undefined ? "all namespaces" : `namespace ${namespace}`;
  const version = await connected.serverVersion();
  session.say(`context ${context} · ${server} (${version.gitVersion}) · ${where}`);
  for (const note of notes) session.say(note);
  if (requestedNamespace !== undefined)
    await checkNamespace(client, { namespace: requestedNamespace, request, isOfObject: ofObject !== undefined });
  const preflight = await shadowPreflight({ controllers, transport, client, namespace });
  refuseWithoutRights(preflight, namespace, user === undefined ? "" : ` as user ${user}`);
  for (const line of shadowLines(preflight)) session.say(line);
  const place: TracePlace = {
    mode: "shadow",
    namespace: own,
    only: flags.allNamespaces !== true,
    kinds,
  };
  return { request, session, connected, version, scope, preflight, place };
}

interface RequestedNamespace {
  readonly namespace: string;
  readonly request: TraceRequest;
  /** Whether it was read from `NAMESPACE/NAME`. */
  readonly isOfObject: boolean;
}

/** @throws UserError for a missing namespace; if it was read from `NAMESPACE/NAME`, it may have been meant as a type. */
async function checkNamespace(client: Client, { namespace, request, isOfObject }: RequestedNamespace): Promise<void> {
  try {
    await namespaceExists(client, namespace);
  } catch (error) {
    if (!isOfObject || !(error instanceof MissingNamespace)) throw error;
    throw neitherTypeNor("a namespace", request);
  }
}

/** The server's kinds, for a type that no controller names. Only needed if a controller works on every kind. */
async function kindsBeyond(request: TraceRequest, client: Client): Promise<readonly Kind[]> {
  if (!worksOnEveryKind(request)) return [];
  const [type = ""] = (request.why ?? request.object ?? "").split("/");
  if (type === "" || kindsKnown(request.controllers, []).some((kind) => isNameOf(kind, type))) return [];
  return (await discover(client)).kinds;
}
