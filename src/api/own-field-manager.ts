/** As whom controllers of ours write. */

const prefix = "kubectl-reconcile-";

/** `kubectl-reconcile-replicaset`: the field manager of its writes, and the name of its Lease. */
export function fieldManagerOf(controller: { readonly name: string }): string {
  return `${prefix}${controller.name}`;
}

/** The other way round: `replicaset`; undefined for a field manager that is none of ours. */
export function controllerNamedBy(fieldManager: string): string | undefined {
  return fieldManager.startsWith(prefix) ? fieldManager.slice(prefix.length) : undefined;
}
