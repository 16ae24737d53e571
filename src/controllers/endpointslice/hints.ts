/**
 * Hints: from which zone or node an endpoint is best reached. Drafts get new endpoints; cached ones are not modified.
 * Source: endpointslice v0.36 topologycache/utils.go RemoveHintsFromSlices, trafficdist/trafficdist.go ReconcileHints.
 */
import { deepEqual } from "../../api/field-changes.ts";
import type { Endpoint, EndpointSlice, Service } from "../../api/types.ts";
import { endpointsOf } from "../../controller/workload/service/slice-content.ts";
import type { SlicePlan } from "./plan.ts";
import { draftOf, type SliceDraft } from "./slice.ts";

/** The slices to be written, and the unchanged ones. */
export type HintedSlices = Pick<SlicePlan, "create" | "update" | "unchanged">;

/** Whether an endpoint takes new connections. */
export function isReady({ conditions }: Endpoint): boolean {
  return conditions?.ready === true;
}

/** Replaces the endpoints of the slices to be written. */
export function rewrite({ create, update }: HintedSlices, change: (endpoint: Endpoint) => Endpoint): void {
  for (const draft of [...create, ...update]) draft.endpoints = draft.endpoints.map(change);
}

/** Also writes the unchanged slices that match the predicate. */
export function alsoWriting(slices: HintedSlices, takes: (slice: EndpointSlice) => boolean): HintedSlices {
  const { create, update, unchanged } = slices;
  const taken: SliceDraft[] = unchanged.filter(takes).map(draftOf);
  return { create, update: [...update, ...taken], unchanged: unchanged.filter((slice) => !takes(slice)) };
}

/** An endpoint with other hints, or with none. */
export function withHints({ hints: _earlier, ...endpoint }: Endpoint, hints: Endpoint["hints"]): Endpoint {
  return hints === undefined ? endpoint : { ...endpoint, hints };
}

/** Removes all hints. */
export function withoutHints(slices: HintedSlices): HintedSlices {
  const hinted = alsoWriting(slices, (slice) => endpointsOf(slice).some(({ hints }) => hints !== undefined));
  rewrite(hinted, (endpoint) => withHints(endpoint, undefined));
  return hinted;
}

/** Whether an annotation requests hints by zone shares. */
export function requestsZoneShares({ metadata: { annotations = {} } }: Service): boolean {
  const mode =
    annotations["service.kubernetes.io/topology-aware-hints"] ?? annotations["service.kubernetes.io/topology-mode"];
  return mode === "Auto" || mode === "auto";
}

/** The Service's traffic distribution, if hints can serve it. */
export function trafficDistributionOf(service: Service): string | undefined {
  const { trafficDistribution = "" } = service.spec ?? {};
  const isKnown = ["PreferClose", "PreferSameZone", "PreferSameNode"].includes(trafficDistribution);
  return isKnown ? trafficDistribution : undefined;
}

/** Hints each ready endpoint to its own zone, and with PreferSameNode to its own node. Other endpoints keep their hints. */
export function withCloseHints(slices: HintedSlices, trafficDistribution: string): HintedSlices {
  const hintsFor = ({ zone, nodeName }: Endpoint): Endpoint["hints"] => {
    const forNodes =
      trafficDistribution === "PreferSameNode" && nodeName !== undefined ? [{ name: nodeName }] : undefined;
    const forZones = zone === undefined ? undefined : [{ name: zone }];
    if (forZones === undefined && forNodes === undefined) return undefined;
    return { ...(forZones !== undefined && { forZones }), ...(forNodes !== undefined && { forNodes }) };
  };
  const lacks = (endpoint: Endpoint): boolean =>
    isReady(endpoint) && !deepEqual(named(endpoint.hints), named(hintsFor(endpoint)));
  const hinted = alsoWriting(slices, (slice) => endpointsOf(slice).some(lacks));
  rewrite(hinted, (endpoint) => (isReady(endpoint) ? withHints(endpoint, hintsFor(endpoint)) : endpoint));
  return hinted;
}

/** Only the names: an empty list equals none. */
function named(hints: Endpoint["hints"]): object {
  const names = (list: readonly { readonly name: string }[] = []): readonly string[] => list.map(({ name }) => name);
  return { zones: names(hints?.forZones), nodes: names(hints?.forNodes) };
}
