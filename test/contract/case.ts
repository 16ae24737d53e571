/** A contract case: requests in the case's own namespace, to which the sandbox must respond as the real kube-apiserver does. */

import type { Webhook } from "./webhooks.ts";

export interface Step {
  /**
   * SETTLE waits until the real server's caches have everything that was written, PASS until more than a second has passed on the server's
   * clock; they have no response. RECEIVED returns what the case's webhooks have received since the last RECEIVED.
   */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "WATCH" | "SETTLE" | "PASS" | "RECEIVED";
  /**
   * `{ns}` is the case's namespace; `{0.metadata.uid}` is a field of the response to step 0. Both are replaced here, in the query, and in
   * every string of the body.
   */
  readonly path: string;
  readonly query?: string;
  readonly body?: unknown;
  /** Content type. */
  readonly type?: string;
  readonly accept?: string;
  /** In addition to those of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Response headers that are compared. */
  readonly shows?: readonly string[];
  /** For WATCH: the number of frames to read before the watch is canceled. */
  readonly frames?: number;
}

export interface Case {
  /** A phrase that describes the case. */
  readonly name: string;
  readonly steps: readonly Step[];
  /**
   * Whether times are compared by their order, with equal times equal. Each write must then fall into a second of its own, so there is a
   * PASS between any two writes.
   */
  readonly ordersTimes?: boolean;
  /** Whether each write first waits for a new second. */
  readonly isSpaced?: boolean;
  /** The webhooks that the steps configure, by name. In a step, `{hooks}/NAME` is the URL and `{ca}` the CA certificate in base64. */
  readonly hooks?: Readonly<Record<string, Webhook>>;
  /** Why the sandbox differs here on purpose. */
  readonly differs?: string;
}

export interface Table {
  /** Also the name of the recording's file. */
  readonly name: string;
  /**
   * Why each case takes seconds on a real server. The cases are always compared with the recorded responses, but with a running server only
   * if LONG=1.
   */
  readonly slow?: string;
  /**
   * Whether each case has its own kinds, policies or webhooks, which apply only to its own namespace: no case of this or another table sees
   * another's, so they can run concurrently.
   */
  readonly sideBySide?: boolean;
  readonly cases: readonly Case[];
}

/** The response to a step, in which everything that differs from run to run is replaced by a name. */
export interface Result {
  readonly status: number;
  readonly warning?: string;
  /** Those in `shows` that the response has. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Content types of patches, by common name. */
export const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

const core = "/api/v1/namespaces/{ns}";
const apps = "/apis/apps/v1/namespaces/{ns}";
const batch = "/apis/batch/v1/namespaces/{ns}";

/** Paths of collections in the case's namespace. */
export const paths: Readonly<
  Record<
    | "pods"
    | "configmaps"
    | "secrets"
    | "services"
    | "events"
    | "serviceaccounts"
    | "resourcequotas"
    | "limitranges"
    | "replicationcontrollers"
    | "persistentvolumeclaims"
    | "replicasets"
    | "deployments"
    | "statefulsets"
    | "daemonsets"
    | "jobs"
    | "cronjobs"
    | "leases"
    | "poddisruptionbudgets",
    string
  >
> = {
  pods: `${core}/pods`,
  configmaps: `${core}/configmaps`,
  secrets: `${core}/secrets`,
  services: `${core}/services`,
  events: `${core}/events`,
  serviceaccounts: `${core}/serviceaccounts`,
  resourcequotas: `${core}/resourcequotas`,
  limitranges: `${core}/limitranges`,
  replicationcontrollers: `${core}/replicationcontrollers`,
  persistentvolumeclaims: `${core}/persistentvolumeclaims`,
  replicasets: `${apps}/replicasets`,
  deployments: `${apps}/deployments`,
  statefulsets: `${apps}/statefulsets`,
  daemonsets: `${apps}/daemonsets`,
  jobs: `${batch}/jobs`,
  cronjobs: `${batch}/cronjobs`,
  leases: "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
  poddisruptionbudgets: "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
};

export const get = (path: string, query?: string): Step => ({
  method: "GET",
  path,
  ...(query === undefined ? {} : { query }),
});
export const post = (path: string, body: unknown, query?: string): Step => ({
  method: "POST",
  path,
  body,
  ...(query === undefined ? {} : { query }),
});
export const put = (path: string, body: unknown, query?: string): Step => ({
  method: "PUT",
  path,
  body,
  ...(query === undefined ? {} : { query }),
});
export const patch = (kind: keyof typeof patchTypes, path: string, body: unknown, query?: string): Step => ({
  method: "PATCH",
  path,
  body,
  type: patchTypes[kind],
  ...(query === undefined ? {} : { query }),
});
/** A server-side apply by `manager`. */
export const apply = (path: string, manager: string, body: unknown, query?: string): Step =>
  patch("apply", path, body, `fieldManager=${manager}${query === undefined ? "" : `&${query}`}`);
export const del = (path: string, body?: unknown, query?: string): Step => ({
  method: "DELETE",
  path,
  ...(body === undefined ? {} : { body }),
  ...(query === undefined ? {} : { query }),
});
export const watching = (path: string, frames: number, query: string): Step => ({
  method: "WATCH",
  path,
  frames,
  query,
});

export const settle: Step = { method: "SETTLE", path: "" };
/** What the webhooks have received. `receivedByAll` sorts it by webhook name, for webhooks that are called concurrently. */
export const received: Step = { method: "RECEIVED", path: "" };
export const receivedByAll: Step = { method: "RECEIVED", path: "sorted" };
export const pass: Step = { method: "PASS", path: "" };

/** A small valid pod. */
export const pod = (name: string, more: Record<string, unknown> = {}, spec: Record<string, unknown> = {}): unknown => ({
  metadata: { name, ...more },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };

/** A workload of the form that ReplicaSets, Deployments, StatefulSets and DaemonSets share. */
export const workload = (name: string, spec: Record<string, unknown> = {}): unknown => ({
  metadata: { name },
  spec: { selector: { matchLabels: { app: "a" } }, template, ...spec },
});

export const configMap = (
  name: string,
  data?: Record<string, string>,
  metadata: Record<string, unknown> = {},
): unknown => ({
  metadata: { name, ...metadata },
  ...(data === undefined ? {} : { data }),
});
