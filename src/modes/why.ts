/** Reads what `why` looks at: the object, what owns it and what it owns, their Events, and one shadow sync of each controller. */
import { objectKey } from "../api/key.ts";
import { apiVersionOf, Deployments, Events, type Kind, Namespaces, Pods, ReplicaSets } from "../api/kind.ts";
import type { StoredObject } from "../api/object.ts";
import { isForbidden, isNotFound } from "../api/status-error.ts";
import { parseTime } from "../api/time.ts";
import { readAll, type Transport } from "../api/transport.ts";
import type { Event, Namespace } from "../api/types.ts";
import type { Client } from "../client/verbs.ts";
import type { ControllerDefinition } from "../controller/definition.ts";
import type { Random } from "../platform/random.ts";
import type { Timeline } from "../platform/timeline.ts";
import type { TraceBus } from "../trace/bus.ts";
import type { Related, Snapshot, WouldDo } from "../views/snapshot.ts";
import { findSecondOwner } from "./second-owner.ts";
import { startShadow } from "./shadow/shadow.ts";

export interface WhyOptions {
  /** One that only reads. */
  readonly transport: Transport;
  readonly client: Client;
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly kind: Kind;
  /** Every kind that the server has. */
  readonly kinds: readonly Kind[];
  /** Empty for objects without one. */
  readonly namespace: string;
  readonly name: string;
  readonly controllers: readonly ControllerDefinition[];
}

/** @throws StatusError: not found if the object does not exist; TransportError. */
export async function readSnapshot(options: WhyOptions): Promise<Snapshot> {
  const { client, kind, namespace, name } = options;
  const object = await client.get(kind, { namespace, name });
  const chain = options.controllers.filter(({ for: of }) => of !== undefined && isInChain(kind, of));
  const own = chain.find(({ for: of }) => of?.kind === kind.kind);
  const [owned, owners, within, wouldDo, reconciler, now] = await Promise.all([
    readOwned(options, object),
    readOwners(options, object),
    readNamespace(client, kind.namespaced ? namespace : ""),
    shadowSyncs(options, object, chain),
    own === undefined ? undefined : readReconciler(options, own),
    serverTime(options),
  ]);
  const events = await readEvents(client, namespace, [object, ...owned.map((each) => each.object)]);
  return { now, kind: kind.kind, object, namespace: within, owners, owned, events, wouldDo, reconciler };
}

/** Deployment → ReplicaSet: whose syncs say something about an object of the kind. */
function isInChain({ kind }: Kind, of: Kind): boolean {
  if (of.kind === kind) return true;
  return kind === Deployments.kind && of.kind === ReplicaSets.kind;
}

/** What is allowed to be missing: this user may not read it, or it is not there. */
async function ifReadable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return undefined;
    throw error;
  }
}

/** All objects of the kinds between which `why` follows owners, as far as they belong to the object. */
async function readOwned({ client, namespace, kind }: WhyOptions, object: StoredObject): Promise<readonly Related[]> {
  if (!kind.namespaced || kind.kind === Pods.kind) return [];
  const lists = await Promise.all([
    kind.kind === Deployments.kind ? listAll(client, ReplicaSets, namespace) : [],
    listAll(client, Pods, namespace),
  ]);
  const owned: Related[] = [];
  const uids = new Set([object.metadata.uid]);
  for (const each of lists.flat()) {
    if (each.object.metadata.ownerReferences?.some(({ uid }) => uids.has(uid)) !== true) continue;
    uids.add(each.object.metadata.uid);
    owned.push(each);
  }
  return owned;
}

async function listAll(client: Client, kind: Kind, namespace: string): Promise<readonly Related[]> {
  const all: Related[] = [];
  let continueToken: string | undefined;
  do {
    const page = await ifReadable(
      client.list(kind, { namespace, limit: 500, ...(continueToken !== undefined && { continueToken }) }),
    );
    all.push(...(page?.items ?? []).map((object) => ({ kind: kind.kind, object })));
    continueToken = page?.continueToken;
  } while (continueToken !== undefined && continueToken !== "");
  return all;
}

