import type { Deployment, ReplicaSet } from "../../api/types.ts";
import { totalSize } from "./replica-sets.ts";
import { desiredReplicas, scaledValue } from "./strategy.ts";

export interface CurrentSize {
  /** All ReplicaSets, the new one among them if it exists. */
  readonly all: readonly ReplicaSet[];
  /** Size of the new one. */
  readonly current: number;
}

/**
 * How large the new ReplicaSet may be now: all pods at once with Recreate; with RollingUpdate as many as are desired, as long as all
 * together are no more than desired and surge. It never gets smaller by this.
 *
 * @throws RangeError for a maxSurge that cannot be read, or a strategy that is none.
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
