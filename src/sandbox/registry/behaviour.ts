/**
 * How the objects of each resource behave where they differ: a table for what can be said in data, and functions of the kinds
 * that need them. Source: kubernetes v1.36 pkg/registry/…/strategy.go and storage.go.
 */
import type { Behaviour } from "./strategy/kind-rules.ts";
import { kindRules } from "./kinds.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const withGeneration = words(`
  pods replicationcontrollers podtemplates replicasets.apps deployments.apps daemonsets.apps statefulsets.apps jobs.batch
  cronjobs.batch poddisruptionbudgets.policy priorityclasses.scheduling.k8s.io ingresses.networking.k8s.io
  ingressclasses.networking.k8s.io networkpolicies.networking.k8s.io endpointslices.discovery.k8s.io
  resourceslices.resource.k8s.io deviceclasses.resource.k8s.io devicetaintrules.resource.k8s.io
  flowschemas.flowcontrol.apiserver.k8s.io prioritylevelconfigurations.flowcontrol.apiserver.k8s.io
  customresourcedefinitions.apiextensions.k8s.io validatingadmissionpolicies.admissionregistration.k8s.io
  validatingadmissionpolicybindings.admissionregistration.k8s.io mutatingadmissionpolicies.admissionregistration.k8s.io
  mutatingadmissionpolicybindings.admissionregistration.k8s.io mutatingwebhookconfigurations.admissionregistration.k8s.io
  validatingwebhookconfigurations.admissionregistration.k8s.io`);

const returningDeleted = words(`
  pods namespaces services serviceaccounts persistentvolumes persistentvolumeclaims podtemplates resourcequotas
  storageclasses.storage.k8s.io csidrivers.storage.k8s.io csinodes.storage.k8s.io volumeattachments.storage.k8s.io
  volumeattributesclasses.storage.k8s.io resourceclaims.resource.k8s.io resourceclaimtemplates.resource.k8s.io
  resourceslices.resource.k8s.io deviceclasses.resource.k8s.io devicetaintrules.resource.k8s.io`);

const creatingOnUpdate = words(`
  leases.coordination.k8s.io endpoints events events.events.k8s.io limitranges services runtimeclasses.node.k8s.io
  roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io clusterroles.rbac.authorization.k8s.io
  clusterrolebindings.rbac.authorization.k8s.io`);

const needingVersion = words(`
  leases.coordination.k8s.io poddisruptionbudgets.policy runtimeclasses.node.k8s.io csidrivers.storage.k8s.io
  csinodes.storage.k8s.io csistoragecapacities.storage.k8s.io volumeattachments.storage.k8s.io
  customresourcedefinitions.apiextensions.k8s.io apiservices.apiregistration.k8s.io
  validatingadmissionpolicies.admissionregistration.k8s.io validatingadmissionpolicybindings.admissionregistration.k8s.io
  mutatingadmissionpolicies.admissionregistration.k8s.io mutatingadmissionpolicybindings.admissionregistration.k8s.io
  mutatingwebhookconfigurations.admissionregistration.k8s.io validatingwebhookconfigurations.admissionregistration.k8s.io`);

/** Old kinds that leave their dependents behind unless they are told otherwise. */
const orphaning = words("replicationcontrollers jobs.batch");
const withoutGarbage = words("events events.events.k8s.io");

const namedByLabel = words("namespaces services");
const namedBySegment = words(`
  roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io clusterroles.rbac.authorization.k8s.io
  clusterrolebindings.rbac.authorization.k8s.io`);

const metadataUnseen = words("poddisruptionbudgets.policy events events.events.k8s.io");
const wholeAgain = words("limitranges");
const metadataLast = words("configmaps secrets serviceaccounts pods persistentvolumeclaims");
const metadataFirst = words(`
  nodes namespaces jobs.batch roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io
  clusterroles.rbac.authorization.k8s.io clusterrolebindings.rbac.authorization.k8s.io`);

function metadataInUpdate(resource: string): Behaviour["metadataInUpdate"] {
  if (metadataUnseen.has(resource)) return "none";
  if (wholeAgain.has(resource)) return "whole";
  if (metadataLast.has(resource)) return "whole last";
  return metadataFirst.has(resource) ? "whole first" : "update";
}

/** `resource` is `pods` or `replicasets.apps`. */
export function behaviourOf(resource: string): Behaviour {
  return {
    rules: kindRules[resource] ?? {},
    generation: withGeneration.has(resource),
    generationOfAnnotations: resource === "deployments.apps",
    fixedGeneration: resource === "priorityclasses.scheduling.k8s.io",
    metadataInUpdate: metadataInUpdate(resource),
    // Of a pod's, one field counts.
    keepsNewStatus: resource === "nodes" || resource === "pods",
    returnsDeleted: returningDeleted.has(resource),
    createOnUpdate: creatingOnUpdate.has(resource),
    unconditionalUpdate: !needingVersion.has(resource),
    garbage: withoutGarbage.has(resource) ? "unsupported" : orphaning.has(resource) ? "orphan" : "delete",
    nameRule: namedByLabel.has(resource) ? "label" : namedBySegment.has(resource) ? "segment" : "subdomain",
  };
}
