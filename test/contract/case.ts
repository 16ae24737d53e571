/** A contract case: a few requests in a separate namespace, whose responses must equal those of the real kube-apiserver. */

import type { Webhook } from "./webhooks.ts";

export interface Step {
  /**
   * SETTLE waits until the real server's caches contain all writes, PASS until more than a second has passed on the server's clock; they
   * have no response to compare. RECEIVED returns the requests to the webhooks of the case since the previous RECEIVED.
   */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "WATCH" | "SETTLE" | "PASS" | "RECEIVED";
  /**
   * `{ns}` is replaced by the namespace of the case, `{0.metadata.uid}` by a field of the response to step 0: here, in the query and in all
   * strings of the body.
   */
  readonly path: string;
  readonly query?: string;
  readonly body?: unknown;
  /** The content type of the body. */
  readonly type?: string;
  readonly accept?: string;
  /** Request headers in addition to the default ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Names of the response headers to compare. */
  readonly shows?: readonly string[];
  /** For a WATCH: the number of frames to read before it is cancelled. */
  readonly frames?: number;
}

export interface Case {
  /** A sentence or phrase that describes the case. */
  readonly name: string;
  readonly steps: readonly Step[];
  /**
   * Whether the order of times is compared, with equal times as equal. This requires that each write has its own second, so there must be a
   * PASS between any two writes.
   */
  readonly ordersTimes?: boolean;
  /** Whether each write waits for a new second. */
  readonly isSpaced?: boolean;
  /** The webhooks that the steps configure, by name: in a step, `{hooks}/NAME` becomes the URL, `{ca}` the CA certificate in base64. */
  readonly hooks?: Readonly<Record<string, Webhook>>;
  /** Why the sandbox intentionally differs in this case. */
  readonly differs?: string;
}

export interface Table {
  /** The name of the recording file. */
  readonly name: string;
  /**
   * Why each case takes seconds on a real server. The sandbox is always compared with the recording, but with a running server only if
   * LONG=1.
   */
  readonly slow?: string;
  /**
   * Each case has its own kinds, policies or webhooks, which affect only its own namespace: no case of any table sees those of another, so
   * they can run in parallel.
   */
  readonly sideBySide?: boolean;
  readonly cases: readonly Case[];
}

/** The response to one step, in which everything that differs between runs is replaced by a name. */
export interface Result {
  readonly status: number;
  readonly warning?: string;
  /** The response headers selected by the step, if present. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Content types of patches by short name. */
export const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

const core = "/api/v1/namespaces/{ns}";
const apps = "/apis/apps/v1/namespaces/{ns}";
const batch = "/apis/batch/v1/namespaces/{ns}";

/** Paths of collections in the namespace of the case. */
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
/** Returns the requests that the webhooks received; `receivedByAll` sorts them by name, for webhooks called in parallel. */
export const received: Step = { method: "RECEIVED", path: "" };
export const receivedByAll: Step = { method: "RECEIVED", path: "sorted" };
export const pass: Step = { method: "PASS", path: "" };

/** A minimal valid pod. */
export const pod = (name: string, more: Record<string, unknown> = {}, spec: Record<string, unknown> = {}): unknown => ({
  metadata: { name, ...more },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };

/** A workload in the form shared by ReplicaSets, Deployments, StatefulSets and DaemonSets. */
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
