import { type Kind, kindOf, type StoredObject } from "kubectl-reconcile";

/** Foo of samplecontroller.k8s.io/v1alpha1. */
export interface Foo extends StoredObject {
  readonly spec?: FooSpec;
  readonly status?: FooStatus;
}

export interface FooSpec {
  readonly deploymentName?: string;
  readonly replicas?: number;
}

export interface FooStatus {
  readonly availableReplicas?: number;
}

/** Foo (samplecontroller.k8s.io/v1alpha1), in namespaces. */
export const Foos: Kind<Foo> = kindOf<Foo>({
  group: "samplecontroller.k8s.io",
  version: "v1alpha1",
  kind: "Foo",
  plural: "foos",
  namespaced: true,
});
