/** Claims for devices. Scripts act as the scheduler: they allocate and reserve claims, and bind pods. */
import { Pods, ResourceClaims } from "../../../src/api/kinds.ts";
import { resourceclaim } from "../../../src/controllers/resourceclaim/resourceclaim.ts";
import { type Allowed, namespaceInBody, noBodyOfDelete, ownFieldManager } from "../differences.ts";
import { type AnyObject, podState } from "../objects.ts";
import { type ClaimingPod, isSettled } from "../scripts/resourceclaim/acts.ts";
import { randomScript } from "../scripts/resourceclaim/grammar.ts";
import { scripts } from "../scripts/resourceclaim/index.ts";
import type { Suite } from "../suite.ts";

/** Sorts the entries of the status: upstream writes several at once in the order of a Go map. */
function claimsState(object: AnyObject): object {
  const { status } = object as unknown as ClaimingPod;
  const claims = [...(status?.resourceClaimStatuses ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { ...podState(object), claims, extended: status?.extendedResourceClaimStatus };
}

const late: Allowed = {
  id: "an object whose last write is not in the cache yet is written or deleted again",
  category: "noise",
  upstream: "pkg/controller/resourceclaim/controller.go:syncClaim",
  why: "a key that is added again may be synced before the cache contains the last sync's write: the server rejects the second write",
  matches: ({ what }) => /^(update|delete) resourceclaims\.resource\.k8s\.io (404|409)$/.test(what),
};

export const resourceClaims: Suite = {
  name: "resourceclaim",
  oracle: "resourceclaim-controller",
  ours: [resourceclaim],
  // Pods are bound to nodes that do not exist.
  runsWithout: ["pod-garbage-collector"],
  kinds: [{ kind: ResourceClaims }, { kind: Pods, compared: claimsState }],
  isSettled,
  // Anything that is not settled will be written to, however late its controller is.
  hasPendingWrites: async (_log, stage) => !(await isSettled(stage)),
  scripts,
  random: randomScript,
  seeds: { short: 6, long: 60 },
  randomSteps: 18,
  width: 16,
  differences: [ownFieldManager, namespaceInBody, noBodyOfDelete, late],
};
