/** Gives controllers the private keys of a cluster. */
import type { ClusterKeys } from "../api/cluster-keys.ts";
import type { ControllerDefinition } from "../api/definition.ts";

/** The controllers; those that need keys are replaced by ones with keys, if there are any. */
export function withKeys(
  controllers: readonly ControllerDefinition[],
  keys: ClusterKeys | undefined,
): readonly ControllerDefinition[] {
  return keys === undefined ? controllers : controllers.map((each) => each.withKeys?.(keys) ?? each);
}
