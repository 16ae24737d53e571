/** One sync of a node. Source: kubernetes v1.36 pkg/controller/volume/attachdetach/reconciler/reconciler.go reconcile, syncStates. */
import { VolumeAttachments } from "../../api/kinds.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { attachmentName, requiresAttach } from "./attachable.ts";
import { attachDesired } from "./attach.ts";
import { fillWorld, refreshDesired } from "./desired.ts";
import { type DetachOptions, detachUnwanted } from "./detach.ts";
import { endPending } from "./end.ts";
import { writeReport } from "./report.ts";
import { lost } from "./rules.ts";
import { world } from "./world.ts";

/**
 * Completes what drivers have done, detaches what no pod needs, attaches what pods need, and reports in the node's status what is attached,
 * in this order. @throws the API server's refusal of the node's status.
 */
export async function syncNode(context: SyncContext, options: DetachOptions): Promise<void> {
  fillWorld(context);
  refreshDesired(context, context.key);
  endPending(context);
  forgetLost(context);
  await detachUnwanted(context, options);
  await attachDesired(context, options);
  await writeReport(context);
}

/** Drops what VolumeAttachments no longer report as attached. */
function forgetLost(context: SyncContext): void {
  const known = context.state(world);
  const node = context.key;
  const isPending = new Set(known.operations.pendingOn(node).map(({ place }) => place.unique));
  for (const unique of known.attachedOn(node)) {
    const volume = known.volumeOf(unique);
    if (volume?.csi === undefined || !known.isConfirmedOn(unique, node) || isPending.has(unique)) continue;
    const { csi, name } = volume;
    if (!requiresAttach(context, csi.driver)) continue;
    const attachment = context.cache(VolumeAttachments).get(attachmentName(csi, node));
    if (attachment?.status?.attached === true) continue;
    context.decide(lost, { volume: name });
    known.markDetached(unique, node);
  }
}
