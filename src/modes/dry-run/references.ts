/**
 * The objects that an object refers to in its spec: what must exist for it to work. Pure: nothing is looked up here.
 */
import type { StoredObject } from "../../api/object.ts";
import { ephemeralClaimName } from "../../api/pod-claims.ts";
import {
  type ConfigurationReference,
  configurationOfContainer,
  configurationOfVolume,
} from "../../api/pod-configuration.ts";
import type { Deployment, Pod, ResourceClaim, ResourceClaimTemplate } from "../../api/types.ts";
import type { KindName } from "../../trace/names.ts";
import { kindNameOf } from "../../views/state.ts";
import { backendsOf, type IngressLike } from "./services.ts";

/** A reference to one object. */
export interface Reference {
  /** `.spec.template.spec.volumes[0].configMap.name` */
  readonly field: string;
  readonly to: KindName;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  /** The key of its data that is referred to. */
  readonly dataKey?: string;
  /** The referring object allows it to be missing. */
  readonly isOptional: boolean;
  /** Containers do not start without it. */
  readonly holdsPods: boolean;
}

interface CronJobLike {
  readonly spec?: { readonly jobTemplate?: Pick<Deployment, "spec"> };
}

interface AutoscalerLike {
  readonly spec?: {
    readonly scaleTargetRef?: { readonly apiVersion?: string; readonly kind: string; readonly name: string };
  };
}

/** `spec` of a Pod. */
export type PodSpec = NonNullable<Pod["spec"]>;

const secret: KindName = { group: "", kind: "Secret" };
const claim: KindName = { group: "", kind: "PersistentVolumeClaim" };
const service: KindName = { group: "", kind: "Service" };
const deviceClaim: KindName = { group: "resource.k8s.io", kind: "ResourceClaim" };
const deviceTemplate: KindName = { group: "resource.k8s.io", kind: "ResourceClaimTemplate" };
const deviceClass: KindName = { group: "resource.k8s.io", kind: "DeviceClass" };
const storageClass: KindName = { group: "storage.k8s.io", kind: "StorageClass" };

/** The spec of the pods that an object is or creates, and its path in the object. */
export function podSpecOf({
  kind,
  ...object
}: StoredObject):
  { readonly field: string; readonly labels: Readonly<Record<string, string>>; readonly spec: PodSpec } | undefined {
  switch (kind ?? "") {
    case "Pod": {
      const { spec, metadata } = object as unknown as Pod;
      return spec === undefined ? undefined : { field: ".spec", labels: metadata.labels ?? {}, spec };
    }
    case "Deployment":
    case "ReplicaSet":
    case "ReplicationController":
    case "StatefulSet":
    case "DaemonSet":
    case "Job": {
      const template = (object as unknown as Deployment).spec?.template;
      if (template?.spec === undefined) return undefined;
      return { field: ".spec.template.spec", labels: template.metadata?.labels ?? {}, spec: template.spec };
    }
    case "CronJob": {
      const template = (object as unknown as CronJobLike).spec?.jobTemplate?.spec?.template;
      if (template?.spec === undefined) return undefined;
      return {
        field: ".spec.jobTemplate.spec.template.spec",
        labels: template.metadata?.labels ?? {},
        spec: template.spec,
      };
    }
    default:
      return undefined;
  }
}

/** The claims of a pod's ephemeral volumes, which are created after the pod. */
export function ephemeralClaimsOf(pod: Pod): readonly Reference[] {
  const { namespace = "" } = pod.metadata;
  return (pod.spec?.volumes ?? []).flatMap(({ name: volume, ephemeral }, index) => {
    const name = ephemeral === undefined ? undefined : ephemeralClaimName(pod, volume);
    return reference({ field: `.spec.volumes[${index}].ephemeral`, to: claim, namespace, name }, { holdsPods: true });
  });
}

/** All references of an object. Selectors and ports are not included: they name no object. */
export function referencesOf(object: StoredObject): readonly Reference[] {
  const namespace = object.metadata.namespace ?? "";
  const pods = podSpecOf(object);
  const inPods = pods === undefined ? [] : referencesOfPods(pods.spec, pods.field, namespace);
  return [...inPods, ...ownReferences(object, namespace)];
}

type Named = Pick<Reference, "to" | "namespace"> & { readonly field: string; readonly name: string | undefined };
type More = Partial<Pick<Reference, "dataKey" | "isOptional" | "holdsPods">>;

/** Empty without a name. */
function reference({ field, to, namespace, name = "" }: Named, more: More = {}): Reference[] {
  return name === "" ? [] : [{ field, to, namespace, name, isOptional: false, holdsPods: false, ...more }];
}

