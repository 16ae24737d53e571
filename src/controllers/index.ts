/** The catalogue of the built-in controllers: the only place that names them all. */
import type { ControllerDefinition } from "../controller/api/definition.ts";
import { bootstrapSigner } from "./bootstrap-signer/bootstrap-signer.ts";
import { certificateSigningRequestApproving } from "./certificatesigningrequest-approving/certificatesigningrequest-approving.ts";
import { certificateSigningRequestCleaner } from "./certificatesigningrequest-cleaner/certificatesigningrequest-cleaner.ts";
import { certificateSigningRequestSigning } from "./certificatesigningrequest-signing/certificatesigningrequest-signing.ts";
import { clusterroleAggregation } from "./clusterrole-aggregation/clusterrole-aggregation.ts";
import { cronjob } from "./cronjob/cronjob.ts";
import { daemonset } from "./daemonset/daemonset.ts";
import { deployment } from "./deployment/deployment.ts";
import { deviceTaintEviction } from "./device-taint-eviction/device-taint-eviction.ts";
import { disruption } from "./disruption/disruption.ts";
import { endpoints } from "./endpoints/endpoints.ts";
import { endpointslice } from "./endpointslice/endpointslice.ts";
import { endpointsliceMirroring } from "./endpointslice-mirroring/endpointslice-mirroring.ts";
import { ephemeralVolume } from "./ephemeral-volume/ephemeral-volume.ts";
import { garbageCollector } from "./garbage-collector/garbage-collector.ts";
import { horizontalPodAutoscaler } from "./horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { job } from "./job/job.ts";
import { kubelet, nodeHeartbeat } from "./kubelet/kubelet.ts";
import { legacyServiceaccountTokenCleaner } from "./legacy-serviceaccount-token-cleaner/legacy-serviceaccount-token-cleaner.ts";
import { namespace } from "./namespace/namespace.ts";
import { nodeLifecycle } from "./node-lifecycle/node-lifecycle.ts";
import { persistentVolumeAttachDetach } from "./persistentvolume-attach-detach/persistentvolume-attach-detach.ts";
import { persistentVolumeBinder } from "./persistentvolume-binder/persistentvolume-binder.ts";
import { persistentVolumeExpander } from "./persistentvolume-expander/persistentvolume-expander.ts";
import { persistentVolumeProtection } from "./persistentvolume-protection/persistentvolume-protection.ts";
import { persistentVolumeClaimProtection } from "./persistentvolumeclaim-protection/persistentvolumeclaim-protection.ts";
import { podGarbageCollector } from "./pod-garbage-collector/pod-garbage-collector.ts";
import { replicaset } from "./replicaset/replicaset.ts";
import { replicationcontroller } from "./replicaset/replicationcontroller.ts";
import { resourceclaim } from "./resourceclaim/resourceclaim.ts";
import { resourcequota } from "./resourcequota/resourcequota.ts";
import { rootCaCertificatePublisher } from "./root-ca-certificate-publisher/root-ca-certificate-publisher.ts";
import { scheduler } from "./scheduler/scheduler.ts";
import { serviceCidr } from "./service-cidr/service-cidr.ts";
import { serviceaccount } from "./serviceaccount/serviceaccount.ts";
import { serviceaccountToken } from "./serviceaccount-token/serviceaccount-token.ts";
import { statefulset } from "./statefulset/statefulset.ts";
import { taintEviction } from "./taint-eviction/taint-eviction.ts";
import { tokenCleaner } from "./token-cleaner/token-cleaner.ts";
import { ttl } from "./ttl/ttl.ts";
import { ttlAfterFinished } from "./ttl-after-finished/ttl-after-finished.ts";
import { validatingAdmissionPolicyStatus } from "./validatingadmissionpolicy-status/validatingadmissionpolicy-status.ts";
import { volumeAttributesClassProtection } from "./volumeattributesclass-protection/volumeattributesclass-protection.ts";

/** Controllers of one subject. */
export interface ControllerGroup {
  readonly name: string;
  readonly controllers: readonly ControllerDefinition[];
}

/** All built-in controllers, in the order in which help and completion list them. */
export const controllerGroups: readonly ControllerGroup[] = [
  {
    name: "workloads",
    controllers: [
      deployment,
      replicaset,
      replicationcontroller,
      statefulset,
      daemonset,
      job,
      cronjob,
      ttlAfterFinished,
    ],
  },
  { name: "deletion and quotas", controllers: [garbageCollector, namespace, resourcequota] },
  { name: "network", controllers: [endpointslice, endpoints, endpointsliceMirroring, serviceCidr] },
  { name: "scaling and disruption", controllers: [horizontalPodAutoscaler, disruption] },
  {
    name: "storage",
    controllers: [
      persistentVolumeBinder,
      persistentVolumeAttachDetach,
      persistentVolumeExpander,
      persistentVolumeClaimProtection,
      persistentVolumeProtection,
      volumeAttributesClassProtection,
      ephemeralVolume,
    ],
  },
  { name: "devices", controllers: [resourceclaim, deviceTaintEviction] },
  { name: "nodes", controllers: [nodeLifecycle, taintEviction, podGarbageCollector, ttl] },
  {
    name: "accounts and trust",
    controllers: [
      rootCaCertificatePublisher,
      certificateSigningRequestApproving,
      certificateSigningRequestSigning,
      certificateSigningRequestCleaner,
      clusterroleAggregation,
      legacyServiceaccountTokenCleaner,
      serviceaccount,
      serviceaccountToken,
      tokenCleaner,
      bootstrapSigner,
    ],
  },
  { name: "admission", controllers: [validatingAdmissionPolicyStatus] },
  { name: "simulated", controllers: [scheduler, kubelet, nodeHeartbeat] },
];

/** The same without their groups. */
export const builtInControllers: readonly ControllerDefinition[] = controllerGroups.flatMap(
  (group) => group.controllers,
);

/**
 * What `all` means: every built-in controller except those that simulate a component which real clusters already run, those that need the
 * private keys of the cluster, and those of bootstrap tokens, which kube-controller-manager leaves out of `*`, too.
 */
export const controllersEnabledByDefault: readonly ControllerDefinition[] = builtInControllers.filter(
  ({ disabledByDefault }) => disabledByDefault !== true,
);

/** What `all` means in an embedded cluster, which has its keys. */
export const controllersOfEmbedded: readonly ControllerDefinition[] = builtInControllers.filter(
  ({ disabledByDefault, withKeys }) => disabledByDefault !== true || withKeys !== undefined,
);
