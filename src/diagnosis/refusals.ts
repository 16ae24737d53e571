/** Why a controller could not create pods: a quota, an admission webhook, PodSecurity, a missing ServiceAccount. */
import type { StoredObject } from "../api/object.ts";
import { type Advice, type Finding, inNamespace, type Item, kubectl, refOf, since } from "./diagnosis.ts";
import { eventTime, type Look } from "./look.ts";

interface Conditioned extends StoredObject {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

/** By the condition ReplicaFailure. */
export function replicaFailure(item: Item): readonly Finding[] {
  const { status }: Conditioned = item.object;
  const failure = status?.conditions?.find(({ type, status: is }) => type === "ReplicaFailure" && is === "True");
  return failure === undefined ? [] : [refusal(item, failure.message ?? "")];
}

/** By Events, for controllers that set no condition: the latest attempt counts. */
export function refusedByEvents(look: Look, item: Item): readonly Finding[] {
  const attempts = look
    .events(item.object)
    .objects.filter(({ reason = "" }) => reason === "FailedCreate" || reason === "SuccessfulCreate");
  const last = attempts.at(-1);
  if (last?.reason !== "FailedCreate") return [];
  return [{ ...refusal(item, last.message ?? ""), ...since(eventTime(last)) }];
}

function refusal(item: Item, message: string): Finding {
  const cause = message
    .replace(/^\(combined from similar events\): /, "")
    .replace(/^Error creating: |^[Cc]reate Pod \S+ in StatefulSet \S+ failed error: /, "");
  const { namespace } = item.object.metadata;
  return { at: refOf(item), why: `pods cannot be created: ${cause}`, advice: adviceOn(cause, inNamespace(namespace)) };
}

function adviceOn(message: string, where: string): readonly Advice[] {
  const quota = /exceeded quota: ([^\s,]+)/.exec(message)?.[1];
  if (quota !== undefined) return [kubectl(`describe quota ${quota}${where}`)];
  if (/failed calling webhook|admission webhook/.test(message)) {
    return [kubectl("get validatingwebhookconfigurations,mutatingwebhookconfigurations")];
  }
  if (/serviceaccount "?[^"\s]+"? not found/i.test(message)) return [kubectl(`get serviceaccounts${where}`)];
  if (/violates PodSecurity/.test(message)) {
    return [kubectl(`get namespace${where.replace(" -n", "")} --show-labels`)];
  }
  return [];
}