/** The references of a pod's spec at the path `at`. */
export function referencesOfPods(spec: PodSpec, at: string, namespace: string): readonly Reference[] {
  const lists = ["initContainers", "containers", "ephemeralContainers"] as const;
  const containers = lists.flatMap((list) =>
    (spec[list] ?? []).flatMap((container, index) =>
      configuration(configurationOfContainer(container), { at: `${at}.${list}[${index}]`, namespace }),
    ),
  );
  const inNamespace = (field: string, to: KindName, name: string | undefined): Reference[] =>
    reference({ field: `${at}.${field}`, to, namespace, name });
  const anywhere = (field: string, to: KindName, name: string | undefined): Reference[] =>
    reference({ field: `${at}.${field}`, to, namespace: "", name });
  return [
    ...(spec.volumes ?? []).flatMap((volume, index) => [
      ...configuration(configurationOfVolume(volume), { at: `${at}.volumes[${index}]`, namespace }),
      ...reference(
        {
          field: `${at}.volumes[${index}].persistentVolumeClaim.claimName`,
          to: claim,
          namespace,
          name: volume.persistentVolumeClaim?.claimName,
        },
        { holdsPods: true },
      ),
    ]),
    ...containers,
    // Whether these hold up pods is decided together with the claims' allocations.
    ...(spec.resourceClaims ?? []).flatMap(({ resourceClaimName, resourceClaimTemplateName }, index) => [
      ...inNamespace(`resourceClaims[${index}].resourceClaimName`, deviceClaim, resourceClaimName),
      ...inNamespace(`resourceClaims[${index}].resourceClaimTemplateName`, deviceTemplate, resourceClaimTemplateName),
    ]),
    ...inNamespace("serviceAccountName", { group: "", kind: "ServiceAccount" }, spec.serviceAccountName),
    ...(spec.imagePullSecrets ?? []).flatMap(({ name }, index) =>
      inNamespace(`imagePullSecrets[${index}].name`, secret, name),
    ),
    ...anywhere("priorityClassName", { group: "scheduling.k8s.io", kind: "PriorityClass" }, spec.priorityClassName),
    ...anywhere("runtimeClassName", { group: "node.k8s.io", kind: "RuntimeClass" }, spec.runtimeClassName),
  ];
}

function configuration(
  references: readonly ConfigurationReference[],
  { at, namespace }: { readonly at: string; readonly namespace: string },
): Reference[] {
  return references.flatMap(({ field, kind: { group, kind }, name, ...more }) =>
    reference({ field: `${at}.${field}`, to: { group, kind }, namespace, name }, { ...more, holdsPods: true }),
  );
}

interface WithClaims {
  readonly spec?: {
    readonly serviceName?: string;
    readonly volumeClaimTemplates?: readonly { readonly spec?: { readonly storageClassName?: string } }[];
  };
}

function ownReferences(object: StoredObject, namespace: string): readonly Reference[] {
  switch (object.kind ?? "") {
    case "StatefulSet": {
      const { serviceName, volumeClaimTemplates = [] } = (object as WithClaims).spec ?? {};
      return [
        ...reference({ field: ".spec.serviceName", to: service, namespace, name: serviceName }),
        ...volumeClaimTemplates.flatMap(({ spec }, index) =>
          reference({
            field: `.spec.volumeClaimTemplates[${index}].spec.storageClassName`,
            to: storageClass,
            namespace: "",
            name: spec?.storageClassName,
          }),
        ),
      ];
    }
    case "PersistentVolumeClaim": {
      const name = (object as { readonly spec?: { readonly storageClassName?: string } }).spec?.storageClassName;
      return reference({ field: ".spec.storageClassName", to: storageClass, namespace: "", name });
    }
    case "ResourceClaim":
      // The kind implies the type of the spec.
      return referencesOfDevices((object as Partial<ResourceClaim>).spec, ".spec");
    case "ResourceClaimTemplate":
      // The kind implies the type of the spec.
      return referencesOfDevices((object as Partial<ResourceClaimTemplate>).spec?.spec, ".spec.spec");
    case "HorizontalPodAutoscaler": {
      const target = (object as AutoscalerLike).spec?.scaleTargetRef;
      if (target === undefined) return [];
      const to = kindNameOf(target.apiVersion ?? "v1", target.kind);
      return reference({ field: ".spec.scaleTargetRef.name", to, namespace, name: target.name });
    }
    case "Ingress":
      return referencesOfIngress(object, namespace);
    default:
      return [];
  }
}

function referencesOfDevices(spec: ResourceClaim["spec"] | undefined, at: string): readonly Reference[] {
  const named = (field: string, name: string | undefined): Reference[] =>
    reference({ field: `${field}.deviceClassName`, to: deviceClass, namespace: "", name });
  return (spec?.devices?.requests ?? []).flatMap(({ exactly, firstAvailable = [] }, index) => {
    const request = `${at}.devices.requests[${index}]`;
    return [
      ...named(`${request}.exactly`, exactly?.deviceClassName),
      ...firstAvailable.flatMap((each, n) => named(`${request}.firstAvailable[${n}]`, each.deviceClassName)),
    ];
  });
}

function referencesOfIngress(ingress: IngressLike & StoredObject, namespace: string): readonly Reference[] {
  const { ingressClassName, tls = [] } = ingress.spec ?? {};
  // A certificate issuer may not have created it yet.
  const isIssued = Object.keys(ingress.metadata.annotations ?? {}).some((name) => name.startsWith("cert-manager.io/"));
  return [
    ...reference({
      field: ".spec.ingressClassName",
      to: { group: "networking.k8s.io", kind: "IngressClass" },
      namespace: "",
      name: ingressClassName,
    }),
    ...backendsOf(ingress).flatMap(({ field, name }) =>
      reference({ field: `${field}.name`, to: service, namespace, name }),
    ),
    ...tls.flatMap(({ secretName }, index) =>
      reference(
        { field: `.spec.tls[${index}].secretName`, to: secret, namespace, name: secretName },
        { isOptional: isIssued },
      ),
    ),
  ];
}
