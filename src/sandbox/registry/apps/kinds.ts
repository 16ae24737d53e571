/** The strategies of apps. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { controllerRevisionStrategy } from "./controller-revision.ts";
import { daemonSetStrategy } from "./daemon-set.ts";
import { deploymentStrategy } from "./deployment.ts";
import { replicaSetStrategy } from "./replica-set.ts";
import { statefulSetStrategy } from "./stateful-set.ts";

/** By resource. */
export const appsStrategies: Readonly<Record<string, RESTStrategy>> = {
  "controllerrevisions.apps": controllerRevisionStrategy,
  "daemonsets.apps": daemonSetStrategy,
  "deployments.apps": deploymentStrategy,
  "replicasets.apps": replicaSetStrategy,
  "statefulsets.apps": statefulSetStrategy,
};
