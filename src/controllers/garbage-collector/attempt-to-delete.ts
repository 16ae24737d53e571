/**
 * Decides whether an object is garbage, and deletes it if it is.
 * Source: kubernetes v1.36 pkg/controller/garbagecollector/garbagecollector.go attemptToDeleteItem.
 */
import type { StoredObject } from "../../api/object.ts";
import { isNotFound } from "../../api/status-error.ts";
import { classifyReferences, type ClassifiedOwner } from "./classify.ts";
import { blockingDependents, type GraphNode, type Identity, identityOf, nameOfNode } from "./node.ts";
import { foregroundFinalizer, hasFinalizer, orphanFinalizer } from "./references.ts";
import {
  addressOf,
  deleteObject,
  type Policy,
  removeFinalizer,
  removeOwnerReferences,
  unblockOwners,
} from "./requests.ts";
import * as rules from "./rules.ts";
import type { Work } from "./work.ts";

/** How many dependents a decision lists by name. */
const named = 3;

/**
 * Returns `absent` if the object does not exist or cannot exist, as with an impossible owner reference.
 * @throws StatusError, TransportError; Error for a kind that the API server does not serve.
 */
export async function attemptToDelete(work: Work, node: GraphNode): Promise<"present" | "absent"> {
  const { context, kinds } = work;
  if (node.beingDeleted && !node.deletingDependents) {
    context.decide(rules.beingDeleted, {});
    return "present";
  }
  if (kinds.find(node.of).namespaced && node.namespace === "") {
    context.decide(rules.virtualWithoutNamespace, {});
    return "absent";
  }
  const identity = identityOf(node);
  const found = await getLiveObject(work, node);
  if (!("object" in found)) return markAbsent(work, node, identity, found.absent);
  if (!node.deletingDependents) return deleteIfGarbage(work, node, found.object);
  await processDeletingDependents(work, node);
  return "present";
}

type Found = { readonly object: StoredObject } | { readonly absent: string };

/** The object as the API server has it now. Source: operations.go getObject. */
async function getLiveObject(work: Work, node: GraphNode): Promise<Found> {
  const { kind, at } = addressOf(work, node);
  try {
    const object = await work.context.client.getMetadata(kind, at);
    const { uid } = object.metadata;
    return uid === node.uid ? { object } : { absent: `its name now belongs to another object, uid ${uid}` };
  } catch (error) {
    if (isNotFound(error)) return { absent: "404 from the API server" };
    throw error;
  }
}

/** Source: enqueueVirtualDeleteEvent. */
function markAbsent(work: Work, node: GraphNode, identity: Identity, evidence: string): "absent" {
  const { context, graph } = work;
  context.decide(rules.absent, { evidence, dependents: node.dependents?.size ?? 0 });
  graph.markAbsent(identity, evidence, work.effects(`${nameOfNode(node)} is absent: ${evidence}`));
  return "absent";
}

/** For a node that is being deleted in the foreground. Source: processDeletingDependentsItem. */
async function processDeletingDependents(work: Work, node: GraphNode): Promise<void> {
  const { context, graph } = work;
  const blocking = blockingDependents(node);
  if (blocking.length === 0) {
    await removeFinalizer(work, node, foregroundFinalizer, context.decide(rules.dependentsGone, {}));
    return;
  }
  const first = blocking.slice(0, named).map(nameOfNode);
  context.decide(rules.waitForDependents, { blocking: blocking.length, first });
  const effects = work.effects(`${nameOfNode(node)} waits until its dependents are deleted`);
  for (const dependent of blocking) {
    if (!dependent.deletingDependents) effects.enqueue(graph.keyOf(dependent, "delete"), 0);
  }
}

/** Deletes the object unless one of its owners exists. Source: attemptToDeleteItem. */
async function deleteIfGarbage(work: Work, node: GraphNode, latest: StoredObject): Promise<"present" | "absent"> {
  const { context } = work;
  const references = latest.metadata.ownerReferences ?? [];
  if (references.length === 0) {
    context.decide(rules.noOwners, {});
    return "present";
  }
  const owners = await classifyReferences(work, node, references);
  const impossible = owners.find(({ state }) => state.is === "impossible");
  if (impossible !== undefined) {
    context.decide(rules.impossibleOwner, { owner: nameOfOwner(impossible) });
    return "absent";
  }
  if (!owners.some(({ state }) => state.is === "solid")) return deleteGarbage(work, node, latest, owners);
  await keepAndDropIdleReferences(work, node, owners);
  return "present";
}

async function keepAndDropIdleReferences(
  work: Work,
  node: GraphNode,
  owners: readonly ClassifiedOwner[],
): Promise<void> {
  const { context } = work;
  const idle = [
    ...owners.filter(({ state }) => state.is === "absent"),
    ...owners.filter(({ state }) => state.is === "waiting"),
  ];
  const facts = { owners: factsOf(owners) };
  if (idle.length === 0) {
    context.decide(rules.keep, facts);
    return;
  }
  const because = context.decide(rules.dropReferences, { ...facts, count: idle.length });
  await removeOwnerReferences(
    work,
    node,
    idle.map(({ reference }) => reference.uid),
    because,
  );
}

async function deleteGarbage(
  work: Work,
  node: GraphNode,
  latest: StoredObject,
  owners: readonly ClassifiedOwner[],
): Promise<"present" | "absent"> {
  const { context } = work;
  const identity = identityOf(node);
  const dependents = [...(node.dependents ?? [])];
  const facts = { owners: factsOf(owners) };
  try {
    if (dependents.length > 0 && owners.some(({ state }) => state.is === "waiting")) {
      await breakCycle(work, node, dependents);
      const because = context.decide(rules.removeWithDependents, { ...facts, dependents: dependents.length });
      await deleteObject(work, node, latest, "Foreground", because);
    } else {
      const policy = policyOf(latest);
      await deleteObject(work, node, latest, policy, context.decide(rules.remove, { ...facts, policy }));
    }
    return "present";
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return markAbsent(work, node, identity, "404 from the API server");
  }
}

/** A dependent that waits for its dependents, as the node's owner does, may be part of a cycle; not every such dependent is. */
async function breakCycle(work: Work, node: GraphNode, dependents: readonly GraphNode[]): Promise<void> {
  const waiting = dependents.find(({ deletingDependents }) => deletingDependents);
  if (waiting === undefined) return;
  await unblockOwners(work, node, work.context.decide(rules.breakCycle, { dependent: nameOfNode(waiting) }));
}

/** A deletion finalizer that the object already has decides the policy. */
function policyOf(latest: StoredObject): Policy {
  if (hasFinalizer(latest, orphanFinalizer)) return "Orphan";
  return hasFinalizer(latest, foregroundFinalizer) ? "Foreground" : "Background";
}

function nameOfOwner({ reference }: ClassifiedOwner): string {
  return `${reference.kind} ${reference.name}`;
}

function factsOf(owners: readonly ClassifiedOwner[]): rules.OwnerFact[] {
  return owners.map((owner) => {
    const { state, reference } = owner;
    const stateText =
      state.is === "absent" ? state.evidence : state.is === "waiting" ? "waits for its dependents" : "exists";
    return { owner: nameOfOwner(owner), uid: reference.uid, state: stateText, absent: state.is === "absent" };
  });
}
