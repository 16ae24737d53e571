/** What is asked before anything is written: may we, and does somebody else already do it. Only reads. */
import { Leases } from "../api/kind.ts";
import { isForbidden } from "../api/status-error.ts";
import { parseTime } from "../api/time.ts";
import type { Transport } from "../api/transport.ts";
import type { Client } from "../client/verbs.ts";
import type { ControllerDefinition } from "../controller/definition.ts";
import { askRights, type Rights, rightsToRun } from "./rights.ts";
import { findSecondOwner, type SecondOwner } from "./second-owner.ts";

export interface PreflightOptions {
  readonly controllers: readonly ControllerDefinition[];
  /** Without a limit on requests a second: the questions must not use up what the controllers may send at first. */
  readonly transport: Transport;
  readonly client: Client;
  readonly namespace: string | undefined;
  readonly leaseNamespace: string;
  readonly leaseNameOf: (controller: ControllerDefinition) => string;
  /** Whether the process that this identity names is known to have died: its Lease says nothing then. */
  readonly isDead: (identity: string) => boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface ControllerOwner {
  readonly controller: ControllerDefinition;
  readonly owner: SecondOwner;
}

export interface Preflight {
  readonly rights: Rights;
  /** One entry a controller, in their order. */
  readonly owners: readonly ControllerOwner[];
}

/** @throws StatusError, TransportError when the API server does not answer what must be known. */
export async function preflight(options: PreflightOptions): Promise<Preflight> {
  const { controllers, client, transport, namespace, leaseNamespace } = options;
  const [rights, copies, ...found] = await Promise.all([
    askRights(client, rightsToRun(controllers, namespace, leaseNamespace)),
    otherCopies(options),
    ...controllers.map((controller) => findSecondOwner(transport, client, controller, namespace)),
  ]);
  const owners = controllers.map((controller, index) => {
    const copy = copies.get(controller.name);
    return { controller, owner: copy ?? (found[index] as SecondOwner) };
  });
  return { rights, owners };
}

/**
 * Copies of ours that hold a Lease of an overlapping scope: all namespaces against one, and the other way round. The Lease of
 * the very same scope is not looked at here; it is taken, or found held, when the run starts.
 */
async function otherCopies(options: PreflightOptions): Promise<ReadonlyMap<string, SecondOwner>> {
  const { controllers, client, namespace, leaseNamespace, leaseNameOf, isDead, now } = options;
  const copies = new Map<string, SecondOwner>();
  let leases;
  try {
    leases = await client.list(Leases, {
      labelSelector: "app.kubernetes.io/managed-by=kubectl-reconcile",
      ...(namespace !== undefined && { namespace: "kube-system" }),
    });
  } catch (error) {
    // Who may not look cannot see other copies; a copy of the same scope is still seen by its Lease.
    if (isForbidden(error)) return copies;
    throw error;
  }
  for (const { metadata, spec } of leases.items) {
    const holder = spec?.holderIdentity ?? "";
    if (metadata.namespace === leaseNamespace || spec?.renewTime === undefined || holder === "" || isDead(holder))
      continue;
    const controller = controllers.find((candidate) => leaseNameOf(candidate) === metadata.name);
    const agoMs = now() - parseTime(spec.renewTime);
    if (controller === undefined || agoMs > (spec.leaseDurationSeconds ?? 15) * 1000) continue;
    const scope = metadata.namespace === "kube-system" ? "all namespaces" : `namespace ${metadata.namespace}`;
    copies.set(controller.name, {
      is: "active",
      who: `another kubectl reconcile, for ${scope},`,
      evidence: `Lease ${metadata.namespace}/${metadata.name}, held by ${holder}`,
    });
  }
  return copies;
}
