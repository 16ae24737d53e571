/** Which of upstream's integration tests run, and which of them cannot pass with a controller outside their process. */

/** A package below k8s.io/kubernetes/test/integration. */
export interface TestPackage {
  readonly name: string;
  /** Only these tests; all where it is absent. */
  readonly only?: readonly string[];
  readonly why?: string;
}

/** The packages whose tests start a controller that we have. */
export const packages: readonly TestPackage[] = [
  { name: "replicaset" },
  { name: "deployment" },
  { name: "daemonset" },
  { name: "garbagecollector" },
  { name: "namespace" },
  { name: "replicationcontroller" },
  { name: "job" },
  { name: "serviceaccount" },
  { name: "quota" },
  { name: "statefulset" },
  { name: "cronjob" },
  { name: "disruption" },
  { name: "podgc" },
  { name: "ttlcontroller" },
  { name: "endpoints" },
  { name: "endpointslice" },
  { name: "dualstack", only: ["TestDualStackEndpoints"], why: "the others start no controller" },
  { name: "servicecidr" },
  { name: "node" },
  { name: "evictions" },
  { name: "certificates" },
  { name: "volume" },
];

/** A test with a part that switches a feature gate off in the Go process, where no other process sees it. */
export interface SwitchesGateOff {
  readonly test: string;
  /** The failure that is expected, as it appears in the output; any other one counts. */
  readonly failure: RegExp;
  readonly gate: string;
}

export const switchesGateOff: readonly SwitchesGateOff[] = [
  {
    test: "replicaset/TestPodDeletionCost",
    failure: /--- FAIL: TestPodDeletionCost\/disabled-with-different-costs/,
    gate: "PodDeletionCost",
  },
  {
    test: "replicaset/TestTerminatingReplicas",
    failure: /failed to verify \.Status\.TerminatingPods is equal to -1/,
    gate: "DeploymentReplicaSetTerminatingReplicas",
  },
  {
    test: "deployment/TestTerminatingReplicasDeploymentStatus",
    failure: /unexpected \.terminatingReplicas: expect -1/,
    gate: "DeploymentReplicaSetTerminatingReplicas",
  },
];