async function readOwners(options: WhyOptions, object: StoredObject): Promise<Snapshot["owners"]> {
  const { client, kinds, namespace } = options;
  return Promise.all(
    (object.metadata.ownerReferences ?? []).map(async (reference) => {
      const kind = kinds.find((each) => each.kind === reference.kind && apiVersionOf(each) === reference.apiVersion);
      if (kind === undefined) return { reference, owner: "unknown" as const };
      try {
        const owner = await client.get(kind, { namespace: kind.namespaced ? namespace : "", name: reference.name });
        return { reference, owner: owner.metadata.uid === reference.uid ? owner : undefined };
      } catch (error) {
        if (isNotFound(error)) return { reference, owner: undefined };
        if (isForbidden(error)) return { reference, owner: "unknown" as const };
        throw error;
      }
    }),
  );
}

async function readNamespace(client: Client, name: string): Promise<Namespace | undefined> {
  return name === "" ? undefined : ifReadable(client.get(Namespaces, { namespace: "", name }));
}

async function readEvents(
  client: Client,
  namespace: string,
  objects: readonly StoredObject[],
): Promise<readonly Event[]> {
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  const page = await ifReadable(
    client.list(Events, { namespace: namespace === "" ? "default" : namespace, limit: 500 }),
  );
  const events = (page?.items ?? []).filter(({ involvedObject }) => uids.has(involvedObject.uid ?? ""));
  const at = ({ lastTimestamp, eventTime, metadata }: Event): string =>
    lastTimestamp ?? eventTime ?? metadata.creationTimestamp;
  return [...events].sort((a, b) => at(a).localeCompare(at(b)));
}

async function readReconciler(
  { transport, client, namespace }: WhyOptions,
  controller: ControllerDefinition,
): Promise<Snapshot["reconciler"]> {
  const found = await ifReadable(
    findSecondOwner(transport, client, controller, namespace === "" ? undefined : namespace),
  );
  // What left no trace may be at work all the same: nothing is claimed then.
  if (found === undefined || found.is !== "active") return undefined;
  return { who: found.who, isActive: true };
}

/** The server's clock, by which its objects' times are set; ours where it does not say. */
async function serverTime({ transport, timeline }: WhyOptions): Promise<number> {
  const signal = new AbortController().signal;
  const answer = await transport.send({
    method: "GET",
    path: "/version",
    headers: { accept: "application/json" },
    signal,
  });
  await readAll(answer.body);
  const date = answer.header("date");
  return date === undefined ? timeline.now() : parseTime(date);
}

/** One sync of each key of the chain: what its controller would do now. Where it would do nothing, nothing is said. */
async function shadowSyncs(
  options: WhyOptions,
  object: StoredObject,
  controllers: readonly ControllerDefinition[],
): Promise<readonly WouldDo[]> {
  if (controllers.length === 0) return [];
  const { transport, bus, timeline, random, namespace } = options;
  const shadow = await startShadow({
    controllers,
    transport,
    bus,
    timeline,
    random,
    ...(namespace !== "" && { namespace }),
    ownerOf: () => ({
      manager: undefined,
      found: false,
    }),
  });
  const would: WouldDo[] = [];
  const sentences = new Map<number, WouldDo>();
  const stopListening = bus.listen((event) => {
    if (event.stage === "decision") {
      sentences.set(event.seq, { controller: event.controller, sentence: `${event.rule}: ${event.sentence}` });
    }
    // A status says what is so, and not what is to come.
    if (event.stage !== "write" || event.subresource === "status" || event.decision === undefined) return;
    const decided = sentences.get(event.decision);
    sentences.delete(event.decision);
    if (decided !== undefined) would.push(decided);
  });
  try {
    for (const running of shadow.manager.controllers) {
      const { for: kind } = running.definition;
      if (kind === undefined) continue;
      const mine = running
        .cache(kind)
        .list(namespace)
        .filter(({ metadata }) => metadata.uid === object.metadata.uid || isOwnedBy(metadata, object));
      await shadow.syncOnce(running, new Set(mine.map(({ metadata }) => objectKey(metadata.namespace, metadata.name))));
    }
  } finally {
    stopListening();
    await shadow.stop();
  }
  return would;
}

function isOwnedBy({ ownerReferences }: StoredObject["metadata"], owner: StoredObject): boolean {
  return ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) === true;
}
