/** The rules of the mirroring of Endpoints, in the order in which a sync evaluates them. */
import { pluralize } from "../../api/pluralize.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import type { NotMirrored } from "./mirrored.ts";

const endpoints = (count: number): string => pluralize(count, "endpoint");

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

interface BehindFacts extends Facts {
  readonly slices: number;
}

/** Nothing is written while the cache lacks the last writes. */
export const cacheBehind: Rule<BehindFacts> = rule<BehindFacts>({
  id: "cache-behind",
  looksAt: ["generations of the EndpointSlices that this controller wrote", "the same in the cache"],
  chooses: "While the cache does not show the controller's own last writes, the Endpoints are retried with back-off.",
  sentence: ({ slices }) => `the cache has ${pluralize(slices, "slice")}, older than the last writes → retry`,
  example: { slices: 2 },
  source: "endpointslice_tracker.go StaleSlices",
});

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

interface CreateFacts extends Facts {
  readonly addressType: string;
  readonly endpoints: number;
  readonly ports: readonly string[];
}

/** Endpoints with ports that no slice has get a new slice. */
export const createSlice: Rule<CreateFacts> = rule<CreateFacts>({
  id: "create-slice",
  looksAt: ["subsets of the Endpoints", "the mirrored EndpointSlices: ports and address type"],
  chooses: "Addresses of one type with the same ports are in one slice.",
  sentence: ({ addressType, endpoints: count, ports }) =>
    `${endpoints(count)} at ${ports.length === 0 ? "no port" : ports.join(", ")} in no ${addressType} slice → create one`,
  example: { addressType: "IPv4", endpoints: 3, ports: ["http 8080/TCP"] },
  source: "reconciler.go reconcileByPortMapping",
});

interface UpdateFacts extends Facts {
  readonly slice: string;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  /** It was to be deleted, and is filled with other endpoints instead. */
  readonly reused: boolean;
}

/** An outdated slice is replaced under its name. */
export const updateSlice: Rule<UpdateFacts> = rule<UpdateFacts>({
  id: "update-slice",
  looksAt: [...createSlice.looksAt, "labels, annotations and uid of the Endpoints"],
  chooses:
    "A slice is replaced as a whole if its endpoints have changed, or the labels, the annotations or the uid of the Endpoints. A slice that would be deleted is reused instead of creating a new one.",
  sentence({ slice, added, removed, changed, reused }) {
    const parts = [
      ...(added > 0 ? [`${endpoints(added)} more`] : []),
      ...(removed > 0 ? [`${endpoints(removed)} less`] : []),
      ...(changed > 0 ? [`${endpoints(changed)} changed`] : []),
    ];
    const what = parts.length === 0 ? "other labels, annotations or Endpoints" : parts.join(", ");
    return `${what} → update ${slice}${reused ? ", instead of creating a slice" : ""}`;
  },
  example: { slice: "web-x7k2p", added: 1, removed: 0, changed: 2, reused: false },
  source: "reconciler.go reconcileByPortMapping, reconciler_helpers.go recycleSlices",
});

interface DeleteFacts extends Facts {
  readonly slice: string;
  readonly why: string;
}

/** A slice that no subset needs is deleted. */
export const deleteSlice: Rule<DeleteFacts> = rule<DeleteFacts>({
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
