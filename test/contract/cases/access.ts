/** RBAC: roles, bindings, impersonation, and roles that grant more permissions than their author has. */
import { del, get, patch, paths as p, post, put, type Case, type Step, type Table } from "../case.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const own = `${rbac}/namespaces/{ns}`;
const [roles, bindings] = [`${own}/roles`, `${own}/rolebindings`];
const [clusterRoles, clusterBindings] = [`${rbac}/clusterroles`, `${rbac}/clusterrolebindings`];
const reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const rulesReviews = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
const whoAmI = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

const settle: Step = { method: "SETTLE", path: "" };
const as = (user: string, ...steps: readonly Step[]): Step[] =>
  steps.map((step) => ({ ...step, headers: { "impersonate-user": user, ...step.headers } }));
const withHeaders = (headers: Readonly<Record<string, string>>, ...steps: readonly Step[]): Step[] =>
  steps.map((step) => ({ ...step, headers }));

/** The name of a cluster-scoped object, which contains the namespace of the case. */
const cluster = (name: string): string => `{ns}-${name}`;
const role = (name: string, rules: readonly object[]): Step => post(roles, { metadata: { name }, rules });
const clusterRole = (name: string, rules: readonly object[], more: object = {}): Step =>
  post(clusterRoles, { metadata: { name: cluster(name) }, rules, ...more });
const group = "rbac.authorization.k8s.io";
const ref = (kind: "Role" | "ClusterRole", name: string): object => ({ apiGroup: group, kind, name });
const userSubject = (name: string): object => ({ apiGroup: group, kind: "User", name });
const groupSubject = (name: string): object => ({ apiGroup: group, kind: "Group", name });
const binding = (name: string, to: object, subjects: readonly object[]): Step =>
  post(bindings, { metadata: { name }, roleRef: to, subjects });
const clusterBinding = (name: string, to: object, subjects: readonly object[]): Step =>
  post(clusterBindings, { metadata: { name: cluster(name) }, roleRef: to, subjects });

const read = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };
const accessReview = (resourceAttributes: object): Step => post(reviews, { spec: { resourceAttributes } });
const pathReview = (path: string, verb = "get"): Step =>
  post(reviews, { spec: { nonResourceAttributes: { path, verb } } });
const here = { namespace: "{ns}" };

/** The user of a case, so that no case sees permissions granted in another. */
const user = "{ns}-user";

function granted(name: string, rules: readonly object[], ...steps: readonly Step[]): Case {
  return {
    name,
    steps: [role("r", rules), binding("b", ref("Role", "r"), [userSubject(user)]), settle, ...as(user, ...steps)],
  };
}

