/** Who a run is, as the holder of its Leases. */
import { hostName, isAlive, processId, processSpace } from "../../platform/process.ts";
import { type Random, randomSuffix } from "../../platform/random.ts";

/** `HOST_PID_SPACE_RANDOM`. */
export function ownIdentity(random: Random): string {
  return `${hostName()}_${processId()}_${processSpace()}_${randomSuffix(random)}`;
}

/**
 * Whether the holder of a Lease was a process that no longer exists on this machine. Machines cloned from one image have the same name, and
 * so has a container in its host's network: only where process ids mean the same processes are they compared.
 */
export function isDeadHere(identity: string): boolean {
  const [host, pid = "", space] = identity.split("_");
  return host === hostName() && space === processSpace() && /^\d+$/.test(pid) && !isAlive(Number(pid));
}
