/** As whom a controller writes. */
import type { ControllerDefinition } from "../api/definition.ts";

/** `kubectl-reconcile-replicaset`: the field manager of its writes, and the name of its Lease. */
export function fieldManagerOf(controller: Pick<ControllerDefinition, "name">): string {
  return `kubectl-reconcile-${controller.name}`;
}
