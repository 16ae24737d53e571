/** ServiceCIDRs and the IPAddresses of Services, in ranges unique to each stage; whether all are in the desired state. */
import { createHash } from "node:crypto";
import { IpAddresses, ServiceCidrs } from "../../../../src/api/kinds.ts";
import { ownName, type Stage } from "../../stage.ts";
import type { Step } from "../../suite.ts";

export const act = (name: string, does: (stage: Stage) => Promise<unknown>): Step => ({ name, act: does });

/**
 * ServiceCIDRs and IPAddresses are cluster-scoped, and all of a server's are taken into account: each stage has its own range per family,
 * determined by a hash. The IPv4 range has 32 addresses.
 */
function block(stage: Stage): { readonly v4: (offset: number) => string; readonly v6: (end: string) => string } {
  const hash = createHash("sha256").update(stage.namespace).digest();
  const start = ((hash.readUInt32BE(0) & 0x7ffff) << 5) >>> 0;
  const hex = hash.toString("hex");
  return {
    v4: (offset) => [11, (start >>> 16) & 255, (start >>> 8) & 255, (start & 255) + offset].join("."),
    v6: (end) =>
      `fd11:${[4, 8, 12].map((at) => (Number.parseInt(hex.slice(at, at + 4), 16) | 0x1000).toString(16)).join(":")}::${end}`,
  };
}

/** `all4` contains `low4` and `high4`; `all6` contains `low6`. */
export type Range = "all4" | "low4" | "high4" | "all6" | "low6";

const ranges: Readonly<Record<Range, (stage: Stage) => string>> = {
  all4: (stage) => `${block(stage).v4(0)}/27`,
  low4: (stage) => `${block(stage).v4(0)}/28`,
  high4: (stage) => `${block(stage).v4(16)}/28`,
  all6: (stage) => `${block(stage).v6("")}/64`,
  low6: (stage) => `${block(stage).v6("")}/112`,
};

/** `last4` is the last address of the range `low4`, `first4` the first of `high4`, `last6` the last of `low6`. */
export type Address = "low4" | "high4" | "last4" | "first4" | "low6" | "last6";

/** The ranges from which Services can have each address. */
const addresses: Readonly<Record<Address, { readonly in: readonly Range[]; readonly text: (stage: Stage) => string }>> =
  {
    low4: { in: ["all4", "low4"], text: (stage) => block(stage).v4(5) },
    high4: { in: ["all4", "high4"], text: (stage) => block(stage).v4(20) },
    last4: { in: ["all4"], text: (stage) => block(stage).v4(15) },
    first4: { in: ["all4"], text: (stage) => block(stage).v4(16) },
    low6: { in: ["all6", "low6"], text: (stage) => block(stage).v6("5") },
    last6: { in: ["all6", "low6"], text: (stage) => block(stage).v6("ffff") },
  };

export const rangeText = (stage: Stage, name: Range): string => ranges[name](stage);

export function makeCidr(stage: Stage, name: string, of: readonly Range[]): Promise<unknown> {
  const cidrs = of.map((each) => rangeText(stage, each));
  return stage.create(ServiceCidrs, { metadata: { name: ownName(stage, name) }, spec: { cidrs } });
}

export function makeAddress(stage: Stage, name: Address, managedBy = "ipallocator.k8s.io"): Promise<unknown> {
  const labels = {
    "ipaddress.kubernetes.io/ip-family": name.endsWith("6") ? "IPv6" : "IPv4",
    "ipaddress.kubernetes.io/managed-by": managedBy,
  };
  const parentRef = { resource: "services", namespace: stage.namespace, name: "web" };
  return stage.create(IpAddresses, { metadata: { name: addresses[name].text(stage), labels }, spec: { parentRef } });
}

export const removeAddress = (stage: Stage, name: Address): Promise<unknown> =>
  stage.remove(IpAddresses, addresses[name].text(stage));
export const removeCidr = (stage: Stage, name: string): Promise<unknown> =>
  stage.remove(ServiceCidrs, ownName(stage, name));

export interface CidrObject {
  readonly metadata: {
    readonly name: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
  };
  readonly spec: { readonly cidrs: readonly string[] };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

export async function cidrsOf(stage: Stage): Promise<readonly CidrObject[]> {
  return (await stage.all(ServiceCidrs)) as unknown as readonly CidrObject[];
}

/** The addresses of the stage that are allocated to Services. */
export async function addressesOf(stage: Stage): Promise<readonly Address[]> {
  const all = (await stage.list(IpAddresses)) as unknown as readonly {
    readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  }[];
  const given = new Set(
    all
      .filter(({ metadata }) => metadata.labels?.["ipaddress.kubernetes.io/managed-by"] === "ipallocator.k8s.io")
      .map(({ metadata }) => metadata.name),
  );
  return (Object.keys(addresses) as Address[]).filter((name) => given.has(addresses[name].text(stage)));
}

const inner: Readonly<Record<Range, readonly Range[]>> = {
  all4: ["all4"],
  low4: ["all4", "low4"],
  high4: ["all4", "high4"],
  all6: ["all6"],
  low6: ["all6", "low6"],
};

/** Whether each ServiceCIDR is ready, gone, or kept by an address, computed independently of the controller from the names of ranges. */
export async function isSettled(stage: Stage): Promise<boolean> {
  const [cidrs, given] = await Promise.all([cidrsOf(stage), addressesOf(stage)]);
  const named = (Object.keys(ranges) as Range[]).map((name) => ({ name, text: rangeText(stage, name) }));
  const rangesOf = ({ spec }: CidrObject): readonly Range[] =>
    named.filter(({ text }) => spec.cidrs.includes(text)).map(({ name }) => name);
  return cidrs.every((cidr) => {
    const { deletionTimestamp, finalizers = [] } = cidr.metadata;
    const condition = cidr.status?.conditions?.find(({ type }) => type === "Ready");
    if (deletionTimestamp === undefined)
      return (
        finalizers.length > 0 &&
        condition?.status === "True" &&
        condition.message === "Kubernetes Service CIDR is ready"
      );
    const others = cidrs.filter((each) => each !== cidr).flatMap(rangesOf);
    const isContained = rangesOf(cidr).every((range) => inner[range].some((each) => others.includes(each)));
    const isHeld = given.some((address) => {
      const { in: of } = addresses[address];
      return rangesOf(cidr).some((range) => of.includes(range)) && !others.some((range) => of.includes(range));
    });
    return !isContained && isHeld && condition?.status === "False";
  });
}
