/** Admission plugins by their names in kube-apiserver's flags. Source: kubernetes v1.36 pkg/kubeapiserver/options/plugins.go. */

/** The plugins that the sandbox implements, and what each does; all are on by default. */
export const pluginPurposes = {
  NamespaceLifecycle: "objects go into namespaces that exist and are not terminating",
  LimitRanger: "LimitRanges set what containers ask for, and bound it for containers, pods and claims",
  ServiceAccount: "pods get a ServiceAccount and its token as a volume",
  TaintNodesByCondition: "new nodes carry the not-ready taint",
  PodSecurity: "namespaces enforce Pod Security Standards",
  Priority: "pods get the priority of their class",
  DefaultTolerationSeconds: "pods stay 300 s on a node in trouble",
  DefaultStorageClass: "claims get the default StorageClass",
  StorageObjectInUseProtection: "claims and volumes get a finalizer while they are used",
  PersistentVolumeClaimResize: "claims grow only where their class allows it",
  RuntimeClass: "pods get the overhead and the nodes of their RuntimeClass",
  CertificateApproval: "certificates are approved by those who may do it for their signer",
  CertificateSigning: "certificates are signed by those who may do it for their signer",
  CertificateSubjectRestriction: "no certificate requests for the group system:masters",
  DefaultIngressClass: "Ingresses get the default class",
  PodTopologyLabels: "pods get the zone and the region of their node as labels",
  NodeDeclaredFeatureValidator: "updates that a node cannot carry out are refused",
  PodResizeValidator: "pods are not resized beyond their node",
  MutatingAdmissionWebhook: "webhooks change objects before they are stored",
  ValidatingAdmissionWebhook: "webhooks refuse requests",
  MutatingAdmissionPolicy: "MutatingAdmissionPolicies change objects",
  ValidatingAdmissionPolicy: "ValidatingAdmissionPolicies refuse requests, or warn of them",
  ResourceQuota: "ResourceQuotas count and limit objects",
} as const;

/** The name of an implemented plugin, as in `--disable-admission-plugins`. */
export type AdmissionPlugin = keyof typeof pluginPurposes;

// Object.keys loses the key type.
/** All implemented plugins; all are on by default. */
export const admissionPlugins = Object.keys(pluginPurposes) as readonly AdmissionPlugin[];

/** The plugins that call what users have configured: webhooks and policies. */
export const configuredPlugins: readonly AdmissionPlugin[] = [
  "MutatingAdmissionPolicy",
  "MutatingAdmissionWebhook",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionWebhook",
];

/** Other plugin names that kube-apiserver knows, which do nothing here: off by default there, or for features that the sandbox lacks. */
export const idlePlugins: readonly string[] = [
  "AlwaysAdmit",
  "NamespaceAutoProvision",
  "NamespaceExists",
  "LimitPodHardAntiAffinityTopology",
  "NodeRestriction",
  "AlwaysPullImages",
  "ImagePolicyWebhook",
  "PodNodeSelector",
  "PodTolerationRestriction",
  "EventRateLimit",
  "ExtendedResourceToleration",
  "PodGroupProtection",
  "OwnerReferencesPermissionEnforcement",
  "ClusterTrustBundleAttest",
  "DenyServiceExternalIPs",
  "PodGroupWorkloadExists",
  "JobValidation",
  "AlwaysDeny",
];

/** All plugins except the `disabled` ones. @throws RangeError for a name that kube-apiserver does not know. */
export function pluginsWithout(disabled: readonly string[]): ReadonlySet<AdmissionPlugin> {
  const known: readonly string[] = [...admissionPlugins, ...idlePlugins];
  const unknown = disabled.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new RangeError(`Cannot disable the admission plugin ${unknown}: there is none`);
  return new Set(admissionPlugins.filter((name) => !disabled.includes(name)));
}
