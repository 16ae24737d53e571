/**
 * The scale of an autoscaler's target.
 * Source: kubernetes v1.36 pkg/controller/podautoscaler/horizontal.go scaleForResourceMappings.
 */
import { groupOf } from "../../api/kind.ts";
import type { DiscoveredKind } from "../../client/api/discovery.ts";
import type { Scale } from "../../client/api/verbs.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { discoveredKinds } from "../../controller/workload/discovered-kind.ts";
import type { AutoscalerSpec } from "./spec.ts";

/** The target, as last read. */
export interface Target {
  readonly kind: DiscoveredKind;
  readonly scale: Scale;
}

/** An autoscaler's target, with the namespace of the autoscaler. */
export interface TargetNamed {
  readonly namespace: string;
  readonly reference: AutoscalerSpec["scaleTargetRef"];
}

/** Why a target cannot be read. */
export class TargetError extends Error {
  override readonly name = "TargetError";
  /** What was being done, as upstream logs it. */
  readonly doing: string;

  constructor(message: string, options: ErrorOptions & { readonly doing: string }) {
    super(message, options);
    this.doing = options.doing;
  }
}

/** @throws TargetError for a kind that the server does not serve; the API server's refusal. */
export async function readTarget(context: SyncContext, { namespace, reference }: TargetNamed): Promise<Target> {
  const { apiVersion = "", kind, name } = reference;
  if (apiVersion.split("/").length > 2) {
    const doing = "invalid API version in scale target reference";
    throw new TargetError(`unexpected GroupVersion string: ${apiVersion}`, { doing });
  }
  const kinds = await mappingsOf(context, { group: groupOf(apiVersion), kind });
  let first: unknown;
  for (const each of kinds) {
    try {
      // Even for cluster-scoped kinds, as in upstream: they have no scale.
      const namespacedKind = { ...each, namespaced: true };
      return {
        kind: namespacedKind,
        scale: await context.client.getScale(namespacedKind, { namespace, name }, { signal: context.signal }),
      };
    } catch (error) {
      context.signal.throwIfAborted();
      first ??= error;
    }
  }
  throw first;
}

/** The resources of a kind, each in the version that the server prefers. @throws TargetError if there is none. */
async function mappingsOf(
  context: SyncContext,
  wanted: { readonly group: string; readonly kind: string },
): Promise<readonly DiscoveredKind[]> {
  const isWanted = ({ group, kind }: DiscoveredKind): boolean => group === wanted.group && kind === wanted.kind;
  const found = await discoveredKinds(context, isWanted);
  if (found.length === 0) {
    const message = `no matches for kind "${wanted.kind}" in group "${wanted.group}"`;
    throw new TargetError(message, { doing: "unable to determine resource for scale target reference" });
  }
  return found.filter((each, index) => found.findIndex(({ plural }) => plural === each.plural) === index);
}
