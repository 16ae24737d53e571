/** One sync of a pod. Source: kubernetes v1.36 pkg/controller/volume/ephemeral/controller.go syncHandler, handleVolume. */
import { messageOf } from "../../api/error-message.ts";
import { keyOf, objectKey } from "../../api/key.ts";
import { PersistentVolumeClaims, Pods } from "../../api/kinds.ts";
import type { CreateInput } from "../../api/object.ts";
import { controllerOf, controllerReference } from "../../api/owner-references.ts";
import { ephemeralClaimName } from "../../api/pod-claims.ts";
import type { PersistentVolumeClaim, Pod } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { beingDeleted, createClaim, notOwn, steady } from "./rules.ts";

type Volume = NonNullable<NonNullable<Pod["spec"]>["volumes"]>[number];
type Template = NonNullable<NonNullable<Volume["ephemeral"]>["volumeClaimTemplate"]>;

/** A volume, its claim's name, and the claim's template. */
interface EphemeralVolume {
  readonly volume: string;
  readonly claim: string;
  readonly template: Template;
}

/**
 * Creates the claims that a pod's ephemeral volumes lack, in the order of the volumes; stops at the first failure.
 * @throws Error with the pod and the volume in its message, if the claim belongs to another owner or cannot be created.
 */
export async function syncPod(context: SyncContext): Promise<void> {
  const pod = context.cache(Pods).get(context.key);
  if (pod === undefined) return;
  if (pod.metadata.deletionTimestamp !== undefined) return void context.decide(beingDeleted, {});
  const volumes = ephemeralVolumesOf(pod);
  let created = 0;
  for (const volume of volumes) {
    try {
      if ((await keepClaim({ context, pod }, volume)) === "created") created++;
    } catch (cause) {
      context.signal.throwIfAborted();
      const message = `ephemeral volume ${volume.volume}: ${messageOf(cause)}`;
      context.event(Pods, pod, { type: "Warning", reason: "FailedBinding", message });
      throw new Error(`pod ${context.key}, ${message}`, { cause });
    }
  }
  if (created === 0) context.decide(steady, { claims: volumes.map(({ claim }) => claim) });
}

/** The ephemeral volumes of a pod, in spec order. */
export function ephemeralVolumesOf(pod: Pod): readonly EphemeralVolume[] {
  return (pod.spec?.volumes ?? []).flatMap(({ name, ephemeral }) =>
    ephemeral?.volumeClaimTemplate === undefined
      ? []
      : [{ volume: name, claim: ephemeralClaimName(pod, name), template: ephemeral.volumeClaimTemplate }],
  );
}

async function keepClaim(
  { context, pod }: { readonly context: SyncContext; readonly pod: Pod },
  { volume, claim, template }: EphemeralVolume,
): Promise<"created" | "there"> {
  const { namespace = "" } = pod.metadata;
  const found = context.cache(PersistentVolumeClaims).get(objectKey(namespace, claim));
  if (found !== undefined) {
    if (controllerOf(found)?.uid === pod.metadata.uid) return "there";
    context.decide(notOwn, { volume, claim });
    throw new Error(`PVC ${keyOf(found)} was not created for pod ${keyOf(pod)} (pod is not owner)`);
  }
  const because = context.decide(createClaim, { volume, claim });
  const options = { because, signal: context.signal };
  try {
    await context.client.create(PersistentVolumeClaims, newClaim(pod, { namespace, name: claim, template }), options);
  } catch (cause) {
    throw new Error(`create PVC ${claim}: ${messageOf(cause)}`, { cause });
  }
  return "created";
}

function newClaim(
  pod: Pod,
  { namespace, name, template }: { readonly namespace: string; readonly name: string; readonly template: Template },
): CreateInput<PersistentVolumeClaim> {
  const { labels, annotations } = template.metadata ?? {};
  const metadata = {
    namespace,
    name,
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
    ownerReferences: [controllerReference(Pods, pod)],
  };
  return { metadata, spec: template.spec };
}
