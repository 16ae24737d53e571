/**
 * What to do about the slices of Endpoints, as data. Source: kubernetes v1.36 pkg/controller/endpointslicemirroring/reconciler.go
 * reconcileByPortMapping, reconciler_helpers.go recycleSlices; differs: in upstream, the first new slice takes over the other's name,
 * whatever its address type; see docs/differences.md.
 */
import { deepEqual } from "../../api/field-changes.ts";
import type { Endpoints, EndpointSlice } from "../../api/types.ts";
import { triggerTimeAnnotation } from "../../controller/workload/service/trigger-times.ts";
import {
  endpointKey,
  endpointsOf,
  isSameEndpoint,
  managedByLabel,
  portsOf,
  serviceNameLabel,
} from "../../controller/workload/service/slice-content.ts";
import { type UnwantedSlice, unwantedSlices } from "../../controller/workload/service/slice-rules.ts";
import { type Group, groupKey } from "./mirrored.ts";

type Texts = Readonly<Record<string, string>>;

/** The value of the managed-by label on this controller's slices. */
export const managedBy = "endpointslicemirroring-controller.k8s.io";
const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** A slice to be written over an existing one. */
export interface SliceUpdate {
  readonly group: Group;
  /** The slice with its name, as cached. */
  readonly before: EndpointSlice;
  /** The slice was to be deleted, and is reused for a new one. */
  readonly reused: boolean;
}

/** What to write. */
export interface MirrorPlan {
  readonly create: readonly Group[];
  readonly update: readonly SliceUpdate[];
  readonly remove: readonly UnwantedSlice[];
  readonly unchanged: readonly EndpointSlice[];
}

/**
 * One slice for each group with endpoints. `existing`: this controller's slices for the Endpoints, of which the first of each group stays.
 */
export function planMirror(
  endpoints: Endpoints,
  { groups, existing }: { readonly groups: ReadonlyMap<string, Group>; readonly existing: readonly EndpointSlice[] },
): MirrorPlan {
  const byGroup = new Map<string, EndpointSlice[]>();
  for (const slice of existing) {
    const key = groupKey(slice.addressType, portsOf(slice));
    byGroup.set(key, [...(byGroup.get(key) ?? []), slice]);
  }
  const create: Group[] = [];
  const update: SliceUpdate[] = [];
  const remove: UnwantedSlice[] = [];
  const unchanged: EndpointSlice[] = [];
  for (const [key, group] of groups) {
    const [first, ...more] = byGroup.get(key) ?? [];
    if (group.endpoints.size === 0) {
      remove.push(...unwantedSlices("none of its endpoints is desired", first === undefined ? [] : [first, ...more]));
      continue;
    }
    remove.push(...unwantedSlices("another slice has its ports", more));
    if (first === undefined) create.push(group);
    else if (isUpToDate(first, { endpoints, group })) unchanged.push(first);
    else update.push({ group, before: first, reused: false });
  }
  for (const [key, slices] of byGroup)
    if (!groups.has(key)) remove.push(...unwantedSlices("no subset has its ports", slices));
  return reusing({ create, update, remove, unchanged });
}

/** New slices reuse slices of their address type that would be deleted: the address type of a slice is immutable. */
function reusing({ create, update, remove, unchanged }: MirrorPlan): MirrorPlan {
  const created: Group[] = [];
  const updated = [...update];
  const removed = [...remove];
  for (const group of create) {
    const at = removed.findIndex(({ slice }) => slice.addressType === group.addressType);
    const [unwanted] = at < 0 ? [] : removed.splice(at, 1);
    if (unwanted === undefined) created.push(group);
    else updated.push({ group, before: unwanted.slice, reused: true });
  }
  return { create: created, update: updated, remove: removed, unchanged };
}

function isUpToDate(
  slice: EndpointSlice,
  { endpoints, group }: { readonly endpoints: Endpoints; readonly group: Group },
): boolean {
  const { labels, annotations, ownerReferences = [] } = slice.metadata;
  const { name, uid } = endpoints.metadata;
  const { added, removed, changed } = changesOf(slice, group);
  const isOfEarlier = ownerReferences.some(
    (owner) => owner.kind === "Endpoints" && owner.name === name && owner.uid !== uid,
  );
  const own = without(labels, [managedByLabel, serviceNameLabel]);
  return (
    added + removed + changed === 0 &&
    deepEqual(endpoints.metadata.labels ?? {}, own) &&
    deepEqual(annotationsFor(endpoints), annotations ?? {}) &&
    !isOfEarlier
  );
}

/** How many endpoints a slice lacks, has in excess, and has changed. */
export function changesOf(
  slice: EndpointSlice,
  { endpoints: desired }: Pick<Group, "endpoints">,
): { readonly added: number; readonly removed: number; readonly changed: number } {
  let [kept, removed, changed] = [0, 0, 0];
  for (const endpoint of endpointsOf(slice)) {
    const wanted = desired.get(endpointKey(endpoint));
    if (wanted === undefined) removed++;
    else {
      kept++;
      if (!isSameEndpoint(wanted, endpoint)) changed++;
    }
  }
  return { added: desired.size - kept, removed, changed };
}

/** The labels of a mirrored slice: those of the Endpoints, and the controller's own. */
export function labelsFor({ metadata: { name, labels } }: Endpoints): Texts {
  return { ...labels, [serviceNameLabel]: name, [managedByLabel]: managedBy };
}

/**
 * The annotations of a mirrored slice: those of the Endpoints, except for the last change trigger time and the last applied configuration.
 */
export function annotationsFor({ metadata: { annotations } }: Endpoints): Texts {
  return without(annotations, [triggerTimeAnnotation, lastAppliedAnnotation]);
}

function without(texts: Texts | undefined, keys: readonly string[]): Texts {
  return Object.fromEntries(Object.entries(texts ?? {}).filter(([key]) => !keys.includes(key)));
}
