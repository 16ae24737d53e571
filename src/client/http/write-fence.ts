/** Lets writes pass only while the sender's Leases are valid. */
import { type ApiRequest, type Transport, TransportError } from "../../api/transport.ts";

/** Whether writes may be sent now. */
export interface WriteFence {
  /** Whether a write may be sent now; checked immediately before sending. */
  readonly isOpen: boolean;
  /** Resolves when it is open. @throws if it will never open again; the signal's reason. */
  opened(signal: AbortSignal): Promise<void>;
}

/** A client that may have a fence of its own. */
export interface Fenced {
  readonly fence?: WriteFence;
}

function isHeldBack({ method, renewsLease }: ApiRequest): boolean {
  return method !== "GET" && renewsLease !== true;
}

/**
 * Delays writes until the fence is open: the outermost wrapper, so that they do not occupy a slot or a token that
 * others need.
 */
export function withWriteFence(transport: Transport, fence: WriteFence): Transport {
  return {
    async send(request) {
      if (isHeldBack(request) && !fence.isOpen) await fence.opened(request.signal);
      return transport.send(request);
    },
  };
}

/**
 * Refuses writes while the fence is closed: the innermost wrapper, because a write may have waited for its turn or for
 * credentials too long. A refused write has not been sent. The one remaining gap is a process suspended between this
 * check and its next system call.
 */
export function refuseWhileClosed(transport: Transport, fence: WriteFence): Transport {
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
