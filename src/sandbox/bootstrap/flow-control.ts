/**
 * The initial flow schemas and priority levels. Nothing is queued here: they can be listed, changed and distinguished from a user's own, as
 * with `--enable-priority-and-fairness=false`. Source: apiserver v0.36 pkg/apis/flowcontrol/bootstrap/default.go.
 */
import type { Server } from "../context/server.ts";
import { asStarted, createMissing } from "../serving/loopback.ts";

const group = "/apis/flowcontrol.apiserver.k8s.io/v1";
const flowSchemas = `${group}/flowschemas`;
const priorityLevels = `${group}/prioritylevelconfigurations`;
const producer = "api-priority-and-fairness-config-producer-v1";
const annotations = { "apf.kubernetes.io/autoupdate-spec": "true" };

/** A priority level's shares, and the percentage that it lends. */
type Shares = readonly [nominalConcurrencyShares: number, lendablePercent: number];
/** `[queues, hand size]`; without it, requests beyond the shares are rejected. */
type Queues = readonly [queues: number, handSize: number];

const limited = ([nominalConcurrencyShares, lendablePercent]: Shares, queues?: Queues): object => ({
  type: "Limited",
  limited: {
    nominalConcurrencyShares,
    lendablePercent,
    limitResponse:
      queues === undefined
        ? { type: "Reject" }
        : { type: "Queue", queuing: { queues: queues[0], handSize: queues[1], queueLengthLimit: 50 } },
  },
});

const levels: Readonly<Record<string, object>> = {
  system: limited([30, 33], [64, 6]),
  "node-high": limited([40, 25], [64, 6]),
  "leader-election": limited([10, 0], [16, 4]),
  "workload-high": limited([40, 50], [128, 6]),
  "workload-low": limited([100, 90], [128, 6]),
  "global-default": limited([20, 50], [128, 6]),
  "catch-all": limited([5, 0]),
  exempt: { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
};

const groups = (...names: readonly string[]): object[] => names.map((name) => ({ kind: "Group", group: { name } }));
const user = (name: string): object => ({ kind: "User", user: { name } });
const everybody = groups("system:unauthenticated", "system:authenticated");
const systemAccounts = { kind: "ServiceAccount", serviceAccount: { name: "*", namespace: "kube-system" } };
const nodes = groups("system:nodes");

const everything = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};
const leases = (verbs: readonly string[]): object => ({
  verbs,
  apiGroups: ["coordination.k8s.io"],
  resources: ["leases"],
  namespaces: ["*"],
});

interface Schema {
  readonly name: string;
  readonly level: string;
  readonly precedence: number;
  readonly distinguishes?: "ByUser" | "ByNamespace";
  readonly subjects: readonly object[];
  readonly rules?: object;
}

const schemas: readonly Schema[] = [
  { name: "system-nodes", level: "system", precedence: 500, distinguishes: "ByUser", subjects: nodes },
  {
    name: "system-node-high",
    level: "node-high",
    precedence: 400,
    distinguishes: "ByUser",
    subjects: nodes,
    rules: {
      resourceRules: [
        { verbs: ["*"], apiGroups: [""], resources: ["nodes", "nodes/status"], namespaces: ["*"], clusterScope: true },
        leases(["*"]),
      ],
    },
  },
  {
    name: "probes",
    level: "exempt",
    precedence: 2,
    subjects: everybody,
    rules: { nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }] },
  },
  {
    name: "system-leader-election",
    level: "leader-election",
    precedence: 100,
    distinguishes: "ByUser",
    subjects: [user("system:kube-controller-manager"), user("system:kube-scheduler"), systemAccounts],
    rules: { resourceRules: [leases(["get", "create", "update"])] },
  },
  {
    name: "kube-controller-manager",
    level: "workload-high",
    precedence: 800,
    distinguishes: "ByNamespace",
    subjects: [user("system:kube-controller-manager")],
  },
  {
    name: "kube-scheduler",
    level: "workload-high",
    precedence: 800,
    distinguishes: "ByNamespace",
    subjects: [user("system:kube-scheduler")],
  },
  {
    name: "kube-system-service-accounts",
    level: "workload-high",
    precedence: 900,
    distinguishes: "ByNamespace",
    subjects: [systemAccounts],
  },
  {
    name: "service-accounts",
    level: "workload-low",
    precedence: 9000,
    distinguishes: "ByUser",
    subjects: groups("system:serviceaccounts"),
  },
  {
    name: "global-default",
    level: "global-default",
    precedence: 9900,
    distinguishes: "ByUser",
    subjects: everybody,
  },
  { name: "exempt", level: "exempt", precedence: 1, subjects: groups("system:masters") },
  { name: "catch-all", level: "catch-all", precedence: 10_000, distinguishes: "ByUser", subjects: everybody },
];

/** Adds the missing ones when one of the two kinds is first read. */
export function keepFlowControl(server: Server): void {
  const { store } = server;
  const started = asStarted(server);
  store.onFirstUse("prioritylevelconfigurations.flowcontrol.apiserver.k8s.io", () => {
    for (const [name, spec] of Object.entries(levels))
      createMissing(started, {
        path: priorityLevels,
        body: { metadata: { name, annotations }, spec },
        by: producer,
      });
  });
  store.onFirstUse("flowschemas.flowcontrol.apiserver.k8s.io", () => {
    for (const schema of schemas) putSchema(started, schema);
  });
}

function putSchema(server: Server, { name, level, precedence, distinguishes: type, subjects, rules }: Schema): void {
  const spec = {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    ...(type === undefined ? {} : { distinguisherMethod: { type } }),
    rules: [{ subjects, ...(rules ?? everything) }],
  };
  createMissing(server, {
    path: flowSchemas,
    body: { metadata: { name, annotations }, spec },
    by: producer,
  });
}
