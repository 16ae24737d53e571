/** Addresses for pods, from their node's range. */
import type { Node } from "../../api/types.ts";

const fallbackRange = "10.88.0.0/16";

/** One node's range: the addresses in use, and where to look for the next. */
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

  /** Somebody has it already. */
  take(address: string): void {
    this.#used.add(address);
  }

  /**
   * The next free address: one that was given back comes again as late as possible. With none left, one in use is answered, as
   * two pods of one address are better than none.
   */
  allocate(): string {
    for (let tries = 0; tries < this.#size; tries++) {
      const address = this.#at(this.#next);
      // The first and the last address of a range mean the range itself.
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

/** The node's own address. */
export function hostAddress({ status }: Node): string | undefined {
  return status?.addresses?.find(({ type }) => type === "InternalIP")?.address;
}
