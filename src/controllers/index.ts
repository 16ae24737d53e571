/** The catalogue of the built-in controllers: the only place that names them all. */
import type { ControllerDefinition } from "../controller/api/definition.ts";
import { cronjob } from "./cronjob/cronjob.ts";
import { deployment } from "./deployment/deployment.ts";
import { disruption } from "./disruption/disruption.ts";
import { garbageCollector } from "./garbage-collector/garbage-collector.ts";
import { job } from "./job/job.ts";
import { kubelet, nodeHeartbeat } from "./kubelet/kubelet.ts";
import { namespace } from "./namespace/namespace.ts";
import { replicaset } from "./replicaset/replicaset.ts";
import { replicationcontroller } from "./replicaset/replicationcontroller.ts";
import { resourcequota } from "./resourcequota/resourcequota.ts";
import { scheduler } from "./scheduler/scheduler.ts";
import { serviceaccount } from "./serviceaccount/serviceaccount.ts";
import { statefulset } from "./statefulset/statefulset.ts";
import { ttlAfterFinished } from "./ttl-after-finished/ttl-after-finished.ts";

/** In the order in which help and completion list them. */
export const builtInControllers: readonly ControllerDefinition[] = [
  deployment,
  replicaset,
  replicationcontroller,
  statefulset,
  job,
  cronjob,
  ttlAfterFinished,
  garbageCollector,
  namespace,
  resourcequota,
  disruption,
  serviceaccount,
  scheduler,
  kubelet,
  nodeHeartbeat,
];

/**
 * What `all` means: every built-in controller except those that simulate a component which real clusters already run.
 */
export const controllersEnabledByDefault: readonly ControllerDefinition[] = builtInControllers.filter(
  ({ disabledByDefault }) => disabledByDefault !== true,
);
