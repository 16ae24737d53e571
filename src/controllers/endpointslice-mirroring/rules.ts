/** The rules of the mirroring of Endpoints, in the order in which a sync evaluates them. */
import { pluralize } from "../../api/pluralize.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import {
  cacheBehindRule,
  endpointChanges,
  endpointsAt,
  type SliceCreateFacts,
  type SliceDeleteFacts,
  type SliceUpdateFacts,
  updateText,
} from "../../controller/workload/service/slice-rules.ts";
import type { NotMirrored } from "./mirrored.ts";

interface NotMirroredFacts extends Facts {
  readonly why: NotMirrored;
  /** Slices of this controller that exist nevertheless. */
  readonly slices: number;
}

/** Which Endpoints have no slices of this controller. */
export const notMirrored: Rule<NotMirroredFacts> = rule<NotMirroredFacts>({
  id: "not-mirrored",
  looksAt: [
    "label endpointslice.kubernetes.io/skip-mirror and annotation control-plane.alpha.kubernetes.io/leader of the Endpoints",
    "the Service of the same name: spec.selector",
  ],
  chooses:
    "Only Endpoints of a Service without a selector are mirrored: for others, the controller endpointslice maintains the slices. Slices that were mirrored before are deleted.",
  sentence: ({ why, slices }) =>
    `${why} → ${slices === 0 ? "mirror nothing" : `delete ${pluralize(slices, "mirrored slice")}`}`,
  example: { why: "the Service has a selector", slices: 1 },
  source: "endpointslicemirroring_controller.go syncEndpoints, shouldMirror",
});

/** Nothing is written while the cache lacks the last writes. */
export const cacheBehind: ReturnType<typeof cacheBehindRule> = cacheBehindRule("the Endpoints are");

interface LeftOutFacts extends Facts {
  readonly invalid: number;
  readonly beyond: number;
  /** The most addresses of a subset that are mirrored. */
  readonly most: number;
}

/** Addresses that no slice includes. */
export const leftOut: Rule<LeftOutFacts> = rule<LeftOutFacts>({
  id: "left-out",
  looksAt: ["subsets[].addresses and notReadyAddresses", "at most 1000 addresses per subset"],
  chooses:
    "Invalid IP addresses are left out, and so are the addresses of a subset beyond the first 1000, counting ready ones first.",
  sentence: ({ invalid, beyond, most }) => {
    const parts = [
      ...(invalid > 0 ? [`${pluralize(invalid, "address", "addresses")} not valid`] : []),
      ...(beyond > 0 ? [`${pluralize(beyond, "address", "addresses")} beyond ${most} in a subset`] : []),
    ];
    return `${parts.join(", ")} → leave them out, and record an Event`;
  },
  example: { invalid: 0, beyond: 12, most: 1000 },
  source: "reconciler.go reconcile",
});

/** Endpoints with ports that no slice has get a new slice. */
export const createSlice: Rule<SliceCreateFacts> = rule<SliceCreateFacts>({
  id: "create-slice",
  looksAt: ["subsets of the Endpoints", "the mirrored EndpointSlices: ports and address type"],
  chooses: "Addresses of one type with the same ports are in one slice.",
  sentence: (facts) => `${endpointsAt(facts)} in no ${facts.addressType} slice → create one`,
  example: { addressType: "IPv4", endpoints: 3, ports: ["http 8080/TCP"] },
  source: "reconciler.go reconcileByPortMapping",
});

/** An outdated slice is replaced under its name. */
export const updateSlice: Rule<SliceUpdateFacts> = rule<SliceUpdateFacts>({
  id: "update-slice",
  looksAt: [...createSlice.looksAt, "labels, annotations and uid of the Endpoints"],
  chooses:
    "A slice is replaced as a whole if its endpoints have changed, or the labels, the annotations or the uid of the Endpoints. A slice that would be deleted is reused instead of creating a new one.",
  sentence: (facts) =>
    `${endpointChanges(facts).join(", ") || "other labels, annotations or Endpoints"} → ${updateText(facts)}`,
  example: { slice: "web-x7k2p", added: 1, removed: 0, changed: 2, reused: false },
  source: "reconciler.go reconcileByPortMapping, reconciler_helpers.go recycleSlices",
});

/** A slice that no subset needs is deleted. */
export const deleteSlice: Rule<SliceDeleteFacts> = rule<SliceDeleteFacts>({
  id: "delete-slice",
  looksAt: createSlice.looksAt,
  chooses:
    "A slice is deleted if no subset has its ports, or no address of its type, or if another slice has the same ports.",
  sentence: ({ slice, why }) => `${why} → delete ${slice}`,
  example: { slice: "web-x7k2p", why: "no subset has its ports" },
  source: "reconciler.go reconcile, reconcileByPortMapping",
});

/** Endpoints that are being deleted get no new slices. */
export const beingDeleted: Rule<Facts> = rule<Facts>({
  id: "being-deleted",
  looksAt: ["metadata.deletionTimestamp of the Endpoints"],
  chooses: "No slices are created for Endpoints that are being deleted: existing slices are deleted after them.",
  sentence: () => "the Endpoints are being deleted → create no slice",
  example: {},
  source: "reconciler.go finalize",
});

/** The slices are as they should be. */
export const steady: Rule<Facts> = rule<Facts>({
  id: "steady",
  looksAt: updateSlice.looksAt,
  chooses: "Slices that mirror the Endpoints are left alone.",
  sentence: () => "the slices mirror the Endpoints",
  example: {},
  source: "reconciler.go finalize",
});

/** All of them. */
export const rules: readonly Rule[] = [
  notMirrored,
  cacheBehind,
  leftOut,
  createSlice,
  updateSlice,
  deleteSlice,
  beingDeleted,
  steady,
];