const allowed: readonly Case[] = [
  granted(
    "a role grants its user nothing but reading",
    [read],
    get(p.pods),
    get(`${p.pods}/none`),
    get(p.configmaps),
    get("/api/v1/pods"),
    get("/api/v1/namespaces/default/pods"),
    get("/api/v1/nodes"),
    get("/api/v1/nodes/none"),
    post(p.pods, { metadata: { name: "a" } }),
    put(`${p.pods}/a`, { metadata: { name: "a" } }),
    patch("merge", `${p.pods}/a`, {}),
    del(`${p.pods}/a`),
    del(p.pods),
    get(`${p.pods}/a/log`),
    get(`${p.deployments}/a/scale`),
  ),
  granted(
    "all verbs, all groups, all resources",
    [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
    get(p.pods),
    get(p.deployments),
    post(p.configmaps, { metadata: { name: "a" } }),
    del(`${p.configmaps}/a`),
    get("/api/v1/nodes"),
    accessReview({ ...here, verb: "anything", group: "example.com", resource: "things" }),
  ),
  granted(
    "one subresource, and the same subresource of all resources",
    [
      { apiGroups: [""], resources: ["pods/log"], verbs: ["get"] },
      { apiGroups: ["*"], resources: ["*/scale"], verbs: ["get", "update"] },
    ],
    accessReview({ ...here, verb: "get", resource: "pods", subresource: "log" }),
    accessReview({ ...here, verb: "get", resource: "pods" }),
    accessReview({ ...here, verb: "get", resource: "services", subresource: "log" }),
    accessReview({ ...here, verb: "update", group: "apps", resource: "deployments", subresource: "scale" }),
    accessReview({ ...here, verb: "update", group: "apps", resource: "deployments" }),
    accessReview({ ...here, verb: "patch", group: "apps", resource: "deployments", subresource: "scale" }),
    get(`${p.deployments}/none/scale`),
  ),
  granted(
    "resourceNames",
    [
      {
        apiGroups: [""],
        resources: ["configmaps"],
        resourceNames: ["a", "b"],
        verbs: ["get", "list", "create", "update"],
      },
    ],
    get(`${p.configmaps}/a`),
    get(`${p.configmaps}/c`),
    get(p.configmaps),
    post(p.configmaps, { metadata: { name: "a" } }),
    put(`${p.configmaps}/b`, { metadata: { name: "b" } }),
    accessReview({ ...here, verb: "list", resource: "configmaps" }),
    accessReview({ ...here, verb: "list", resource: "configmaps", name: "b" }),
    ...["metadata.name%3Da", "metadata.name%3D%3Db", "metadata.name%3Dc", "metadata.name!%3Da"].map((selector) =>
      get(p.configmaps, `fieldSelector=${selector}`),
    ),
    get(p.configmaps, "fieldSelector=metadata.namespace%3D{ns}%2Cmetadata.name%3Da"),
  ),
  {
    name: "a ClusterRole in one namespace, and in all",
    steps: [
      clusterRole("read", [read]),
      binding("b", ref("ClusterRole", cluster("read")), [userSubject(user)]),
      clusterBinding("all", ref("ClusterRole", cluster("read")), [groupSubject("{ns}-group")]),
      settle,
      ...as(user, get(p.pods), get("/api/v1/namespaces/none/pods"), accessReview({ verb: "list", resource: "pods" })),
      ...withHeaders(
        { "impersonate-user": "somebody", "impersonate-group": "{ns}-group" },
        get(p.pods),
        get("/api/v1/namespaces/none/pods"),
        accessReview({ verb: "list", resource: "pods" }),
        accessReview({ verb: "watch", resource: "pods" }),
      ),
    ],
  },
  {
    name: "a service account of the binding's namespace, and of another",
    steps: [
      role("r", [read]),
      binding("b", ref("Role", "r"), [
        { kind: "ServiceAccount", name: "own", namespace: "{ns}" },
        { kind: "ServiceAccount", name: "other", namespace: "default" },
      ]),
      settle,
      ...as("system:serviceaccount:{ns}:own", get(p.pods), accessReview({ ...here, verb: "get", resource: "pods" })),
      ...as(
        "system:serviceaccount:default:other",
        get(p.pods),
        accessReview({ ...here, verb: "get", resource: "pods" }),
      ),
      ...as("system:serviceaccount:default:own", get(p.pods), accessReview({ ...here, verb: "get", resource: "pods" })),
    ],
  },
  {
    name: "non-resource paths",
    steps: [
      clusterRole("paths", [{ nonResourceURLs: ["/metrics", "/logs/*"], verbs: ["get"] }]),
      clusterBinding("paths", ref("ClusterRole", cluster("paths")), [userSubject(user)]),
      settle,
      ...as(
        user,
        pathReview("/metrics"),
        pathReview("/metrics/slis"),
        pathReview("/logs/a/b"),
        pathReview("/logs"),
        pathReview("/metrics", "post"),
        get("/metrics/none"),
      ),
    ],
  },
  {
    name: "a binding to a role that does not exist",
    steps: [
      binding("b", ref("Role", "none"), [userSubject(user)]),
      // Another user, because the errors of several bindings for one user come in any order.
      binding("c", ref("ClusterRole", cluster("none")), [userSubject("{ns}-other")]),
      settle,
      ...as(user, get(p.pods), accessReview({ ...here, verb: "get", resource: "pods" })),
      ...as("{ns}-other", get(p.pods), accessReview({ ...here, verb: "get", resource: "pods" })),
      ...as(user, post(rulesReviews, { spec: { namespace: "{ns}" } })),
    ],
  },
  {
    name: "a deleted binding grants nothing any longer",
    steps: [
      role("r", [read]),
      binding("b", ref("Role", "r"), [userSubject(user)]),
      settle,
      ...as(user, get(p.pods)),
      del(`${bindings}/b`),
      settle,
      ...as(user, get(p.pods)),
    ],
  },
  {
    name: "names with HTML characters",
    steps: [
      ...as("a<b>&c", get(p.pods), get("/metrics/none"), accessReview({ ...here, verb: "get", resource: "pods" })),
    ],
  },
];

const mayWriteRoles = {
  apiGroups: [group],
  resources: ["roles", "rolebindings"],
  verbs: ["create", "update", "patch", "get"],
};

const escalations: readonly Case[] = [
  granted(
    "a role cannot grant more than its author has",
    [mayWriteRoles, read],
    role("same", [read]),
    role("less", [{ ...read, verbs: ["get"] }]),
    role("more", [{ ...read, verbs: ["get", "delete", "list", "watch"] }]),
    role("named", [{ ...read, resourceNames: ["a"] }]),
    role("other", [{ apiGroups: ["", "apps"], resources: ["pods", "secrets"], verbs: ["get"] }]),
    role("all", [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }]),
    role("log", [{ apiGroups: [""], resources: ["pods/log"], verbs: ["get"] }]),
    role("empty", []),
    put(`${roles}/same`, { metadata: { name: "same" }, rules: [{ ...read, verbs: ["*"] }] }),
    patch("merge", `${roles}/same`, { rules: [{ ...read, verbs: ["delete"], resourceNames: ["a", "b"] }] }),
    patch("merge", `${roles}/same`, { metadata: { labels: { a: "b" } } }),
    patch("merge", `${roles}/same`, { metadata: { finalizers: ["example.com/a"] } }),
    patch("merge", `${roles}/same`, { metadata: { finalizers: null } }),
  ),
  granted(
    "a binding cannot grant more than its author has",
    [mayWriteRoles, read],
    role("same", [read]),
    binding("same", ref("Role", "same"), [userSubject("x")]),
    binding("cluster", ref("ClusterRole", "cluster-admin"), [userSubject("x")]),
    binding("none", ref("Role", "none"), [userSubject("x")]),
    binding("cluster-none", ref("ClusterRole", cluster("none")), [userSubject("x")]),
    patch("merge", `${bindings}/same`, { subjects: [userSubject("y")] }),
  ),
  granted(
    "the verbs escalate and bind",
    [
      { ...mayWriteRoles, verbs: ["create", "update", "patch", "get", "escalate"], resources: ["roles"] },
      { ...mayWriteRoles, resources: ["rolebindings"] },
      { apiGroups: [group], resources: ["clusterroles"], verbs: ["bind"], resourceNames: ["view"] },
    ],
    role("more", [read]),
    binding("view", ref("ClusterRole", "view"), [userSubject("x")]),
    binding("edit", ref("ClusterRole", "system:aggregate-to-view"), [userSubject("x")]),
    binding("own", ref("Role", "more"), [userSubject("x")]),
  ),
  {
    name: "a ClusterRole cannot grant more than its author has",
    steps: [
      clusterRole("author", [
        { apiGroups: [group], resources: ["clusterroles", "clusterrolebindings"], verbs: ["*"], resourceNames: ["x"] },
        { apiGroups: [group], resources: ["clusterroles", "clusterrolebindings"], verbs: ["create", "update"] },
        { nonResourceURLs: ["/logs/*"], verbs: ["get"] },
      ]),
      clusterBinding("author", ref("ClusterRole", cluster("author")), [userSubject(user)]),
      settle,
      ...as(
        user,
        clusterRole("paths", [{ nonResourceURLs: ["/logs/a"], verbs: ["get"] }]),
        clusterRole("more-paths", [{ nonResourceURLs: ["/logs/*", "/metrics"], verbs: ["get", "post"] }]),
        clusterRole("nodes", [{ apiGroups: [""], resources: ["nodes"], verbs: ["get"] }]),
        clusterBinding("admin", ref("ClusterRole", "cluster-admin"), [userSubject("x")]),
        clusterBinding("own", ref("ClusterRole", cluster("paths")), [userSubject("x")]),
        post(`${rbac}/clusterroles`, {
          metadata: { name: cluster("aggregated") },
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
          rules: [],
        }),
        post(`${rbac}/clusterroles`, { metadata: { name: cluster("none") }, aggregationRule: {}, rules: [] }),
      ),
    ],
  },
];

