/** One sync of a node. Source: kubernetes v1.36 pkg/controller/volume/attachdetach/reconciler/reconciler.go reconcile, syncStates. */
import { VolumeAttachments } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { runIndependent } from "../../controller/workload/run-independent.ts";
import { attachmentName, type CsiSource, requiresAttach } from "./attachable.ts";
import { attachDesired } from "./attach.ts";
import { fillWorld, refreshDesired } from "./desired.ts";
import { type DetachOptions, detachUnwanted } from "./detach.ts";
import { endPending } from "./end.ts";
import { writeReport } from "./report.ts";
import { lost } from "./rules.ts";
import { world } from "./world.ts";

/**
 * Completes what drivers have done, detaches what no pod needs, attaches what pods need, and reports in the node's status what is attached,
 * in this order; what fails holds up nothing that follows. @throws the API server's refusals, as one.
 */
export async function syncNode(context: SyncContext, options: DetachOptions): Promise<void> {
  fillWorld(context);
  refreshDesired(context, context.key);
  endPending(context);
  await runIndependent([
    () => forgetLost(context),
    () => detachUnwanted(context, options),
    () => attachDesired(context, options),
    () => writeReport(context),
  ]);
}

/** Drops what VolumeAttachments no longer report as attached. Source: pkg/volume/csi/csi_attacher.go VolumesAreAttached. */
async function forgetLost(context: SyncContext): Promise<void> {
  const known = context.state(world);
  for (const unique of known.attachedOn(context.key)) {
    const missing = unconfirmed(context, unique);
    if (missing === undefined || (missing.isUnseen && (await isAttachedLive(context, missing.csi)))) continue;
    // An operation may have begun meanwhile.
    if (unconfirmed(context, unique) === undefined) continue;
    context.decide(lost, { volume: missing.name });
    known.markDetached(unique, context.key);
  }
}

interface Unconfirmed {
  readonly csi: CsiSource;
  readonly name: string;
  /** The cache has no VolumeAttachment, and may be behind. */
  readonly isUnseen: boolean;
}

/** A volume that counts as attached to the node without a VolumeAttachment in the cache that reports it. */
function unconfirmed(context: SyncContext, unique: string): Unconfirmed | undefined {
  const known = context.state(world);
  const node = context.key;
  const { csi, name } = known.volumeOf(unique) ?? {};
  if (csi === undefined || name === undefined || !known.isConfirmedOn(unique, node)) return undefined;
  if (known.operations.pendingOn(node).some(({ place }) => place.unique === unique)) return undefined;
  if (!requiresAttach(context, csi.driver)) return undefined;
  const attachment = context.cache(VolumeAttachments).get(attachmentName(csi, node));
  return attachment?.status?.attached === true ? undefined : { csi, name, isUnseen: attachment === undefined };
}

async function isAttachedLive(context: SyncContext, csi: CsiSource): Promise<boolean> {
  const at = { namespace: "", name: attachmentName(csi, context.key) };
  try {
    const { status } = await context.client.get(VolumeAttachments, at, { signal: context.signal });
    return status?.attached === true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
