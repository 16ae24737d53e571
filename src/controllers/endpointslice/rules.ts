/** The rules of the controller of EndpointSlices, in the order in which a sync evaluates them. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import { leftAlone } from "../../controller/workload/service/rules.ts";
import {
  cacheBehindRule,
  endpointChanges,
  endpointsAt,
  type SliceCreateFacts,
  type SliceDeleteFacts,
  type SliceUpdateFacts,
  updateText,
} from "../../controller/workload/service/slice-rules.ts";

/** Nothing is written while the cache lacks the last writes. */
export const cacheBehind: ReturnType<typeof cacheBehindRule> = cacheBehindRule("the Service is");

interface NodeFacts extends Facts {
  readonly pod: string;
  readonly node: string;
}

/** A pod on a missing node has no endpoint. */
export const nodeMissing: Rule<NodeFacts> = rule<NodeFacts>({
  id: "node-missing",
  looksAt: ["spec.nodeName of the pods", "nodes in the cache", "spec.publishNotReadyAddresses"],
  chooses:
    "A pod whose node does not exist is left out, and the sync fails after the other endpoints are written, so it is retried.",
  sentence: ({ pod, node }) => `pod ${pod} is on node ${JSON.stringify(node)}, which does not exist → leave it out`,
  example: { pod: "web-7k2xp", node: "node-9" },
  source: "reconciler.go reconcileByAddressType",
});

interface ZoneFacts extends Facts {
  readonly addressType: string;
  /** Why there are no hints. */
  readonly problem?: string;
  /** How many hints name each zone. */
  readonly zones?: Readonly<Record<string, number>>;
}

/** Hints by the zones' CPU shares. */
export const zoneHints: Rule<ZoneFacts> = rule<ZoneFacts>({
  id: "zone-hints",
  looksAt: [
    "annotation service.kubernetes.io/topology-mode",
    "zones and allocatable CPUs of ready nodes",
    "ready endpoints by zone",
  ],
  chooses:
    "With topology-mode Auto, each zone is served by as many endpoints as its share of the CPUs; if that cannot be done without overload, there are no hints.",
  sentence: ({ addressType, problem, zones = {} }) => {
    const counts = Object.entries(zones).map(([zone, count]) => `${zone}: ${count}`);
    return `${addressType}: ${problem === undefined ? `hints for ${counts.join(", ")}` : `${problem} → no hints`}`;
  },
  example: { addressType: "IPv4", zones: { a: 2, b: 3 } },
  source: "topologycache.go AddHints",
});

/** Endpoints that fit in no slice get new slices. */
export const createSlice: Rule<SliceCreateFacts> = rule<SliceCreateFacts>({
  id: "create-slice",
  looksAt: [
    "pods that the selector matches: addresses, readiness, deletion, node, ports",
    "the Service's EndpointSlices of the same ports",
    "at most 100 endpoints per slice",
  ],
  chooses:
    "Endpoints that fit in no existing slice with their ports get new slices. A Service without endpoints has one empty slice per address type.",
  sentence: (facts) => `${endpointsAt(facts)} fit in no ${facts.addressType} slice → create one`,
  example: { addressType: "IPv4", endpoints: 3, ports: ["http 8080/TCP"] },
  source: "reconciler.go reconcileByPortMapping",
});

interface UpdateFacts extends SliceUpdateFacts {
  readonly labels: boolean;
}

/** An outdated slice is written. */
export const updateSlice: Rule<UpdateFacts> = rule<UpdateFacts>({
  id: "update-slice",
  looksAt: createSlice.looksAt,
  chooses:
    "A slice is updated if an endpoint in it is removed or changes, or if the Service's labels change. New endpoints fill the updated slices first, then the unchanged slice with the least room that holds all of the rest. A slice that would be deleted is reused instead of creating a new one.",
  sentence(facts) {
    const parts = [...endpointChanges(facts), ...(facts.labels ? ["other labels"] : [])];
    return `${parts.join(", ") || "refreshed"} → ${updateText(facts)}`;
  },
  example: { slice: "web-x7k2p", added: 1, removed: 0, changed: 2, labels: false, reused: false },
  source: "reconciler.go reconcileByPortMapping, finalize",
});

/** A slice without endpoints is deleted. */
export const deleteSlice: Rule<SliceDeleteFacts> = rule<SliceDeleteFacts>({
  id: "delete-slice",
  looksAt: [...createSlice.looksAt, "spec.ipFamilies", "metadata.ownerReferences of the slices"],
  chooses:
    "A slice is deleted if none of its endpoints is desired, no pod has its ports, it belongs to an earlier Service of the same name, or the Service does not have its address type.",
  sentence: ({ slice, why }) => `${why} → delete ${slice}`,
  example: { slice: "web-x7k2p", why: "none of its endpoints is desired" },
  source: "reconciler.go Reconcile, reconcileByPortMapping",
});

/** A Service that is being deleted gets no new slices. */
export const beingDeleted: Rule<Facts> = rule<Facts>({
  id: "being-deleted",
  looksAt: ["metadata.deletionTimestamp of the Service"],
  chooses:
    "No slices are created for a Service that is being deleted: the garbage collector deletes the existing ones.",
  sentence: () => "the Service is being deleted → create no slice",
  example: {},
  source: "reconciler.go finalize",
});

/** The slices are as they should be. */
export const steady: Rule<Facts> = rule<Facts>({
  id: "steady",
  looksAt: createSlice.looksAt,
  chooses: "Slices that have the desired endpoints are left alone.",
  sentence: () => "the slices have the desired endpoints",
  example: {},
  source: "reconciler.go finalize",
});

/** All of them. */
export const rules: readonly Rule[] = [
  leftAlone,
  cacheBehind,
  nodeMissing,
  zoneHints,
  createSlice,
  updateSlice,
  deleteSlice,
  beingDeleted,
  steady,
];
