/**
 * Detaching the volumes that no pod on their node needs. Source: kubernetes v1.36
 * pkg/controller/volume/attachdetach/reconciler/reconciler.go reconcile.
 */
import { messageOf } from "../../api/error-message.ts";
import { Nodes, VolumeAttachments } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { isNodeReady } from "../../controller/workload/node-conditions.ts";
import { runIndependent } from "../../controller/workload/run-independent.ts";
import { detachableOf } from "./attachable.ts";
import type { Caches } from "./desired.ts";
import { fail, labelOf, settle, succeed } from "./end.ts";
import { type Pending, requestOf } from "./operations.ts";
import { writeReport } from "./report.ts";
import { detach, inUse, unknownPlugin, waitTurn } from "./rules.ts";
import { world } from "./world.ts";

/** Times in ms, and settings of kube-controller-manager's flags. */
export interface DetachOptions {
  /** How long a node that is not ready may report a volume in use that no pod needs. */
  readonly maxWaitForUnmountMs: number;
  /** Never force-detach such a volume. `--disable-force-detach-on-timeout` */
  readonly disableForceDetachOnTimeout: boolean;
}

/** A driver's timeout to attach or detach. */
export const driverTimeoutMs = 120_000;

type Way = "unused" | "timeout" | "out-of-service";

/** How the volume may be detached from the node now; undefined if it is in use there. */
export function wayToDetach(
  context: Caches & Pick<SyncContext, "now">,
  { unique, node, options }: { readonly unique: string; readonly node: string; readonly options: DetachOptions },
): Way | undefined {
  const known = context.state(world);
  const now = context.now();
  const unwantedMs = now - (known.attachmentOf(unique, node)?.unwantedSince ?? now);
  const isOverdue = unwantedMs > options.maxWaitForUnmountMs && !options.disableForceDetachOnTimeout;
  const object = context.cache(Nodes).get(node);
  const isOutOfService = object?.spec?.taints?.some(({ key }) => key === "node.kubernetes.io/out-of-service") === true;
  const isReady = object !== undefined && isNodeReady(object);
  if (known.isInUse(unique, node) && !isOutOfService && (isReady || !isOverdue)) return undefined;
  if (isOutOfService) return "out-of-service";
  return isOverdue ? "timeout" : "unused";
}

/** Detaches what no pod on the synced node needs, as far as now allowed. @throws the API server's refusals, as one; it tries all volumes. */
export async function detachUnwanted(context: SyncContext, options: DetachOptions): Promise<void> {
  const known = context.state(world);
  const detachIfUnwanted = async (unique: string): Promise<void> => {
    if (known.isDesired(unique, context.key)) return;
    const begun = beginDetach(context, { unique, options });
    if (begun !== undefined) await carryOut(context, begun);
  };
  await runIndependent(known.attachedOn(context.key).map((unique) => () => detachIfUnwanted(unique)));
}

interface Begun {
  readonly pending: Pending;
  readonly isChecked: boolean;
  readonly because: Decision;
}

/** Undefined: not now. Atomic. */
function beginDetach(
  context: SyncContext,
  { unique, options }: { readonly unique: string; readonly options: DetachOptions },
): Begun | undefined {
  const known = context.state(world);
  const node = context.key;
  const attachment = known.attachmentOf(unique, node);
  if (attachment === undefined) return undefined;
  const volume = known.volumeOf(unique);
  const place = { unique, node: volume?.isExclusive === true ? undefined : node };
  const label = labelOf({ volume, place });
  const now = context.now();
  const blocked = known.operations.blocked(place, { kind: "detach", now });
  if (blocked !== undefined) {
    context.decide(waitTurn, { volume: label, why: blocked.by });
    if (blocked.by === "back-off") context.enqueueAfter(blocked.untilMs - now + 1, "the last attempt failed");
    return undefined;
  }
  attachment.unwantedSince ??= now;
  const way = wayToDetach(context, { unique, node, options });
  if (way === undefined) {
    context.decide(inUse, { volume: label });
    const leftMs = attachment.unwantedSince + options.maxWaitForUnmountMs - now;
    if (leftMs >= 0) context.enqueueAfter(leftMs + 1, "a volume that no pod needs is in use for long");
    return undefined;
  }
  const by = detachableOf(unique);
  if (by.by === "unknown") return void context.decide(unknownPlugin, { volume: label });
  const pending: Pending = {
    place,
    kind: "detach",
    node,
    volume,
    request: by.by === "driver" ? requestOf(by, node) : undefined,
    pods: [],
    deadline: now + driverTimeoutMs,
  };
  known.operations.begin(pending, now);
  return { pending, isChecked: way === "unused", because: context.decide(detach, { volume: label, why: way }) };
}

async function carryOut(context: SyncContext, { pending, isChecked, because }: Begun): Promise<void> {
  const known = context.state(world);
  const { unique } = pending.place;
  known.unreport(unique, context.key);
  try {
    await writeReport(context, because);
  } catch (error) {
    known.report(unique, context.key);
    known.operations.cancel(pending);
    throw error;
  }
  try {
    if (isChecked) await checkUnused(context, unique);
    if (pending.request === undefined) return succeed(context, pending);
    const { attachment } = pending.request;
    const options = { because, signal: context.signal };
    await context.client.delete(VolumeAttachments, { namespace: "", name: attachment }, options);
  } catch (error) {
    if (isNotFound(error)) return succeed(context, pending);
    return fail(context, { pending, why: messageOf(error) });
  }
  settle(context, pending);
}

/** Reads from the API server: the cache may be behind. @throws Error while the node uses the volume. */
async function checkUnused(context: SyncContext, unique: string): Promise<void> {
  try {
    const { status } = await context.client.get(
      Nodes,
      { namespace: "", name: context.key },
      { signal: context.signal },
    );
    if (status?.volumesInUse?.includes(unique) !== true) return;
  } catch (error) {
    // A deleted node uses nothing.
    if (isNotFound(error)) return;
    throw error;
  }
  throw new Error("volume is still in use by node, according to Node status");
}
