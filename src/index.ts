/**
 * The public API of kubectl-reconcile: controllers in TypeScript, with decisions that can be traced and a cluster to test them in.
 * docs/writing-a-controller.md is the tutorial. Everything else in the package is internal and may change.
 *
 * @module
 */

// Write a controller.
export { defineController, watch } from "./controller/api/definition.ts";
export type {
  ControllerDefinition,
  ControllerSpec,
  Permission,
  Scan,
  Watch,
  WatchContext,
} from "./controller/api/definition.ts";
export type { DryRunPart, KnownCluster } from "./controller/api/dry-run-part.ts";
export type { Notification } from "./cache/handler.ts";
export { watchPrimary } from "./controller/api/primary.ts";
export { ownedBy, watchOwned } from "./controller/api/owned.ts";
export type { OwnedOptions } from "./controller/api/owned.ts";
export { conflictBackoff, conflictRetry, retryOnConflict } from "./controller/api/retry-on-conflict.ts";
export type { ConflictBackoff } from "./controller/api/retry-on-conflict.ts";
export { rule } from "./controller/api/rule.ts";
export type { Decision, Facts, Rule } from "./controller/api/rule.ts";
export { TerminalError } from "./controller/api/sync-context.ts";
export type { SyncClient, SyncContext, SyncResult } from "./controller/api/sync-context.ts";
export type { Expectations } from "./controller/api/expectations.ts";
export { runState } from "./controller/api/run-state.ts";

// Controllers of a cluster's own keys.
export { certificateSigner } from "./controllers/certificatesigningrequest-signing/certificatesigningrequest-signing.ts";
export type { CertificateSignerOptions } from "./controllers/certificatesigningrequest-signing/certificatesigningrequest-signing.ts";
export { serviceAccountTokens } from "./controllers/serviceaccount-token/serviceaccount-token.ts";
export type { ServiceAccountTokensOptions } from "./controllers/serviceaccount-token/serviceaccount-token.ts";
export type { ClusterKeys, SignToken } from "./controller/api/cluster-keys.ts";
export type { Authority } from "./platform/certificate-authority.ts";

// Objects and their kinds.
export * as kinds from "./api/kinds.ts";
export { apiVersionOf, kindOf } from "./api/kind.ts";
export type { Kind } from "./api/kind.ts";
export type {
  ConfigMap,
  ControllerRevision,
  CronJob,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  Event,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  Lease,
  Namespace,
  NetworkPolicy,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  ResourceQuota,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
} from "./api/types.ts";
export { draft } from "./api/object.ts";
export type { CreateInput, Draft, StoredObject, UpdateInput } from "./api/object.ts";
export { keyOf, splitKey } from "./api/key.ts";
export type { ObjectKey } from "./api/key.ts";
export { controllerOf, controllerReference } from "./api/owner-references.ts";
export { StatusError } from "./api/status-error.ts";
export { TransportError } from "./api/transport.ts";
export type { Transport } from "./api/transport.ts";

// Run it: on a cluster, or in a sandbox inside this process.
export { connectToCluster } from "./modes/library/connect-to-cluster.ts";
export type { Cluster, ClusterOptions } from "./modes/library/connect-to-cluster.ts";
export { MissingRightsError, startControllers } from "./modes/library/start-controllers.ts";
export type { ControllerRun, StartOptions } from "./modes/library/start-controllers.ts";
export { startSandbox } from "./modes/library/start-sandbox.ts";
export type { Sandbox, SandboxOptions } from "./modes/library/start-sandbox.ts";
export type { Client, Reader } from "./client/api/verbs.ts";
export { customMetric, customMetricsVersion, externalMetric, podUsage } from "./client/metrics/metrics.ts";
export type {
  CustomAsked,
  ExternalAsked,
  MetricsReader,
  MetricValue,
  PodsAsked,
  PodUsage,
} from "./client/metrics/metrics.ts";

// Trace it.
export { TraceBus } from "./trace/bus.ts";
export type { Stage, StageEvent } from "./trace/events.ts";

// The parts, for programs that need informers or a queue without a controller.
export { createInformerFactory } from "./modes/library/create-informer-factory.ts";
export type { InformerOptions, InformerSource } from "./modes/library/create-informer-factory.ts";
export type { SharedInformerFactory } from "./cache/shared-informer-factory.ts";
export type { Lister } from "./cache/lister.ts";
export { RateLimitingQueue } from "./workqueue/rate-limiting-queue.ts";
export { realTimeline } from "./platform/real-timeline.ts";
export type { Timeline } from "./platform/timeline.ts";
