/** How many endpoints each zone gives to others. Source: endpointslice v0.36 topologycache/utils.go getGivingAndReceivingZones, getMost. */
import type { Allocation, HintsByZone } from "./zone-shares.ts";

/** By zone: how many endpoints it gives to others, or gets from them. */
export interface Balance {
  readonly giving: Map<string, number>;
  readonly receiving: Map<string, number>;
}

/**
 * Moves one endpoint at a time from the zone with the largest surplus to the one with the largest deficit, until less than half of one is
 * at stake.
 */
export function balanceOf(allocations: ReadonlyMap<string, Allocation>, hints: HintsByZone): Balance {
  const surplus = new Map<string, number>();
  const lack = new Map<string, number>();
  for (const [zone, { desired }] of allocations) {
    const difference = (hints.get(zone) ?? 0) - desired;
    if (difference > 0) surplus.set(zone, difference);
    else if (difference < 0) lack.set(zone, -difference);
  }
  const balance = { giving: new Map<string, number>(), receiving: new Map<string, number>() };
  for (;;) {
    const [from, to] = [most(surplus), most(lack)];
    if (from === undefined || to === undefined) return balance;
    if ((from.count < 1 && to.count < 1) || from.count < 0.5 || to.count < 0.5) return balance;
    move(from.zone, { of: surplus, to: balance.giving });
    move(to.zone, { of: lack, to: balance.receiving });
  }
}

function most(counts: ReadonlyMap<string, number>): { readonly zone: string; readonly count: number } | undefined {
  let found: { readonly zone: string; readonly count: number } | undefined;
  for (const [zone, count] of counts) if (count > (found?.count ?? 0)) found = { zone, count };
  return found;
}

function move(zone: string, { of, to }: { readonly of: Map<string, number>; readonly to: Map<string, number> }): void {
  of.set(zone, (of.get(zone) ?? 0) - 1);
  to.set(zone, (to.get(zone) ?? 0) + 1);
}
