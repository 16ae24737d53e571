/** One sync of a claim. Source: kubernetes v1.36 pkg/controller/resourceclaim/controller.go syncClaim. */
import { messageOf } from "../../api/error-message.ts";
import { keyOf, namespacedNameOf, type ObjectKey } from "../../api/key.ts";
import { Pods, ResourceClaims } from "../../api/kinds.ts";
import { deviceProtection } from "../../api/protection-finalizers.ts";
import type { ResourceClaim } from "../../api/types.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { type Consumers, consumerText, judgeConsumers } from "./consumers.ts";
import { isPodDone, owningPodOf } from "./references.ts";
import { deleteClaim, keep, release, unprotect } from "./rules.ts";

/** Whether the finalizer keeps an unused claim that is being deleted. */
export function waitsToGo({ metadata, status }: ResourceClaim): boolean {
  return metadata.deletionTimestamp !== undefined && isProtected({ metadata }) && status?.reservedFor === undefined;
}

function isProtected({ metadata }: Pick<ResourceClaim, "metadata">): boolean {
  return metadata.finalizers?.includes(deviceProtection) === true;
}

/**
 * Releases what pods no longer use, frees the devices with the last of them, and deletes a claim whose pod is done with it.
 * @throws the API server's refusal; Error for a claim that cannot be deleted.
 */
export async function syncClaim(context: SyncContext, key: ObjectKey): Promise<void> {
  const claim = context.cache(ResourceClaims).get(key);
  if (claim === undefined) return;
  const consumers = await judgeConsumers(context, claim);
  const isFree = consumers.kept.length === 0;
  let acted = true;
  if (consumers.released.length > 0) await releaseFrom({ context, claim }, consumers);
  else if (isFree && claim.metadata.deletionTimestamp !== undefined && isProtected(claim))
    await letGo({ context, claim });
  else acted = false;
  if (isFree && (await deleteIfDone({ context, claim }))) acted = true;
  if (!acted) context.decide(keep, { consumers: consumers.kept.map(consumerText) });
}

interface OfClaim {
  readonly context: SyncContext;
  readonly claim: ResourceClaim;
}

async function releaseFrom({ context, claim }: OfClaim, { kept, released }: Consumers): Promise<void> {
  const deallocates = kept.length === 0 && claim.status?.allocation !== undefined && isProtected(claim);
  const because = context.decide(release, { released, left: kept.length, deallocates });
  const { reservedFor: _before, ...rest } = claim.status ?? {};
  const status = deallocates ? withoutAllocation(rest) : rest;
  const after = await writeStatus(
    { context, claim },
    { because, status: { ...status, ...(kept.length > 0 && { reservedFor: kept }) } },
  );
  if (isProtected(after) && after.status?.allocation === undefined)
    await removeFinalizer({ context, claim: after }, because);
}

/** Releases a claim that was allocated but never reserved, or whose finalizer could not be removed earlier. */
async function letGo({ context, claim }: OfClaim): Promise<void> {
  const isAllocated = claim.status?.allocation !== undefined;
  const because = context.decide(unprotect, { isAllocated });
  const after = isAllocated
    ? await writeStatus({ context, claim }, { because, status: withoutAllocation(claim.status) })
    : claim;
  await removeFinalizer({ context, claim: after }, because);
}

type Status = NonNullable<ResourceClaim["status"]>;

function withoutAllocation({ allocation: _devices, ...rest }: Status = {}): Status {
  return rest;
}

/** Not a patch: it is refused if anything has changed meanwhile. */
function writeStatus(
  { context, claim }: OfClaim,
  { because, status }: { readonly because: Decision; readonly status: Status },
): Promise<ResourceClaim> {
  const options = { because, basedOn: claim, signal: context.signal };
  return context.client.updateStatus(ResourceClaims, { ...claim, status }, options);
}

async function removeFinalizer({ context, claim }: OfClaim, because: Decision): Promise<void> {
  const { finalizers = [], ...rest } = claim.metadata;
  const others = finalizers.filter((each) => each !== deviceProtection);
  const metadata = { ...rest, ...(others.length > 0 && { finalizers: others }) };
  await context.client.update(
    ResourceClaims,
    { ...claim, metadata },
    { because, basedOn: claim, signal: context.signal },
  );
}

/** The garbage collector would delete it with its pod, but the pod may exist for long. Returns whether it was deleted. */
async function deleteIfDone({ context, claim }: OfClaim): Promise<boolean> {
  const owner = owningPodOf(claim);
  if (owner === undefined) return false;
  const pod = context.cache(Pods).getNamespaced(claim.metadata.namespace ?? "", owner.name);
  if (pod === undefined) return false;
  const isReplaced = pod.metadata.uid !== owner.uid;
  if (!isReplaced && !isPodDone(pod)) return false;
  const because = context.decide(deleteClaim, { pod: owner.name, isReplaced });
  try {
    await context.client.delete(ResourceClaims, namespacedNameOf(claim), { because, signal: context.signal });
  } catch (cause) {
    throw new Error(`delete unused generated claim ${keyOf(claim)}: ${messageOf(cause)}`, { cause });
  }
  return true;
}
