/** Pods, claims and templates for these tests, all in the namespace `shop`. */
import { formatTime } from "../../../src/api/time.ts";
import type { Pod, ResourceClaim, ResourceClaimTemplate } from "../../../src/api/types.ts";
import { sceneStart } from "../../support/sync-context.ts";

export const namespace = "shop";
const creationTimestamp = formatTime(sceneStart - 60_000);
const common = { namespace, resourceVersion: "1", creationTimestamp };

/** The time of deletions. */
export const deletionTimestamp: string = formatTime(sceneStart);

export const protection = "resource.kubernetes.io/delete-protection";
export const entryAnnotation = "resource.kubernetes.io/pod-claim-name";

export const spec: ResourceClaim["spec"] = {
  devices: { requests: [{ name: "one", exactly: { deviceClassName: "gpu.example.com" } }] },
};
const device = { request: "one", driver: "gpu.example.com", pool: "one", device: "gpu-1" };
export const allocation: NonNullable<NonNullable<ResourceClaim["status"]>["allocation"]> = {
  devices: { results: [device] },
};

type Entry = NonNullable<NonNullable<Pod["spec"]>["resourceClaims"]>[number];

export const templated = (name: string, template = "one"): Entry => ({ name, resourceClaimTemplateName: template });
export const named = (name: string, claim: string): Entry => ({ name, resourceClaimName: claim });

export interface PodParts {
  readonly name?: string;
  readonly uid?: string;
  readonly entries?: readonly Entry[];
  readonly node?: string;
  readonly isDeleted?: boolean;
  readonly status?: Pod["status"];
}

/** A pod `web` with one entry `gpu` from the template `one`, with the given changes. */
export function podOf({ name = "web", uid = `uid-${name}`, node, isDeleted = false, ...parts }: PodParts = {}): Pod {
  const { entries = [templated("gpu")], status } = parts;
  return {
    metadata: { ...common, name, uid, ...(isDeleted && { deletionTimestamp }) },
    spec: {
      containers: [{ name: "c" }],
      resourceClaims: entries,
      ...(node !== undefined && { nodeName: node }),
    },
    ...(status !== undefined && { status }),
  };
}

/** The status of a pod with claim names by entry, such as `{ gpu: "web-gpu-1" }`. */
export function statusWith(claims: Readonly<Record<string, string | undefined>>): Pod["status"] {
  const resourceClaimStatuses = Object.entries(claims).map(([name, claim]) => ({
    name,
    ...(claim !== undefined && { resourceClaimName: claim }),
  }));
  return { resourceClaimStatuses };
}

export interface ClaimParts {
  /** The pod that controls the claim. */
  readonly owner?: Pod;
  /** The entry of that pod for which the claim was created. */
  readonly entry?: string;
  readonly isAllocated?: boolean;
  readonly isProtected?: boolean;
  readonly isDeleted?: boolean;
  readonly reservedFor?: readonly (Pod | Consumer)[];
}

type Consumer = NonNullable<NonNullable<ResourceClaim["status"]>["reservedFor"]>[number];

export function claimOf(name: string, parts: ClaimParts = {}): ResourceClaim {
  const { owner, entry, isAllocated = false, isProtected = isAllocated, isDeleted = false, reservedFor = [] } = parts;
  const consumers = reservedFor.map((each) => ("metadata" in each ? consumerOf(each) : each));
  return {
    metadata: {
      ...common,
      name,
      uid: `uid-${name}`,
      ...(owner !== undefined && { ownerReferences: [ownerOf(owner)] }),
      ...(entry !== undefined && { annotations: { [entryAnnotation]: entry } }),
      ...(isProtected && { finalizers: [protection] }),
      ...(isDeleted && { deletionTimestamp }),
    },
    spec,
    status: { ...(isAllocated && { allocation }), ...(consumers.length > 0 && { reservedFor: consumers }) },
  };
}

export function ownerOf({ metadata: { name, uid } }: Pod): {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: boolean;
} {
  return { apiVersion: "v1", kind: "Pod", name, uid, controller: true };
}

export const consumerOf = ({ metadata: { name, uid } }: Pod): Consumer => ({ resource: "pods", name, uid });

export function templateOf(
  name = "one",
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> },
): ResourceClaimTemplate {
  return {
    metadata: { ...common, name, uid: `uid-${name}` },
    spec: { ...(metadata !== undefined && { metadata }), spec },
  };
}
