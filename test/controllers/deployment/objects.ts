/** Deployments, their ReplicaSets and pods for tests, with only the relevant fields. */
import { Deployments, ReplicaSets } from "../../../src/api/kinds.ts";
import { controllerReference } from "../../../src/api/owner-references.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { Deployment, Pod, ReplicaSet } from "../../../src/api/types.ts";
import type { DeploymentCondition, DeploymentStatus } from "../../../src/controllers/deployment/conditions.ts";
import { sceneStart } from "../../support/sync-context.ts";
import { podOf } from "../../support/workloads.ts";

const hour = 3_600_000;

export interface DeploymentParts {
  readonly replicas?: number;
  readonly strategy?: "Recreate" | readonly [maxSurge: number | string, maxUnavailable: number | string];
  readonly image?: string;
  readonly status?: DeploymentStatus;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly meta?: object;
  readonly spec?: object;
}

export const labels = { app: "web" } as const;

/** A Deployment that is by default in the middle of a rollout, at revision 2. */
export function deploymentOf(parts: DeploymentParts = {}): Deployment {
  const { replicas = 3, strategy = ["25%", "25%"], image = "web:2", meta, spec } = parts;
  const { annotations = { "deployment.kubernetes.io/revision": "2" }, status = begun } = parts;
  return {
    metadata: {
      name: "web",
      namespace: "shop",
      uid: "uid-web",
      resourceVersion: "10",
      creationTimestamp: formatTime(sceneStart - 10 * hour),
      generation: 1,
      annotations,
      ...meta,
    },
    spec: {
      replicas,
      selector: { matchLabels: { ...labels } },
      strategy:
        strategy === "Recreate"
          ? { type: "Recreate" }
          : { type: "RollingUpdate", rollingUpdate: { maxSurge: strategy[0], maxUnavailable: strategy[1] } },
      template: templateOf(image),
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      ...spec,
    },
    status,
  };
}

export function templateOf(image: string, hash?: string): NonNullable<NonNullable<ReplicaSet["spec"]>["template"]> {
  return {
    metadata: { labels: { ...labels, ...(hash !== undefined && { "pod-template-hash": hash }) } },
    spec: { containers: [{ name: "web", image }] },
  };
}

export interface SetParts {
  readonly image?: string;
  /** The desired number of pods and, by default, also the actual one. */
  readonly size?: number;
  readonly has?: number;
  /** The number of available pods; all by default. */
  readonly available?: number;
  readonly revision?: string;
  /** The desired-replicas annotation; no annotation if null. */
  readonly desired?: number | null;
  readonly most?: number | null;
  readonly hoursOld?: number;
  readonly owner?: Deployment | "none";
  readonly annotations?: Readonly<Record<string, string>>;
  readonly meta?: object;
  readonly status?: object;
  readonly spec?: object;
}

/** A ReplicaSet of the Deployment `web`, whose new template has the image `web:2`. */
export function setOf(name: string, parts: SetParts = {}): ReplicaSet {
  const { image = "web:1", size = 3, has = size, available = has, hoursOld = 1 } = parts;
  const { revision = image === "web:2" ? "2" : "1" } = parts;
  const { desired = 3, most = 4, owner = deploymentOf() } = parts;
  const annotations = {
    "deployment.kubernetes.io/revision": revision,
    ...(desired !== null && { "deployment.kubernetes.io/desired-replicas": String(desired) }),
    ...(most !== null && { "deployment.kubernetes.io/max-replicas": String(most) }),
    ...parts.annotations,
  };
  const setLabels = { ...labels, "pod-template-hash": name };
  return {
    metadata: {
      name,
      namespace: "shop",
      uid: `uid-${name}`,
      resourceVersion: "10",
      creationTimestamp: formatTime(sceneStart - hoursOld * hour),
      generation: 1,
      labels: setLabels,
      annotations,
      ...(owner !== "none" && { ownerReferences: [controllerReference(Deployments, owner)] }),
      ...parts.meta,
    },
    spec: { replicas: size, selector: { matchLabels: setLabels }, template: templateOf(image, name), ...parts.spec },
    status: {
      replicas: has,
      readyReplicas: available,
      availableReplicas: available,
      observedGeneration: 1,
      terminatingReplicas: 0,
      ...parts.status,
    },
  };
}

export function podOfSet(name: string, set: ReplicaSet, phase = "Running"): Pod {
  return podOf(name, { owner: set, ownerKind: ReplicaSets, phase });
}

export function condition(
  type: string,
  status: string,
  reason: string,
  { agoMs = 0, message = "as it was" }: { readonly agoMs?: number; readonly message?: string } = {},
): DeploymentCondition {
  const time = formatTime(sceneStart - agoMs);
  return { type, status, reason, message, lastUpdateTime: time, lastTransitionTime: time };
}

export const available: DeploymentCondition = condition("Available", "True", "MinimumReplicasAvailable", {
  message: "Deployment has minimum availability.",
});

const begun: DeploymentStatus = {
  observedGeneration: 1,
  conditions: [available, condition("Progressing", "True", "ReplicaSetUpdated")],
};

/** The status of a Deployment whose pods are all new and available. */
export function completeStatus(replicas: number): DeploymentStatus {
  return {
    observedGeneration: 1,
    replicas,
    updatedReplicas: replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
    terminatingReplicas: 0,
    conditions: [available, condition("Progressing", "True", "NewReplicaSetAvailable")],
  };
}