const impersonations: readonly Case[] = [
  {
    name: "the user of a request",
    steps: [
      post(whoAmI, {}),
      ...as("u", post(whoAmI, {})),
      ...as("system:anonymous", post(whoAmI, {})),
      ...as("system:serviceaccount:{ns}:a", post(whoAmI, {})),
      ...as("system:serviceaccount:{ns}", post(whoAmI, {})),
      ...as("system:node:A_B", post(whoAmI, {})),
      ...withHeaders({ "impersonate-user": "u", "impersonate-group": "g" }, post(whoAmI, {})),
      ...withHeaders({ "impersonate-user": "u", "impersonate-group": "system:authenticated" }, post(whoAmI, {})),
      ...withHeaders({ "impersonate-user": "u", "impersonate-group": "system:masters" }, post(whoAmI, {})),
      ...withHeaders({ "impersonate-user": "u", "impersonate-uid": "1234" }, post(whoAmI, {})),
      ...withHeaders({ "impersonate-user": "u", "impersonate-extra-scopes": "view" }, post(whoAmI, {})),
      ...withHeaders({ "impersonate-user": "u", "impersonate-extra-example.com%2Fa": "view" }, post(whoAmI, {})),
      ...withHeaders(
        { "impersonate-user": "system:serviceaccount:{ns}:a", "impersonate-group": "g" },
        post(whoAmI, {}),
      ),
      ...withHeaders({ "impersonate-user": "system:node:a", "impersonate-group": "g" }, post(whoAmI, {})),
    ],
  },
  {
    name: "impersonation without a user name",
    steps: [
      ...withHeaders({ "impersonate-group": "g" }, get(p.pods)),
      ...withHeaders({ "impersonate-uid": "1" }, get(p.pods)),
      ...withHeaders({ "impersonate-extra-scopes": "view" }, get(p.pods)),
    ],
  },
];

