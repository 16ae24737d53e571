/** Writing a plan. Source: endpointslice v0.36 reconciler.go finalize. */
import { messageOf } from "../../api/error-message.ts";
import { keyOf } from "../../api/key.ts";
import { EndpointSlices, Services } from "../../api/kinds.ts";
import type { CreateInput, ObjectMeta, UpdateInput } from "../../api/object.ts";
import { controllerReference } from "../../api/owner-references.ts";
import { isNamespaceTerminating } from "../../api/status-error.ts";
import type { EndpointSlice, Service } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { endpointKey, endpointsOf, isSameEndpoint } from "../../controller/workload/service/slice-content.ts";
import { inOrder } from "../../controller/workload/service/slice-ports.ts";
import { portText, type UnwantedSlice } from "../../controller/workload/service/slice-rules.ts";
import { withTriggerTime } from "../../controller/workload/service/trigger-times.ts";
import { sliceTracker } from "./memory.ts";
import type { SlicePlan } from "./plan.ts";
import { beingDeleted, createSlice, deleteSlice, updateSlice } from "./rules.ts";
import { isOwnedBy, lacksLabels, type SliceDraft } from "./slice.ts";

/** A plan, and what it is written with. */
export interface SliceWriting {
  readonly context: SyncContext;
  readonly service: Service;
  /** When the change being written happened, in ms since 1970. */
  readonly triggerTime: number | undefined;
}

type Writes = Pick<SlicePlan, "create" | "update" | "remove">;

/**
 * Creates, then updates, then deletes; stops at the first failure.
 * @throws Error with the slice and the Service in its message.
 */
export async function writeSlices(writing: SliceWriting, plan: Writes): Promise<void> {
  const { create, update, remove } = reusing(plan, writing.service);
  if (create.length > 0 && writing.service.metadata.deletionTimestamp !== undefined) {
    writing.context.decide(beingDeleted, {});
  } else {
    for (const draft of create) if ((await createOne(writing, draft)) === "namespace terminates") return;
  }
  for (const draft of update) await updateOne(writing, draft);
  for (const unwanted of remove) await deleteUnwanted(writing, unwanted);
}

/** New slices reuse those that would be deleted. */
function reusing({ create, update, remove }: Writes, service: Service): Writes {
  const created = [...create];
  const updated = [...update];
  const removed: UnwantedSlice[] = [];
  for (const unwanted of remove) {
    const last = isOwnedBy(unwanted.slice, service) ? created.pop() : undefined;
    if (last === undefined) removed.push(unwanted);
    else updated.push({ ...last, replaces: unwanted.slice });
  }
  return { create: created, update: updated, remove: removed };
}

/** In a namespace that is being deleted, every create fails and none is needed. */
async function createOne(writing: SliceWriting, draft: SliceDraft): Promise<"created" | "namespace terminates"> {
  const { context, service } = writing;
  const { addressType, endpoints, ports } = draft;
  const because = context.decide(createSlice, {
    addressType,
    endpoints: endpoints.length,
    ports: ports.map(portText),
  });
  try {
    const created = await context.client.create(EndpointSlices, newSlice(writing, draft), {
      because,
      signal: context.signal,
    });
    context.state(sliceTracker).wrote(created);
    return "created";
  } catch (cause) {
    if (isNamespaceTerminating(cause)) return "namespace terminates";
    throw new Error(`failed to create EndpointSlice for Service ${keyOf(service)}: ${messageOf(cause)}`, { cause });
  }
}

