/** Warnings about the labels that node selectors name. Source: kubernetes v1.36 pkg/api/node/util.go. */
import { labelValueProblems } from "../../api/label-names.ts";
import { at, fieldsIn, isFields, textOf } from "../meta/object.ts";

/** Labels of nodes that are deprecated, with what to say about them. */
export const oldLabels: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "app.kubernetes.io/created-by": "deprecated since v1.9",
  "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
  "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
};

/** What to say about a term. */
export interface TermToWarnOf {
  readonly field: string;
  /** Whether values that are no valid labels are named too. */
  readonly looksAtValues: boolean;
}

/** About the keys and values of a term of a node selector. */
export function nodeTermWarnings(term: unknown, { field, looksAtValues }: TermToWarnOf): string[] {
  return fieldsIn(at(term, "matchExpressions")).flatMap(({ key, values }, index) => {
    const here = `${field}.matchExpressions[${index}]`;
    const message = oldLabels[textOf(key)];
    const list = looksAtValues && Array.isArray(values) ? values.map(String) : [];
    return [
      ...(message === undefined ? [] : [`${here}.key: ${textOf(key)} is ${message}`]),
      ...list.flatMap((value, at) =>
        labelValueProblems(value).map((problem) => `${here}.values[${at}]: ${value} is invalid, ${problem}`),
      ),
    ];
  });
}

/** About the keys of a label selector of nodes. */
export function nodeSelectorWarnings(selector: unknown, field: string): string[] {
  const labels = at(selector, "matchLabels");
  return [
    ...nodeTermWarnings(selector, { field, looksAtValues: false }),
    ...oldLabelsIn(labels).map((label) => `${field}.matchLabels.${label}: ${oldLabels[label]}`),
  ];
}

/** The deprecated ones among the labels in a map, sorted. */
export const oldLabelsIn = (labels: unknown): string[] =>
  isFields(labels)
    ? Object.keys(labels)
        .filter((label) => oldLabels[label] !== undefined)
        .sort()
    : [];
