/**
 * Hints by the zones' CPU shares, for Services with the annotation `topology-mode: Auto`.
 * Source: endpointslice v0.36 topologycache/topologycache.go AddHints, sliceinfo.go, utils.go redistributeHints; differs: of several zones
 * that may give or get an endpoint, upstream takes any, this the first in node order.
 */
import type { Endpoint, EndpointSlice } from "../../api/types.ts";
import { type Balance, balanceOf } from "./balance.ts";
import { alsoWriting, type HintedSlices, isReady, rewrite, withHints, withoutHints } from "./hints.ts";
import { endpointsOf } from "../../controller/workload/service/slice-content.ts";
import { type Allocation, allocationsOf, type HintsByZone, type ZoneShares } from "./zone-shares.ts";

/** The slices, and how many hints name each zone, or why there are no hints. */
export type ZoneHinted =
  | { readonly slices: HintedSlices; readonly hints: HintsByZone }
  | { readonly slices: HintedSlices; readonly problem: string };

/** Assigns each ready endpoint the zone that it should serve; if that is impossible for one, removes all hints and returns why. */
export function withZoneHints(slices: HintedSlices, shares: ZoneShares | undefined): ZoneHinted {
  const allocations = allocationsOf(shares, readyEndpoints(slices));
  if ("problem" in allocations) return { slices: withoutHints(slices), ...allocations };
  const { slices: written, hints } = writingInvalid(slices, allocations);
  const drafts = [...written.create, ...written.update];
  for (const { zone = "" } of drafts.flatMap(({ endpoints }) => endpoints.filter(isReady))) {
    if (zone === "")
      return { slices: withoutHints(written), problem: "One or more endpoints do not have a zone specified" };
    hints.set(zone, (hints.get(zone) ?? 0) + 1);
  }
  rewrite(written, hintByBalance(balanceOf(allocations, hints), hints));
  return { slices: written, hints };
}

function readyEndpoints({ create, update, unchanged }: HintedSlices): number {
  return [...create, ...update, ...unchanged.map((slice) => ({ endpoints: endpointsOf(slice) }))].reduce(
    (sum, { endpoints }) => sum + endpoints.filter(isReady).length,
    0,
  );
}

/** Also writes unchanged slices with invalid hints; counts the hints of the others. */
function writingInvalid(
  slices: HintedSlices,
  allocations: ReadonlyMap<string, Allocation>,
): { readonly slices: HintedSlices; readonly hints: Map<string, number> } {
  const hints = new Map<string, number>();
  const invalid = new Set<EndpointSlice>();
  for (const slice of slices.unchanged) {
    const own = validHints(slice, { hints, allocations });
    if (own === undefined) invalid.add(slice);
    else for (const [zone, count] of own) hints.set(zone, (hints.get(zone) ?? 0) + count);
  }
  return { slices: alsoWriting(slices, (slice) => invalid.has(slice)), hints };
}

/** How many hints of the slice name each zone; undefined if an endpoint has none, a zone needs none, or too many name it. */
function validHints(
  slice: EndpointSlice,
  { hints, allocations }: { readonly hints: HintsByZone; readonly allocations: ReadonlyMap<string, Allocation> },
): HintsByZone | undefined {
  const own = new Map<string, number>();
  for (const endpoint of endpointsOf(slice).filter(isReady)) {
    const zones = endpoint.hints?.forZones ?? [];
    if (zones.length === 0) return undefined;
    for (const { name } of zones) own.set(name, (own.get(name) ?? 0) + 1);
  }
  const isValid = [...own].every(([zone, count]) => {
    const maximum = allocations.get(zone)?.maximum;
    return maximum !== undefined && count + (hints.get(zone) ?? 0) <= maximum;
  });
  return isValid ? own : undefined;
}

/** A ready endpoint serves its own zone, or one that lacks endpoints while its own has too many. Keeps count in `hints`. */
function hintByBalance({ giving, receiving }: Balance, hints: Map<string, number>): (endpoint: Endpoint) => Endpoint {
  return (endpoint) => {
    if (!isReady(endpoint)) return endpoint;
    const { zone = "" } = endpoint;
    const to = (giving.get(zone) ?? 0) > 0 ? [...receiving].find(([, count]) => count > 0)?.[0] : undefined;
    if (to !== undefined) {
      giving.set(zone, (giving.get(zone) ?? 0) - 1);
      receiving.set(to, (receiving.get(to) ?? 0) - 1);
      hints.set(zone, (hints.get(zone) ?? 0) - 1);
      hints.set(to, (hints.get(to) ?? 0) + 1);
    }
    return withHints(endpoint, { forZones: [{ name: to ?? zone }] });
  };
}
