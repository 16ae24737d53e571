/** The reads of one search for other owners: each place once, however many controllers it is evidence for. */
import type { Kind } from "../../../api/kind.ts";
import { Events } from "../../../api/kinds.ts";
import type { StoredObject } from "../../../api/object.ts";
import type { Transport } from "../../../api/transport.ts";
import type { Event } from "../../../api/types.ts";
import type { ListPage } from "../../../client/api/lister-watcher.ts";
import type { Client } from "../../../client/api/verbs.ts";
import { type ComponentLease, readComponentLease } from "./component-lease.ts";
import { componentWorks } from "./component-works.ts";
import { type Look, readable } from "./sign.ts";

/** Where owners are searched for. */
export interface SearchedCluster {
  /** Shows the headers of responses, which `client` does not. */
  readonly transport: Transport;
  readonly client: Client;
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
}

/** One page of a list, or why there is none. */
export type ReadPage<T> = ListPage<T> | "forbidden" | "absent";

/** The maximum number of objects or Events that are examined. */
export const pageSize = 500;

/** Remembers what it has read; a later search needs a new one. Each method @throws StatusError, TransportError. */
export class OwnerReads {
  readonly client: Client;
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  readonly #transport: Transport;
  readonly #leases = new Map<string, Promise<ComponentLease>>();
  readonly #objects = new Map<Kind, Promise<ReadPage<StoredObject>>>();
  #works: Promise<Look> | undefined;
  #events: Promise<ReadPage<Event>> | undefined;

  constructor({ transport, client, namespace }: SearchedCluster) {
    this.client = client;
    this.namespace = namespace;
    this.#transport = transport;
  }

  /** The Lease of a process, such as kube-scheduler. */
  leaseOf(process: string): Promise<ComponentLease> {
    return remembered(this.#leases, process, () => readComponentLease(this.#transport, process));
  }

  /** What kube-controller-manager keeps up in every cluster, and in the namespace. */
  componentWorks(): Promise<Look> {
    const namespaces = [...new Set([this.namespace ?? "default", "default", "kube-system"])];
    return (this.#works ??= componentWorks(this.client, namespaces));
  }

  /** The first objects of a kind. */
  objectsOf(kind: Kind): Promise<ReadPage<StoredObject>> {
    return remembered(this.#objects, kind, () => readable(this.client.list(kind, this.#page())));
  }

  /**
   * The first Events of a component. The API server reads all Events to select those of one component, so a cluster with few is read once
   * for all components.
   */
  async eventsOf(component: string): Promise<ReadPage<Event>> {
    const all = await (this.#events ??= readable(this.client.list(Events, this.#page())));
    if (all === "forbidden" || all === "absent") return all;
    if ((all.continueToken ?? "") === "") return { ...all, items: all.items.filter((event) => isBy(component, event)) };
    return await readable(this.client.list(Events, { ...this.#page(), fieldSelector: `source=${component}` }));
  }

  #page(): { readonly limit: number; readonly namespace?: string } {
    return { limit: pageSize, ...(this.namespace !== undefined && { namespace: this.namespace }) };
  }
}

/** As the field selector `source`. Source: kubernetes v1.36 pkg/registry/core/event/strategy.go, ToSelectableFields. */
function isBy(component: string, { source, reportingComponent }: Event): boolean {
  const from = source?.component ?? "";
  return (from === "" ? reportingComponent : from) === component;
}

function remembered<K, V>(map: Map<K, Promise<V>>, key: K, read: () => Promise<V>): Promise<V> {
  const known = map.get(key);
  if (known !== undefined) return known;
  const reading = read();
  map.set(key, reading);
  return reading;
}
