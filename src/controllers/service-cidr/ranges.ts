/** Which ServiceCIDRs overlap, or contain an address. Source: kubernetes v1.36 pkg/controller/servicecidrs/servicecidrs_controller.go. */
import { containsPrefix, containsServiceAddress, type IpPrefix, overlaps, prefixOf } from "../../api/ip-prefix.ts";
import { keyOf, type ObjectKey } from "../../api/key.ts";
import type { IpAddress, ServiceCidr } from "../../api/types.ts";

const managedByLabel = "ipaddress.kubernetes.io/managed-by";
const allocator = "ipallocator.k8s.io";

/** Whether the API server has allocated the address to a Service. */
export function isOfService({ metadata: { labels } }: IpAddress): boolean {
  return labels?.[managedByLabel] === allocator;
}

function prefixesOf({ spec }: ServiceCidr): readonly IpPrefix[] {
  return (spec?.cidrs ?? []).flatMap((cidr) => prefixOf(cidr) ?? []);
}

function someWith(all: readonly ServiceCidr[], has: (range: IpPrefix) => boolean): readonly ServiceCidr[] {
  return all.filter((each) => prefixesOf(each).some(has));
}

/** The keys of the ServiceCIDRs that overlap with one. */
export function overlapping(one: ServiceCidr, all: readonly ServiceCidr[]): readonly ObjectKey[] {
  const own = prefixesOf(one);
  return someWith(all, (range) => own.some((prefix) => overlaps(range, prefix))).map(keyOf);
}

/** The keys of the ServiceCIDRs that contain a Service's address. */
export function containing(address: IpAddress, all: readonly ServiceCidr[]): readonly ObjectKey[] {
  return someWith(all, (range) => containsServiceAddress(range, address.metadata.name)).map(keyOf);
}

/** Why a ServiceCIDR may be released, or the address that keeps it. */
export type Removal =
  | { readonly is: "contained"; readonly within: readonly string[] }
  | { readonly is: "unused" }
  | { readonly is: "held"; readonly by: string };

/**
 * Whether no Service's address would be left without a range. Ranges that are being deleted count, too.
 * Source: servicecidrs_controller.go canDeleteCIDR.
 */
export function removalOf(
  serviceCidr: ServiceCidr,
  { all, addresses }: { readonly all: readonly ServiceCidr[]; readonly addresses: readonly IpAddress[] },
): Removal {
  const { name } = serviceCidr.metadata;
  const others = all.filter(({ metadata }) => metadata.name !== name);
  const own = prefixesOf(serviceCidr);
  const parents = own.map((prefix) => someWith(others, (range) => containsPrefix(range, prefix)));
  if (parents.every((each) => each.length > 0))
    return { is: "contained", within: [...new Set(parents.flat().map(({ metadata }) => metadata.name))] };
  const orphan = addresses.filter(isOfService).find(({ metadata: { name: address } }) => {
    const isIn = (range: IpPrefix): boolean => containsServiceAddress(range, address);
    return own.some(isIn) && someWith(others, isIn).length === 0;
  });
  return orphan === undefined ? { is: "unused" } : { is: "held", by: orphan.metadata.name };
}
