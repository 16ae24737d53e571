/** Leader election after a program has exited. */
import { nodeLeaseNamespace } from "../../api/node-lease.ts";
import { Leases } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Lease } from "../../api/types.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { State } from "../../views/state.ts";

/**
 * Releases the Leases held by an exited program, so that the next one need not wait for them to expire.
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
  return metadata.namespace !== nodeLeaseNamespace && (spec?.holderIdentity ?? "") !== "";
}
