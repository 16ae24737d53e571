/** The rules of the kinds of apps, by resource. */
import type { KindRules } from "../strategy/kind-rules.ts";
import { controllerRevisionRules } from "./controller-revision.ts";
import { daemonSetRules } from "./daemon-set.ts";
import { deploymentRules } from "./deployment.ts";
import { replicaSetRules } from "./replica-set.ts";
import { statefulSetRules } from "./stateful-set.ts";

export const appsKinds: Readonly<Record<string, KindRules>> = {
  "controllerrevisions.apps": controllerRevisionRules,
  "daemonsets.apps": daemonSetRules,
  "deployments.apps": deploymentRules,
  "replicasets.apps": replicaSetRules,
  "statefulsets.apps": statefulSetRules,
};
