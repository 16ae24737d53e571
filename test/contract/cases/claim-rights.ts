/** Who may write which part of a ResourceClaim's status. */
import { get, patch, post, put, type Case, type Step, type Table } from "../case.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const group = "rbac.authorization.k8s.io";
const devices = "resource.k8s.io";
const claims = `/apis/${devices}/v1/namespaces/{ns}/resourceclaims`;
const status = `${claims}/a/status`;

const [user, account] = ["{ns}-user", "system:serviceaccount:{ns}:driver"];
const subjects = [user, account].map((name) => ({ apiGroup: group, kind: "User", name }));
const settle: Step = { method: "SETTLE", path: "" };

const right = (resource: string, verbs: readonly string[], more: object = {}): object => ({
  apiGroups: [devices],
  resources: [`resourceclaims/${resource}`],
  verbs,
  ...more,
});
const writesStatus = right("status", ["get", "update", "patch"]);

/** Grants rules in the namespace, or everywhere. */
function grants(rules: readonly object[], where: "namespace" | "everywhere"): readonly Step[] {
  const [prefix, path, name] =
    where === "namespace" ? ["", `${rbac}/namespaces/{ns}/`, "r"] : ["cluster", `${rbac}/`, "{ns}-r"];
  const kind = where === "namespace" ? "Role" : "ClusterRole";
  const metadata = { name };
  return [
    post(`${path}${prefix}roles`, { metadata, rules }),
    post(`${path}${prefix}rolebindings`, { metadata, roleRef: { apiGroup: group, kind, name }, subjects }),
  ];
}

const as = (name: string, ...steps: readonly Step[]): Step[] =>
  steps.map((step) => ({ ...step, headers: { "impersonate-user": name } }));
/** The service account, with a token that is bound to a node. */
const onNode = (node: string, ...steps: readonly Step[]): Step[] =>
  steps.map((step) => ({
    ...step,
    headers: { "impersonate-user": account, "impersonate-extra-authentication.kubernetes.io%2Fnode-name": node },
  }));

const device = (name: string, driver = "a.example.com"): object => ({ driver, pool: "p", device: name });
const reports = (name: string, driver?: string): object => ({ ...device(name, driver), data: { name } });
const nodeIs = (...names: readonly string[]): object => ({
  nodeSelectorTerms: names.map((name) => ({
    matchFields: [{ key: "metadata.name", operator: "In", values: [name] }],
  })),
});
const allocation = (more: object = {}): object => ({
  devices: {
    results: [
      { request: "r", ...device("one") },
      { request: "r", ...device("two", "b.example.com") },
    ],
  },
  ...more,
});
const consumers = [{ resource: "pods", name: "p", uid: "u" }];
const claim = post(claims, {
  metadata: { name: "a" },
  spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "c", count: 2 } }] } },
});
const writes = (part: object): Step => patch("merge", status, { status: part });

const binding: readonly Case[] = [
  {
    name: "to write the status is not the right to allocate, reserve or report",
    steps: [
      claim,
      ...grants([writesStatus], "namespace"),
      settle,
      ...as(
        user,
        get(status),
        writes({}),
        writes({ allocation: allocation() }),
        writes({ reservedFor: consumers }),
        put(status, {
          metadata: { name: "a" },
          spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "c", count: 2 } }] } },
          status: { allocation: allocation() },
        }),
        // The devices of a claim that is not allocated are refused for another reason.
        writes({ devices: [reports("one")] }),
      ),
      writes({ allocation: allocation(), reservedFor: consumers }),
      ...as(
        user,
        writes({ devices: [reports("one")] }),
        writes({ devices: [reports("one"), reports("two", "b.example.com")] }),
        writes({ reservedFor: [] }),
        writes({ allocation: null, reservedFor: null }),
        writes({ allocation: allocation(), reservedFor: consumers }),
      ),
      get(`${claims}/a`),
    ],
  },
  {
    name: "binding is a right in all namespaces, for a verb",
    steps: [
      claim,
      ...grants([writesStatus, right("binding", ["update", "patch"])], "namespace"),
      settle,
      ...as(user, writes({ allocation: allocation() })),
      ...grants([right("binding", ["update"])], "everywhere"),
      settle,
      ...as(user, writes({ allocation: allocation() })),
      ...as(
        user,
        put(status, {
          metadata: { name: "a" },
          spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "c", count: 2 } }] } },
          status: { allocation: allocation() },
        }),
      ),
    ],
  },
  {
    name: "a named claim is not enough for binding",
    steps: [
      claim,
      ...grants([writesStatus, right("binding", ["update", "patch"], { resourceNames: ["a"] })], "everywhere"),
      settle,
      ...as(user, writes({ allocation: allocation() })),
    ],
  },
];

