/** One sync of a pod. Source: kubernetes v1.36 pkg/controller/resourceclaim/controller.go syncPod, handleClaim, reserveFor. */
import { messageOf } from "../../api/error-message.ts";
import { keyOf, namespacedNameOf, type ObjectKey } from "../../api/key.ts";
import { apiVersionOf } from "../../api/kind.ts";
import { Pods, ResourceClaims, ResourceClaimTemplates } from "../../api/kinds.ts";
import type { Pod, ResourceClaim, ResourceClaimTemplate } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { isControlledBy, meantBy, notOwnMessage, type PodClaim, podClaimsOf } from "../../api/device-claims.ts";
import { claimsOfPod, noteCreated } from "./memory.ts";
import { newClaim, podClaimAnnotation } from "./new-claim.ts";
import { beingDeleted, createClaim, noTemplate, podSteady, recordClaims, reserve } from "./rules.ts";
import { needsReservation } from "./wake.ts";

/** As in upstream: an apply removes from the status what the same manager applied before. */
const fieldManager = "ResourceClaimController";

interface OfPod {
  readonly context: SyncContext;
  readonly pod: Pod;
}

/**
 * Creates the claims that the entries of a pod lack, writes all generated ones into its status together, and, once the pod has a node,
 * reserves the allocated ones. Stops at the first entry that fails, without writing the status.
 * @throws Error with the pod and the entry in its message, for a claim that cannot be created; the API server's refusal.
 */
export async function syncPod(context: SyncContext, key: ObjectKey): Promise<void> {
  const pod = context.cache(Pods).get(key);
  if (pod === undefined) return;
  if (pod.metadata.deletionTimestamp !== undefined) return void context.decide(beingDeleted, {});
  const claims = await generatedClaims({ context, pod });
  const isRecorded = claims.every(({ recorded }) => recorded);
  if (!isRecorded) await recordInStatus({ context, pod }, claims);
  const reserved = (pod.spec?.nodeName ?? "") === "" ? 0 : await reserveClaims({ context, pod });
  if (isRecorded && reserved === 0) context.decide(podSteady, { entries: podClaimsOf(pod).map(({ name }) => name) });
}

/** A generated claim, which the pod's status must name. */
interface Generated {
  readonly entry: string;
  readonly claim: string;
  /** Whether the cached status names it already. */
  readonly recorded: boolean;
}

async function generatedClaims({ context, pod }: OfPod): Promise<readonly Generated[]> {
  const found: Generated[] = [];
  for (const entry of podClaimsOf(pod)) {
    try {
      const generated = await generatedClaim({ context, pod }, entry);
      if (generated !== undefined) found.push(generated);
    } catch (cause) {
      context.signal.throwIfAborted();
      const message = `PodResourceClaim ${entry.name}: ${messageOf(cause)}`;
      context.event(Pods, pod, { type: "Warning", reason: "FailedResourceClaimCreation", message });
      throw new Error(`pod ${keyOf(pod)}, ${message}`, { cause });
    }
  }
  return found;
}

/** The claim generated for an entry; undefined if it needs none. */
async function generatedClaim({ context, pod }: OfPod, entry: PodClaim): Promise<Generated | undefined> {
  const meant = meantBy(pod, entry);
  if (meant.is === "unsupported") throw new Error(`checking for claim before creating it: ${meant.why}`);
  if (meant.is === "not-needed") return undefined;
  if (meant.is === "named") {
    const there = context.cache(ResourceClaims).getNamespaced(pod.metadata.namespace ?? "", meant.name);
    if (there !== undefined && !meant.isGenerated) return undefined;
    if (there !== undefined && isControlledBy(there, pod))
      return { entry: entry.name, claim: meant.name, recorded: true };
  }
  const { resourceClaimTemplateName: template } = entry;
  if (template === undefined) return undefined;
  // The pod's status may not have been written or cached yet.
  const known = claimsOfPod(context, pod.metadata.uid).find(
    ({ metadata }) => metadata.annotations?.[podClaimAnnotation] === entry.name,
  );
  const instead = meant.is === "named" ? meant.name : "";
  const { metadata } = known ?? (await createFrom({ context, pod }, { entry: entry.name, template, instead }));
  return { entry: entry.name, claim: metadata.name, recorded: false };
}

