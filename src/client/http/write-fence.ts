/** The door that writes pass only while their sender may write: while its Leases are good. */
import { type ApiRequest, type Transport, TransportError } from "../../api/transport.ts";

export interface WriteFence {
  /** Whether a write may leave now; asked right before it does. */
  readonly isOpen: boolean;
  /** Resolves as soon as it is open. @throws when it will not open any more; the signal's reason. */
  opened(signal: AbortSignal): Promise<void>;
}

function isHeldBack({ method, renewsLease }: ApiRequest): boolean {
  return method !== "GET" && renewsLease !== true;
}

/** Writes wait until the fence is open: for the outside, before they take a place or a token that others need. */
export function waitingAtFence(transport: Transport, fence: WriteFence): Transport {
  return {
    async send(request) {
      if (isHeldBack(request) && !fence.isOpen) await fence.opened(request.signal);
      return transport.send(request);
    },
  };
}

/**
 * No write leaves while the fence is closed: for the inside, next to the wire, since a write may have waited for its turn, or for
 * credentials, for longer than it may. What is refused here has not been sent. A process that is stopped between this question and
 * its next system call is the one hole that is left.
 */
export function fencedOff(transport: Transport, fence: WriteFence): Transport {
  return {
    async send(request) {
      if (isHeldBack(request) && !fence.isOpen) {
        const why = "not sent: the Lease that allows it was not renewed in time";
        throw new TransportError(why, { failure: "unreachable" });
      }
      return transport.send(request);
    },
  };
}