const drivers: readonly Case[] = [
  {
    name: "each driver is a right by its name",
    steps: [
      claim,
      writes({ allocation: allocation() }),
      ...grants(
        [writesStatus, right("driver", ["arbitrary-node:patch"], { resourceNames: ["b.example.com"] })],
        "namespace",
      ),
      settle,
      ...as(
        user,
        writes({ devices: [reports("two", "b.example.com")] }),
        writes({ devices: [reports("one"), reports("two", "b.example.com")] }),
        writes({ devices: [device("two", "b.example.com")] }),
        writes({ devices: null }),
      ),
      writes({ devices: [reports("one"), reports("two", "b.example.com")] }),
      ...as(
        user,
        // Unchanged entries of other drivers need no right, in any order.
        writes({ devices: [device("two", "b.example.com"), reports("one")] }),
        writes({ devices: [reports("one")] }),
        writes({ devices: [] }),
      ),
      get(`${claims}/a`),
    ],
  },
  {
    name: "a service account on the node of the claim",
    steps: [
      claim,
      writes({ allocation: allocation({ nodeSelector: nodeIs("n") }) }),
      ...grants([writesStatus, right("driver", ["associated-node:patch"])], "namespace"),
      settle,
      ...onNode("n", writes({ devices: [reports("one")] })),
      ...onNode("m", writes({ devices: [device("one")] })),
      ...as(account, writes({ devices: [device("one")] })),
      ...as(user, writes({ devices: [device("one")] })),
      get(`${claims}/a`),
    ],
  },
  {
    name: "a service account on its node, without a right, and with one for any node",
    steps: [
      claim,
      writes({ allocation: allocation({ nodeSelector: nodeIs("n") }) }),
      ...grants([writesStatus], "namespace"),
      settle,
      ...onNode("n", writes({ devices: [reports("one")] })),
      ...grants([right("driver", ["arbitrary-node:patch"])], "everywhere"),
      settle,
      ...onNode("n", writes({ devices: [reports("one")] })),
    ],
  },
  ...[
    { name: "two nodes", nodeSelector: nodeIs("n", "m") },
    {
      name: "nodes by label",
      nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }] },
    },
    { name: "all nodes", nodeSelector: undefined },
  ].map(({ name, nodeSelector }): Case => ({
    name: `a claim that is allocated on ${name} is on the node of no service account`,
    steps: [
      claim,
      writes({ allocation: allocation({ nodeSelector }) }),
      ...grants([writesStatus, right("driver", ["associated-node:patch"])], "namespace"),
      settle,
      ...onNode("n", writes({ devices: [reports("one")] })),
    ],
  })),
];

const label = "resource.kubernetes.io/admin-access";
const labels = (value: string | null): Step =>
  patch("merge", "/api/v1/namespaces/{ns}", { metadata: { labels: { [label]: value } } });
const adminResults = { devices: { results: [{ request: "r", ...device("one"), adminAccess: true }] } };

const adminAccess: Case = {
  name: "devices with admin access are allocated only in labeled namespaces",
  steps: [
    labels("true"),
    settle,
    post(claims, {
      metadata: { name: "a" },
      spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "c", adminAccess: true } }] } },
    }),
    labels(null),
    settle,
    writes({ allocation: adminResults }),
    labels("true"),
    settle,
    writes({ allocation: adminResults }),
    labels(null),
    settle,
    // An allocation keeps its access.
    writes({ allocation: adminResults, reservedFor: consumers }),
  ],
};

export const claimRights: Table = { name: "claim-rights", cases: [...binding, ...drivers, adminAccess] };
