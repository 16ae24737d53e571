/** A contract case: a few requests in a namespace of their own, whose answers must be those of the real kube-apiserver. */

import type { Webhook } from "./webhooks.ts";

export interface Step {
  /**
   * SETTLE waits until the real server's own caches know what was written, PASS until more than a second has passed on the server's
   * clock; they have no answer to compare. RECEIVED is what the webhooks of the case have been sent since the last one.
   */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "WATCH" | "SETTLE" | "PASS" | "RECEIVED";
  /**
   * `{ns}` is the case's namespace; `{0.metadata.uid}` a field of the answer to step 0. They are filled in here, in the query
   * and in every text of the body.
   */
  readonly path: string;
  readonly query?: string;
  readonly body?: unknown;
  /** Content type. */
  readonly type?: string;
  readonly accept?: string;
  /** Beside those that every request has. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers of the answer that are compared. */
  readonly shows?: readonly string[];
  /** Of a WATCH: how many frames are read; then it is cancelled. */
  readonly frames?: number;
}

export interface Case {
  /** A sentence. */
  readonly name: string;
  readonly steps: readonly Step[];
  /**
   * Whether times are compared by their order, equal ones as equal. For that each write stands in a second of its own: there is a
   * PASS between two of them.
   */
  readonly ordersTimes?: boolean;
  /** Each write waits until it has a second of its own. */
  readonly isSpaced?: boolean;
  /** The webhooks that the steps configure, by name: `{hooks}/NAME` in a step is the URL, `{ca}` their authority in base64. */
  readonly hooks?: Readonly<Record<string, Webhook>>;
  /** Why the sandbox differs here, where it is meant to. */
  readonly differs?: string;
}

export interface Table {
  /** Names the file of the recording. */
  readonly name: string;
  /**
   * Why a real server takes seconds for each of its cases. They are compared with its recorded answers always, and with a running
   * one by LONG=1.
   */
  readonly slow?: string;
  /**
   * Each case has kinds, policies or webhooks of its own, which only its own namespace has to do with: no case of this or another table sees what another does,
   * so that they may run side by side.
   */
  readonly sideBySide?: boolean;
  readonly cases: readonly Case[];
}

/** What came back of one step, with everything that differs from run to run replaced by a name. */
export interface Result {
  readonly status: number;
  readonly warning?: string;
  /** Those that the step shows, as far as they are there. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Patches by their usual names. */
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
/** What the webhooks have received; `receivedByAll` by their names, where they are asked all at once. */
export const received: Step = { method: "RECEIVED", path: "" };
export const receivedByAll: Step = { method: "RECEIVED", path: "sorted" };
export const pass: Step = { method: "PASS", path: "" };

/** A pod that is valid and small. */
export const pod = (name: string, more: Record<string, unknown> = {}, spec: Record<string, unknown> = {}): unknown => ({
  metadata: { name, ...more },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };

/** A workload of the shape that ReplicaSets, Deployments, StatefulSets and DaemonSets share. */
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
