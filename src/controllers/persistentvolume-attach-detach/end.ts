/**
 * Completing attach and detach operations. Source: kubernetes v1.36 pkg/volume/util/operationexecutor/operation_generator.go,
 * pkg/volume/csi/csi_attacher.go.
 */
import { Pods, VolumeAttachments } from "../../api/kinds.ts";
import type { VolumeAttachment } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import type { Pending } from "./operations.ts";
import { attached, attachFailed, detached, detachFailed } from "./rules.ts";
import { world } from "./world.ts";

/** What Events and decisions call the volume. */
export function labelOf({ volume, place }: Pick<Pending, "volume" | "place">): string {
  return volume?.name ?? place.unique;
}

/** Completes the finished operations on the node, judged by their cached VolumeAttachments; the others are checked again. Atomic. */
export function endPending(context: SyncContext): void {
  const { operations } = context.state(world);
  for (const pending of operations.pendingOn(context.key)) settle(context, pending);
}

/** Completes the operation if its VolumeAttachment shows its end, or it timed out. Atomic. */
export function settle(context: SyncContext, pending: Pending): void {
  const { request, kind } = pending;
  if (request === undefined) return succeed(context, pending);
  const attachment = context.cache(VolumeAttachments).get(request.attachment);
  const outcome = kind === "attach" ? attachOutcome(attachment) : detachOutcome(attachment);
  if (outcome === "done") return succeed(context, pending);
  if (outcome !== undefined) return fail(context, { pending, why: outcome.error });
  const leftMs = pending.deadline - context.now();
  if (leftMs > 0) return context.enqueueAfter(leftMs, "a driver has had two minutes");
  // As upstream, which does not know the driver when it detaches.
  const driver = kind === "attach" ? request.driver : "unknown";
  const why = `timed out waiting for external-attacher of ${driver} CSI driver to ${kind} volume ${request.handle}`;
  fail(context, { pending, why });
}

/** Undefined: still running. */
type Outcome = "done" | { readonly error: string } | undefined;

function attachOutcome(attachment: VolumeAttachment | undefined): Outcome {
  // The cache does not show the created object yet.
  if (attachment === undefined) return undefined;
  if (attachment.metadata.deletionTimestamp !== undefined) return { error: "volume attachment is being deleted" };
  const { attached: isAttached, attachError } = attachment.status ?? {};
  if (isAttached === true) return "done";
  return attachError === undefined ? undefined : { error: attachError.message ?? "" };
}

function detachOutcome(attachment: VolumeAttachment | undefined): Outcome {
  if (attachment === undefined) return "done";
  const { detachError } = attachment.status ?? {};
  return detachError === undefined ? undefined : { error: detachError.message ?? "" };
}

/** Records that the volume is now attached, or no longer is. Atomic. */
export function succeed(context: SyncContext, pending: Pending): void {
  const known = context.state(world);
  const { node, volume, place } = pending;
  known.operations.succeed(pending);
  if (pending.kind === "detach") {
    context.decide(detached, { volume: labelOf(pending) });
    known.markDetached(place.unique, node);
  } else {
    context.decide(attached, { volume: labelOf(pending) });
    known.mark(place.unique, { node, volume, isConfirmed: true });
    // Upstream's wording, trailing space included.
    const message = `AttachVolume.Attach succeeded for volume "${labelOf(pending)}" `;
    for (const pod of pending.pods) {
      context.event(Pods, pod, { type: "Normal", reason: "SuccessfulAttachVolume", message });
    }
  }
  wakeOthers(context, pending);
}

/** Records a failure: whether the volume is attached is unknown, and the operation is retried with back-off. Atomic. */
export function fail(
  context: SyncContext,
  { pending, why }: { readonly pending: Pending; readonly why: string },
): void {
  const known = context.state(world);
  const { node, volume, place } = pending;
  const retryMs = known.operations.fail(pending, context.now());
  context.decide(pending.kind === "attach" ? attachFailed : detachFailed, { volume: labelOf(pending), why, retryMs });
  known.mark(place.unique, { node, volume, isConfirmed: false });
  const message = `AttachVolume.Attach failed for volume "${labelOf(pending)}" : ${why}`;
  for (const pod of pending.pods) {
    context.event(Pods, pod, { type: "Warning", reason: "FailedAttachVolume", message });
  }
  context.enqueueAfter(retryMs + 1, "the last attempt failed");
  wakeOthers(context, pending);
}

/** Other nodes may be waiting for it. */
function wakeOthers(context: SyncContext, { place: { unique }, node }: Pending): void {
  const known = context.state(world);
  const nodes = new Set([...known.nodesThatDesire(unique), ...known.nodesThatMayHave(unique)]);
  for (const other of nodes) if (other !== node) context.enqueue(other, "another node's turn with a volume is over");
}
