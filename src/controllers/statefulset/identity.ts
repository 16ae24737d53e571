/**
 * Pod identity: a pod's name gives its StatefulSet and its ordinal.
 * Source: kubernetes v1.36 pkg/controller/statefulset/stateful_set_utils.go.
 */
import type { ObjectMeta } from "../../api/object.ts";
import type { Pod, StatefulSet } from "../../api/types.ts";

/** On a pod: its own name, so that a Service can select this pod alone. */
const podNameLabel = "statefulset.kubernetes.io/pod-name";
/** On a pod: its ordinal. */
const podIndexLabel = "apps.kubernetes.io/pod-index";
/** On a pod: the name of the ControllerRevision that it was created from. */
export const revisionLabel = "controller-revision-hash";

const memberName = /^(.*)-([0-9]+)$/s;
const highestOrdinal = 2_147_483_647;

/** What a pod's name contains. */
export interface NameParts {
  /** Empty for a name without an ordinal. */
  readonly parent: string;
  /** -1 if there is none, or if it exceeds 31 bits. */
  readonly ordinal: number;
}

/** `web-3` → `web` and 3. */
export function nameParts({ metadata }: { readonly metadata: Pick<ObjectMeta, "name"> }): NameParts {
  const [, parent = "", digits] = memberName.exec(metadata.name ?? "") ?? [];
  const ordinal = digits === undefined ? -1 : Number(digits);
  return { parent, ordinal: ordinal > highestOrdinal ? -1 : ordinal };
}

/** The ordinal in a pod's name; -1 for none. */
export function ordinalOf(pod: { readonly metadata: Pick<ObjectMeta, "name"> }): number {
  return nameParts(pod).ordinal;
}

/** Whether the pod's name belongs to this set. */
export function isMemberOf(set: StatefulSet, pod: Pod): boolean {
  return nameParts(pod).parent === set.metadata.name;
}

/** `web-3` */
export function podName(set: StatefulSet, ordinal: number): string {
  return `${set.metadata.name}-${ordinal}`;
}

/** The name of the ControllerRevision that the pod was created from; empty without the label. */
export function revisionOf({ metadata }: { readonly metadata: ObjectMeta }): string {
  return metadata.labels?.[revisionLabel] ?? "";
}

/** Whether name, namespace and pod-name label are those of the set's pod with this ordinal. */
export function identityMatches(set: StatefulSet, pod: Pod): boolean {
  const { parent, ordinal } = nameParts(pod);
  const { name, namespace, labels } = pod.metadata;
  return (
    ordinal >= 0 &&
    parent === set.metadata.name &&
    name === podName(set, ordinal) &&
    namespace === set.metadata.namespace &&
    labels?.[podNameLabel] === name
  );
}

/** Metadata with the name, namespace and labels of the set's pod with this ordinal. */
export function withIdentity<M extends ObjectMeta>(
  metadata: M,
  { set, ordinal }: { readonly set: StatefulSet; readonly ordinal: number },
): M & { readonly name: string } {
  const name = podName(set, ordinal);
  return {
    ...metadata,
    name,
    namespace: set.metadata.namespace ?? "",
    labels: { ...metadata.labels, [podNameLabel]: name, [podIndexLabel]: String(ordinal) },
  };
}
