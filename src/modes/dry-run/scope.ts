/**
 * What a dry run knows about a cluster, and what it therefore leaves alone: only namespaces whose contents are completely known are
 * finalized.
 */
import { type ObjectKey, splitKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import {
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  ResourceClaims,
  ResourceClaimTemplates,
  ResourceQuotas,
} from "../../api/kinds.ts";
import type { ResourceQuota } from "../../api/types.ts";
import type { KindName } from "../../trace/names.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import {
  defineAutoscaler,
  horizontalPodAutoscaler,
} from "../../controllers/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { bootstrapSigner } from "../../controllers/bootstrap-signer/bootstrap-signer.ts";
import { certificateSigningRequestApproving } from "../../controllers/certificatesigningrequest-approving/certificatesigningrequest-approving.ts";
import { certificateSigningRequestCleaner } from "../../controllers/certificatesigningrequest-cleaner/certificatesigningrequest-cleaner.ts";
import { certificateSigningRequestSigning } from "../../controllers/certificatesigningrequest-signing/certificatesigningrequest-signing.ts";
import { clusterroleAggregation } from "../../controllers/clusterrole-aggregation/clusterrole-aggregation.ts";
import { ephemeralVolume } from "../../controllers/ephemeral-volume/ephemeral-volume.ts";
import { legacyServiceaccountTokenCleaner } from "../../controllers/legacy-serviceaccount-token-cleaner/legacy-serviceaccount-token-cleaner.ts";
import { namespace } from "../../controllers/namespace/namespace.ts";
import { nodeLifecycle } from "../../controllers/node-lifecycle/node-lifecycle.ts";
import { persistentVolumeAttachDetach } from "../../controllers/persistentvolume-attach-detach/persistentvolume-attach-detach.ts";
import { persistentVolumeBinder } from "../../controllers/persistentvolume-binder/persistentvolume-binder.ts";
import { persistentVolumeExpander } from "../../controllers/persistentvolume-expander/persistentvolume-expander.ts";
import { persistentVolumeClaimProtection } from "../../controllers/persistentvolumeclaim-protection/persistentvolumeclaim-protection.ts";
import { podGarbageCollector } from "../../controllers/pod-garbage-collector/pod-garbage-collector.ts";
import { serviceaccount } from "../../controllers/serviceaccount/serviceaccount.ts";
import { serviceaccountToken } from "../../controllers/serviceaccount-token/serviceaccount-token.ts";
import { rootCaCertificatePublisher } from "../../controllers/root-ca-certificate-publisher/root-ca-certificate-publisher.ts";
import { resourceclaim } from "../../controllers/resourceclaim/resourceclaim.ts";
import { resourcequota } from "../../controllers/resourcequota/resourcequota.ts";
import { serviceCidr } from "../../controllers/service-cidr/service-cidr.ts";
import { tokenCleaner } from "../../controllers/token-cleaner/token-cleaner.ts";
import { ttl } from "../../controllers/ttl/ttl.ts";
import { validatingAdmissionPolicyStatus } from "../../controllers/validatingadmissionpolicy-status/validatingadmissionpolicy-status.ts";
import { volumeAttributesClassProtection } from "../../controllers/volumeattributesclass-protection/volumeattributesclass-protection.ts";

/** Looks up one object; undefined if it does not exist. */
export type Lookup = (of: KindName, key: ObjectKey) => StoredObject | undefined;

/**
 * What a dry run knows about a cluster. A snapshot contains the objects of some namespaces and almost nothing of others, and no objects of
 * kinds that the sandbox does not serve.
 */
export interface Scope {
  /** The namespaces that were read; undefined if there are no others. */
  readonly namespaces: readonly string[] | undefined;
  /** Namespaces whose deletion cannot be simulated, with the reason: they contain, or may contain, unknown objects. */
  readonly held: ReadonlyMap<string, string>;
  /** Kinds that may have unknown objects, as `group/Kind`, with the reason: they cannot be read, or were not requested. */
  readonly unread: ReadonlyMap<string, string>;
  /** The same kinds as quotas name them: `secrets`, `deployments.apps`. */
  readonly uncounted: ReadonlySet<string>;
}

/** Cluster-scoped kinds that belong to the cluster, not to the workload: manifests usually do not contain them. */
const clusterKinds = [
  "scheduling.k8s.io/PriorityClass",
  "node.k8s.io/RuntimeClass",
  "storage.k8s.io/StorageClass",
  "networking.k8s.io/IngressClass",
  "resource.k8s.io/DeviceClass",
  "/PersistentVolume",
];

/** For manifests alone: exactly the given objects, on a cluster about which nothing else is known. */
export const wholeCluster: Scope = {
  namespaces: undefined,
  held: new Map(),
  unread: new Map(clusterKinds.map((kind) => [kind, "no cluster was consulted"])),
  uncounted: new Set(),
};

/** Why it is unknown whether such an object exists; undefined if a missing object does not exist. */
export function whyUnknown(scope: Scope, { group, kind }: KindName, namespace: string): string | undefined {
  const unread = scope.unread.get(`${group}/${kind}`);
  if (unread !== undefined) return unread;
  return namespace === "" || isInScope(scope, namespace) ? undefined : "its namespace was not read";
}

