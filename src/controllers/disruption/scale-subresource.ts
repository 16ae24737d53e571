/**
 * The scale of a controller of any kind, by its subresource.
 * Source: kubernetes v1.36 pkg/controller/disruption/disruption.go getScaleController, implementsScale.
 */
import { apiVersionOf, groupVersionPath, pathOf, resourceOf } from "../../api/kind.ts";
import type { OwnerReference } from "../../api/object.ts";
import { isNotFound } from "../../api/status-error.ts";
import { discover, type DiscoveredKind } from "../../client/api/discovery.ts";
import { runState, type RunState } from "../../controller/api/run-state.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";

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

/** The kinds found so far; a kind that is missing is looked for again. */
const knownKinds: RunState<{ kinds: readonly DiscoveredKind[] }> = runState(() => ({ kinds: [] }));

/**
 * Reads `scale` of a pod's controller; undefined if the controller is gone or is another one under its name.
 * @throws Error for a kind that the server does not have, or whose objects have no scale; what the API server refuses.
 */
export async function scaleOf(
  context: SyncContext,
  { controller, namespace }: ControllerNamed,
): Promise<ControllerScale | undefined> {
  const kind = await kindOf(context, controller);
  let scale: Scale;
  try {
    // Also for a kind without namespaces, as upstream: a Node that owns a pod has no scale.
    const path = pathOf({ ...kind, namespaced: true }, { namespace, name: controller.name, subresource: "scale" });
    // Whatever comes is read field by field.
    scale = (await context.client.raw(path, { signal: context.signal })) as Scale;
  } catch (error) {
    // The same answer where the object is gone and where its kind has no scale.
    if (!isNotFound(error)) throw error;
    if (await hasScale(context, kind)) return undefined;
    throw new Error(`${resourceOf(kind)} does not implement the scale subresource`, { cause: error });
  }
  if (scale.metadata?.uid !== controller.uid) return undefined;
  return { uid: controller.uid, replicas: scale.spec?.replicas ?? 0 };
}

/** A Scale of autoscaling/v1, as it may come. */
interface Scale {
  readonly metadata?: { readonly uid?: string };
  readonly spec?: { readonly replicas?: number };
}

async function kindOf(context: SyncContext, reference: OwnerReference): Promise<DiscoveredKind> {
  const known = context.state(knownKinds);
  const { kind, apiVersion } = reference;
  const find = (): DiscoveredKind | undefined =>
    known.kinds.find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
  const found = find();
  if (found !== undefined) return found;
  known.kinds = (await discover(context.client, { signal: context.signal })).kinds;
  const now = find();
  if (now === undefined) throw new Error(`no matches for kind "${kind}" in version "${apiVersion}"`);
  return now;
}

/** Whether discovery lists the subresource. */
async function hasScale(context: SyncContext, kind: DiscoveredKind): Promise<boolean> {
  // As above.
  const list = (await context.client.raw(groupVersionPath(kind), { signal: context.signal })) as ResourceList;
  return (list.resources ?? []).some(({ name, kind: of }) => name === `${kind.plural}/scale` && of === "Scale");
}

interface ResourceList {
  readonly resources?: readonly { readonly name: string; readonly kind: string }[];
}
