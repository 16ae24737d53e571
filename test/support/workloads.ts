/** Objects for tests of controllers, with only the fields that matter. */
import { type Kind } from "../../src/api/kind.ts";
import { Deployments, ReplicaSets } from "../../src/api/kinds.ts";
import type { StoredObject } from "../../src/api/object.ts";
import { controllerReference } from "../../src/api/owner-references.ts";
import { formatTime } from "../../src/api/time.ts";
import type { Deployment, Pod, ReplicaSet, ReplicationController, StatefulSet } from "../../src/api/types.ts";
import { sceneStart } from "./sync-context.ts";

export const webLabels = { app: "web" } as const;

const template = { metadata: { labels: { ...webLabels } }, spec: { containers: [{ name: "web", image: "web:1" }] } };

function meta(name: string, rest: object = {}): StoredObject["metadata"] {
  const created = formatTime(sceneStart - 3_600_000);
  return {
    name,
    namespace: "shop",
    uid: `uid-${name}`,
    resourceVersion: "10",
    creationTimestamp: created,
    generation: 1,
    ...rest,
  };
}

export interface ReplicaSetParts {
  readonly name?: string;
  readonly replicas?: number;
  readonly meta?: object;
  readonly spec?: object;
  readonly status?: ReplicaSet["status"];
}

export function replicaSetOf({ name = "web", replicas = 1, ...parts }: ReplicaSetParts = {}): ReplicaSet {
  return {
    metadata: meta(name, parts.meta),
    spec: { replicas, selector: { matchLabels: { ...webLabels } }, template, ...parts.spec },
    status: parts.status ?? { replicas: 0 },
  };
}

export function replicationControllerOf({
  name = "web",
  replicas = 1,
  ...parts
}: ReplicaSetParts = {}): ReplicationController {
  const { status } = parts;
  return {
    metadata: meta(name, parts.meta),
    spec: { replicas, selector: { ...webLabels }, template, ...parts.spec },
    status: { replicas: 0, ...status },
  };
}

export function deploymentOf(name: string): Deployment {
  return { metadata: meta(name), spec: { selector: {}, template } };
}

export interface StatefulSetParts {
  readonly name?: string;
  readonly replicas?: number;
  readonly meta?: object;
  readonly spec?: object;
  readonly status?: object;
}

/** A StatefulSet, by default `db`. */
export function statefulSetOf({ name = "db", replicas = 3, ...parts }: StatefulSetParts = {}): StatefulSet {
  const labels = { app: name };
  return {
    metadata: meta(name, parts.meta),
    spec: {
      replicas,
      serviceName: name,
      selector: { matchLabels: labels },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      template: { metadata: { labels }, spec: { containers: [{ name: "db", image: "db:1" }] } },
      ...parts.spec,
    },
    status: { replicas: 0, ...parts.status },
  };
}

export interface PodParts {
  readonly owner?: StoredObject | "none";
  readonly ownerKind?: Kind;
  readonly labels?: Readonly<Record<string, string>>;
  readonly meta?: object;
  readonly phase?: string;
  readonly node?: string;
  readonly ready?: boolean;
  /** When it became ready, in ms since 1970; without it the ready condition has no time. */
  readonly readyAt?: number;
  readonly restarts?: number;
  readonly spec?: object;
  readonly status?: object;
}

/** A pod, by default running and owned by the ReplicaSet `web`. */
export function podOf(name: string, parts: PodParts = {}): Pod {
  const { owner = replicaSetOf(), ownerKind = ReplicaSets, labels = webLabels, phase = "Running" } = parts;
  const time = parts.readyAt === undefined ? {} : { lastTransitionTime: new Date(parts.readyAt).toISOString() };
  return {
    metadata: meta(name, {
      labels: { ...labels },
      ...(owner !== "none" && { ownerReferences: [controllerReference(ownerKind, owner)] }),
      ...parts.meta,
    }),
    spec: { containers: [], ...(parts.node !== undefined && { nodeName: parts.node }), ...parts.spec },
    status: {
      phase,
      ...(parts.ready !== undefined && {
        conditions: [{ type: "Ready", status: parts.ready ? "True" : "False", ...time }],
      }),
      ...(parts.restarts !== undefined && {
        containerStatuses: [{ name: "web", restartCount: parts.restarts, image: "", imageID: "", ready: true }],
      }),
      ...parts.status,
    },
  };
}

/** A ReplicaSet owned by a Deployment. */
export function ownedBy(deployment: Deployment, parts: ReplicaSetParts): ReplicaSet {
  return replicaSetOf({
    ...parts,
    meta: { ownerReferences: [controllerReference(Deployments, deployment)], ...parts.meta },
  });
}
