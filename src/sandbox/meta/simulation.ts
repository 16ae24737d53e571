/** Annotations that control how simulated pods behave (docs/sandbox-annotations.md). */

/** The prefix of their names. */
export const simulationPrefix = "sandbox.kubectl-reconcile.io/";