const tokenReviews = "/apis/authentication.k8s.io/v1/tokenreviews";
const account = (name: string): Step => post(p.serviceaccounts, { metadata: { name } });
const token = (name: string, spec: object = {}, metadata?: object): Step =>
  post(`${p.serviceaccounts}/${name}/token`, { ...(metadata === undefined ? {} : { metadata }), spec });
/** A review of the token in the response to a step. */
const review = (step: number, ...audiences: readonly string[]): Step =>
  post(tokenReviews, { spec: { token: `{${step}.status.token}`, ...(audiences.length === 0 ? {} : { audiences }) } });
const bound = (kind: string, name: string, more: object = {}): object => ({
  boundObjectRef: { apiVersion: "v1", kind, name, ...more },
});

const tokens: readonly Case[] = [
  {
    name: "a token of a service account, and its user",
    steps: [
      account("a"),
      settle,
      token("a"),
      review(2),
      review(2, "https://kubernetes.default.svc"),
      review(2, "vault"),
      review(2, "vault", "https://kubernetes.default.svc"),
      token("a", { audiences: ["vault", "b"], expirationSeconds: 7200 }),
      review(7),
      review(7, "vault"),
      review(7, "c", "b", "vault"),
      get(`${p.serviceaccounts}/a/token`),
      put(`${p.serviceaccounts}/a/token`, {}),
      token("none"),
      post(tokenReviews, { spec: { token: "a.b.c" } }),
      // The server caches accepted tokens for ten seconds, so this uses a token that has not been reviewed yet.
      token("a"),
      token("a"),
      del(`${p.serviceaccounts}/a`),
      settle,
      review(15),
      account("a"),
      settle,
      review(16),
    ],
  },
  {
    name: "valid and invalid token requests",
    steps: [
      account("a"),
      token("a", { expirationSeconds: 599 }),
      token("a", { expirationSeconds: -1 }),
      token("a", { expirationSeconds: 0 }),
      token("a", { expirationSeconds: 4294967297 }),
      token("a", {}, { name: "b" }),
      token("a", {}, { name: "a", namespace: "{ns}", labels: { a: "b" } }),
      token("a", {}, { namespace: "default" }),
      token("a", {}, { uid: "other" }),
      token("a", {}, { uid: "{0.metadata.uid}" }),
      token("a", { audiences: [] }),
      post(`${p.serviceaccounts}/a/token`, { kind: "Token" }),
      post(`${p.serviceaccounts}/a/token`, {}),
      post(`${p.serviceaccounts}/a/token`, { spec: {}, unknown: 1 }),
      post(`${p.serviceaccounts}/a/token`, { spec: {} }, "dryRun=All"),
    ],
  },
  {
    name: "tokens bound to an object",
    steps: [
      account("a"),
      post(p.secrets, { metadata: { name: "s" } }),
      settle,
      token("a", bound("Secret", "s")),
      token("a", bound("Secret", "s")),
      review(4),
      token("a", bound("Secret", "s", { uid: "{1.metadata.uid}" })),
      token("a", bound("Secret", "s", { uid: "other" })),
      token("a", bound("Secret", "none")),
      token("a", bound("Pod", "none")),
      token("a", bound("Node", "none")),
      token("a", bound("ConfigMap", "none")),
      token("a", { boundObjectRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } }),
      token("a", { boundObjectRef: {} }),
      del(`${p.secrets}/s`),
      settle,
      review(3),
      post(p.pods, {
        metadata: { name: "p" },
        spec: { serviceAccountName: "a", containers: [{ name: "c", image: "i" }] },
      }),
      settle,
      token("a", bound("Pod", "p")),
      review(19),
    ],
  },
];

export const access: Table = { name: "access", cases: [...allowed, ...escalations, ...impersonations, ...tokens] };
