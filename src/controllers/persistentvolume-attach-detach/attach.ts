/**
 * Attaching the volumes that pods on a node need. Source: kubernetes v1.36 pkg/controller/volume/attachdetach/reconciler/reconciler.go
 * attachDesiredVolumes.
 */
import { messageOf } from "../../api/error-message.ts";
import { Pods, VolumeAttachments } from "../../api/kinds.ts";
import { isAlreadyExists } from "../../api/status-error.ts";
import type { Pod } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import type { AttachableVolume } from "./attachable.ts";
import { refreshDesired } from "./desired.ts";
import { type DetachOptions, driverTimeoutMs, wayToDetach } from "./detach.ts";
import { fail, settle } from "./end.ts";
import { type Pending, requestOf } from "./operations.ts";
import { attach, awaitAttach, multiAttach, waitTurn } from "./rules.ts";
import { type Desired, world } from "./world.ts";

/** Attaches what pods on the synced node need, as far as now allowed; an error is reported on the pods and retried. */
export async function attachDesired(context: SyncContext, options: DetachOptions): Promise<void> {
  const known = context.state(world);
  const needed = known.desired.get(context.key);
  if (needed === undefined) return;
  for (const unique of [...needed.keys()].toSorted()) {
    // Pods may have gone while the previous volume was attached.
    const desired = known.desired.get(context.key)?.get(unique);
    const begun = desired === undefined ? undefined : beginAttach(context, { desired, options });
    if (begun !== undefined) await carryOut(context, begun);
  }
}

interface AttachAttempt {
  readonly desired: Desired;
  readonly options: DetachOptions;
}

interface Begun {
  readonly pending: Pending;
  readonly volume: AttachableVolume;
}

/** Undefined: not now, or already attached. Atomic. */
function beginAttach(context: SyncContext, { desired, options }: AttachAttempt): Begun | undefined {
  const known = context.state(world);
  const node = context.key;
  const { volume, pods } = desired;
  const place = { unique: volume.unique, node: volume.isExclusive ? undefined : node };
  const now = context.now();
  const blocked = known.operations.blocked(place, { kind: "attach", now });
  if (blocked?.by === "another") return waitForAnother(context, volume);
  const there = known.attachmentOf(volume.unique, node);
  if (there?.isConfirmed === true) {
    there.unwantedSince = undefined;
    return undefined;
  }
  const holders = volume.isExclusive ? known.nodesOf(volume.unique) : [];
  if (holders.length > 0) return refuse(context, { desired, options, holders });
  if (blocked !== undefined) {
    context.decide(waitTurn, { volume: volume.name, why: "back-off" });
    context.enqueueAfter(blocked.untilMs - now + 1, "the last attempt failed");
    return undefined;
  }
  const pending: Pending = {
    place,
    kind: "attach",
    node,
    volume,
    request: volume.csi === undefined ? undefined : requestOf(volume.csi, node),
    pods: [...pods.values()],
    deadline: now + driverTimeoutMs,
  };
  known.operations.begin(pending, now);
  return { pending, volume };
}

function waitForAnother(context: SyncContext, { unique, name }: AttachableVolume): undefined {
  const own = context
    .state(world)
    .operations.pendingOn(context.key)
    .find(({ place, kind }) => place.unique === unique && kind === "attach");
  if (own?.request === undefined) context.decide(waitTurn, { volume: name, why: "another" });
  else context.decide(awaitAttach, { volume: name, attachment: own.request.attachment });
}

interface Refused extends AttachAttempt {
  readonly holders: readonly string[];
}

/** Another node has the exclusive volume: reported on the pods once, unless it is about to be detached there. */
function refuse(context: SyncContext, { desired, options, holders }: Refused): undefined {
  const { volume } = desired;
  const leaving = holders.filter((node) => isLeaving(context, { unique: volume.unique, node, options }));
  if (leaving.length > 0) {
    context.decide(waitTurn, { volume: volume.name, why: "leaving" });
    for (const node of leaving) context.enqueue(node, "another node needs a volume that it has");
    return;
  }
  context.decide(multiAttach, { volume: volume.name, nodes: holders });
  if (desired.isMultiAttachReported) return;
  desired.isMultiAttachReported = true;
  const known = context.state(world).desired;
  const others = holders.flatMap((node) => [...(known.get(node)?.get(volume.unique)?.pods.values() ?? [])]);
  for (const pod of desired.pods.values()) {
    const message = `Multi-Attach error for volume "${volume.name}" ${reasonFor(pod, others)}`;
    context.event(Pods, pod, { type: "Warning", reason: "FailedAttachVolume", message });
  }
}

interface OnNode {
  readonly unique: string;
  readonly node: string;
  readonly options: DetachOptions;
}

/** Upstream first handles detachments from all nodes. */
function isLeaving(context: SyncContext, { unique, node, options }: OnNode): boolean {
  refreshDesired(context, node);
  return !context.state(world).isDesired(unique, node) && wayToDetach(context, { unique, node, options }) !== undefined;
}

/** Names of pods in other namespaces are not disclosed. Source: reconciler.go reportMultiAttachError. */
function reasonFor({ metadata: { namespace } }: Pod, others: readonly Pod[]): string {
  if (others.length === 0) {
    return "Volume is already exclusively attached to one node and can't be attached to another";
  }
  const local = others.filter(({ metadata }) => metadata.namespace === namespace).map(({ metadata }) => metadata.name);
  const foreign = others.length - local.length;
  const elsewhere = `${foreign} pod(s) in different namespaces`;
  if (local.length === 0) return `Volume is already used by ${elsewhere}`;
  const reason = `Volume is already used by pod(s) ${local.toSorted().join(", ")}`;
  return foreign > 0 ? `${reason} and ${elsewhere}` : reason;
}

async function carryOut(context: SyncContext, { pending, volume: { name } }: Begun): Promise<void> {
  const { request, node } = pending;
  if (request !== undefined) {
    const { attachment, driver } = request;
    if (context.cache(VolumeAttachments).get(attachment) === undefined) {
      const because = context.decide(attach, { volume: name, attachment });
      const spec = { attacher: driver, nodeName: node, source: { persistentVolumeName: name } };
      const options = { because, signal: context.signal };
      try {
        await context.client.create(VolumeAttachments, { metadata: { name: attachment }, spec }, options);
      } catch (error) {
        context.signal.throwIfAborted();
        if (!isAlreadyExists(error)) {
          return fail(context, { pending, why: `kubernetes.io/csi: attacher.Attach failed: ${messageOf(error)}` });
        }
      }
    } else {
      context.decide(awaitAttach, { volume: name, attachment });
    }
  }
  settle(context, pending);
}
