/** One sync of a Service. Source: kubernetes v1.36 pkg/controller/endpoint/endpoints_controller.go syncService. */
import { isHeadless } from "../../api/endpoints/pod-endpoint.ts";
import { messageOf } from "../../api/error-message.ts";
import { deepEqual } from "../../api/field-changes.ts";
import { keyOf, namespacedNameOf, splitKey } from "../../api/key.ts";
import { Endpoints, Pods, Services } from "../../api/kinds.ts";
import { type Labels, selectorOfLabels } from "../../api/labels.ts";
import { isForbidden, isNamespaceTerminating, isNotFound } from "../../api/status-error.ts";
import type { Endpoints as EndpointsObject, Service } from "../../api/types.ts";
import { CacheBehindError } from "../../controller/api/consistency.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { leftAlone } from "../../controller/workload/service/rules.ts";
import { withTriggerTime } from "../../controller/workload/service/trigger-times.ts";
import { countAddresses, maxAddresses, truncated } from "./capacity.ts";
import { desiredSubsets } from "./desired.ts";
import { replacedVersions, triggerTimes } from "./memory.ts";
import { cacheBehind, createEndpoints, deleteEndpoints, steady, updateEndpoints } from "./rules.ts";
import { repack, type Subset } from "../../controller/workload/service/subsets.ts";

const managedByLabel = "endpoints.kubernetes.io/managed-by";
const managedBy = "endpoint-controller";
const headlessLabel = "service.kubernetes.io/headless";
const overCapacityAnnotation = "endpoints.kubernetes.io/over-capacity";

/**
 * Brings the Endpoints of a Service up to date with its pods, or deletes those of a Service that is gone.
 * @throws CacheBehindError while the cache lacks the controller's own write; the API server's refusal.
 */
export async function syncEndpoints(context: SyncContext): Promise<void> {
  const { key } = context;
  const service = context.cache(Services).get(key);
  if (service === undefined) return deleteFor(context);
  const { type, selector = {} } = service.spec ?? {};
  if (type === "ExternalName") return void context.decide(leftAlone, { why: "its type is ExternalName" });
  if (Object.keys(selector).length === 0) return void context.decide(leftAlone, { why: "it has no selector" });
  const pods = context.cache(Pods).listSelected(service.metadata.namespace, selectorOfLabels(selector));
  const triggerTime = context.state(triggerTimes).next(service, pods);
  const subsets = desiredSubsets(service, pods);
  const current = context.cache(Endpoints).get(key);
  if (current !== undefined && context.state(replacedVersions).get(key) === current.metadata.resourceVersion) {
    const version = current.metadata.resourceVersion;
    context.decide(cacheBehind, { version });
    throw new CacheBehindError(
      `endpoints informer cache is out of date, resource version ${version} already processed for endpoints ${key}`,
    );
  }
  if (current !== undefined && isCurrent(current, { service, subsets })) return void context.decide(steady, {});
  await write(context, { service, current, subsets, triggerTime });
}

/** Sends the deletion even if the cache has none: it may not have them yet. */
async function deleteFor(context: SyncContext): Promise<void> {
  const { key, signal } = context;
  const because = context.decide(deleteEndpoints, {});
  try {
    await context.client.delete(Endpoints, splitKey(key), { because, signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  context.state(triggerTimes).forget(key);
  context.state(replacedVersions).delete(key);
}

function isCurrent(
  { metadata: { labels = {}, annotations = {} }, subsets = [] }: EndpointsObject,
  desired: { readonly service: Service; readonly subsets: readonly Subset[] },
): boolean {
  const { [headlessLabel]: _headless, [managedByLabel]: manager, ...others } = labels;
  const isWithinCapacity =
    countAddresses(subsets) <= maxAddresses && !Object.hasOwn(annotations, overCapacityAnnotation);
  return (
    deepEqual(comparable(repack(subsets)), comparable(desired.subsets)) &&
    manager === managedBy &&
    deepEqual(others, desired.service.metadata.labels ?? {}) &&
    isWithinCapacity
  );
}

/** Without the resourceVersions of pods, which every change updates. */
function comparable(subsets: readonly Subset[]): unknown {
  return JSON.parse(
    JSON.stringify(subsets, (name, value: unknown) => (name === "resourceVersion" ? undefined : value)),
  );
}

interface Writing {
  readonly service: Service;
  readonly current: EndpointsObject | undefined;
  readonly subsets: readonly Subset[];
  readonly triggerTime: number | undefined;
}

async function write(context: SyncContext, { service, current, subsets, triggerTime }: Writing): Promise<void> {
  const { key, signal } = context;
  const within = truncated(subsets);
  const kept = within ?? subsets;
  const { [overCapacityAnnotation]: _before, ...others } = current?.metadata.annotations ?? {};
  const annotations = {
    ...withTriggerTime(others, triggerTime),
    ...(within !== undefined && { [overCapacityAnnotation]: "truncated" }),
  };
  const content = { subsets: kept };
  const labels = labelsFor(service);
  const facts = factsOf(kept, within !== undefined);
  if (current === undefined) {
    const because = context.decide(createEndpoints, facts);
    const metadata = { ...namespacedNameOf(service), labels, annotations };
    await reporting({ context, service, current }, () =>
      context.client.create(Endpoints, { metadata, ...content }, { because, signal }),
    );
    return;
  }
  const because = context.decide(updateEndpoints, facts);
  const next = { ...current, ...content, metadata: { ...current.metadata, labels, annotations } };
  const updated = await reporting({ context, service, current }, () =>
    context.client.update<EndpointsObject>(Endpoints, next, { because, basedOn: current, signal }),
  );
  // A write that changed nothing leaves the resourceVersion as it was.
  if (updated !== undefined && updated.metadata.resourceVersion !== current.metadata.resourceVersion)
    context.state(replacedVersions).set(key, current.metadata.resourceVersion);
}

function labelsFor(service: Service): Labels {
  const { [headlessLabel]: _own, ...labels } = service.metadata.labels ?? {};
  return { ...labels, ...(isHeadless(service) && { [headlessLabel]: "" }), [managedByLabel]: managedBy };
}

function factsOf(subsets: readonly Subset[], overCapacity: boolean): Parameters<typeof updateEndpoints.sentence>[0] {
  const ready = subsets.reduce((sum, { addresses = [] }) => sum + addresses.length, 0);
  return { ready, notReady: countAddresses(subsets) - ready, subsets: subsets.length, overCapacity };
}

/** Reports a refusal in an Event. Undefined if no write is needed: a namespace that is being deleted refuses every create. */
async function reporting<T>(
  { context, service, current }: Pick<Writing, "service" | "current"> & { readonly context: SyncContext },
  request: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    context.signal.throwIfAborted();
    if (current === undefined && isForbidden(error) && isNamespaceTerminating(error)) return undefined;
    const what = current === undefined ? "create endpoint for service" : "update endpoint";
    const reason = current === undefined ? "FailedToCreateEndpoint" : "FailedToUpdateEndpoint";
    const message = `Failed to ${what} ${keyOf(service)}: ${messageOf(error)}`;
    context.event(Endpoints, current ?? notYetThere(service), { type: "Warning", reason, message });
    throw error;
  }
}

/** The subject of the Event about a failed create: only a name. Without a namespace, the Event is in `default`, as upstream's. */
function notYetThere({ metadata: { name } }: Service): EndpointsObject {
  return { metadata: { name, uid: "", resourceVersion: "", creationTimestamp: "" } };
}
