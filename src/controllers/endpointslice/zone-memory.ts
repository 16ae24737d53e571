/**
 * What the controller remembers about zones: their shares, and which Services have hints by them. Source: endpointslice v0.36
 * topologycache/topologycache.go.
 */
import type { ObjectKey } from "../../api/key.ts";
import type { IpFamily } from "../../api/ip-address.ts";
import type { Node } from "../../api/types.ts";
import { type HintsByZone, isOverloaded, type ZoneShares, zoneShares } from "./zone-shares.ts";

/** How many hints of the slices of one address type name each zone. */
export interface HintsOfType {
  readonly addressType: IpFamily;
  readonly hints: HintsByZone;
}

/** All methods are atomic. */
export class ZoneMemory {
  #shares: ZoneShares | undefined = new Map();
  #areStale = false;
  readonly #hints = new Map<ObjectKey, Map<IpFamily, HintsByZone>>();
  readonly #enabled = new Set<ObjectKey>();

  /** The nodes have changed: the next call of `shares` recomputes them. */
  nodesChanged(): void {
    this.#areStale = true;
  }

  /** Each zone's share; undefined if it cannot be computed. */
  shares(nodes: () => readonly Node[]): ZoneShares | undefined {
    if (this.#areStale) this.#shares = zoneShares(nodes());
    this.#areStale = false;
    return this.#shares;
  }

  /** Whether an Event has announced that the Service has hints by zone. */
  isEnabled(service: ObjectKey): boolean {
    return this.#enabled.has(service);
  }

  /** Records the hints of the slices of one address type. */
  enable(service: ObjectKey, { addressType, hints }: HintsOfType): void {
    const types = this.#hints.get(service) ?? new Map<IpFamily, HintsByZone>();
    this.#hints.set(service, types);
    types.set(addressType, hints);
    this.#enabled.add(service);
  }

  /** Records that the slices of one address type no longer have hints. */
  disable(service: ObjectKey, addressType: string): void {
    const types = this.#hints.get(service);
    // Only families have ever been added.
    types?.delete(addressType as IpFamily);
    if (types?.size === 0) this.#hints.delete(service);
    this.#enabled.delete(service);
  }

  /** Services whose hints leave a zone with too few endpoints for its share. */
  overloaded(nodes: () => readonly Node[]): readonly ObjectKey[] {
    if (this.#hints.size === 0) return [];
    const shares = this.shares(nodes);
    return [...this.#hints]
      .filter(([, types]) => [...types.values()].some((hints) => isOverloaded(hints, shares)))
      .map(([key]) => key);
  }
}
