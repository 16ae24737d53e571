/** The pods that a DaemonSet creates. Source: kubernetes v1.36 pkg/controller/daemon/util/daemonset_util.go CreatePodTemplate. */
import { DaemonSets } from "../../api/kinds.ts";
import type { CreateInput } from "../../api/object.ts";
import type { DaemonSet, Pod, PodSpec, PodTemplateSpec } from "../../api/types.ts";
import { podFromTemplate } from "../../controller/workload/pod-control.ts";
import { templateGeneration } from "./spec.ts";
import { daemonTolerations } from "../../api/node-fit/daemon-tolerations.ts";

/** On pods and revisions: the hash of the template. */
export const hashLabel = "controller-revision-hash";
/** On pods: which version of the template they come from, as an annotation of the set counts them. */
const templateGenerationLabel = "pod-template-generation";

type Affinity = NonNullable<PodSpec["affinity"]>;
type NodeAffinity = NonNullable<Affinity["nodeAffinity"]>;

/** Builds the pod for a node, as sent to the server, from the set's template. */
export function podsFor(set: DaemonSet, hash: string): (node: string) => CreateInput<Pod> {
  const pod = podFromTemplate(labelled(set, hash), { kind: DaemonSets, object: set });
  const { spec } = pod;
  if (spec === undefined) return () => pod;
  const tolerations = [...daemonTolerations(spec)];
  return (node) => ({ ...pod, spec: { ...spec, affinity: pinnedTo(node, spec.affinity), tolerations } });
}

function labelled(set: DaemonSet, hash: string): PodTemplateSpec | undefined {
  const { template } = set.spec ?? {};
  if (template === undefined) return undefined;
  const generation = templateGeneration(set);
  const labels = {
    ...template.metadata?.labels,
    ...(generation !== undefined && { [templateGenerationLabel]: String(generation) }),
    ...(hash !== "" && { [hashLabel]: hash }),
  };
  return { ...template, metadata: { ...template.metadata, labels } };
}

/** Restricts the required terms to the one node, where the scheduler then puts the pod; the rest of the affinity stays. */
export function pinnedTo(node: string, affinity: Affinity | undefined): Affinity {
  const matchFields = [{ key: "metadata.name", operator: "In", values: [node] }];
  const required: NodeAffinity["requiredDuringSchedulingIgnoredDuringExecution"] = {
    nodeSelectorTerms: [{ matchFields }],
  };
  return {
    ...affinity,
    nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required },
  };
}

/** The node that a pod is or will be bound to; undefined without one. */
export function targetNodeOf({ spec }: Pod): string | undefined {
  const { nodeName = "" } = spec ?? {};
  if (nodeName !== "") return nodeName;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  for (const { matchFields = [] } of required?.nodeSelectorTerms ?? []) {
    const field = matchFields.find(({ key, operator }) => key === "metadata.name" && operator === "In");
    if (field !== undefined) return field.values?.length === 1 ? field.values[0] : undefined;
  }
  return undefined;
}

/** Whether a pod comes from the current template: by its hash, or by the template generation. */
export function isUpToDate(
  { metadata }: Pod,
  { set, hash }: { readonly set: DaemonSet; readonly hash: string },
): boolean {
  const { labels = {} } = metadata;
  if (hash !== "" && labels[hashLabel] === hash) return true;
  const generation = templateGeneration(set);
  return generation !== undefined && (labels[templateGenerationLabel] ?? "") === String(generation);
}
