/** The reads of one search for other owners: each place once, however many controllers it is evidence for. */
import type { Kind } from "../../../api/kind.ts";
import type { StoredObject } from "../../../api/object.ts";
import type { Transport } from "../../../api/transport.ts";
import type { ListPage } from "../../../client/api/lister-watcher.ts";
import type { Client } from "../../../client/api/verbs.ts";
import { type ComponentLease, readComponentLease } from "./component-lease.ts";
import { componentWorks } from "./component-works.ts";
import { EventSigns } from "./event-signs.ts";
import { type Look, pageSize, readable } from "./sign.ts";

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

/** Remembers what it has read; a later search needs a new one. Each method @throws StatusError, TransportError. */
export class OwnerReads {
  readonly client: Client;
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  readonly #transport: Transport;
  readonly #leases = new Map<string, Promise<ComponentLease>>();
  readonly #objects = new Map<Kind, Promise<ReadPage<StoredObject>>>();
  #works: Promise<Look> | undefined;
  /** What their Events show. */
  readonly events: EventSigns;

  /** `components`: those of all controllers of the search. */
  constructor({ transport, client, namespace }: SearchedCluster, components: ReadonlySet<string>) {
    this.client = client;
    this.namespace = namespace;
    this.#transport = transport;
    this.events = new EventSigns({ client, namespace, components });
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
    return remembered(this.#objects, kind, () => {
      const where = this.namespace === undefined ? {} : { namespace: this.namespace };
      return readable(this.client.list(kind, { limit: pageSize, ...where }));
    });
  }
}

function remembered<K, V>(map: Map<K, Promise<V>>, key: K, read: () => Promise<V>): Promise<V> {
  const known = map.get(key);
  if (known !== undefined) return known;
  const reading = read();
  map.set(key, reading);
  return reading;
}
