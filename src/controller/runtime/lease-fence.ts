import type { WriteFence } from "../../client/http/write-fence.ts";
import type { HeldLease } from "./lease.ts";

/**
 * Holds back the writes of a run while one of its Leases may have expired. It is open until the first Lease is guarded; until then only the
 * Leases themselves are written.
 */
export class LeaseFence implements WriteFence {
  #leases = new Set<Pick<HeldLease, "isGood">>();
  #waiting = new Set<{ readonly open: () => void; readonly fail: (error: Error) => void }>();
  #ended: Error | undefined;

  /** Whether a write may be sent now. */
  get isOpen(): boolean {
    for (const lease of this.#leases) if (!lease.isGood) return false;
    return true;
  }

  /** From now on, closes the fence whenever this Lease is not good. */
  guard(lease: Pick<HeldLease, "isGood">): void {
    this.#leases.add(lease);
  }

  /** Lets waiting writes pass if the fence is open. Call it after each renewal. Atomic. */
  renewed(): void {
    if (!this.isOpen) return;
    for (const { open } of this.#waiting) open();
    this.#waiting.clear();
  }

  /** Called at the end of a run: writes that are held back fail, now and later. While the fence is open, writes still pass. Atomic. */
  end(why: string): void {
    this.#ended ??= new Error(why);
    for (const { fail } of this.#waiting) fail(this.#ended);
    this.#waiting.clear();
  }

  /** Resolves when a write may be sent. @throws the signal's reason; Error after `end`. */
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
        // Every abort of this program has an Error as its reason.
        waiter.fail(signal.reason as Error);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.add(waiter);
    });
  }
}
