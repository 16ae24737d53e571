/** Manages which resources of the cluster the fork follows: each one from the first request for it. */
import { nodeLeaseNamespace } from "../../api/node-lease.ts";
import type { Kind } from "../../api/kind.ts";
import { keyOf, type ObjectKey, splitKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Lease } from "../../api/types.ts";
import { StatusError } from "../../api/status-error.ts";
import { deltaTypes, type Transformer } from "../../cache/object-transformer.ts";
import { Reflector } from "../../cache/reflector.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import { collectionOf } from "../../sandbox/context/server.ts";
import type { Resource } from "../../sandbox/registry/resource.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { TraceBus } from "../../trace/bus.ts";
import type { KindName } from "../../trace/names.ts";
import { Copies } from "./copies.ts";
import type { Divergences } from "./divergences.ts";
import type { OwnerGate } from "./owner-gate.ts";
import type { UserRights } from "./rights.ts";

/** Options of `Followers`. */
export interface FollowersOptions {
  readonly sandbox: Sandbox;
  /** A read-only client of the cluster. */
  readonly client: Client;
  readonly rights: UserRights;
  readonly divergences: Divergences;
  /** Holds back the writes of another copy of the process. */
  readonly gate?: OwnerGate;
  readonly timeline: Timeline;
  readonly random: Random;
  /** Receives the `list` and `watch` events of the Reflectors. */
  readonly bus: TraceBus;
  /** List each resource once, without watching it. */
  readonly isSnapshot: boolean;
  /** Transforms objects of the cluster on their way into the fork. Default: unchanged. */
  readonly asFound?: AsFound;
}

/** Transforms an object of the cluster into the one to keep in the fork, with the same name, uid and resourceVersion. */
export type AsFound = (of: KindName, live: StoredObject) => StoredObject;

/**
 * The state of a resource in a namespace. `followed`: its objects are in the fork and kept up to date. `unlistable`: the user may not list
 * and watch it there. `absent`: the cluster does not serve it.
 */
export type Following = "followed" | "unlistable" | "absent";

/** A resource that was requested in at least one namespace. */
interface Followed {
  readonly copies: Copies;
  readonly kind: Kind;
  /** By namespace; "" for all namespaces. */
  readonly parts: Map<string, Part>;
}

interface PartOptions {
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
}

interface Part {
  readonly following: Promise<Following>;
  readonly end: AbortController;
}

/** Resources that the sandbox updates itself: they are not compared, and the cluster's state wins. */
const derived: ReadonlySet<string> = new Set(["resourcequotas", "ipaddresses.networking.k8s.io"]);
const definitions = "customresourcedefinitions.apiextensions.k8s.io";
/** Leader election in the fork is separate: Leases are copied without a holder, and the cluster never overwrites one written in the fork. */
const leases = "leases.coordination.k8s.io";

/** The Reflectors of a fork. */
export class Followers {
  readonly #options: FollowersOptions;
  readonly #followed = new Map<string, Followed>();

  constructor(options: FollowersOptions) {
    this.#options = options;
  }

  /**
   * Follows a resource, unless it is followed already. Resolves when its first list is in the fork. @param namespace Undefined for all.
   * @throws TransportError if the cluster cannot be reached; StatusError for a refusal other than 403 and 404.
   */
  async follow(resource: Resource, namespace: string | undefined): Promise<Following> {
    const followed = this.#of(resource);
    const whole = await followed.parts.get("")?.following;
    if (whole === "followed" || whole === "absent" || (whole !== undefined && namespace === undefined)) return whole;
    const name = namespace ?? "";
    const known = followed.parts.get(name);
    if (known !== undefined) return known.following;
    const end = new AbortController();
    const following = this.#start(followed, { namespace, signal: end.signal });
    followed.parts.set(name, { following, end });
    // Allows another attempt after a failure.
    following.catch(() => followed.parts.delete(name));
    const result = await following;
    if (namespace === undefined && result === "followed") endOthers(followed);
    return result;
  }

