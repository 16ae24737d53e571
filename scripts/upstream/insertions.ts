/** What is inserted into the sources of Kubernetes, so its tests run with our controllers instead of its own. */

/** Lines that are inserted after, or before, a line that occurs exactly once in a file. */
export interface Insertion {
  /** Path below the module k8s.io/kubernetes. */
  readonly file: string;
  /** The whole line. */
  readonly line: string;
  readonly where: "before" | "after";
  readonly text: string;
}

const modulePath = "k8s.io/kubernetes/pkg/controller/ours";

/** The package with the calls, as a folder below the module. */
export const insertedPackage = "pkg/controller/ours";

function importOf(file: string): Insertion {
  return { file, line: "import (", where: "after", text: `\t"${modulePath}"` };
}

/** A controller that ours replaces, in Go expressions. */
interface Replaced {
  /** Its client. */
  readonly client: string;
  /** The name of ours. */
  readonly name: string;
  /** Its queues: they are created before Run, and would be reported as leaked. */
  readonly queues: readonly string[];
  /** How many workers; absent: `workers`. 0: our default. */
  readonly workers?: string;
  /** What the tests set differently from kube-controller-manager: options of ours, by name (configured.ts). */
  readonly options?: Readonly<Record<string, string>>;
  /** Flags of `run`, in Go. */
  readonly flags?: readonly string[];
  /** Ours runs only if this is true; otherwise the one in Go runs. */
  readonly where?: string;
}

/** Makes the Run method of a controller, which starts with `line`, run ours instead. */
function runsOurs(file: string, line: string, replaced: Replaced): Insertion[] {
  const { client, name, queues, workers = "workers", options = {}, flags = [], where = "" } = replaced;
  const shutDown = queues.map((queue) => `\t\t${queue}.ShutDown()\n`).join("");
  const entries = Object.entries(options).map(([key, value]) => `"${key}": ${value}`);
  const changed = entries.length === 0 ? "nil" : `ours.Options{${entries.join(", ")}}`;
  const when = where === "" ? "" : `${where} && `;
  const args = ["ctx", client, name, workers, changed, ...flags].join(", ");
  const text = `\tif ${when}ours.Run(${args}) {\n${shutDown}\t\treturn\n\t}`;
  return [importOf(file), { file, line, where: "after", text }];
}

const replicaSet = "pkg/controller/replicaset/replica_set.go";
const deployment = "pkg/controller/deployment/deployment_controller.go";
const daemonSet = "pkg/controller/daemon/daemon_controller.go";
const namespace = "pkg/controller/namespace/namespace_controller.go";
const serviceAccount = "pkg/controller/serviceaccount/serviceaccounts_controller.go";
const jobController = "pkg/controller/job/job_controller.go";
const statefulSet = "pkg/controller/statefulset/stateful_set.go";
const cronJob = "pkg/controller/cronjob/cronjob_controllerv2.go";
const disruption = "pkg/controller/disruption/disruption.go";
const podGC = "pkg/controller/podgc/gc_controller.go";
const ttl = "pkg/controller/ttl/ttl_controller.go";
const endpoints = "pkg/controller/endpoint/endpoints_controller.go";
const endpointSlice = "pkg/controller/endpointslice/endpointslice_controller.go";
const mirroring = "pkg/controller/endpointslicemirroring/endpointslicemirroring_controller.go";
const serviceCidr = "pkg/controller/servicecidrs/servicecidrs_controller.go";
const nodeLifecycle = "pkg/controller/nodelifecycle/node_lifecycle_controller.go";
const taintEviction = "pkg/controller/tainteviction/taint_eviction.go";
const certificates = "pkg/controller/certificates/certificate_controller.go";
const binder = "pkg/controller/volume/persistentvolume/pv_controller_base.go";
const jobTests = "test/integration/job/job_test.go";
const garbageCollector = "pkg/controller/garbagecollector/garbagecollector.go";

/**
 * The ReplicationController's is the ReplicaSet's with another kind. The garbage collector continues to run in Go without writing, because
 * tests inspect its graph.
 */
