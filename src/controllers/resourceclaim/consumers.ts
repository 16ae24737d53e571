/**
 * The consumers that a claim is reserved for, and whether they may still use it. Source: kubernetes v1.36
 * pkg/controller/resourceclaim/controller.go syncClaim.
 */
import { Pods } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { Pod, ResourceClaim } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { gonePods } from "./memory.ts";
import { isPodDone } from "./references.ts";

type Consumer = NonNullable<NonNullable<ResourceClaim["status"]>["reservedFor"]>[number];

/** The consumers of a claim, in its order. */
export interface Consumers {
  readonly kept: readonly Consumer[];
  /** Why each released consumer no longer counts: `pod web-1 has ended`. */
  readonly released: readonly string[];
}

/** Judges all consumers. @throws the API server's error when a pod is read, except for a 404. */
export async function judgeConsumers(context: SyncContext, claim: ResourceClaim): Promise<Consumers> {
  const kept: Consumer[] = [];
  const released: string[] = [];
  for (const consumer of claim.status?.reservedFor ?? []) {
    const why = await whyReleased(context, { namespace: claim.metadata.namespace ?? "", consumer });
    if (why === undefined) kept.push(consumer);
    else released.push(`pod ${consumer.name} ${why}`);
  }
  return { kept, released };
}

/** `pod web-1`, `jobs.example.com big` */
export function consumerText({ apiGroup = "", resource, name }: Consumer): string {
  return isPod({ apiGroup, resource }) ? `pod ${name}` : `${resource}${apiGroup === "" ? "" : `.${apiGroup}`} ${name}`;
}

function isPod({ apiGroup = "", resource }: Pick<Consumer, "apiGroup" | "resource">): boolean {
  return apiGroup === "" && resource === Pods.plural;
}

/** Why a consumer no longer needs the claim; undefined if it may, or if its kind is unknown here. */
async function whyReleased(
  context: SyncContext,
  { namespace, consumer }: { readonly namespace: string; readonly consumer: Consumer },
): Promise<string | undefined> {
  if (!isPod(consumer)) return undefined;
  const { name, uid } = consumer;
  if (context.state(gonePods).get(uid) === true) return "is gone";
  const cached = context.cache(Pods).getNamespaced(namespace, name);
  if (cached !== undefined) {
    if (cached.metadata.uid !== uid) return "was replaced";
    return isPodDone(cached) ? "will not run again" : undefined;
  }
  // The scheduler may know a pod that the cache lacks: only the API server can confirm its absence.
  const live = await livePod(context, { namespace, name });
  if (live === undefined) return "is gone";
  return live.metadata.uid === uid ? undefined : "was replaced";
}

async function livePod(
  context: SyncContext,
  at: { readonly namespace: string; readonly name: string },
): Promise<Pod | undefined> {
  try {
    return await context.client.get(Pods, at, { signal: context.signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
