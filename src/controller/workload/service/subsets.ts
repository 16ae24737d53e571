/**
 * Subsets in canonical form: each lists the addresses with the same ports. Source: kubernetes v1.36 pkg/api/v1/endpoints/util.go
 * RepackSubsets, SortSubsets.
 */
import type { Endpoints } from "../../../api/types.ts";
import { fnv128a } from "../safe-hash.ts";

/** A subset of Endpoints. */
export type Subset = NonNullable<Endpoints["subsets"]>[number];
/** An address of a subset. */
export type Address = NonNullable<Subset["addresses"]>[number];
/** A port of a subset. */
export type Port = NonNullable<Subset["ports"]>[number];

/** Whether an address is ready, by its key. */
type Readiness = Map<string, boolean>;

/** The addresses with a port; `port` is undefined for addresses without ports. */
interface PortUsers {
  readonly port: Port | undefined;
  readonly readiness: Readiness;
}

/** A port, and its position in the subsets. */
interface PlacedPort {
  readonly port: Port | undefined;
  readonly place: string;
}

interface AddressList {
  readonly list: readonly Address[] | undefined;
  readonly ready: boolean;
}

/** Options of `repack`. */
export interface PackOptions {
  /**
   * Treats all ports with an application protocol as different, because upstream compares the protocol by pointer and decoded Endpoints have
   * one pointer per port. Default false, as for the ports of one Service.
   */
  readonly distinguishesAppProtocols?: boolean;
}

/** Repacks subsets into canonical form. An address that is both ready and not ready at a port is not ready; of equal addresses the first is used. */
export function repack(
  subsets: readonly Subset[],
  { distinguishesAppProtocols = false }: PackOptions = {},
): readonly Subset[] {
  const addresses = new Map<string, Address>();
  const users = new Map<string, PortUsers>();
  const add = ({ port, place }: PlacedPort, { list = [], ready }: AddressList): void => {
    if (list.length === 0) return;
    const isApart = distinguishesAppProtocols && port?.appProtocol !== undefined;
    const portKey = port === undefined ? "" : `${dumpPort(port)}${isApart ? ` at ${place}` : ""}`;
    const { readiness } = users.get(portKey) ?? { readiness: new Map<string, boolean>() };
    users.set(portKey, { port, readiness });
    for (const address of list) {
      const key = addressKey(address);
      if (!addresses.has(key)) addresses.set(key, address);
      readiness.set(key, ready && readiness.get(key) !== false);
    }
  };
  for (const [n, { addresses: ready, notReadyAddresses: notReady, ports = [] }] of subsets.entries()) {
    for (const [m, port] of (ports.length === 0 ? [undefined] : ports).entries()) {
      add({ port, place: `${n}.${m}` }, { list: ready, ready: true });
      add({ port, place: `${n}.${m}` }, { list: notReady, ready: false });
    }
  }
  return inOrder(subsetsOf(users, addresses));
}

function addressKey({ ip, targetRef }: Address): string {
  return `${ip} ${targetRef?.uid ?? ""}`;
}

/** Puts ports with the same addresses and readiness into one subset. */
function subsetsOf(users: ReadonlyMap<string, PortUsers>, addresses: ReadonlyMap<string, Address>): readonly Subset[] {
  const groups = new Map<string, PortUsers[]>();
  for (const each of users.values()) {
    const key = JSON.stringify([...each.readiness].sort(([one], [other]) => (one < other ? -1 : 1)));
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group;
    const of = (ready: boolean): readonly Address[] =>
      [...(first?.readiness ?? [])].filter(([, is]) => is === ready).flatMap(([key]) => addresses.get(key) ?? []);
    const ports = group.flatMap(({ port }) => port ?? []);
    return {
      ...nonEmpty("addresses", of(true).toSorted(byAddress)),
      ...nonEmpty("notReadyAddresses", of(false).toSorted(byAddress)),
      ...nonEmpty("ports", ports),
    };
  });
}

/** A field with a list; no field if the list is empty, as upstream writes it. */
function nonEmpty<K extends string, T>(name: K, items: readonly T[]): { readonly [N in K]?: readonly T[] } {
  // Has only the key `name`, or none.
  return (items.length === 0 ? {} : { [name]: items }) as { readonly [N in K]?: readonly T[] };
}

function byAddress(one: Address, other: Address): number {
  if (one.ip !== other.ip) return one.ip < other.ip ? -1 : 1;
  return (one.targetRef?.uid ?? "") < (other.targetRef?.uid ?? "") ? -1 : 1;
}

/** Sorts the ports of each subset, and the subsets, by hash. */
function inOrder(subsets: readonly Subset[]): readonly Subset[] {
  const sorted = subsets.map((subset) =>
    (subset.ports ?? []).length < 2
      ? subset
      : { ...subset, ports: byHash(subset.ports ?? [], (port) => `(v1.EndpointPort)${dumpPort(port)}`) },
  );
  return sorted.length < 2 ? sorted : byHash(sorted, dumpSubset);
}

function byHash<T>(items: readonly T[], dump: (item: T) => string): readonly T[] {
  return items
    .map((item) => ({ item, hash: fnv128a(new TextEncoder().encode(dump(item))) }))
    .sort((one, other) => (one.hash < other.hash ? -1 : one.hash > other.hash ? 1 : 0))
    .map(({ item }) => item);
}

/** As Go prints it. Source: k8s.io/utils dump/dump.go ForHash. */
function dumpSubset({ addresses, notReadyAddresses, ports }: Subset): string {
  const list = (type: string, items: readonly string[] = []): string =>
    `([]v1.${type})${items.length === 0 ? "<nil>" : `[${items.join(" ")}]`}`;
  const fields = [
    `Addresses:${list("EndpointAddress", addresses?.map(dumpAddress))}`,
    `NotReadyAddresses:${list("EndpointAddress", notReadyAddresses?.map(dumpAddress))}`,
    `Ports:${list("EndpointPort", ports?.map(dumpPort))}`,
  ];
  return `(v1.EndpointSubset){${fields.join(" ")}}`;
}

function dumpPort({ name = "", port, protocol = "TCP", appProtocol }: Port): string {
  return `{Name:(string)${name} Port:(int32)${port} Protocol:(v1.Protocol)${protocol} AppProtocol:(*string)${appProtocol ?? "<nil>"}}`;
}

function dumpAddress({ ip, hostname = "", nodeName, targetRef }: Address): string {
  const target = targetRef === undefined ? "<nil>" : dumpTarget(targetRef);
  return `{IP:(string)${ip} Hostname:(string)${hostname} NodeName:(*string)${nodeName ?? "<nil>"} TargetRef:(*v1.ObjectReference)${target}}`;
}

function dumpTarget(target: NonNullable<Address["targetRef"]>): string {
  const { kind = "", namespace = "", name = "", uid = "" } = target;
  const { apiVersion = "", resourceVersion = "", fieldPath = "" } = target;
  const which = `Kind:(string)${kind} Namespace:(string)${namespace} Name:(string)${name} UID:(types.UID)${uid}`;
  return `{${which} APIVersion:(string)${apiVersion} ResourceVersion:(string)${resourceVersion} FieldPath:(string)${fieldPath}}`;
}
