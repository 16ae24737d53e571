/** Writing a plan. Source: kubernetes v1.36 pkg/controller/endpointslicemirroring/reconciler.go finalize, utils.go newEndpointSlice. */
import { messageOf } from "../../api/error-message.ts";
import { keyOf } from "../../api/key.ts";
import { Endpoints as EndpointsKind, EndpointSlices } from "../../api/kinds.ts";
import type { ObjectMeta } from "../../api/object.ts";
import { controllerReference } from "../../api/owner-references.ts";
import { isNamespaceTerminating } from "../../api/status-error.ts";
import type { Endpoints, EndpointSlice } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { portText, type UnwantedSlice } from "../../controller/workload/service/slice-rules.ts";
import { sliceTracker } from "./memory.ts";
import type { Group } from "./mirrored.ts";
import { annotationsFor, changesOf, labelsFor, type MirrorPlan, type SliceUpdate } from "./plan.ts";
import { beingDeleted, createSlice, deleteSlice, updateSlice } from "./rules.ts";

/** What is written, and the means to write it. */
export interface Mirroring {
  readonly context: SyncContext;
  readonly endpoints: Endpoints;
  /** The most addresses of a subset that are mirrored, and the most endpoints of a slice. */
  readonly most: number;
}

/**
 * Creates, then updates, then deletes; stops at the first failure.
 * @throws Error with the slice and the Endpoints in its message.
 */
export async function writePlan(mirroring: Mirroring, plan: MirrorPlan): Promise<void> {
  const { context, endpoints } = mirroring;
  const { create, update, remove } = plan;
  if (create.length > 0 && endpoints.metadata.deletionTimestamp !== undefined) context.decide(beingDeleted, {});
  else {
    for (const group of create) if ((await createOne(mirroring, group)) === "namespace terminates") return;
  }
  for (const one of update) await updateOne(mirroring, one);
  for (const one of remove) await deleteOne(mirroring, one);
}

/** In a namespace that is being deleted, every create fails and none is needed. */
async function createOne(
  { context, endpoints, most }: Mirroring,
  group: Group,
): Promise<"created" | "namespace terminates"> {
  const { addressType, endpoints: desired, ports } = group;
  const because = context.decide(createSlice, {
    addressType,
    endpoints: desired.size,
    ports: ports.map(portText),
  });
  const metadata = { ...metadataFor(endpoints), generateName: prefixOf(endpoints) };
  const options = { because, signal: context.signal };
  try {
    const created = await context.client.create(EndpointSlices, { metadata, ...contentOf(group, most) }, options);
    context.state(sliceTracker).wrote(created);
    return "created";
  } catch (cause) {
    if (isNamespaceTerminating(cause)) return "namespace terminates";
    throw failure("create EndpointSlice", { endpoints, cause });
  }
}

/** Overwrites anything written to the slice since. */
async function updateOne(
  { context, endpoints, most }: Mirroring,
  { group, before, reused }: SliceUpdate,
): Promise<void> {
  const { name } = before.metadata;
  const because = context.decide(updateSlice, { slice: name, ...changesOf(before, group), reused });
  // A reused slice gets a new slice's `generateName`; any other metadata of the slice is lost.
  const prefix = reused ? { generateName: prefixOf(endpoints) } : {};
  const body = { metadata: { ...metadataFor(endpoints), ...prefix, name }, ...contentOf(group, most) };
  const options = { because, basedOn: before, signal: context.signal };
  try {
    context.state(sliceTracker).wrote(await context.client.update<EndpointSlice>(EndpointSlices, body, options));
  } catch (cause) {
    throw failure(`update ${name} EndpointSlice`, { endpoints, cause });
  }
}

async function deleteOne({ context, endpoints }: Mirroring, { slice, why }: UnwantedSlice): Promise<void> {
  const { namespace = "", name } = slice.metadata;
  const because = context.decide(deleteSlice, { slice: name, why });
  const options = { because, basedOn: slice, signal: context.signal };
  try {
    await context.client.delete(EndpointSlices, { namespace, name }, options);
  } catch (cause) {
    throw failure(`delete ${name} EndpointSlice`, { endpoints, cause });
  }
  context.state(sliceTracker).deleted(slice);
}

/** The prefix of new slices' names: a Service has this name, so it is short enough. */
function prefixOf({ metadata: { name } }: Endpoints): string {
  return `${name}-`;
}

function failure(
  what: string,
  { endpoints, cause }: { readonly endpoints: Endpoints; readonly cause: unknown },
): Error {
  return new Error(`failed to ${what} for Endpoints ${keyOf(endpoints)}: ${messageOf(cause)}`, { cause });
}

/** Only the first endpoints if there are more than fit, which happens if several subsets share ports. */
function contentOf(
  { addressType, ports, endpoints }: Group,
  most: number,
): Pick<EndpointSlice, "addressType" | "ports" | "endpoints"> {
  return { addressType, ports, endpoints: [...endpoints.values()].slice(0, most) };
}

function metadataFor(endpoints: Endpoints): ObjectMeta {
  const { namespace } = endpoints.metadata;
  return {
    ...(namespace !== undefined && { namespace }),
    labels: labelsFor(endpoints),
    annotations: annotationsFor(endpoints),
    ownerReferences: [controllerReference(EndpointsKind, endpoints)],
  };
}
