/**
 * Removes the reference to an object from its dependents, if it is deleted without them.
 * Source: kubernetes v1.36 pkg/controller/garbagecollector/garbagecollector.go attemptToOrphanWorker; differs: at most
 * 64 dependents are patched concurrently.
 */
import { isNotFound } from "../../api/status-error.ts";
import type { Decision } from "../../controller/api/rule.ts";
import { type GraphNode, nameOfNode } from "./node.ts";
import { orphanFinalizer } from "./references.ts";
import { removeFinalizer, removeOwnerReferences } from "./requests.ts";
import * as rules from "./rules.ts";
import type { Work } from "./work.ts";

const atOnce = 64;

/** @throws Error if the reference could not be removed from a dependent: the key is retried for all of them. */
export async function attemptToOrphan(work: Work, owner: GraphNode): Promise<void> {
  const { context } = work;
  const dependents = [...(owner.dependents ?? [])];
  if (dependents.length > 0) {
    const facts = { dependents: dependents.length, owner: nameOfNode(owner) };
    await orphanDependents(work, owner, dependents, context.decide(rules.orphan, facts));
  }
  const because = context.decide(rules.orphaned, { dependents: dependents.length });
  await removeFinalizer(work, owner, orphanFinalizer, because);
}

async function orphanDependents(
  work: Work,
  owner: GraphNode,
  dependents: readonly GraphNode[],
  because: Decision,
): Promise<void> {
  const failures: { readonly dependent: GraphNode; readonly error: unknown }[] = [];
  const left = dependents.values();
  const free = async (): Promise<void> => {
    for (const dependent of left) {
      try {
        await removeOwnerReferences(work, dependent, [owner.uid], because);
      } catch (error) {
        if (!isNotFound(error)) failures.push({ dependent, error });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, free));
  const [first] = failures;
  if (first === undefined) return;
  const { dependent, error: cause } = first;
  const message = cause instanceof Error ? cause.message : String(cause);
  throw new Error(
    `Cannot orphan ${failures.length} of ${dependents.length} dependents of ${nameOfNode(owner)}, the first of them ${nameOfNode(dependent)}: ${message}`,
    { cause },
  );
}
