import type { WriteFence } from "../../client/http/write-fence.ts";
import type { HeldLease } from "./lease.ts";

/**
 * Open while every Lease of a run is good by every clock. Before any is guarded it is open: what is written then is the Leases
 * themselves.
 */
export class LeaseFence implements WriteFence {
  #leases = new Set<Pick<HeldLease, "isGood">>();
  #waiting = new Set<{ readonly open: () => void; readonly fail: (error: Error) => void }>();
  #ended: Error | undefined;

  get isOpen(): boolean {
    for (const lease of this.#leases) if (!lease.isGood) return false;
    return true;
  }

  /** From now on it is closed while the Lease is not good. */
  guard(lease: Pick<HeldLease, "isGood">): void {
    this.#leases.add(lease);
  }

  /** Writes that wait go on if it is open. Called after each renewal. Atomic. */
  renewed(): void {
    if (!this.isOpen) return;
    for (const { open } of this.#waiting) open();
    this.#waiting.clear();
  }

  /** Nothing waits any more: what is held back fails, what is allowed still passes. For the end of a run. Atomic. */
  end(why: string): void {
    this.#ended ??= new Error(why);
    for (const { fail } of this.#waiting) fail(this.#ended);
    this.#waiting.clear();
  }

  async opened(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    while (!this.isOpen) {
      if (this.#ended !== undefined) throw this.#ended;
      await this.#wait(signal);
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => signal.removeEventListener("abort", onAbort);
      const waiter = {
        open: () => (stop(), resolve()),
        fail: (error: Error) => (stop(), reject(error)),
      };
      const onAbort = (): void => {
        this.#waiting.delete(waiter);
        waiter.fail(signal.reason as Error);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.add(waiter);
    });
  }
}
