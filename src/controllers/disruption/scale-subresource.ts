/**
 * The scale of a controller of any kind, through its subresource.
 * Source: kubernetes v1.36 pkg/controller/disruption/disruption.go getScaleController, implementsScale.
 */
import { apiVersionOf, groupVersionPath, resourceOf } from "../../api/kind.ts";
import type { OwnerReference } from "../../api/object.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { DiscoveredKind } from "../../client/api/discovery.ts";
import type { Scale } from "../../client/api/verbs.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { discoveredKinds } from "../../controller/workload/discovered-kind.ts";

/** A reference to the controller of a pod, and the namespace of both. */
export interface ControllerNamed {
  readonly controller: OwnerReference;
  readonly namespace: string;
}

/** A controller of pods and the replicas of its spec. */
export interface ControllerScale {
  readonly uid: string;
  readonly replicas: number;
}

/**
 * Reads `scale` of a pod's controller; undefined if the controller is gone or replaced by another of the same name.
 * @throws Error for a kind that the server does not serve, or that has no scale; the API server's refusal.
 */
export async function scaleOf(
  context: SyncContext,
  { controller, namespace }: ControllerNamed,
): Promise<ControllerScale | undefined> {
  const kind = await kindOf(context, controller);
  let scale: Scale;
  try {
    // Even for cluster-scoped kinds, as in upstream: a Node that owns a pod has no scale.
    const at = { namespace, name: controller.name };
    const preferred = await preferredVersion(context, kind);
    scale = await context.client.getScale({ ...preferred, namespaced: true }, at, { signal: context.signal });
  } catch (error) {
    // NotFound both if the object is gone and if its kind has no scale.
    if (!isNotFound(error)) throw error;
    if (await hasScale(context, kind)) return undefined;
    throw new Error(`${resourceOf(kind)} does not implement the scale subresource`, { cause: error });
  }
  if (scale.metadata.uid !== controller.uid) return undefined;
  return { uid: controller.uid, replicas: scale.spec.replicas ?? 0 };
}

async function kindOf(context: SyncContext, { kind, apiVersion }: OwnerReference): Promise<DiscoveredKind> {
  const isNamed = (each: DiscoveredKind): boolean => each.kind === kind && apiVersionOf(each) === apiVersion;
  const [found] = await discoveredKinds(context, isNamed);
  if (found === undefined) throw new Error(`no matches for kind "${kind}" in version "${apiVersion}"`);
  return found;
}

/**
 * The kind in the version that the server prefers, which may have a scale where the reference's version has none.
 * Source: client-go v0.36 scale/client.go pathAndVersionFor.
 */
async function preferredVersion(context: SyncContext, named: DiscoveredKind): Promise<DiscoveredKind> {
  const isSame = ({ group, plural }: DiscoveredKind): boolean => group === named.group && plural === named.plural;
  const [first = named] = await discoveredKinds(context, isSame);
  return first;
}

/** Whether discovery lists the subresource. */
async function hasScale(context: SyncContext, kind: DiscoveredKind): Promise<boolean> {
  // The response is untyped: it is read field by field.
  const list = (await context.client.raw(groupVersionPath(kind), { signal: context.signal })) as ResourceList;
  return (list.resources ?? []).some(({ name, kind: of }) => name === `${kind.plural}/scale` && of === "Scale");
}

interface ResourceList {
  readonly resources?: readonly { readonly name: string; readonly kind: string }[];
}