export const insertions: readonly Insertion[] = [
  ...runsOurs(replicaSet, "func (rsc *ReplicaSetController) Run(ctx context.Context, workers int) {", {
    client: "rsc.kubeClient",
    name: "strings.ToLower(rsc.Kind)",
    queues: ["rsc.queue"],
  }),
  ...runsOurs(deployment, "func (dc *DeploymentController) Run(ctx context.Context, workers int) {", {
    client: "dc.client",
    name: '"deployment"',
    queues: ["dc.queue"],
  }),
  ...runsOurs(daemonSet, "func (dsc *DaemonSetsController) Run(ctx context.Context, workers int) {", {
    client: "dsc.kubeClient",
    name: '"daemonset"',
    queues: ["dsc.queue", "dsc.nodeUpdateQueue"],
  }),
  ...runsOurs(serviceAccount, "func (c *ServiceAccountsController) Run(ctx context.Context, workers int) {", {
    client: "c.client",
    name: '"serviceaccount"',
    queues: ["c.queue"],
  }),
  ...runsOurs(namespace, "func (nm *NamespaceController) Run(ctx context.Context, workers int) {", {
    client: "ours.Remembered()",
    name: '"namespace"',
    queues: ["nm.queue"],
  }),
  {
    file: namespace,
    line: "	namespaceController := &NamespaceController{",
    where: "before",
    text: "\tours.Remember(kubeClient)",
  },
  ...runsOurs(jobController, "func (jm *Controller) Run(ctx context.Context, workers int) {", {
    client: "jm.kubeClient",
    name: '"job"',
    queues: ["jm.queue", "jm.orphanQueue"],
    options: {
      failureDelayMs: "DefaultJobPodFailureBackOff",
      maxFailureDelayMs: "MaxJobPodFailureBackOff",
      batchPeriodMs: "SyncJobBatchPeriod",
      maxUncounted: "MaxUncountedPods",
      maxChangesPerSync: "MaxPodCreateDeletePerSync",
    },
  }),
  importOf(jobTests),
  {
    file: jobTests,
    line: "func validateCounterMetric(ctx context.Context, t *testing.T, counterVec *basemetrics.CounterVec, wantMetric metricLabelsWithValue) {",
    where: "after",
    text: "\tif ours.Runs() {\n\t\treturn // Its metrics are not in this process.\n\t}",
  },
  ...runsOurs(statefulSet, "func (ssc *StatefulSetController) Run(ctx context.Context, workers int) {", {
    client: "ssc.kubeClient",
    name: '"statefulset"',
    queues: ["ssc.queue"],
  }),
  ...runsOurs(cronJob, "func (jm *ControllerV2) Run(ctx context.Context, workers int) {", {
    client: "jm.kubeClient",
    name: '"cronjob"',
    queues: ["jm.queue"],
  }),
  ...runsOurs(disruption, "func (dc *DisruptionController) Run(ctx context.Context) {", {
    client: "dc.kubeClient",
    name: '"disruption"',
    queues: ["dc.queue", "dc.recheckQueue", "dc.stalePodDisruptionQueue"],
    workers: "0",
    options: { staleAfterMs: "dc.stalePodDisruptionTimeout" },
  }),
  ...runsOurs(podGC, "func (gcc *PodGCController) Run(ctx context.Context) {", {
    client: "gcc.kubeClient",
    name: '"pod-garbage-collector"',
    queues: ["gcc.nodeQueue"],
    workers: "0",
    options: {
      terminatedPodThreshold: "gcc.terminatedPodThreshold",
      periodMs: "gcc.gcCheckPeriod",
      quarantineMs: "gcc.quarantineTime",
    },
  }),
  ...runsOurs(ttl, "func (ttlc *Controller) Run(ctx context.Context, workers int) {", {
    client: "ttlc.kubeClient",
    name: '"ttl"',
    queues: ["ttlc.queue"],
    // Its only test has informers that resync every node after a second, which replaces heartbeats.
    flags: ['"--resync"', '"1s"'],
  }),
  ...runsOurs(endpoints, "func (e *Controller) Run(ctx context.Context, workers int) {", {
    client: "e.client",
    name: '"endpoints"',
    queues: ["e.queue", "e.podQueue"],
  }),
  ...runsOurs(endpointSlice, "func (c *Controller) Run(ctx context.Context, workers int) {", {
    client: "c.client",
    name: '"endpointslice"',
    queues: ["c.serviceQueue", "c.podQueue", "c.topologyQueue"],
  }),
  ...runsOurs(mirroring, "func (c *Controller) Run(ctx context.Context, workers int) {", {
    client: "c.client",
    name: '"endpointslice-mirroring"',
    queues: ["c.queue"],
  }),
  ...runsOurs(serviceCidr, "func (c *Controller) Run(ctx context.Context, workers int) {", {
    client: "c.client",
    name: '"service-cidr"',
    queues: ["c.queue"],
  }),
  ...runsOurs(nodeLifecycle, "func (nc *Controller) Run(ctx context.Context) {", {
    client: "nc.kubeClient",
    name: '"node-lifecycle"',
    queues: ["nc.nodeUpdateQueue", "nc.podUpdateQueue"],
    workers: "0",
    options: {
      monitorPeriodMs: "nc.nodeMonitorPeriod",
      gracePeriodMs: "nc.nodeMonitorGracePeriod",
      startupGracePeriodMs: "nc.nodeStartupGracePeriod",
      evictionRate: "nc.evictionLimiterQPS",
      secondaryEvictionRate: "nc.secondaryEvictionLimiterQPS",
      largeZoneSize: "nc.largeClusterThreshold",
      unhealthyZoneThreshold: "nc.unhealthyZoneThreshold",
    },
  }),
  // If the gate SeparateTaintEvictionController is off, this one runs the other after its caches are synced.
  {
    file: nodeLifecycle,
    line: "func (nc *Controller) Run(ctx context.Context) {",
    where: "after",
    text: "\tif ours.Runs() && nc.taintManager != nil {\n\t\tgo nc.taintManager.Run(ctx)\n\t}",
  },
  ...runsOurs(taintEviction, "func (tc *Controller) Run(ctx context.Context) {", {
    client: "tc.client",
    name: '"taint-eviction"',
    queues: ["tc.nodeUpdateQueue", "tc.podUpdateQueue"],
    workers: "0",
  }),
  ...runsOurs(certificates, "func (cc *CertificateController) Run(ctx context.Context, workers int) {", {
    client: "cc.kubeClient",
    name: '"certificatesigningrequest-approving"',
    queues: ["cc.queue"],
    where: 'cc.name == "csrapproving"',
  }),
  ...runsOurs(binder, "func (ctrl *PersistentVolumeController) Run(ctx context.Context) {", {
    client: "ctrl.kubeClient",
    name: '"persistentvolume-binder"',
    queues: ["ctrl.claimQueue", "ctrl.volumeQueue"],
    workers: "0",
    options: { periodMs: "ctrl.resyncPeriod" },
  }),
  importOf(garbageCollector),
  {
    file: garbageCollector,
    line: "func (gc *GarbageCollector) Run(ctx context.Context, workers int, initialSyncTimeout time.Duration) {",
    where: "after",
    text: `	if ended := ours.Start(ctx, gc.kubeClient, "garbagecollector", workers, nil); ended != nil {
		gc.metadataClient = ours.ReadOnly(gc.metadataClient)
		defer ended()
	}`,
  },
];

/**
 * The text of a file with its insertions.
 *
 * @throws RangeError if a line is missing or occurs more than once: another version of Kubernetes needs other insertions.
 */
export function withInsertions(text: string, here: readonly Insertion[]): string {
  const lines = text.split("\n");
  for (const { file, line, where, text: inserted } of here) {
    const at = lines.indexOf(line);
    if (at === -1 || lines.indexOf(line, at + 1) !== -1)
      throw new RangeError(`${file}: ${at === -1 ? "no line" : "more than one line"} ${JSON.stringify(line)}`);
    lines.splice(where === "after" ? at + 1 : at, 0, inserted);
  }
  return lines.join("\n");
}
