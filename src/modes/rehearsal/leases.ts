/** Who leads after a program has ended. */
import { Leases } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Lease } from "../../api/types.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { State } from "../../views/state.ts";

/** Heartbeats of nodes; nobody leads by them. */
const nodeLeases = "kube-node-lease";

/**
 * Lets go of the Leases that an ended program has taken, so that the next one need not wait until they run out.
 * Source: client-go v0.36 tools/leaderelection/leaderelection.go release.
 */
export async function releaseLeases(client: Client, state: State): Promise<void> {
  for (const { of, object } of state.values()) {
    if (of.kind !== Leases.kind || of.group !== Leases.group || !isHeld(object)) continue;
    const { namespace = "", name } = object.metadata;
    const body = { spec: { holderIdentity: "" } };
    await client.patch(Leases, { namespace, name }, { type: "merge", body });
  }
}

function isHeld({ metadata, spec }: StoredObject & Partial<Pick<Lease, "spec">>): boolean {
  return metadata.namespace !== nodeLeases && (spec?.holderIdentity ?? "") !== "";
}
