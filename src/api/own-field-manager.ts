/** The field managers of our controllers. */

const prefix = "kubectl-reconcile-";

/** `kubectl-reconcile-replicaset`: the field manager of its writes, and the name of its Lease. */
export function fieldManagerOf(controller: { readonly name: string }): string {
  return `${prefix}${controller.name}`;
}

/** The inverse: `replicaset`; undefined for a field manager that is not ours. */
export function controllerNamedBy(fieldManager: string): string | undefined {
  return fieldManager.startsWith(prefix) ? fieldManager.slice(prefix.length) : undefined;
}
