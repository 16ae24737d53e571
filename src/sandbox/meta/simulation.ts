/** Annotations that say how simulated pods behave (docs/sandbox-annotations.md). */

/** What their names begin with. */
export const simulationPrefix = "sandbox.kubectl-reconcile.io/";
