/** The rules of the controller of Endpoints, in the order in which a sync evaluates them. */
import { pluralize } from "../../api/pluralize.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import { leftAlone } from "../../controller/workload/service/rules.ts";

/** Endpoints are deleted with their Service. */
export const deleteEndpoints: Rule<Facts> = rule<Facts>({
  id: "delete-endpoints",
  looksAt: ["the Service in the cache"],
  chooses: "Endpoints are deleted once no Service has their name.",
  sentence: () => "there is no Service of this name → delete its Endpoints",
  example: {},
  source: "endpoints_controller.go syncService",
});

interface BehindFacts extends Facts {
  readonly version: string;
}

/** Nothing is written while the cache lacks the last write. */
export const cacheBehind: Rule<BehindFacts> = rule<BehindFacts>({
  id: "cache-behind",
  looksAt: ["resourceVersion of the cached Endpoints", "the version that this controller has replaced"],
  chooses: "While the cache shows Endpoints that the controller has already replaced, the Service is retried.",
  sentence: ({ version }) => `the cache is at version ${version}, which was replaced → retry`,
  example: { version: "1042" },
  source: "endpoints_tracker.go IsStale",
});

interface WriteFacts extends Facts {
  readonly ready: number;
  readonly notReady: number;
  readonly subsets: number;
  readonly overCapacity: boolean;
}

const looksAt = [
  "pods that the selector matches: addresses, readiness, deletion, ports",
  "spec.publishNotReadyAddresses",
  "labels of the Service",
  "the Endpoints in the cache",
];

const counts = ({ ready, notReady, subsets, overCapacity }: WriteFacts): string => {
  const left = overCapacity ? ", as many as fit" : "";
  return `${pluralize(ready, "ready address", "ready addresses")}, ${notReady} not ready, in ${pluralize(subsets, "subset")}${left}`;
};

/** A Service gets its Endpoints. */
export const createEndpoints: Rule<WriteFacts> = rule<WriteFacts>({
  id: "create-endpoints",
  looksAt,
  chooses: "A Service with a selector has Endpoints of the same name, with one subset per set of ports.",
  sentence: (facts) => `${counts(facts)} → create the Endpoints`,
  example: { ready: 3, notReady: 1, subsets: 1, overCapacity: false },
  source: "endpoints_controller.go syncService; endpoints/util.go RepackSubsets",
});

/** The Endpoints are updated to match the pods and the Service's labels. */
export const updateEndpoints: Rule<WriteFacts> = rule<WriteFacts>({
  id: "update-endpoints",
  looksAt,
  chooses:
    "Endpoints are updated if the addresses, the ports or the Service's labels have changed. Beyond 1,000 addresses some are left out, first those that are not ready.",
  sentence: (facts) => `${counts(facts)} → update the Endpoints`,
  example: { ready: 2, notReady: 0, subsets: 1, overCapacity: false },
  source: "endpoints_controller.go syncService, truncateEndpoints",
});

/** The Endpoints are as they should be. */
export const steady: Rule<Facts> = rule<Facts>({
  id: "steady",
  looksAt,
  chooses: "Endpoints that match the pods are left alone.",
  sentence: () => "the Endpoints have the desired addresses, ports and labels",
  example: {},
  source: "endpoints_controller.go syncService",
});

/** All of them. */
export const rules: readonly Rule[] = [
  leftAlone,
  deleteEndpoints,
  cacheBehind,
  createEndpoints,
  updateEndpoints,
  steady,
];
