/** One sync of a ServiceCIDR. Source: kubernetes v1.36 pkg/controller/servicecidrs/servicecidrs_controller.go sync. */
import { apiVersionOf } from "../../api/kind.ts";
import { IpAddresses, ServiceCidrs } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import { formatTime, parseTime } from "../../api/time.ts";
import type { ServiceCidr } from "../../api/types.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { findCondition, type StatusCondition } from "../../controller/workload/conditions.ts";
import { lacksFinalizer } from "../../controller/workload/protection.ts";
import { type Removal, removalOf } from "./ranges.ts";
import { cidrFinalizer as finalizer, grace, held, ready, release, unprotected } from "./rules.ts";

/** How long an unused ServiceCIDR stays after its deletion. */
const graceMs = 10_000;

type ReadyCondition = Pick<StatusCondition, "status" | "reason" | "message">;

const isReady: ReadyCondition = { status: "True", reason: "", message: "Kubernetes Service CIDR is ready" };
const isTerminating: ReadyCondition = {
  status: "False",
  reason: "Terminating",
  message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
};

/** @throws the API server's refusal. */
export async function syncServiceCidr(context: SyncContext): Promise<void> {
  const cidr = context.cache(ServiceCidrs).get(context.key);
  if (cidr === undefined) return;
  const { deletionTimestamp } = cidr.metadata;
  if (deletionTimestamp !== undefined) return syncDeleted(context, { cidr, deletedAt: parseTime(deletionTimestamp) });
  if (lacksFinalizer(cidr, finalizer)) {
    const because = context.decide(unprotected, { finalizer });
    await patchFinalizers(context, { cidr, because, metadata: { finalizers: [finalizer] } });
  }
  if (hasCondition(cidr, isReady)) return;
  const because = context.decide(ready, {});
  try {
    await applyCondition(context, { cidr, because, condition: isReady });
  } catch (error) {
    const message = "The ServiceCIDR Status can not be set to Ready=True";
    context.event(ServiceCidrs, cidr, { type: "Warning", reason: "KubernetesServiceCIDRError", message });
    throw error;
  }
}

async function syncDeleted(
  context: SyncContext,
  { cidr, deletedAt }: { readonly cidr: ServiceCidr; readonly deletedAt: number },
): Promise<void> {
  const found = removalOf(cidr, {
    all: context.cache(ServiceCidrs).list(),
    addresses: context.cache(IpAddresses).list(),
  });
  if (found.is === "held") {
    const because = context.decide(held, { address: found.by });
    if (!hasCondition(cidr, isTerminating)) await applyCondition(context, { cidr, because, condition: isTerminating });
    return;
  }
  const why = inWords(found);
  const leftMs = graceMs - (context.now() - deletedAt);
  if (leftMs > 0) {
    context.decide(grace, { why, leftMs });
    context.enqueueAfter(leftMs, "API servers know by then that the ServiceCIDR is being deleted");
    return;
  }
  if (cidr.metadata.finalizers?.includes(finalizer) !== true) return;
  const because = context.decide(release, { why, finalizer });
  const metadata = { "$deleteFromPrimitiveList/finalizers": [finalizer] };
  await patchFinalizers(context, { cidr, because, metadata });
}

function inWords(found: Exclude<Removal, { readonly is: "held" }>): string {
  if (found.is === "unused") return "no Service has an address that is in it alone";
  const one = found.within.length === 1;
  return found.within.length === 0
    ? "it has no range"
    : `${one ? "ServiceCIDR" : "ServiceCIDRs"} ${found.within.join(", ")} ${one ? "contains" : "contain"} it`;
}

function hasCondition({ status }: ServiceCidr, { status: wanted, reason, message }: ReadyCondition): boolean {
  const now = findCondition(status?.conditions, "Ready");
  // The server omits empty fields.
  return now?.status === wanted && (now.reason ?? "") === reason && (now.message ?? "") === message;
}

interface Write {
  readonly cidr: ServiceCidr;
  readonly because: Decision;
}

/** A deleted ServiceCIDR needs no patch. */
async function patchFinalizers(
  { client, signal }: SyncContext,
  { cidr, because, metadata }: Write & { readonly metadata: object },
): Promise<void> {
  const at = { namespace: "", name: cidr.metadata.name };
  const options = { because, basedOn: cidr, signal };
  try {
    await client.patch(ServiceCidrs, at, { type: "strategic", body: { metadata } }, options);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function applyCondition(
  context: SyncContext,
  { cidr, because, condition }: Write & { readonly condition: ReadyCondition },
): Promise<void> {
  const { name } = cidr.metadata;
  const lastTransitionTime = formatTime(context.now());
  const body = {
    apiVersion: apiVersionOf(ServiceCidrs),
    kind: ServiceCidrs.kind,
    metadata: { name },
    status: { conditions: [{ type: "Ready", ...condition, lastTransitionTime }] },
  };
  const options = { because, basedOn: cidr, subresource: "status", signal: context.signal };
  await context.client.patch(ServiceCidrs, { namespace: "", name }, { type: "apply", body, force: true }, options);
}
