/** Pod addresses, from the CIDR of the node. */
import type { Node } from "../../api/types.ts";

const fallbackRange = "10.88.0.0/16";

/** One node's pod CIDR: the addresses in use, and the next one to try. */
export class AddressRange {
  #base: number;
  #size: number;
  #next = 1;
  #used = new Set<string>();

  constructor(node: Node) {
    const [address = "", bits = "16"] = (node.spec?.podCIDR ?? fallbackRange).split("/");
    this.#base = numberOf(address);
    this.#size = 2 ** (32 - Number(bits));
  }

  /** Marks an address as in use. */
  take(address: string): void {
    this.#used.add(address);
  }

  /**
   * The next free address; a released one is reused as late as possible. If none is free, returns one in use: two pods
   * with one address are better than a pod without.
   */
  allocate(): string {
    for (let tries = 0; tries < this.#size; tries++) {
      const address = this.#at(this.#next);
      // The first and last addresses of a range are the network's and the broadcast's.
      this.#next = this.#next + 1 >= this.#size - 1 ? 1 : this.#next + 1;
      if (this.#used.has(address)) continue;
      this.#used.add(address);
      return address;
    }
    return this.#at(1);
  }

  release(address: string): void {
    this.#used.delete(address);
  }

  #at(index: number): string {
    const number = this.#base + index;
    return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
  }
}

function numberOf(address: string): number {
  return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** The node's own address (InternalIP). */
export function hostAddress({ status }: Node): string | undefined {
  return status?.addresses?.find(({ type }) => type === "InternalIP")?.address;
}
