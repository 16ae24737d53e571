/** The embedded API server. */
import { formatTime } from "../api/time.ts";
import type { Transport } from "../api/transport.ts";
import { randomUuid, type Random } from "../platform/random.ts";
import type { Timeline } from "../platform/timeline.ts";
import { pluginsWithout } from "./context/admission-plugins.ts";
import { putApiServerObjects } from "./bootstrap/api-server-objects.ts";
import { loadApiData } from "../api/wire/load.ts";
import { ordered } from "./serialization/decode.ts";
import { keepDefaultServiceAccounts, putFirstObjects } from "./bootstrap/default-objects.ts";
import { copyOf, isFields, type ApiObject } from "./meta/object.ts";
import { protobufReader } from "./serialization/protobuf-body.ts";
import { resourceRegistryOf } from "./registry/resource.ts";
import { collectionOf, type Server } from "./context/server.ts";
import type { WatchCacheLimits } from "./storage/watch-cache.ts";
import { Store } from "./storage/store.ts";
import { atStoredVersion } from "./conversion/versions.ts";
import { transportTo, type SandboxTransportOptions } from "./transport.ts";

/** How a sandbox is made. Given the same timeline and random numbers, it is the same from run to run. */
export interface SandboxOptions {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly history?: WatchCacheLimits;
  /** Whether the ServiceAccount `default` appears in each namespace by itself, as with a kube-controller-manager. Default true. */
  readonly defaultServiceAccounts?: boolean;
  /** Whether it has the objects that a kube-apiserver makes by itself: the Service `kubernetes` and its like. Default true. */
  readonly apiServerObjects?: boolean;
  /** Whether new objects get `metadata.managedFields`, which is a fifth of the work of a write. Default true. */
  readonly managedFields?: boolean;
  /**
   * Whether CustomResourceDefinitions are taken, though the kinds that they define are not served: for copies of a cluster, where
   * only what becomes of other objects matters. Default false: they are refused with the reason.
   */
  readonly storesDefinitions?: boolean;
  /** Names of admission plugins that are switched off, as kube-apiserver's `--disable-admission-plugins` has them. */
  readonly disabledAdmissionPlugins?: readonly string[];
}

/** An API server in this process. */
export interface Sandbox {
  /** A connection of its own for each who asks. */
  transport(options: SandboxTransportOptions): Transport;
  /**
   * Puts whole objects in: uid, status, resourceVersion and deletionTimestamp stay. Nobody who watches is told; the revision
   * goes on from `revision`, and no watch can start before it.
   * @throws RangeError for a kind that is not served.
   */
  load(objects: readonly unknown[], options?: { readonly revision?: number }): void;
  /** The revision of the last write. */
  readonly revision: number;
  /** Forgets the history up to a revision, by default all of it: watches and continue tokens from before are then expired. */
  compact(revision?: number): void;
  /** Ends all watches and refuses connections. */
  stop(): void;
  /** Whether it does what a kube-controller-manager would do in each namespace. */
  readonly fillsNamespaces: boolean;
  /** The parts, for servers that stand in front of it. */
  readonly server: Server;
}

/**
 * An API server with the namespaces that every cluster has, on the given time and chance. Ready when it resolves.
 * @throws RangeError for an admission plugin that kube-apiserver does not have.
 */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { timeline, random, history } = options;
  const registry = resourceRegistryOf(await loadApiData());
  const store = new Store(timeline, history ?? {});
  const readProtobuf = await protobufReader(registry.schema);
  const managesFields = options.managedFields !== false;
  const admission = pluginsWithout(options.disabledAdmissionPlugins ?? []);
  const storesDefinitions = options.storesDefinitions === true;
  const made = { timeline, random, store, registry, managesFields, readProtobuf, admission, storesDefinitions };
  const server: Server = { ...made, yaml: {}, watches: new Set(), requests: { count: 0 }, logins: new Map() };
  let stopped = false;
  putFirstObjects(server);
  if (options.apiServerObjects !== false) putApiServerObjects(server);
  if (options.defaultServiceAccounts !== false) keepDefaultServiceAccounts(server);
  return {
    server,
    fillsNamespaces: options.defaultServiceAccounts !== false,
    transport: (options) => transportTo(server, () => stopped, options),
    load: (objects, options) => load(server, objects, options?.revision),
    get revision() {
      return store.revision;
    },
    compact: (revision) => store.compact(revision ?? store.revision),
    stop() {
      stopped = true;
      for (const watch of server.watches) watch.end();
    },
  };
}

function load(server: Server, objects: readonly unknown[], asked: number | undefined): void {
  const whole = objects.map((object) => wholeObject(server, object));
  const newest = whole.reduce((most, { metadata }) => Math.max(most, Number(metadata.resourceVersion ?? 0) || 0), 0);
  const revision = Math.max(asked ?? 0, newest, server.store.revision);
  for (const object of whole) {
    const resource = server.registry.ofKind(object.apiVersion, object.kind);
    if (resource === undefined)
      throw new RangeError(`Cannot load ${object.kind} of ${object.apiVersion}: it is not served`);
    server.store.load(collectionOf(server, resource), object, revision);
  }
}

function wholeObject(server: Server, object: unknown): ApiObject {
  if (!isFields(object) || typeof object["kind"] !== "string" || typeof object["apiVersion"] !== "string") {
    throw new RangeError("Cannot load an object without kind and apiVersion");
  }
  const copy = ordered(atStoredVersion(copyOf(object) as ApiObject));
  copy.metadata.uid ??= randomUuid(server.random);
  copy.metadata.creationTimestamp ??= formatTime(server.timeline.now());
  return copy;
}
