/**
 * How long nodes that pods are bound to have been missing: a node may be newer than the cache.
 * Source: kubernetes v1.36 pkg/controller/podgc/gc_controller.go gcOrphaned, discoverDeletedNodes.
 */

/** Missing nodes, with the times from which the API server is checked for them, in ms since 1970. */
export class Quarantine {
  #checkAt = new Map<string, number>();

  /**
   * Starts the wait of each node that has none, and returns those whose wait is over, each once: a node still missing waits again. Atomic.
   */
  overdue(
    missing: ReadonlySet<string>,
    { now, waitMs }: { readonly now: number; readonly waitMs: number },
  ): Set<string> {
    const overdue = new Set<string>();
    for (const [node, at] of this.#checkAt) {
      if (at > now) continue;
      overdue.add(node);
      this.#checkAt.delete(node);
    }
    for (const node of missing) if (!this.#checkAt.has(node)) this.#checkAt.set(node, now + waitMs);
    return overdue;
  }
}
