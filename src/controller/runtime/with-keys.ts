/** Controllers of a cluster that hands over its keys. */
import type { ClusterKeys } from "../api/cluster-keys.ts";
import type { ControllerDefinition } from "../api/definition.ts";

/** The controllers, with keys where they need some and there are any. */
export function withKeys(
  controllers: readonly ControllerDefinition[],
  keys: ClusterKeys | undefined,
): readonly ControllerDefinition[] {
  return keys === undefined ? controllers : controllers.map((each) => each.withKeys?.(keys) ?? each);
}
