/** Simulated nodes: their objects and their status. */
import { apiVersionOf } from "../../api/kind.ts";
import { Nodes } from "../../api/kinds.ts";
import { formatTime } from "../../api/time.ts";
import type { CreateInput } from "../../api/object.ts";
import type { Node } from "../../api/types.ts";
import { nodeAnnotation } from "./annotations.ts";

const room: Readonly<Record<string, string>> = { cpu: "8", memory: "16Gi", "ephemeral-storage": "100Gi", pods: "110" };

type NodeStatus = Required<
  Pick<
    NonNullable<Node["status"]>,
    "addresses" | "capacity" | "allocatable" | "conditions" | "daemonEndpoints" | "nodeInfo"
  >
>;

/** Node n (from 0): `node-1` is the first. Each has its own pod CIDR. */
export function simulatedNode(n: number): CreateInput<Node> & { readonly apiVersion: string; readonly kind: string } {
  const name = `node-${n + 1}`;
  return {
    apiVersion: apiVersionOf(Nodes),
    kind: Nodes.kind,
    metadata: {
      name,
      annotations: { [nodeAnnotation]: "simulated" },
      labels: {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "topology.kubernetes.io/zone": `zone-${"abc"[n % 3]}`,
      },
    },
    spec: { podCIDR: `10.${(n % 250) + 1}.0.0/16`, podCIDRs: [`10.${(n % 250) + 1}.0.0/16`] },
  };
}

/** The simulated release. */
const nodeInfo: NodeStatus["nodeInfo"] = {
  kubeletVersion: "v1.36.3",
  kubeProxyVersion: "",
  containerRuntimeVersion: "sandbox://0",
  osImage: "simulated",
  operatingSystem: "linux",
  architecture: "amd64",
  kernelVersion: "0",
  machineID: "",
  systemUUID: "",
  bootID: "",
};

/** The number from which the node's address is made: the digits of its name, or the sum of its characters. */
function numberOf(name: string): number {
  const digits = /(\d+)$/.exec(name)?.[1];
  if (digits !== undefined) return Number(digits);
  let sum = 0;
  for (let index = 0; index < name.length; index++) sum += name.charCodeAt(index);
  return sum;
}

const conditions: readonly (readonly [type: string, status: "True" | "False", reason: string, message: string])[] = [
  ["MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
  ["DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
  ["PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
  ["Ready", "True", "KubeletReady", "kubelet is posting ready status"],
];

/** The status of a running node; fields that are set already are kept, and so are the conditions of others. */
export function nodeStatusOf(node: Node, now: number): NodeStatus {
  const { name } = node.metadata;
  const { addresses = [], capacity, allocatable, conditions: there = [] } = node.status ?? {};
  const number = numberOf(name) % 65_000;
  const address = `172.20.${Math.floor(number / 250)}.${(number % 250) + 2}`;
  const time = formatTime(now);
  const own = conditions.map(([type, status, reason, message]) => {
    const before = there.find((condition) => condition.type === type);
    if (before?.status === status && before.reason === reason) return before;
    return { type, status, reason, message, lastHeartbeatTime: time, lastTransitionTime: time };
  });
  const others = there.filter(({ type }) => !conditions.some(([known]) => known === type));
  return {
    addresses:
      addresses.length > 0
        ? addresses
        : [
            { type: "InternalIP", address },
            { type: "Hostname", address: name },
          ],
    capacity: hasRoom(capacity) ? capacity : room,
    allocatable: hasRoom(allocatable) ? allocatable : hasRoom(capacity) ? capacity : room,
    conditions: [...others, ...own],
    // No kubelet listens; the API server writes it like this.
    daemonEndpoints: node.status?.daemonEndpoints ?? { kubeletEndpoint: { Port: 0 } },
    nodeInfo: (node.status?.nodeInfo?.kubeletVersion ?? "") === "" ? nodeInfo : (node.status?.nodeInfo ?? nodeInfo),
  };
}

function hasRoom(list: Readonly<Record<string, string>> | undefined): list is Readonly<Record<string, string>> {
  return list?.["pods"] !== undefined;
}
