/**
 * Which slice an endpoint goes into: few slices should be written, and few should exist.
 * Source: endpointslice v0.36 reconciler.go reconcileByPortMapping, utils.go getSliceToFill; differs: endpoints are placed in pod order
 * (any in upstream), and of slices of equal size the first one is used.
 */
import type { Endpoint, EndpointSlice } from "../../api/types.ts";
import { endpointKey, endpointsOf, isSameEndpoint } from "../../controller/workload/service/slice-content.ts";
import type { SliceDraft } from "./slice.ts";

/** What happens to the slices of one set of ports. */
export interface Placement {
  readonly create: readonly SliceDraft[];
  readonly update: readonly SliceDraft[];
  readonly remove: readonly EndpointSlice[];
  readonly unchanged: readonly EndpointSlice[];
}

/** How to place the endpoints of one set of ports. */
export interface PlaceOptions {
  readonly maxPerSlice: number;
  /** A new slice, without endpoints. */
  fresh(): SliceDraft;
  /** The labels for a slice with outdated endpoints or labels. A slice that only receives more endpoints keeps its own. */
  readonly labels: SliceDraft["labels"];
  /** A cached slice as it is. */
  draftOf(slice: EndpointSlice): SliceDraft;
  /** Whether a slice lacks changes of the Service's labels. */
  lacksLabels(slice: EndpointSlice): boolean;
}

/** Endpoints with one set of ports, and the slices for it. */
export interface EndpointsToPlace {
  readonly existing: readonly EndpointSlice[];
  /** By `endpointKey`. */
  readonly desired: ReadonlyMap<string, Endpoint>;
}

/**
 * 1. Slices drop endpoints that are no longer desired and update the others in place. A slice that loses all is deleted.
 * 2. Slices that are written anyway are filled up, the fullest first.
 * 3. What is left goes to the one unchanged slice that it fills most, if it fits; otherwise to new slices.
 */
export function placeEndpoints({ existing, desired }: EndpointsToPlace, options: PlaceOptions): Placement {
  const { maxPerSlice } = options;
  const left = new Map(desired);
  const update: SliceDraft[] = [];
  const remove: EndpointSlice[] = [];
  const unchanged = new Set<EndpointSlice>();
  for (const slice of existing) {
    const kept = keepDesired(slice, left);
    if (!kept.differs && !options.lacksLabels(slice)) unchanged.add(slice);
    else if (kept.differs && kept.endpoints.length === 0) remove.push(slice);
    else update.push({ ...options.draftOf(slice), labels: options.labels, endpoints: kept.endpoints });
  }
  for (const draft of update.toSorted(fullestFirst)) fill(draft, { left, maxPerSlice });
  const create: SliceDraft[] = [];
  while (left.size > 0) {
    const slice = left.size < maxPerSlice ? fullestWithRoom(unchanged, maxPerSlice - left.size) : undefined;
    const draft = slice === undefined ? options.fresh() : options.draftOf(slice);
    fill(draft, { left, maxPerSlice });
    if (slice === undefined) create.push(draft);
    else {
      unchanged.delete(slice);
      update.push(draft);
    }
  }
  return { create, update, remove, unchanged: [...unchanged] };
}

/** The slice's desired endpoints, up to date; removes them from `left`. */
function keepDesired(
  slice: EndpointSlice,
  left: Map<string, Endpoint>,
): { readonly endpoints: Endpoint[]; readonly differs: boolean } {
  const endpoints: Endpoint[] = [];
  const before = endpointsOf(slice);
  let differs = false;
  for (const endpoint of before) {
    const key = endpointKey(endpoint);
    const wanted = left.get(key);
    if (wanted === undefined) continue;
    left.delete(key);
    endpoints.push(wanted);
    if (!isSameEndpoint(wanted, endpoint)) differs = true;
  }
  return { endpoints, differs: differs || endpoints.length !== before.length };
}

function fullestFirst(one: SliceDraft, other: SliceDraft): number {
  return other.endpoints.length - one.endpoints.length;
}

/** Moves endpoints from `left` until the draft is full. */
function fill(
  draft: SliceDraft,
  { left, maxPerSlice }: { readonly left: Map<string, Endpoint>; readonly maxPerSlice: number },
): void {
  for (const [key, endpoint] of left) {
    if (draft.endpoints.length >= maxPerSlice) return;
    draft.endpoints.push(endpoint);
    left.delete(key);
  }
}

/** The first of the fullest slices with at most `most` endpoints; undefined if there is none. */
function fullestWithRoom(slices: Iterable<EndpointSlice>, most: number): EndpointSlice | undefined {
  let best: { readonly slice: EndpointSlice; readonly size: number } | undefined;
  for (const slice of slices) {
    const size = endpointsOf(slice).length;
    if (size <= most && size > (best?.size ?? -1)) best = { slice, size };
  }
  return best?.slice;
}
