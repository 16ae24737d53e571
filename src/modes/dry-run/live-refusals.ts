/**
 * Pods that the cluster rejects, according to the status of its ReplicaSets. Rejections by webhooks or policies, which a dry run does not
 * call, are assumed to continue.
 */
import type { StoredObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import { jsonResponse, type Transport } from "../../api/transport.ts";

/** Messages by the uid of the ReplicaSet or ReplicationController whose pods are rejected. */
export type LiveRefusals = ReadonlyMap<string, string>;

interface WithConditions {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

/**
 * Messages of webhooks and policies. Quotas, PodSecurity and the like are evaluated in the dry run too.
 * Source: apiserver v0.36 admission/plugin/webhook/errors, admission/plugin/policy/validating/dispatcher.go.
 */
const fromOutside = /admission webhook ".*" denied|failed calling webhook|ValidatingAdmissionPolicy '/;

/** The rejections by webhooks and policies in the status of these objects. */
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

/** Rejects the pods of owners whose pods the cluster rejects, with the cluster's message. */
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
