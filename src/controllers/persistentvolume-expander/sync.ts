/** One sync of a claim. Source: kubernetes v1.36 pkg/controller/volume/expand/expand_controller.go syncHandler. */
import { messageOf } from "../../api/error-message.ts";
import { PersistentVolumeClaims, PersistentVolumes } from "../../api/kinds.ts";
import { compareQuantities } from "../../api/quantity.ts";
import { driverOf, migratedPluginOf } from "../../api/storage/migrated-plugins.ts";
import { heldBy, requestOf } from "../../api/storage/volume-binding.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { awaitResizer, largeEnough, nameResizer } from "./rules.ts";

/** The annotation that names who expands the claim. */
const resizerAnnotation = "volume.kubernetes.io/storage-resizer";
const preResize = "volume.alpha.kubernetes.io/pre-resize-capacity";

/** Reports who expands the claim, if it needs expansion. @throws Error if the claim's volume is missing or bound to another claim. */
export async function syncClaim(context: SyncContext): Promise<void> {
  const claim = context.cache(PersistentVolumeClaims).get(context.key);
  if (claim === undefined) return;
  const volume = await volumeOf(context, claim);
  const size = claim.spec?.resources?.requests?.["storage"] ?? "0";
  const isLarger = compareQuantities(requestOf(claim), heldBy(claim)) > 0;
  if (!isLarger && volume.metadata.annotations?.[preResize] === undefined) {
    return void context.decide(largeEnough, { size });
  }
  const plugin = migratedPluginOf(volume) ?? "";
  const driver = driverOf(plugin);
  if (driver !== undefined) return nameIt(context, { claim, size, plugin, driver });
  context.decide(awaitResizer, { size });
  const message = "waiting for an external controller to expand this PVC";
  context.event(PersistentVolumeClaims, claim, { type: "Normal", reason: "ExternalExpanding", message });
}

async function volumeOf(context: SyncContext, claim: PersistentVolumeClaim): Promise<PersistentVolume> {
  const name = claim.spec?.volumeName ?? "";
  let volume: PersistentVolume;
  try {
    volume = await context.client.get(PersistentVolumes, { namespace: "", name }, { signal: context.signal });
  } catch (cause) {
    throw new Error(`cannot read volume ${name} of claim ${context.key}: ${messageOf(cause)}`, { cause });
  }
  const { namespace, uid } = volume.spec?.claimRef ?? {};
  if (namespace !== claim.metadata.namespace || uid !== claim.metadata.uid) {
    throw new Error(`cannot expand claim ${context.key}: volume ${name} is not bound to it`);
  }
  return volume;
}

interface Named {
  readonly claim: PersistentVolumeClaim;
  readonly size: string;
  readonly plugin: string;
  readonly driver: string;
}

/** Source: pkg/volume/util/resize_util.go SetClaimResizer. */
async function nameIt(context: SyncContext, { claim, size, plugin, driver }: Named): Promise<void> {
  const because = context.decide(nameResizer, { size, plugin, driver });
  const recordEvent = (type: "Normal" | "Warning", message: string): void =>
    context.event(PersistentVolumeClaims, claim, { type, reason: "ExternalExpanding", message });
  recordEvent("Normal", `CSI migration enabled for ${plugin}; waiting for external resizer to expand the pvc`);
  const { namespace = "", name, annotations, resourceVersion } = claim.metadata;
  if (annotations?.[resizerAnnotation] === driver) return;
  const body = { metadata: { annotations: { [resizerAnnotation]: driver }, resourceVersion } };
  const options = { because, basedOn: claim, subresource: "status", signal: context.signal };
  try {
    await context.client.patch(PersistentVolumeClaims, { namespace, name }, { type: "strategic", body }, options);
  } catch (cause) {
    context.signal.throwIfAborted();
    const message = `error setting resizer annotation to pvc ${context.key}, with error ${messageOf(cause)}`;
    recordEvent("Warning", message);
    throw new Error(message, { cause });
  }
}