/** Whether the namespace was read. */
export function isInScope({ namespaces }: Scope, name: string): boolean {
  return namespaces === undefined || namespaces.includes(name);
}

/** Why these never run in a dry run, whatever is known. */
const leftOut: ReadonlyMap<string, string> = new Map([
  [persistentVolumeBinder.name, "whether claims are bound is judged from the claims and volumes that were read"],
  [persistentVolumeAttachDetach.name, "no driver attaches volumes here, and pods would wait forever"],
  [rootCaCertificatePublisher.name, "the certificates that pods trust do not affect the result"],
  [serviceaccount.name, "each namespace has its default account anyway"],
  [serviceaccountToken.name, "it needs the private keys of the cluster"],
  [
    certificateSigningRequestApproving.name,
    "certificates do not affect the result, and the roles that decide on them were not read",
  ],
  [certificateSigningRequestSigning.name, "it needs the private keys of the cluster"],
  [certificateSigningRequestCleaner.name, "it only removes old certificate requests"],
  [legacyServiceaccountTokenCleaner.name, "it only removes tokens that have not been used for a year"],
  [tokenCleaner.name, "it only removes tokens that have expired"],
  [bootstrapSigner.name, "how nodes join does not affect the result"],
  [ttl.name, "the cache time of kubelets does not affect the result"],
  [validatingAdmissionPolicyStatus.name, "its warnings refuse nothing"],
]);

/** Why the controller never runs in a dry run, whatever is known; undefined if it runs when enough is known. */
export function whyLeftOut({ name }: ControllerDefinition): string | undefined {
  return leftOut.get(name);
}

/**
 * Unless nodes are asked about, no kubelet reports here and nodes may be unknown: what these controllers find would not be the effect of a
 * change.
 */
const findLostNodes: ReadonlySet<string> = new Set([nodeLifecycle.name, podGarbageCollector.name]);

/** What is known, and whether kubelets report, so that silent nodes are detected. */
export interface Surroundings {
  readonly scope: Scope;
  readonly nodesReport: boolean;
}

/**
 * All except those that bind or attach volumes or manage accounts and certificates, and, if no kubelet reports, those that detect lost
 * nodes. Of the rest, the namespace and quota controllers skip namespaces and quotas whose objects are not completely known, and those that
 * protect storage skip what may have unknown users; autoscalers enforce only their bounds, without metrics.
 */
export function withinScope(
  controllers: readonly ControllerDefinition[],
  { scope, nodesReport }: Surroundings,
): ControllerDefinition[] {
  const kept = controllers.filter(
    (each) => whyLeftOut(each) === undefined && (nodesReport || !findLostNodes.has(each.name)),
  );
  return kept.map((controller) => {
    switch (controller.name) {
      case namespace.name:
        return unless(controller, (key) => !isInScope(scope, key) || scope.held.has(key));
      case resourcequota.name:
        return unless(controller, (key, context) => hasUncounted(context.cache(ResourceQuotas).get(key), scope));
      case persistentVolumeClaimProtection.name:
        return unless(controller, (key) => whyUnknown(scope, Pods, splitKey(key).namespace) !== undefined);
      case ephemeralVolume.name:
        return unless(
          controller,
          (key) => whyUnknown(scope, PersistentVolumeClaims, splitKey(key).namespace) !== undefined,
        );
      case resourceclaim.name:
        return unless(controller, (key) =>
          [Pods, ResourceClaims, ResourceClaimTemplates].some(
            (kind) => whyUnknown(scope, kind, splitKey(key).namespace) !== undefined,
          ),
        );
      case persistentVolumeExpander.name:
        return unless(controller, () => whyUnknown(scope, PersistentVolumes, "") !== undefined);
      case clusterroleAggregation.name:
      case serviceCidr.name:
        // Unread roles may be selected, too, and unread addresses may keep a range.
        return unless(controller, () => scope.namespaces !== undefined);
      case volumeAttributesClassProtection.name:
        // Claims of other namespaces, and volumes, may use it.
        return unless(controller, () => !isWholeStorageKnown(scope));
      case horizontalPodAutoscaler.name:
        // What pods would use is unknown.
        return withoutMetrics;
      default:
        return controller;
    }
  });
}

const withoutMetrics = defineAutoscaler({ readsMetrics: false });

function unless(
  controller: ControllerDefinition,
  isUnknown: (key: ObjectKey, context: SyncContext) => boolean,
): ControllerDefinition {
  return {
    ...controller,
    async sync(key, context) {
      return isUnknown(key, context) ? undefined : controller.sync(key, context);
    },
  };
}

function isWholeStorageKnown(scope: Scope): boolean {
  const kinds = [PersistentVolumes, PersistentVolumeClaims];
  return scope.namespaces === undefined && kinds.every((kind) => whyUnknown(scope, kind, "") === undefined);
}

/** The cluster's usage includes objects that are unknown here: recounting would lose them. */
function hasUncounted(quota: ResourceQuota | undefined, { uncounted }: Scope): boolean {
  if (quota?.status?.hard === undefined) return false;
  return Object.keys(quota.spec?.hard ?? {}).some((name) => uncounted.has(name.replace(/^count\//, "")));
}
