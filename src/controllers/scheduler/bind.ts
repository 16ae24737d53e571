/** Binding a pod to a node: its device claims are reserved first, and given back if it fails. */
import { messageOf } from "../../api/error-message.ts";
import { Pods } from "../../api/kinds.ts";
import { isNotFound, StatusError } from "../../api/status-error.ts";
import type { Node, Pod, ResourceClaim } from "../../api/types.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { bindingOf, deallocate, idleFor, reserveClaim, unreserveClaim, unreserved } from "./devices.ts";
import { backoffMs, memory } from "./memory.ts";
import { type OfPod, report } from "./report.ts";
import { awaitDevices, deallocateDevices, place, reserveDevices } from "./rules.ts";
import type { Choice } from "./scores.ts";

/** What a choice was made from. */
export interface Considered {
  readonly nodes: readonly Node[];
  readonly feasible: number;
  /** The device claims. */
  readonly claims: readonly ResourceClaim[];
}

/** Binds the pod to the chosen node, with its device claims. @throws the API server's refusal, if the pod is still there. */
export async function bind(
  context: SyncContext,
  pod: Pod,
  { candidate, score, tied }: Choice,
  { nodes, feasible, claims }: Considered,
): Promise<void> {
  const { nodeUsage, waiting } = context.state(memory);
  const node = candidate.node.metadata.name;
  const { namespace = "", name } = pod.metadata;
  const because = context.decide(place, { node, nodes: nodes.length, feasible, score, tied });
  // Before the request: the next decision must take the pod into account.
  nodeUsage.place(pod, node);
  const reservation = await reserve({ context, pod }, { node, claims });
  if (reservation === undefined) return;
  try {
    await context.client.bind({ namespace, name }, node, { because, signal: context.signal });
  } catch (error) {
    nodeUsage.remove(context.key);
    await giveBack({ context, pod }, reservation);
    if (isNotFound(error)) return;
    throw error;
  }
  waiting.delete(context.key);
  const message = `Successfully assigned ${namespace}/${name} to ${node}`;
  context.event(Pods, pod, { type: "Normal", reason: "Scheduled", message });
}

interface Reservation {
  readonly because: Decision | undefined;
  /** The claims as they are now. */
  readonly claims: readonly ResourceClaim[];
}

/**
 * Reserves device claims for the pod. Undefined if that is refused, as its status then shows, or if the devices are still being prepared.
 * @throws TransportError if there is no response.
 */
async function reserve(
  { context, pod }: OfPod,
  { node, claims }: { readonly node: string; readonly claims: readonly ResourceClaim[] },
): Promise<Reservation | undefined> {
  const { nodeUsage, waiting } = context.state(memory);
  const open = unreserved(claims, pod);
  const names = open.map(({ metadata }) => metadata.name);
  const because = open.length === 0 ? undefined : context.decide(reserveDevices, { node, claims: names });
  const reserved: ResourceClaim[] = claims.filter((claim) => !open.includes(claim));
  const attempts = (waiting.get(context.key)?.attempts ?? 0) + 1;
  try {
    if (because !== undefined)
      for (const claim of open) reserved.push(await reserveClaim({ context, pod, because }, claim));
  } catch (error) {
    nodeUsage.remove(context.key);
    await giveBack({ context, pod }, { because, claims: reserved });
    if (!isRefused(error)) throw error;
    const message = `running PreBind plugin "DynamicResources": ${messageOf(error)}`;
    await report({ context, pod }, { reason: "SchedulerError", message, attempts });
    context.enqueueAfter(backoffMs(attempts), "its claims could not be reserved");
    return undefined;
  }
  const pending = reserved.filter((claim) => bindingOf(claim) === "pending").map(({ metadata }) => metadata.name);
  if (pending.length === 0) return { because, claims: reserved };
  nodeUsage.remove(context.key);
  context.decide(awaitDevices, { why: `the devices of ${pending.join(", ")} are made ready on ${node}` });
  const message = `waiting for binding conditions for device on node ${node}`;
  context.event(Pods, pod, { type: "Normal", reason: "BindingConditionsPending", message });
  waiting.set(context.key, { attempts: attempts - 1, until: context.now(), woken: false, node });
  return undefined;
}

/** Frees a device claim that no node with its devices can take the pod for. @throws the API server's refusal. */
export async function freeDevices({ context, pod }: OfPod, unavailable: readonly ResourceClaim[]): Promise<void> {
  const claim = idleFor(pod, unavailable);
  if (claim === undefined) return;
  const nodes = unavailable.filter((each) => each === claim).length;
  const because = context.decide(deallocateDevices, { claim: claim.metadata.name, nodes });
  await deallocate({ context, because }, claim);
}

/** Refused by the API server, or because the stored object has changed. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && (error.cause === undefined || error.cause instanceof StatusError);
}

/** If a claim cannot be released here, its controller releases it once the pod is gone or has terminated. */
async function giveBack({ context, pod }: OfPod, { because, claims }: Reservation): Promise<void> {
  if (because === undefined) return;
  for (const claim of claims) {
    try {
      await unreserveClaim({ context, pod, because }, claim);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
    }
  }
}
