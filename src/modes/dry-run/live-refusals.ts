/**
 * Pods that the cluster refuses to take in, as its ReplicaSets say in their status. Where the refusal comes from what is not asked
 * here, a webhook or a policy, it goes on: the dry-run has no reason to think otherwise.
 */
import type { StoredObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import { jsonResponse, type Transport } from "../../api/transport.ts";

/** Messages by the uid of the ReplicaSet or ReplicationController whose pods are refused. */
export type LiveRefusals = ReadonlyMap<string, string>;

interface WithConditions {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

/**
 * What webhooks and policies say. Refusals of a quota, of PodSecurity and their like are decided here as there.
 * Source: apiserver v0.36 admission/plugin/webhook/errors, admission/plugin/policy/validating/dispatcher.go.
 */
const fromOutside = /admission webhook ".*" denied|failed calling webhook|ValidatingAdmissionPolicy '/;

export function liveRefusals(objects: readonly StoredObject[]): LiveRefusals {
  const refusals = new Map<string, string>();
  for (const object of objects) {
    if (object.kind !== "ReplicaSet" && object.kind !== "ReplicationController") continue;
    const failure = (object as WithConditions).status?.conditions?.find(
      ({ type, status }) => type === "ReplicaFailure" && status === "True",
    );
    const message = failure?.message ?? "";
    if (fromOutside.test(message)) refusals.set(object.metadata.uid, message);
  }
  return refusals;
}

const decoder = new TextDecoder();

/** Refuses the pods of those whose pods the cluster refuses, in the cluster's own words. */
export function refusingPods(transport: Transport, refusals: LiveRefusals): Transport {
  if (refusals.size === 0) return transport;
  return {
    async send(request) {
      if (request.method !== "POST" || !request.path.endsWith("/pods") || request.body === undefined) {
        return transport.send(request);
      }
      const pod = JSON.parse(decoder.decode(request.body)) as StoredObject;
      const message = refusals.get(controllerOf(pod)?.uid ?? "");
      if (message === undefined) return transport.send(request);
      const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403, message };
      return jsonResponse(403, status);
    },
  };
}