async function createFrom(
  { context, pod }: OfPod,
  facts: { readonly entry: string; readonly template: string; readonly instead: string },
): Promise<ResourceClaim> {
  const { entry } = facts;
  const template = templateOf({ context, pod }, facts);
  const because = context.decide(createClaim, facts);
  const options = { because, signal: context.signal };
  try {
    const claim = await context.client.create(ResourceClaims, newClaim(pod, { entry, template }), options);
    noteCreated(context, claim);
    return claim;
  } catch (cause) {
    // Upstream prints the claim's name here, which is still empty.
    throw new Error(`create ResourceClaim : ${messageOf(cause)}`, { cause });
  }
}

function templateOf(
  { context, pod }: OfPod,
  { entry, template: name }: { readonly entry: string; readonly template: string },
): ResourceClaimTemplate {
  const template = context.cache(ResourceClaimTemplates).getNamespaced(pod.metadata.namespace ?? "", name);
  if (template !== undefined) return template;
  context.decide(noTemplate, { entry, template: name });
  throw new Error(`resource claim template "${name}": resourceclaimtemplate.resource.k8s.io "${name}" not found`);
}

/**
 * Applies all generated claims, since an apply removes those that it leaves out. Upstream applies only the new ones: if one of several claims is
 * deleted, or is cached later than the status, each apply removes what the previous one added, for ever.
 */
async function recordInStatus({ context, pod }: OfPod, claims: readonly Generated[]): Promise<void> {
  const added = claims.filter(({ recorded }) => !recorded);
  const because = context.decide(recordClaims, { claims: added.map(({ entry, claim }) => `${entry}: ${claim}`) });
  const { namespace, name } = namespacedNameOf(pod);
  const resourceClaimStatuses = claims.map(({ entry, claim }) => ({ name: entry, resourceClaimName: claim }));
  const body = {
    apiVersion: apiVersionOf(Pods),
    kind: Pods.kind,
    metadata: { namespace, name },
    status: { resourceClaimStatuses },
  };
  const options = { because, basedOn: pod, subresource: "status", fieldManager, signal: context.signal };
  try {
    await context.client.patch(Pods, { namespace, name }, { type: "apply", body, force: true }, options);
  } catch (cause) {
    throw new Error(`update pod ${keyOf(pod)} ResourceClaimStatuses: ${messageOf(cause)}`, { cause });
  }
}

/**
 * Returns how many were reserved. Stops at a missing claim, to wait for it. @throws Error for an entry missing from the cached status, as
 * just after its claim was created: the pod is retried.
 */
async function reserveClaims({ context, pod }: OfPod): Promise<number> {
  let reserved = 0;
  for (const entry of podClaimsOf(pod)) {
    const meant = meantBy(pod, entry);
    if (meant.is === "not-needed") continue;
    if (meant.is !== "named") throw new Error(meant.why);
    const claim = context.cache(ResourceClaims).getNamespaced(pod.metadata.namespace ?? "", meant.name);
    if (claim === undefined) break;
    if (meant.isGenerated && !isControlledBy(claim, pod)) throw new Error(notOwnMessage(claim, pod));
    if (!needsReservation(pod, claim)) continue;
    await reserveFor({ context, pod }, claim);
    reserved++;
  }
  return reserved;
}

async function reserveFor({ context, pod }: OfPod, claim: ResourceClaim): Promise<void> {
  const because = context.decide(reserve, { claim: claim.metadata.name, node: pod.spec?.nodeName ?? "" });
  const { name, uid } = pod.metadata;
  const reservedFor = [...(claim.status?.reservedFor ?? []), { resource: Pods.plural, name, uid }];
  const options = { because, basedOn: claim, signal: context.signal };
  try {
    await context.client.updateStatus(ResourceClaims, { ...claim, status: { ...claim.status, reservedFor } }, options);
  } catch (cause) {
    throw new Error(`reserve claim ${keyOf(claim)}: ${messageOf(cause)}`, { cause });
  }
}
