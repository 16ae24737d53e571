/** ServiceCIDRs and IPAddresses in the form in which a server stores them. */
import type { StoredMeta } from "../../../src/api/object.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { IpAddress, ServiceCidr } from "../../../src/api/types.ts";
import { cidrFinalizer } from "../../../src/controllers/service-cidr/rules.ts";
import { sceneStart } from "../../support/sync-context.ts";

const creationTimestamp = formatTime(sceneStart - 3_600_000);

export interface CidrParts {
  /** How long ago it was deleted, in ms; if absent, it is not being deleted. */
  readonly deletedAgoMs?: number;
  readonly finalizers?: readonly string[];
  readonly condition?: { readonly status: string; readonly reason?: string; readonly message?: string };
}

export const readyCondition = { status: "True", reason: "", message: "Kubernetes Service CIDR is ready" } as const;

/** A ServiceCIDR that is ready and has the finalizer by default. */
export function cidrOf(name: string, cidrs: readonly string[], parts: CidrParts = {}): ServiceCidr {
  const { deletedAgoMs, finalizers = [cidrFinalizer], condition = readyCondition } = parts;
  const deletion = deletedAgoMs === undefined ? {} : { deletionTimestamp: formatTime(sceneStart - deletedAgoMs) };
  const metadata: StoredMeta = {
    name,
    uid: `uid-${name}`,
    resourceVersion: "1",
    creationTimestamp,
    finalizers,
    ...deletion,
  };
  const { status, reason = "", message = "" } = condition;
  const lastTransitionTime = creationTimestamp;
  return {
    metadata,
    spec: { cidrs },
    status: { conditions: [{ type: "Ready", status, reason, message, lastTransitionTime }] },
  };
}

/** An IPAddress that the API server has allocated to a Service. */
export function addressOf(name: string, managedBy = "ipallocator.k8s.io"): IpAddress {
  const labels = {
    "ipaddress.kubernetes.io/ip-family": name.includes(":") ? "IPv6" : "IPv4",
    "ipaddress.kubernetes.io/managed-by": managedBy,
  };
  return {
    metadata: { name, uid: `uid-${name}`, resourceVersion: "1", creationTimestamp, labels },
    spec: { parentRef: { group: "", resource: "services", namespace: "shop", name: "web" } },
  };
}
