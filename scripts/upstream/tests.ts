/** Which of upstream's integration tests run, and which of them cannot pass with a controller outside their process. */

/** A package below k8s.io/kubernetes/test/integration. */
export interface TestPackage {
  readonly name: string;
  /** Only these tests; absent: all. */
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
  {
    name: "volume",
    only: [
      "TestPVCBoundWithADC",
      "TestPersistentVolumeBindRace",
      "TestPersistentVolumeClaimLabelSelector",
      "TestPersistentVolumeClaimLabelSelectorMatchExpressions",
      "TestPersistentVolumeMultiPVs",
      "TestPersistentVolumeClaimVolumeAttirbutesClassName",
      "TestPersistentVolumeMultiPVsPVCs",
      "TestPersistentVolumeControllerStartup",
      "TestPersistentVolumeMultiPVsDiffAccessModes",
    ],
    why: "the others need the volume plugin that the test has in its own process, or look into the controller of attachments there",
  },
];

/** A test that partly switches a feature gate in the Go process, where no other process sees it. */
export interface SwitchesGate {
  readonly test: string;
  /** The expected failure, as it appears in the output; any other one counts. */
  readonly failure: RegExp;
  /** The only cases that may fail, by their names in the output; absent if the test has no cases. */
  readonly cases?: RegExp;
  readonly gate: string;
}

const switchesGate: readonly SwitchesGate[] = [
  {
    test: "replicaset/TestPodDeletionCost",
    failure: /--- FAIL: TestPodDeletionCost\/disabled-with-different-costs/,
    cases: /^disabled-with-different-costs$/,
    gate: "PodDeletionCost off",
  },
  {
    test: "replicaset/TestTerminatingReplicas",
    failure: /failed to verify \.Status\.TerminatingPods is equal to -1/,
    gate: "DeploymentReplicaSetTerminatingReplicas off",
  },
  {
    test: "deployment/TestTerminatingReplicasDeploymentStatus",
    failure: /unexpected \.terminatingReplicas: expect -1/,
    gate: "DeploymentReplicaSetTerminatingReplicas off",
  },
  {
    test: "job/TestBackoffLimitPerIndex_Reenabling",
    failure: /job_test\.go:1094: Waiting for Job Status/,
    gate: "JobBackoffLimitPerIndex off",
  },
  {
    test: "job/TestManagedBy_Reenabling",
    failure: /job_test\.go:2274: Waiting for Job Status/,
    gate: "JobManagedBy off",
  },
  {
    test: "job/TestJobPodReplacementPolicyFeatureToggling",
    failure: /job_test\.go:3330: Waiting for Job Status/,
    gate: "JobPodReplacementPolicy off",
  },
  {
    test: "job/TestJobPodReplacementPolicy",
    failure: /Waiting for Job Status/,
    cases: /^feature_flag_(off|false),/,
    gate: "JobPodReplacementPolicy off",
  },
  {
    test: "job/TestDelayTerminalPhaseCondition",
    failure: /Waiting for Job Status/,
    // All except the one per action with the gates that are on upstream.
    cases:
      /^job_(backoff_limit_exceeded|scale_down_to_meet_completions);_(JobManagedBy_enabled|JobPodReplacementPolicy_and_JobManagedBy_disabled|JobManagedBy_and_JobSuccessPolicy_are_enabled)$|^job_scale_down_to_meet_completions;_JobPodReplacementPolicy_enabled$/,
    gate: "JobPodReplacementPolicy or JobSuccessPolicy off",
  },
  {
    test: "job/TestJobGangScheduling",
    failure: /Timed out waiting for Workload owned by Job/,
    cases:
      /^(suspended_job_creates_workload_before_pods|controller_restart_preserves_workload|parallelism_update_blocked|eligible_job_creates_workload_and_podgroup)$/,
    gate: "WorkloadWithJob (alpha) on",
  },
  {
    test: "job/TestJobAdmissionParallelismUpdate",
    failure: /Timed out waiting for PodGroup owned by Job/,
    cases: /^parallelism_update_blocked_for_gang-scheduled_job$/,
    gate: "WorkloadWithJob (alpha) on",
  },
];

/** Whether a failure with this output is the one caused by a gate, and nothing else failed. */
export function followsFromGate(name: string, output: string): boolean {
  // The program exited.
  if (/^panic: /m.test(output)) return false;
  const failed = [...output.matchAll(/--- FAIL: \w+\/(\S+) \(/g)].map(([, failedCase = ""]) => failedCase);
  return switchesGate.some(
    ({ test, failure, cases }) =>
      test === name && failure.test(output) && failed.every((failedCase) => cases?.test(failedCase) ?? true),
  );
}
