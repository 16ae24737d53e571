/**
 * The PersistentVolumeClaims of a pod: their names, their templates, and the pod's volumes that use them.
 * Source: kubernetes v1.36 pkg/controller/statefulset/stateful_set_utils.go.
 */
import { apiVersionOf } from "../../api/kind.ts";
import { PersistentVolumeClaims } from "../../api/kinds.ts";
import type { CreateInput } from "../../api/object.ts";
import type { PersistentVolumeClaim, Pod, PodSpec, StatefulSet } from "../../api/types.ts";
import { ordinalOf } from "./identity.ts";
import { claimTemplates } from "./spec.ts";

/** The name of a claim, and of its template. */
export interface ClaimName {
  readonly template: string;
  /** `data-web-3` */
  readonly name: string;
}

/** The claims of the pod with this ordinal, in the order of their templates. */
export function claimNames(set: StatefulSet, ordinal: number): ClaimName[] {
  return claimTemplates(set).map(({ metadata }) => {
    const template = metadata.name ?? "";
    return { template, name: `${template}-${set.metadata.name}-${ordinal}` };
  });
}

/** A claim as sent to the server. */
export interface NewClaim {
  readonly name: string;
  readonly claim: CreateInput<PersistentVolumeClaim>;
}

/** The claims to create for the pod with this ordinal: the labels of the set's selector are added to the template's. */
export function newClaims(set: StatefulSet, ordinal: number): NewClaim[] {
  const names = claimNames(set, ordinal);
  const { matchLabels } = set.spec?.selector ?? {};
  return claimTemplates(set).map((template, n) => {
    const name = names[n]?.name ?? "";
    const labels = { ...template.metadata.labels, ...matchLabels };
    const metadata = {
      ...template.metadata,
      name,
      namespace: set.metadata.namespace ?? "",
      ...(Object.keys(labels).length > 0 && { labels }),
    };
    const claim = {
      ...template,
      apiVersion: apiVersionOf(PersistentVolumeClaims),
      kind: PersistentVolumeClaims.kind,
      metadata,
    };
    return { name, claim };
  });
}

/** Whether the pod has a volume for each claim. */
export function storageMatches(set: StatefulSet, pod: Pod): boolean {
  const ordinal = ordinalOf(pod);
  if (ordinal < 0) return false;
  // Of two volumes with the same name, the later one wins.
  const volumes = new Map((pod.spec?.volumes ?? []).map((volume) => [volume.name, volume]));
  return claimNames(set, ordinal).every(
    ({ template, name }) => volumes.get(template)?.persistentVolumeClaim?.claimName === name,
  );
}

type Volumes = NonNullable<PodSpec["volumes"]>;

/** A pod's volumes, plus one for each claim, which replaces a volume of the same name. */
export function withClaims(volumes: Volumes | undefined, claims: readonly ClaimName[]): Volumes {
  const names = new Set(claims.map(({ template }) => template));
  return [
    ...claims.map(({ template, name }) => ({ name: template, persistentVolumeClaim: { claimName: name } })),
    ...(volumes ?? []).filter(({ name }) => !names.has(name)),
  ];
}
