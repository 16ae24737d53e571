/** Finds writes of an owner that the API server refused, as reported in the status of its objects. */
import type { StoredObject } from "../../api/object.ts";
import type { WouldBeWrite } from "./would-be-write.ts";

interface RefusalCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly verb: WouldBeWrite["verb"];
}

/**
 * The conditions that kube-controller-manager sets when a write was refused; the message is the API server's.
 * Source: kubernetes v1.36 pkg/controller/replicaset/replica_set_utils.go calculateStatus; pkg/controller/deployment/sync.go
 * getNewReplicaSet; pkg/controller/namespace/deletion/status_condition_utils.go.
 */
const refusalConditions: readonly RefusalCondition[] = [
  { type: "ReplicaFailure", status: "True", reason: "FailedCreate", verb: "create" },
  { type: "ReplicaFailure", status: "True", reason: "FailedDelete", verb: "delete" },
  { type: "Progressing", status: "False", reason: "ReplicaSetCreateError", verb: "create" },
  { type: "NamespaceDeletionContentFailure", status: "True", verb: "delete" },
];

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The refusal of a write with this verb that the object's status reports, if any. */
export function refusalIn(object: StoredObject | undefined, verb: WouldBeWrite["verb"]): string | undefined {
  // Of any kind: its status may have no conditions.
  const { status } = (object ?? {}) as { readonly status?: { readonly conditions?: readonly Condition[] } };
  const found = status?.conditions?.find((condition) =>
    refusalConditions.some(
      (candidate) =>
        candidate.type === condition.type &&
        candidate.status === condition.status &&
        candidate.verb === verb &&
        (candidate.reason === undefined || candidate.reason === condition.reason),
    ),
  );
  return found === undefined ? undefined : (found.message ?? found.reason ?? found.type);
}
