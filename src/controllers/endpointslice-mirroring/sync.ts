/**
 * One sync of Endpoints. Source: kubernetes v1.36 pkg/controller/endpointslicemirroring/endpointslicemirroring_controller.go
 * syncEndpoints.
 */
import { messageOf } from "../../api/error-message.ts";
import { Endpoints as EndpointsKind, EndpointSlices, Services } from "../../api/kinds.ts";
import type { Endpoints, EndpointSlice, Service } from "../../api/types.ts";
import { CacheBehindError } from "../../controller/api/consistency.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { slicesKeptBy } from "../../controller/workload/service/watch-slices.ts";
import { sliceTracker } from "./memory.ts";
import { hasSelector, mirrored, type Mirrored, type NotMirrored, whySkipped } from "./mirrored.ts";
import { managedBy, planMirror } from "./plan.ts";
import { cacheBehind, leftOut, notMirrored, steady } from "./rules.ts";
import { type Mirroring, writePlan } from "./write-slices.ts";

/**
 * Brings the slices that mirror Endpoints up to date, or deletes them if the Endpoints must not be mirrored.
 * @throws CacheBehindError while the cache lacks the controller's own writes; Error with the API server's refusal.
 */
export async function syncMirror(context: SyncContext, maxPerSubset: number): Promise<void> {
  const { key } = context;
  const endpoints = context.cache(EndpointsKind).get(key);
  const service = context.cache(Services).get(key);
  const slices = slicesKeptBy(managedBy, { service: key, slices: context.cache(EndpointSlices) });
  const why = whyNotMirrored(endpoints, service);
  if (endpoints === undefined || service === undefined || why !== undefined) {
    context.state(sliceTracker).forget(key);
    return deleteAll(context, { slices, why: why ?? "the Endpoints are gone" });
  }
  if (context.state(sliceTracker).isBehind(service, slices)) {
    context.decide(cacheBehind, { slices: slices.length });
    throw new CacheBehindError("EndpointSlice informer cache is out of date");
  }
  const desired = mirrored(endpoints, maxPerSubset);
  const mirroring = { context, endpoints, most: maxPerSubset };
  reportSkipped(mirroring, desired);
  const plan = planMirror(endpoints, { groups: desired.groups, existing: slices });
  for (const slice of plan.unchanged) trackIfUnknown(context, slice);
  if (plan.create.length + plan.update.length + plan.remove.length === 0) context.decide(steady, {});
  else await writePlan(mirroring, plan);
}

/** In the order of upstream's checks. */
function whyNotMirrored(endpoints: Endpoints | undefined, service: Service | undefined): NotMirrored | undefined {
  if (endpoints === undefined) return "the Endpoints are gone";
  const skipped = whySkipped(endpoints);
  if (skipped !== undefined) return skipped;
  if (service === undefined) return "there is no Service of this name";
  return hasSelector(service) ? "the Service has a selector" : undefined;
}

/** Tries all of them, even if one fails. */
async function deleteAll(
  context: SyncContext,
  { slices, why }: { readonly slices: readonly EndpointSlice[]; readonly why: NotMirrored },
): Promise<void> {
  if (slices.length === 0 && why === "the Endpoints are gone") return;
  const because = context.decide(notMirrored, { why, slices: slices.length });
  const failures: unknown[] = [];
  for (const slice of slices) {
    const { namespace = "", name } = slice.metadata;
    const options = { because, basedOn: slice, signal: context.signal };
    try {
      await context.client.delete(EndpointSlices, { namespace, name }, options);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length === 0) return;
  context.signal.throwIfAborted();
  const [cause] = failures;
  const what = `error(s) deleting ${failures.length}/${slices.length} EndpointSlices for ${context.key} Endpoints`;
  throw new Error(`${what}, including: ${messageOf(cause)}`, { cause });
}

/** Source: reconciler.go reconcile, events.go. */
function reportSkipped({ context, endpoints, most }: Mirroring, { invalid, skipped }: Mirrored): void {
  if (skipped === 0) return;
  context.decide(leftOut, { invalid, beyond: skipped - invalid, most });
  if (invalid > 0) {
    const message = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`;
    context.event(EndpointsKind, endpoints, { type: "Warning", reason: "InvalidIPAddress", message });
  }
  if (skipped > invalid) {
    const limit = `A max of ${most} addresses can be mirrored to EndpointSlices per Endpoints subset`;
    const message = `${limit}. ${skipped} addresses were skipped`;
    context.event(EndpointsKind, endpoints, { type: "Warning", reason: "TooManyAddressesToMirror", message });
  }
}

/** So that changes by others can be distinguished from what the controller has seen. */
function trackIfUnknown(context: SyncContext, slice: EndpointSlice): void {
  const tracker = context.state(sliceTracker);
  if (!tracker.tracks(slice)) tracker.wrote(slice);
}
