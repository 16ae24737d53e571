/** Checks before anything is written: rights, and other owners. Only reads. */
import { Leases } from "../../api/kinds.ts";
import { isForbidden } from "../../api/status-error.ts";
import { parseTime } from "../../api/time.ts";
import type { Transport } from "../../api/transport.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { sleep, type Timeline } from "../../platform/timeline.ts";
import { judge } from "../../verdict/verdict.ts";
import { reviewRights, type Rights, rightsToRun } from "./rights.ts";
import { type ControllerOwner, findSecondOwners, type SecondOwner } from "./second-owner.ts";

/** What is checked. */
export interface PreflightOptions {
  readonly controllers: readonly ControllerDefinition[];
  /** Without a rate limit: these requests must not use up the burst of the controllers. */
  readonly transport: Transport;
  readonly client: Client;
  readonly namespace: string | undefined;
  readonly leaseNamespace: string;
  readonly leaseNameOf: (controller: ControllerDefinition) => string;
  /** Whether the process with this identity is known to have died: its Lease is then ignored. */
  readonly isDead: (identity: string) => boolean;
  readonly timeline: Timeline;
  readonly signal: AbortSignal;
  /** The run starts whatever is found, without waiting. */
  readonly isForced: boolean;
  /** Called when the result is delayed, because a cluster that has just started shows nothing yet. */
  readonly onSecondLook?: (waitMs: number) => void;
  /** The server is a sandbox in this process: what runs in it is known. */
  readonly isOwnSandbox: boolean;
}

/** A second look is delayed at most this long. */
const secondLookMs = 15_000;

/** The result of all checks. */
export interface Preflight {
  readonly rights: Rights;
  /** One entry per controller, in the same order. */
  readonly owners: readonly ControllerOwner[];
}

/** Runs all checks. @throws StatusError, TransportError if the API server does not respond to a necessary one. */
export async function preflight(options: PreflightOptions): Promise<Preflight> {
  const { controllers, client, namespace, leaseNamespace } = options;
  const pendingRights = reviewRights(client, rightsToRun(controllers, namespace, leaseNamespace));
  const [rights, copies, found] = await Promise.all([
    pendingRights,
    otherCopies(options),
    secondOwners(options, pendingRights),
  ]);
  const owners = found.map(({ controller, owner }) => ({ controller, owner: copies.get(controller.name) ?? owner }));
  return { rights, owners };
}

/** A cluster that has just started shows nothing yet: waits until an owner would have left a trace. */
async function secondOwners(options: PreflightOptions, rights: Promise<Rights>): Promise<readonly ControllerOwner[]> {
  const { controllers, transport, client, namespace, timeline, signal, onSecondLook } = options;
  if (options.isOwnSandbox) return controllers.map((controller) => ({ controller, owner: ownSandbox() }));
  const cluster = { transport, client, namespace };
  const first = await findSecondOwners(cluster, controllers);
  const soon = first.flatMap(({ owner: { againInMs = Infinity } }) => (againInMs <= secondLookMs ? [againInMs] : []));
  if (options.isForced || soon.length === 0 || first.some(({ owner }) => owner.is === "active")) return first;
  // Without the rights the run is refused anyway.
  if ((await rights).missing.length > 0) return first;
  // The server's times are whole seconds.
  const waitMs = Math.max(...soon) + 1000;
  onSecondLook?.(waitMs);
  await sleep(timeline, waitMs, "preflight looks for other owners", { signal });
  return findSecondOwners(cluster, controllers);
}

/** No other process uses a sandbox of this process. */
function ownSandbox(): SecondOwner {
  const evidence = "the sandbox is this process's own";
  return { is: "none found", who: "anybody", evidence, verdict: judge({ findings: [], seen: [evidence], unseen: [] }) };
}

/**
 * Other copies of ours that hold a Lease of an overlapping scope: all namespaces versus one, and vice versa. The Lease of the same scope is
 * not checked here; it is acquired, or found held, when the run starts.
 */
async function otherCopies(options: PreflightOptions): Promise<ReadonlyMap<string, SecondOwner>> {
  const { controllers, client, namespace, leaseNamespace, leaseNameOf, isDead, timeline } = options;
  const copies = new Map<string, SecondOwner>();
  let leases;
  try {
    leases = await client.list(Leases, {
      labelSelector: "app.kubernetes.io/managed-by=kubectl-reconcile",
      ...(namespace !== undefined && { namespace: "kube-system" }),
    });
  } catch (error) {
    // Without the right, other copies are not detected; one with the same scope still is, by its Lease.
    if (isForbidden(error)) return copies;
    throw error;
  }
  for (const { metadata, spec } of leases.items) {
    const holder = spec?.holderIdentity ?? "";
    if (metadata.namespace === leaseNamespace || spec?.renewTime === undefined || holder === "" || isDead(holder))
      continue;
    const controller = controllers.find((candidate) => leaseNameOf(candidate) === metadata.name);
    const agoMs = timeline.now() - parseTime(spec.renewTime);
    if (controller === undefined || agoMs > (spec.leaseDurationSeconds ?? 15) * 1000) continue;
    const scope = metadata.namespace === "kube-system" ? "all namespaces" : `namespace ${metadata.namespace}`;
    const evidence = `Lease ${metadata.namespace}/${metadata.name}, held by ${holder}`;
    const verdict = judge({ findings: [evidence], seen: [`${leases.items.length} Leases`], unseen: [] });
    copies.set(controller.name, { is: "active", who: `another kubectl reconcile, for ${scope},`, evidence, verdict });
  }
  return copies;
}
