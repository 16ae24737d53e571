/** One sync of a Service. Source: kubernetes v1.36 pkg/controller/endpointslice/endpointslice_controller.go syncService. */
import { familiesOf } from "../../api/endpoints/pod-endpoint.ts";
import { messageOf } from "../../api/error-message.ts";
import type { IpFamily } from "../../api/ip-address.ts";
import { keyOf } from "../../api/key.ts";
import { EndpointSlices, Nodes, Pods, Services } from "../../api/kinds.ts";
import { selectorOfLabels } from "../../api/labels.ts";
import type { EndpointSlice, Pod } from "../../api/types.ts";
import { CacheBehindError } from "../../controller/api/consistency.ts";
import type { EventToRecord, SyncContext } from "../../controller/api/sync-context.ts";
import { combinedError } from "../../controller/workload/combined-error.ts";
import { leftAlone } from "../../controller/workload/service/rules.ts";
import { slicesKeptBy } from "../../controller/workload/service/watch-slices.ts";
import { requestsZoneShares, type HintedSlices, trafficDistributionOf, withCloseHints, withoutHints } from "./hints.ts";
import { sliceTracker, triggerTimes, zoneMemory } from "./memory.ts";
import { planSlices, type SlicePlan } from "./plan.ts";
import { cacheBehind, nodeMissing, steady, zoneHints } from "./rules.ts";
import { managedBy } from "./slice.ts";
import { deleteOne, type SliceWriting, writeSlices } from "./write-slices.ts";
import { withZoneHints } from "./zone-hints.ts";

/** What the steps of a sync share. */
interface ServiceSync extends SliceWriting {
  readonly pods: readonly Pod[];
  readonly maxPerSlice: number;
}

/**
 * Brings the slices of a Service up to date with its pods.
 * @throws CacheBehindError while the cache lacks the controller's own writes; the API server's refusal; Error for a pod whose node is
 * missing, after everything else was written.
 */
export async function syncSlices(context: SyncContext, maxPerSlice: number): Promise<void> {
  const { key } = context;
  const service = context.cache(Services).get(key);
  if (service === undefined) {
    context.state(triggerTimes).forget(key);
    context.state(sliceTracker).forget(key);
    return;
  }
  const { type, selector = {} } = service.spec ?? {};
  if (type === "ExternalName") return void context.decide(leftAlone, { why: "its type is ExternalName" });
  if (Object.keys(selector).length === 0) return void context.decide(leftAlone, { why: "it has no selector" });
  const pods = context.cache(Pods).listSelected(service.metadata.namespace, selectorOfLabels(selector));
  const kept = slicesKeptBy(managedBy, { service: key, slices: context.cache(EndpointSlices) });
  const slices = kept.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (context.state(sliceTracker).isBehind(service, slices)) {
    context.decide(cacheBehind, { slices: slices.length });
    throw new CacheBehindError("EndpointSlice informer cache is out of date");
  }
  const triggerTime = context.state(triggerTimes).next(service, pods);
  await reconcile({ context, service, pods, triggerTime, maxPerSlice }, slices);
}

/** Source: endpointslice v0.36 reconciler.go Reconcile. */
async function reconcile(sync: ServiceSync, slices: readonly EndpointSlice[]): Promise<void> {
  const { context, service } = sync;
  const families = familiesOf(service);
  const errors: unknown[] = [];
  let isSteady = true;
  for (const addressType of families) {
    const existing = slices.filter((slice) => slice.addressType === addressType);
    const { changes, failures } = await reconcileType(sync, { addressType, existing });
    errors.push(...failures);
    if (changes > 0) isSteady = false;
  }
  for (const slice of slices.filter(({ addressType }) => !families.some((family) => family === addressType))) {
    isSteady = false;
    context.state(zoneMemory).disable(keyOf(service), slice.addressType);
    try {
      await deleteOne(sync, { slice, why: `the Service has no ${slice.addressType} addresses` });
    } catch (cause) {
      const why = `error deleting ${slice.metadata.name} EndpointSlice for Service ${keyOf(service)}`;
      errors.push(new Error(`${why}: ${messageOf(cause)}`, { cause }));
    }
  }
  if (isSteady && errors.length === 0) context.decide(steady, {});
  if (errors.length === 0) return;
  context.signal.throwIfAborted();
  const error = combinedError(errors);
  const message = `Error updating Endpoint Slices for Service ${keyOf(service)}: ${messageOf(error)}`;
  report(sync, { type: "Warning", reason: "FailedToUpdateEndpointSlices", message });
  throw error;
}

