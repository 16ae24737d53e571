/** The ports of EndpointSlices. All endpoints of a slice share its ports. Source: endpointslice v0.36 util/controller_utils.go NewPortMapKey. */
import type { EndpointPort } from "../../../api/types.ts";
import { fnv128a } from "../safe-hash.ts";

/** A text that is equal for endpoints that may share a slice. */
export function portsKey(ports: readonly EndpointPort[]): string {
  return inOrder(ports).map(dump).join("\n");
}

/** Sorts ports by hash, as kube-controller-manager does. */
export function inOrder(ports: readonly EndpointPort[]): readonly EndpointPort[] {
  if (ports.length < 2) return ports;
  return ports
    .map((port) => ({ port, hash: hashOf(dump(port)) }))
    .sort((one, other) => (one.hash < other.hash ? -1 : one.hash > other.hash ? 1 : 0))
    .map(({ port }) => port);
}

/** A port as Go prints it. Source: k8s.io/utils dump/dump.go ForHash. */
function dump({ name, protocol, port, appProtocol }: EndpointPort): string {
  const orNil = (value: string | number | undefined): string => String(value ?? "<nil>");
  const named = `Name:(*string)${orNil(name)} Protocol:(*v1.Protocol)${orNil(protocol)}`;
  return `(v1.EndpointPort){${named} Port:(*int32)${orNil(port)} AppProtocol:(*string)${orNil(appProtocol)}}`;
}

const known = new Map<string, string>();
const knownAtMost = 1000;

/** Cached, because the same few ports recur. */
function hashOf(text: string): string {
  const before = known.get(text);
  if (before !== undefined) return before;
  const hash = fnv128a(new TextEncoder().encode(text));
  if (known.size < knownAtMost) known.set(text, hash);
  return hash;
}