async function updateOne(writing: SliceWriting, draft: SliceDraft): Promise<void> {
  const { context, service } = writing;
  const { existing, replaces } = draft;
  const before = existing ?? replaces;
  // A draft of a plan is new, or has one of the two.
  if (before === undefined) throw new Error("Cannot update a slice that is not there");
  const because = context.decide(updateSlice, { slice: before.metadata.name, ...changesOf(draft, service) });
  try {
    const options = { because, basedOn: before, signal: context.signal };
    const body = existing === undefined ? replacement(writing, draft) : updated(writing, { ...draft, existing });
    const written = await context.client.update<EndpointSlice>(EndpointSlices, body, options);
    context.state(sliceTracker).wrote(written);
  } catch (cause) {
    const why = `failed to update ${before.metadata.name} EndpointSlice for Service ${keyOf(service)}`;
    throw new Error(`${why}: ${messageOf(cause)}`, { cause });
  }
}

function changesOf(
  { existing, replaces, endpoints }: SliceDraft,
  service: Service,
): {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly labels: boolean;
  readonly reused: boolean;
} {
  const before = existing ?? replaces;
  const earlier = new Map(
    (before === undefined ? [] : endpointsOf(before)).map((endpoint) => [endpointKey(endpoint), endpoint]),
  );
  const kept = endpoints.flatMap((endpoint) => {
    const was = earlier.get(endpointKey(endpoint));
    return was === undefined ? [] : [{ was, endpoint }];
  });
  return {
    added: endpoints.length - kept.length,
    removed: earlier.size - kept.length,
    changed: kept.filter(({ was, endpoint }) => !isSameEndpoint(was, endpoint)).length,
    labels: before !== undefined && lacksLabels(before, service),
    reused: replaces !== undefined,
  };
}

/** @throws Error for a slice that cannot be deleted. */
async function deleteUnwanted(writing: SliceWriting, unwanted: UnwantedSlice): Promise<void> {
  try {
    await deleteOne(writing, unwanted);
  } catch (cause) {
    const why = `failed to delete ${unwanted.slice.metadata.name} EndpointSlice for Service ${keyOf(writing.service)}`;
    throw new Error(`${why}: ${messageOf(cause)}`, { cause });
  }
}

/** @throws StatusError, TransportError */
export async function deleteOne(
  { context }: Pick<SliceWriting, "context">,
  { slice, why }: UnwantedSlice,
): Promise<void> {
  const { namespace = "", name } = slice.metadata;
  const because = context.decide(deleteSlice, { slice: name, why });
  await context.client.delete(EndpointSlices, { namespace, name }, { because, basedOn: slice, signal: context.signal });
  context.state(sliceTracker).deleted(slice);
}

function newSlice(writing: SliceWriting, draft: SliceDraft): CreateInput<EndpointSlice> {
  return { ...contentOf(draft), metadata: newMetadata(writing, draft) };
}

function contentOf({
  addressType,
  ports,
  endpoints,
}: SliceDraft): Pick<EndpointSlice, "addressType" | "ports" | "endpoints"> {
  return { addressType, ports: inOrder(ports), endpoints };
}

function newMetadata({ service, triggerTime }: SliceWriting, { labels }: SliceDraft): ObjectMeta {
  const { namespace } = service.metadata;
  return {
    ...(namespace !== undefined && { namespace }),
    generateName: `${service.metadata.name}-`,
    labels,
    annotations: withTriggerTime(undefined, triggerTime),
    ownerReferences: [controllerReference(Services, service)],
  };
}

/** A new slice with the name of the one that it replaces. */
function replacement(writing: SliceWriting, draft: SliceDraft): UpdateInput<EndpointSlice> {
  const name = draft.replaces?.metadata.name ?? "";
  return { ...contentOf(draft), metadata: { ...newMetadata(writing, draft), name } };
}

function updated(
  writing: SliceWriting,
  { existing, labels, endpoints, ports }: SliceDraft & { readonly existing: EndpointSlice },
): EndpointSlice {
  const annotations = withTriggerTime(existing.metadata.annotations, writing.triggerTime);
  // Without ports the server's own null stays.
  const sorted = ports.length > 1 ? { ports: inOrder(ports) } : {};
  return { ...existing, ...sorted, metadata: { ...existing.metadata, labels, annotations }, endpoints };
}
