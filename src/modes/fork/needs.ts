/** The resources that admission of a write reads, and that must be followed before. */
import type { Resource } from "../../sandbox/registry/resource.ts";

/** A resource that admission reads. */
export interface Need {
  readonly apiVersion: string;
  readonly plural: string;
  /** Only in the namespace of the write. */
  readonly ofNamespace: boolean;
}

const cluster = (apiVersion: string, plural: string): Need => ({ apiVersion, plural, ofNamespace: false });
const namespaced = (apiVersion: string, plural: string): Need => ({ apiVersion, plural, ofNamespace: true });

const registration = "admissionregistration.k8s.io/v1";

/** For every write. */
const always: readonly Need[] = [
  cluster(registration, "validatingadmissionpolicies"),
  cluster(registration, "validatingadmissionpolicybindings"),
  cluster(registration, "mutatingadmissionpolicies"),
  cluster(registration, "mutatingadmissionpolicybindings"),
];

const inNamespace: readonly Need[] = [
  cluster("v1", "namespaces"),
  namespaced("v1", "limitranges"),
  namespaced("v1", "resourcequotas"),
];

const special: Readonly<Record<string, readonly Need[]>> = {
  pods: [
    namespaced("v1", "serviceaccounts"),
    cluster("scheduling.k8s.io/v1", "priorityclasses"),
    cluster("node.k8s.io/v1", "runtimeclasses"),
  ],
  persistentvolumeclaims: [cluster("storage.k8s.io/v1", "storageclasses")],
  "ingresses.networking.k8s.io": [cluster("networking.k8s.io/v1", "ingressclasses")],
  // A new Service gets a free address.
  services: [cluster("v1", "services"), cluster("networking.k8s.io/v1", "servicecidrs")],
  serviceaccounts: [namespaced("v1", "secrets")],
};

/** The resources to follow before a write to a resource. */
export function needsOf({ storage, namespaced: isNamespaced }: Resource): readonly Need[] {
  return [...always, ...(isNamespaced ? inNamespace : []), ...(special[storage] ?? [])];
}