function report({ context, service }: Pick<ServiceSync, "context" | "service">, event: EventToRecord): void {
  context.event(Services, service, event);
}

interface SlicesOfType {
  readonly addressType: IpFamily;
  readonly existing: readonly EndpointSlice[];
}

/** Source: endpointslice v0.36 reconciler.go reconcileByAddressType. */
async function reconcileType(
  sync: ServiceSync,
  of: SlicesOfType,
): Promise<{ readonly changes: number; readonly failures: readonly unknown[] }> {
  const { context } = sync;
  const nodes = context.cache(Nodes);
  const plan = planSlices({ ...sync, ...of, nodeNamed: (name) => nodes.get(name) });
  const failures: unknown[] = plan.withoutNode.map((pod) => withoutNode(sync, pod));
  const events: EventToRecord[] = [];
  const { create, update } = hinted(sync, { plan, addressType: of.addressType, events });
  try {
    await writeSlices(sync, { create, update, remove: plan.remove });
  } catch (error) {
    failures.push(error);
  }
  for (const event of events) report(sync, event);
  return { changes: create.length + update.length + plan.remove.length, failures };
}

function withoutNode({ context, service }: ServiceSync, { metadata: { name }, spec }: Pod): Error {
  const { nodeName = "" } = spec ?? {};
  context.decide(nodeMissing, { pod: name, node: nodeName });
  return new Error(`skipping Pod ${name} for Service ${keyOf(service)}: Node ${nodeName} Not Found`);
}

/** The plan's slices with the hints that the Service requests. Adds the Events to be recorded once they are written. */
function hinted(
  sync: ServiceSync,
  of: { readonly plan: SlicePlan; readonly addressType: IpFamily; readonly events: EventToRecord[] },
): HintedSlices {
  const { service, context } = sync;
  const { plan, addressType, events } = of;
  if (requestsZoneShares(service)) return hintedByZones(sync, of);
  const memory = context.state(zoneMemory);
  if (memory.isEnabled(keyOf(service)))
    events.push(disabledEvent("Topology Aware Hints has been disabled", addressType));
  memory.disable(keyOf(service), addressType);
  const distribution = trafficDistributionOf(service);
  return distribution === undefined ? withoutHints(plan) : withCloseHints(plan, distribution);
}

function hintedByZones(
  { service, context }: ServiceSync,
  {
    plan,
    addressType,
    events,
  }: { readonly plan: SlicePlan; readonly addressType: IpFamily; readonly events: EventToRecord[] },
): HintedSlices {
  const memory = context.state(zoneMemory);
  const key = keyOf(service);
  const result = withZoneHints(
    plan,
    memory.shares(() => context.cache(Nodes).list()),
  );
  if ("problem" in result) {
    context.decide(zoneHints, { addressType, problem: result.problem });
    memory.disable(key, addressType);
    events.push(disabledEvent(result.problem, addressType));
    return result.slices;
  }
  context.decide(zoneHints, { addressType, zones: Object.fromEntries(result.hints) });
  if (!memory.isEnabled(key)) {
    const message = `Topology Aware Hints has been enabled, addressType: ${addressType}`;
    events.push({ type: "Normal", reason: "TopologyAwareHintsEnabled", message });
  }
  memory.enable(key, { addressType, hints: result.hints });
  return result.slices;
}

function disabledEvent(problem: string, addressType: IpFamily): EventToRecord {
  return { type: "Warning", reason: "TopologyAwareHintsDisabled", message: `${problem}, addressType: ${addressType}` };
}
