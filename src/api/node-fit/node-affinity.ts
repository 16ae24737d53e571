/**
 * Node selectors and node affinity.
 * Source: component-helpers v0.36 scheduling/corev1/nodeaffinity/nodeaffinity.go.
 */
import { matches, type Requirement } from "../labels.ts";
import type { Node, NodeSelectorTerm, Pod } from "../types.ts";

const operators: Readonly<Record<string, Requirement["operator"]>> = {
  In: "In",
  NotIn: "NotIn",
  Exists: "Exists",
  DoesNotExist: "DoesNotExist",
  Gt: "GreaterThan",
  Lt: "LessThan",
};

type Expressions = NonNullable<NodeSelectorTerm["matchExpressions"]>;

function meetsAll(labels: Readonly<Record<string, string>> | undefined, expressions: Expressions): boolean {
  return expressions.every(({ key, operator, values = [] }) => {
    const known = operators[operator];
    return known !== undefined && matches([{ key, operator: known, values }], labels);
  });
}

/** Whether all expressions and fields match; an empty term matches no node. */
export function termFits({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    meetsAll(node.metadata.labels, matchExpressions) && meetsAll({ "metadata.name": node.metadata.name }, matchFields)
  );
}

/** Whether the node has every label in the pod's `nodeSelector` and matches one of its required terms, if any. */
export function nodeSelected({ spec }: Pick<Pod, "spec">, node: Node): boolean {
  for (const [key, value] of Object.entries(spec?.nodeSelector ?? {})) {
    if (node.metadata.labels?.[key] !== value) return false;
  }
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => termFits(term, node));
}

/** The sum of the weights of the preferred terms that the node matches. */
export function nodePreference({ spec }: Pod, node: Node): number {
  const preferred = spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  let sum = 0;
  for (const { weight, preference } of preferred) {
    // Unlike a required term, an empty preferred one matches every node.
    const empty = (preference.matchExpressions ?? []).length === 0 && (preference.matchFields ?? []).length === 0;
    if (empty || termFits(preference, node)) sum += weight;
  }
  return sum;
}