  /** Reads one object of a resource that cannot be listed. Returns false if the user may not read it either. @throws StatusError, TransportError. */
  async refresh(resource: Resource, key: ObjectKey): Promise<boolean> {
    const { copies, kind } = this.#of(resource);
    try {
      copies.refresh(key, this.#asFound(kind)(await this.#options.client.get(kind, splitKey(key))));
      return true;
    } catch (error) {
      if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 403)) throw error;
      if (error.code === 404) copies.absent(key);
      return error.code === 404;
    }
  }

  /** Adds an object that is assumed to exist, because it cannot be read. */
  assume(resource: Resource, object: StoredObject): void {
    this.#of(resource).copies.refresh(keyOf(object), object);
  }

  /** The resourceVersion of an object in the cluster, as last read; undefined if it is not known to exist there. */
  liveVersion(resource: Resource, key: ObjectKey): string | undefined {
    return this.#followed.get(resource.storage)?.copies.liveVersion(key);
  }

  /** Ends all Reflectors. */
  stop(): void {
    for (const { parts } of this.#followed.values()) for (const { end } of parts.values()) end.abort();
  }

  #of(resource: Resource): Followed {
    const known = this.#followed.get(resource.storage);
    if (known !== undefined) return known;
    const { sandbox, divergences } = this.#options;
    const of = { group: resource.group, kind: resource.kind };
    const collection = collectionOf(sandbox.server, resource);
    const copies = new Copies({
      place: { server: sandbox.server, collection },
      ...(resource.storage === definitions && {
        // Loading a definition makes the sandbox serve its kind.
        load: (objects) => sandbox.load(objects, { revision: sandbox.revision + 1 }),
      }),
      takesLive: (change) => resource.storage !== leases && divergences.takesLive(of, change),
      twinOf: (live) => divergences.twinOf(of, live),
    });
    if (!derived.has(resource.storage) && resource.storage !== leases)
      divergences.look({ of, collection, isCopying: () => copies.isCopying });
    const { group, version, kind, plural, namespaced } = resource;
    const followed = { copies, kind: { group, version, kind, plural, namespaced }, parts: new Map<string, Part>() };
    this.#followed.set(resource.storage, followed);
    return followed;
  }

  async #start({ copies, kind }: Followed, { namespace, signal }: PartOptions): Promise<Following> {
    const { client, timeline, random, bus, gate, isSnapshot } = this.#options;
    const { group, plural: resource } = kind;
    const where = { is: "resource", group, resource, subresource: "", namespace: namespace ?? "", name: "" } as const;
    const scope = namespace === undefined ? {} : { namespace };
    // Checked first, because a Reflector would retry a refused list forever.
    const refused = await this.#refusal(kind, scope);
    if (refused !== undefined) return refused;
    const watch = await this.#options.rights.decide({ ...where, verb: "watch" });
    if (!watch.allowed) return "unlistable";
    const sink = copies.sink(namespace);
    const gated = kind.kind === "Lease" ? undefined : gate;
    const of = { group, kind: kind.kind };
    const queue =
      gated?.around({
        of,
        sink,
        here: (key) => copies.here(key),
        stateOf: (change) => this.#options.divergences.stateOf(of, change),
      }) ?? sink;
    const listerWatcher = client.listerWatcher(kind, scope);
    const transformer = transforming(this.#asFound(kind));
    const reflector = new Reflector({ listerWatcher, queue, transformer, timeline, random, bus });
    const listed = new AbortController();
    // It never rejects, whatever the cluster does.
    void reflector.run(AbortSignal.any([signal, listed.signal]));
    await sink.filled;
    if (isSnapshot) listed.abort();
    return "followed";
  }

  /** The transformation of objects into the fork. It keeps managedFields, and adds the kind and apiVersion that items of a list lack. */
  #asFound({ group, version, kind }: Kind): (live: StoredObject) => StoredObject {
    const { asFound } = this.#options;
    const of: KindName = { group, kind };
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const whole = (live: StoredObject): StoredObject => ({ ...live, apiVersion, kind });
    if (kind === "Lease") return (live) => released(whole(live));
    return asFound === undefined ? whole : (live) => asFound(of, whole(live));
  }

  async #refusal(kind: Kind, scope: { readonly namespace?: string }): Promise<Following | undefined> {
    try {
      await this.#options.client.list(kind, { ...scope, limit: 1 });
      return undefined;
    } catch (error) {
      if (error instanceof StatusError && error.code === 403) return "unlistable";
      if (error instanceof StatusError && error.code === 404) return "absent";
      throw error;
    }
  }
}

/** Stops following single namespaces once all are followed. */
function endOthers({ parts }: Followed): void {
  for (const [name, { end }] of parts) {
    if (name === "") continue;
    end.abort();
    parts.delete(name);
  }
}

/** The Lease without its holder. Source: client-go v0.36 tools/leaderelection/leaderelection.go release. */
function released(lease: StoredObject & Pick<Lease, "spec">): StoredObject {
  if (lease.metadata.namespace === nodeLeaseNamespace || lease.spec === undefined) return lease;
  const spec: Lease["spec"] = { ...lease.spec, holderIdentity: "" };
  return { ...lease, spec } as StoredObject;
}

function transforming(asFound: (live: StoredObject) => StoredObject): Transformer<StoredObject> {
  return {
    tracksFieldManagers: true,
    fromList: asFound,
    fromWatch: ({ type, object }, receivedAt) => ({
      type: deltaTypes[type],
      key: keyOf(object),
      object: asFound(object),
      receivedAt,
      tombstone: false,
      managedFields: undefined,
    }),
  };
}
