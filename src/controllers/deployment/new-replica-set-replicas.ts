import type { Deployment, ReplicaSet } from "../../api/types.ts";
import { scaledValue } from "../../controller/workload/int-or-percent.ts";
import { totalSize } from "./replica-sets.ts";
import { desiredReplicas } from "./strategy.ts";

/** The sizes before the new ReplicaSet is scaled. */
export interface CurrentSize {
  /** All ReplicaSets, including the new one if it exists. */
  readonly all: readonly ReplicaSet[];
  /** Size of the new ReplicaSet. */
  readonly current: number;
}

/**
 * How large the new ReplicaSet may be now. Recreate: all pods at once. RollingUpdate: as many pods as desired, as long
 * as the total does not exceed desired plus surge; never fewer than now.
 *
 * @throws RangeError for an invalid maxSurge or an unknown strategy.
 * Source: kubernetes v1.36 pkg/controller/deployment/util/deployment_util.go NewRSNewReplicas.
 */
export function newReplicaSetReplicas(deployment: Deployment, { all, current }: CurrentSize): number {
  const desired = desiredReplicas(deployment);
  const { type, rollingUpdate } = deployment.spec?.strategy ?? {};
  switch (type) {
    case "RollingUpdate": {
      const most = desired + scaledValue(rollingUpdate?.maxSurge ?? 0, desired, "up");
      const room = most - totalSize(all);
      return room <= 0 ? current : current + Math.min(room, desired - current);
    }
    case "Recreate":
      return desired;
    case undefined:
    default:
      throw new RangeError(`deployment type ${type} isn't supported`);
  }
}
