/**
 * Whether an object's owners exist.
 * Source: kubernetes v1.36 pkg/controller/garbagecollector/garbagecollector.go classifyReferences, isDangling.
 */
import type { OwnerReference } from "../../api/object.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { GraphNode, Identity } from "./node.ts";
import { foregroundFinalizer, hasFinalizer, isBeingDeleted } from "./references.ts";
import type { Work } from "./work.ts";

/**
 * `waiting`: it exists and waits for its dependents to be deleted. `impossible`: a cluster-scoped object refers to an
 * owner of a namespaced kind.
 */
export type OwnerState =
  | { readonly is: "solid" }
  | { readonly is: "waiting" }
  | { readonly is: "absent"; readonly evidence: string }
  | { readonly is: "impossible" };

/** An owner reference, and whether that owner exists. */
export interface ClassifiedOwner {
  readonly reference: OwnerReference;
  readonly state: OwnerState;
}

/**
 * Looks up the owners one after the other, up to an impossible one. @throws StatusError, TransportError; Error for an
 * unknown kind.
 */
export async function classifyReferences(
  work: Work,
  node: GraphNode,
  references: readonly OwnerReference[],
): Promise<readonly ClassifiedOwner[]> {
  const owners: ClassifiedOwner[] = [];
  for (const reference of references) {
    const state = await ownerState(work, node, reference);
    owners.push({ reference, state });
    if (state.is === "impossible") break;
  }
  return owners;
}

async function ownerState(work: Work, node: GraphNode, reference: OwnerReference): Promise<OwnerState> {
  const { absentOwners } = work.graph;
  const { apiVersion, name, uid } = reference;
  const named: Identity = { apiVersion, kind: reference.kind, name, uid, namespace: node.namespace };
  const known = absentOwners.evidence({ ...named, namespace: "" }) ?? absentOwners.evidence(named);
  if (known !== undefined) return { is: "absent", evidence: known };
  const kind = work.kinds.find(reference);
  if (kind.namespaced && node.namespace === "") return { is: "impossible" };
  const namespace = kind.namespaced ? node.namespace : "";
  const absent = (evidence: string): OwnerState => {
    absentOwners.add({ ...named, namespace }, evidence);
    return { is: "absent", evidence };
  };
  try {
    const owner = await work.context.client.getMetadata(kind, { namespace, name });
    if (owner.metadata.uid !== uid) return absent(`its name now belongs to another object, uid ${owner.metadata.uid}`);
    return { is: isBeingDeleted(owner) && hasFinalizer(owner, foregroundFinalizer) ? "waiting" : "solid" };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return absent("404 from the API server");
  }
}
