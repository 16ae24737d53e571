/** Validating admission webhooks: when they are called, the requests that they receive, and the effect of their responses. */
import {
  type Case,
  configMap,
  del,
  get,
  patch,
  paths,
  pod,
  post,
  put,
  received,
  receivedByAll,
  settle,
  type Step,
  type Table,
  workload,
} from "../case.ts";
import { allowing, allows, always, denying, type Webhook } from "../webhooks.ts";

export const registrations = "/apis/admissionregistration.k8s.io/v1";

/** A rule of a webhook. */
export const rule = (resources: string, operations = "CREATE", more: object = {}): object => ({
  apiGroups: ["*"],
  apiVersions: ["*"],
  operations: operations.split(","),
  resources: resources.split(","),
  ...more,
});

/** Selects the namespace of the case. */
export const here = { matchLabels: { "kubernetes.io/metadata.name": "{ns}" } };

/** A webhook of a configuration: its name is `NAME.example.com`, and its handler NAME. */
export const webhook = (name: string, more: object = {}): object => ({
  name: `${name}.example.com`,
  clientConfig: { url: `{hooks}/${name}`, caBundle: "{ca}" },
  rules: [rule("configmaps")],
  namespaceSelector: here,
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  ...more,
});

/** A configuration, named after the namespace of the case. */
export const configuration = (...webhooks: readonly object[]): object => ({ metadata: { name: "{ns}" }, webhooks });

interface Scene {
  readonly hooks: Readonly<Record<string, Webhook>>;
  /** The webhooks of the configuration; by default one for creations of ConfigMaps. */
  readonly webhooks?: readonly object[];
  /** Steps before the webhooks are configured. */
  readonly before?: readonly Step[];
  readonly steps: readonly Step[];
  readonly differs?: string;
}

/** A case that configures webhooks, runs its steps, and deletes the configuration. */
export function hooked(type: "validating" | "mutating", name: string, scene: Scene): Case {
  const { hooks, webhooks = [webhook("hook")], before = [], steps, differs } = scene;
  const collection = `${registrations}/${type}webhookconfigurations`;
  return {
    name,
    hooks,
    ...(differs === undefined ? {} : { differs }),
    steps: [
      ...before,
      post(collection, configuration(...webhooks)),
      settle,
      ...steps,
      type === "mutating" ? received : receivedByAll,
      del(`${collection}/{ns}`),
      // Until the server has noticed the deletion, so that it does not affect the next case.
      settle,
    ],
  };
}

const validating = (name: string, scene: Scene): Case => hooked("validating", name, scene);

const create = post(paths.configmaps, configMap("a", { k: "v" }));
const deployment = `${paths.deployments}/web`;
const cluster = "/api/v1/nodes";

/** Two webhooks, of which usually one matches: the received calls show which. */
const two = (first: object, second: object): readonly object[] => [webhook("one", first), webhook("two", second)];
const both = { one: allows, two: allows };

const operations: readonly Case[] = [
  validating("a create that is allowed", { hooks: { hook: allows }, steps: [create] }),
  validating("an update, by PUT, merge patch and apply", {
    hooks: { hook: allows },
    webhooks: [webhook("hook", { rules: [rule("configmaps", "UPDATE")] })],
    before: [create],
    steps: [
      put(`${paths.configmaps}/a`, configMap("a", { k: "w" }), "fieldManager=me"),
      patch("merge", `${paths.configmaps}/a`, { data: { l: "x" } }, "fieldValidation=Strict"),
      patch(
        "apply",
        `${paths.configmaps}/a`,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { m: "y" } },
        "fieldManager=me",
      ),
    ],
  }),
  validating("a create by apply, and by PUT", {
    hooks: { hook: allows },
    webhooks: [webhook("hook", { rules: [rule("configmaps,leases", "CREATE,UPDATE")] })],
    steps: [
      patch(
        "apply",
        `${paths.configmaps}/a`,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
        "fieldManager=me",
      ),
      put(`${paths.leases}/l`, { metadata: { name: "l" }, spec: {} }),
    ],
  }),
  validating("a deletion, and one with options", {
    hooks: { hook: allows },
    webhooks: [webhook("hook", { rules: [rule("configmaps", "DELETE")] })],
    before: [create, post(paths.configmaps, configMap("b"))],
    steps: [
      del(`${paths.configmaps}/a`),
      del(`${paths.configmaps}/b`, {
        kind: "DeleteOptions",
        apiVersion: "v1",
        gracePeriodSeconds: 5,
        propagationPolicy: "Background",
        preconditions: { uid: "{1.metadata.uid}" },
      }),
    ],
  }),
  validating("a deletion of a missing object, which calls no webhook", {
    hooks: { hook: denying() },
    webhooks: [webhook("hook", { rules: [rule("configmaps", "DELETE")] })],
    steps: [del(`${paths.configmaps}/none`)],
  }),
  validating("the deletion of a collection, object by object", {
    hooks: { hook: allows },
    webhooks: [webhook("hook", { rules: [rule("configmaps", "DELETE")] })],
    before: [create],
    steps: [del(paths.configmaps), get(paths.configmaps)],
  }),
  validating("a deletion that is denied", {
    hooks: { hook: denying({ message: "keep it" }) },
    webhooks: [webhook("hook", { rules: [rule("configmaps,pods", "DELETE")] })],
    before: [create, post(paths.pods, pod("p", {}, { nodeName: "n" }))],
    steps: [del(`${paths.configmaps}/a`), del(`${paths.pods}/p`), del(paths.configmaps), get(`${paths.configmaps}/a`)],
  }),
  validating("a graceful deletion of a pod, which calls the webhook once", {
    hooks: { hook: allows },
    webhooks: [webhook("hook", { rules: [rule("pods", "DELETE")] })],
    before: [post(paths.pods, pod("p", {}, { nodeName: "n" }))],
    steps: [del(`${paths.pods}/p`), received, del(`${paths.pods}/p`), received],
  }),
  validating("the status subresource", {
    hooks: { hook: allows },
    webhooks: [webhook("hook", { rules: [rule("deployments/status", "UPDATE")] })],
    before: [post(paths.deployments, workload("web"))],
    steps: [
      patch("merge", deployment, { metadata: { labels: { a: "b" } } }),
      received,
      patch("merge", `${deployment}/status`, { status: { replicas: 1 } }),
    ],
  }),
  validating("a Scale", {
    hooks: { hook: allows },
    webhooks: [webhook("hook", { rules: [rule("deployments/scale,deployments", "UPDATE")] })],
    before: [post(paths.deployments, workload("web"))],
    steps: [patch("merge", `${deployment}/scale`, { spec: { replicas: 3 } }), get(`${deployment}/scale`)],
  }),
  validating("a Scale that is denied", {
    hooks: { hook: denying({ message: "too many" }) },
    webhooks: [webhook("hook", { rules: [rule("*/scale", "UPDATE")] })],
    before: [post(paths.deployments, workload("web"))],
    steps: [
      put(`${deployment}/scale`, { metadata: { name: "web", namespace: "{ns}" }, spec: { replicas: 3 } }),
      get(`${deployment}/scale`),
    ],
  }),
  validating("an eviction", {
    hooks: { hook: allows },
    webhooks: [webhook("hook", { rules: [rule("pods/eviction,pods", "CREATE,DELETE")] })],
    before: [post(paths.pods, pod("p"))],
    steps: [
      post(`${paths.pods}/p/eviction`, {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name: "p", namespace: "{ns}" },
      }),
    ],
  }),
  validating("an eviction that is denied", {
    hooks: { hook: denying({ message: "not this one", code: 403, reason: "Forbidden" }) },
    webhooks: [webhook("hook", { rules: [rule("pods/eviction")] })],
    before: [post(paths.pods, pod("p"))],
    steps: [
      post(`${paths.pods}/p/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } }),
      get(`${paths.pods}/p`),
    ],
  }),
  validating("a binding", {
    hooks: { hook: allows },
    webhooks: [webhook("hook", { rules: [rule("pods/binding,bindings")] })],
    before: [post(paths.pods, pod("p"))],
    steps: [post(`${paths.pods}/p/binding`, { metadata: { name: "p" }, target: { kind: "Node", name: "n" } })],
  }),
  validating("the token of a ServiceAccount", {
    hooks: { hook: denying({ message: "no tokens" }) },
    webhooks: [webhook("hook", { rules: [rule("serviceaccounts/token")] })],
    steps: [post(`${paths.serviceaccounts}/default/token`, { spec: { audiences: ["a"], expirationSeconds: 600 } })],
  }),
  validating("an object with a generateName", {
    hooks: { hook: allows },
    steps: [post(paths.configmaps, { metadata: { generateName: "madeup-" } })],
  }),
  validating("a dry run", {
    hooks: { hook: allows },
    webhooks: [webhook("hook", { rules: [rule("configmaps", "CREATE,DELETE")], sideEffects: "NoneOnDryRun" })],
    before: [post(paths.configmaps, configMap("b"))],
    steps: [
      post(paths.configmaps, configMap("a"), "dryRun=All"),
      del(`${paths.configmaps}/b`, { kind: "DeleteOptions", apiVersion: "v1", dryRun: ["All"] }),
    ],
  }),
  validating("a namespace, whose own labels are selected", {
    hooks: { hook: allows },
    webhooks: [
      webhook("hook", {
        rules: [rule("namespaces", "CREATE,UPDATE,DELETE")],
        namespaceSelector: { matchLabels: { watched: "{ns}" } },
      }),
    ],
    steps: [
      post("/api/v1/namespaces", { metadata: { name: "{ns}-in", labels: { watched: "{ns}" } } }),
      patch("merge", "/api/v1/namespaces/{ns}-in", { metadata: { labels: { more: "yes" } } }),
      del("/api/v1/namespaces/{ns}-in"),
    ],
  }),
];

const matching: readonly Case[] = [
  validating("rules by group, version, resource and operation", {
    hooks: both,
    webhooks: two(
      { rules: [rule("configmaps", "CREATE", { apiGroups: ["apps"] }), rule("secrets"), rule("configmaps", "UPDATE")] },
      { rules: [rule("*", "*", { apiGroups: [""], apiVersions: ["v1"] })] },
    ),
    steps: [create],
  }),
  validating("rules for all resources and subresources", {
    hooks: both,
    webhooks: two({ rules: [rule("deployments/*", "*")] }, { rules: [rule("*", "*", { apiGroups: ["apps"] })] }),
    before: [post(paths.deployments, workload("web"))],
    steps: [
      patch("merge", `${deployment}/scale`, { spec: { replicas: 2 } }),
      receivedByAll,
      patch("merge", deployment, { spec: { replicas: 1 } }),
    ],
  }),
  validating("rules by scope", {
    hooks: both,
    webhooks: two(
      {
        rules: [rule("nodes,configmaps", "CREATE", { scope: "Cluster" })],
        namespaceSelector: {},
        objectSelector: { matchLabels: { of: "{ns}" } },
      },
      {
        rules: [rule("nodes,configmaps", "CREATE", { scope: "Namespaced" })],
        namespaceSelector: {},
        objectSelector: { matchLabels: { of: "{ns}" } },
      },
    ),
    steps: [
      post(paths.configmaps, configMap("a", {}, { labels: { of: "{ns}" } })),
      post(cluster, { metadata: { name: "{ns}-node", labels: { of: "{ns}" } } }),
      del(`${cluster}/{ns}-node`),
    ],
  }),
  validating("namespaceSelector", {
    hooks: both,
    webhooks: two(
      {
        namespaceSelector: {
          matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["{ns}"] }],
          matchLabels: { "contract-nobody": "x" },
        },
      },
      {},
    ),
    steps: [create],
  }),
  validating("objectSelector, which includes the old object", {
    hooks: { hook: allows },
    webhooks: [
      webhook("hook", {
        rules: [rule("configmaps", "*")],
        objectSelector: { matchExpressions: [{ key: "watched", operator: "Exists" }] },
      }),
    ],
    steps: [
      create,
      received,
      patch("merge", `${paths.configmaps}/a`, { metadata: { labels: { watched: "yes" } } }),
      received,
      patch("merge", `${paths.configmaps}/a`, { metadata: { labels: null } }),
      received,
      del(`${paths.configmaps}/a`),
    ],
  }),
  validating("another version of a kind: Exact, and Equivalent", {
    hooks: both,
    webhooks: two(
      {
        matchPolicy: "Exact",
        rules: [rule("horizontalpodautoscalers", "CREATE", { apiGroups: ["autoscaling"], apiVersions: ["v1"] })],
      },
      {
        matchPolicy: "Equivalent",
        rules: [rule("horizontalpodautoscalers", "CREATE", { apiGroups: ["autoscaling"], apiVersions: ["v1"] })],
      },
    ),
    steps: [
      post("/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers", {
        metadata: { name: "h" },
        spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "web", apiVersion: "apps/v1" } },
      }),
    ],
  }),
  validating("another group of a kind", {
    hooks: { hook: allows },
    webhooks: [webhook("hook", { rules: [rule("events", "CREATE", { apiGroups: ["events.k8s.io"] })] })],
    steps: [
      post(paths.events, {
        metadata: { name: "e" },
        involvedObject: { kind: "Pod", name: "p", namespace: "{ns}" },
        reason: "R",
        message: "m",
        type: "Normal",
      }),
    ],
  }),
  validating("webhook configurations themselves, for which no webhook is called", {
    hooks: { hook: denying() },
    webhooks: [
      webhook("hook", {
        rules: [rule("*", "*", { apiGroups: ["admissionregistration.k8s.io"] })],
        namespaceSelector: {},
      }),
    ],
    steps: [
      post(`${registrations}/validatingwebhookconfigurations`, { metadata: { name: "{ns}-other" } }),
      del(`${registrations}/validatingwebhookconfigurations/{ns}-other`),
    ],
  }),
];

const denials: readonly Case[] = [
  validating("a denial without a message", {
    hooks: { hook: denying() },
    steps: [create, get(`${paths.configmaps}/a`)],
  }),
  validating("a denial with a message", {
    hooks: { hook: denying({ message: "no ConfigMaps today" }) },
    steps: [create],
  }),
  validating("a denial with only a reason", {
    hooks: { hook: denying({ reason: "Forbidden", code: 403 }) },
    steps: [create],
  }),
  validating("a denial with all fields of a Status", {
    hooks: {
      hook: denying({
        code: 422,
        reason: "Invalid",
        message: "wrong",
        status: "Failure",
        details: {
          name: "a",
          kind: "ConfigMap",
          causes: [{ reason: "FieldValueInvalid", message: "not this", field: "data.k" }],
        },
      }),
    },
    steps: [create],
  }),
  validating("a denial with status Success", {
    hooks: { hook: denying({ code: 200, status: "Success", message: "fine" }) },
    steps: [create],
  }),
  validating("a denial of one of two webhooks, with the warnings of both", {
    hooks: { one: allowing({ warnings: ["the first"] }), two: denying({ message: "the second says no" }) },
    webhooks: two({}, {}),
    steps: [create],
  }),
  validating("warnings", {
    hooks: { hook: allowing({ warnings: ["deprecated", 'a "quoted" one', "deprecated"] }) },
    steps: [create],
  }),
  validating("warnings that are too long", {
    hooks: { hook: allowing({ warnings: ["a".repeat(3000), "b".repeat(3000), "c".repeat(300)] }) },
    steps: [create],
  }),
  validating("a denied dry run", {
    hooks: { hook: denying({ message: "not even so" }) },
    steps: [post(paths.configmaps, configMap("a"), "dryRun=All")],
  }),
];

/** A case in which the webhook gives an unusual response; `more` contains fields of its registration, such as `failurePolicy`. */
const broken = (name: string, hook: Webhook, more: object = {}): Case =>
  validating(name, {
    hooks: { hook },
    webhooks: [webhook("hook", more)],
    steps: [create],
  });

const failures: readonly Case[] = [
  broken("a failure that is ignored", always({ status: 500, text: "oops" }), { failurePolicy: "Ignore" }),
  broken("a denial where failures are ignored", denying({ message: "still no" }), { failurePolicy: "Ignore" }),
  broken("an error of the webhook's server", always({ status: 500, text: "oops" })),
  broken("a missing path", always({ status: 404, text: "no such page" })),
  broken("a server with status 503", always({ status: 503, text: "later" })),
  broken("a server with status 403", always({ status: 403, text: "who are you" })),
  broken("an unknown status", always({ status: 418, text: "a teapot" })),
  broken(
    "a Status as the response",
    always({
      status: 400,
      json: { kind: "Status", apiVersion: "v1", status: "Failure", message: "told you", code: 400 },
    }),
  ),
  broken("an empty response", always({ text: "" })),
  broken("an empty object", always({ json: {} })),
  broken("a review without a response", (_request, review) => ({
    json: { kind: review["kind"], apiVersion: review["apiVersion"] },
  })),
  broken("another uid of the response", (_request, review) => ({
    json: { kind: review["kind"], apiVersion: review["apiVersion"], response: { uid: "other", allowed: true } },
  })),
  broken("another kind", always({ json: { kind: "Pod", apiVersion: "v1" } })),
  broken("another version of the review", (request) => ({
    json: {
      kind: "AdmissionReview",
      apiVersion: "admission.k8s.io/v1beta1",
      response: { uid: request["uid"], allowed: true },
    },
  })),
  broken("a response without a version", (request) => ({ json: { response: { uid: request["uid"], allowed: true } } })),
  broken("a v1beta1 review", allows, { admissionReviewVersions: ["v1beta1", "v1"] }),
  broken("unknown review versions before a known one", allows, { admissionReviewVersions: ["v2", "v1"] }),
  broken(
    "a v1beta1 response without a uid",
    always({ json: { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1beta1", response: { allowed: true } } }),
    { admissionReviewVersions: ["v1beta1"] },
  ),
  broken("a patch by a validating webhook", allowing({ patch: btoa("[]"), patchType: "JSONPatch" })),
  broken("a patch type by a validating webhook", allowing({ patchType: "JSONPatch" })),
  broken("text instead of JSON", always({ text: "allowed" })),
  broken(
    "a truncated response",
    always({
      text: '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","resp',
      headers: { "content-type": "application/json" },
    }),
  ),
  broken("a closed connection", always({ instead: "close" })),
  broken("a server that does not respond", always({ instead: "hang" }), { timeoutSeconds: 1 }),
  broken("a server that does not respond, ignored", always({ instead: "hang" }), {
    timeoutSeconds: 1,
    failurePolicy: "Ignore",
  }),
  broken("a redirect that repeats the request", (_request, review) => {
    void review;
    return { status: 307, headers: { location: "hook2" }, text: "" };
  }),
  broken("an unknown CA", allows, { clientConfig: { url: "{hooks}/hook" } }),
  broken("an invalid CA", allows, {
    clientConfig: { url: "{hooks}/hook", caBundle: btoa("no certificate") },
  }),
  broken("a port without a listener", allows, { clientConfig: { url: "https://127.0.0.1:9/x", caBundle: "{ca}" } }),
  broken("a missing Service", allows, {
    clientConfig: { service: { namespace: "{ns}", name: "none", path: "/x" }, caBundle: "{ca}" },
  }),
];

const conditional = (name: string, expressions: readonly string[], more: object = {}): Case =>
  validating(name, {
    hooks: { hook: denying({ message: "asked" }) },
    webhooks: [
      webhook("hook", {
        matchConditions: expressions.map((expression, index) => ({ name: `c${index}`, expression })),
        ...more,
      }),
    ],
    steps: [create],
  });

const conditions: readonly Case[] = [
  conditional("a match condition that is true", ['object.data.k == "v"']),
  conditional("a match condition that is false", ['object.data.k == "w"']),
  conditional("match conditions about the request", [
    'request.operation == "CREATE" && request.namespace == "{ns}" && request.name == "a" && !request.dryRun',
    'request.resource.resource == "configmaps" && request.kind.kind == "ConfigMap" && oldObject == null',
    '"system:authenticated" in request.userInfo.groups',
  ]),
  conditional("a match condition that calls the authorizer", [
    'authorizer.group("").resource("pods").namespace("{ns}").check("create").allowed()',
    'authorizer.requestResource.check("update").allowed()',
  ]),
  conditional("a match condition that fails", ['object.data.none == "v"']),
  conditional("a match condition that fails, ignored", ['object.data.none == "v"'], { failurePolicy: "Ignore" }),
  conditional("a match condition that fails, and another that is false", ['object.data.none == "v"', "false"]),
];

export const webhookCases: Table = {
  name: "webhooks",
  sideBySide: true,
  cases: [...operations, ...matching, ...denials, ...failures, ...conditions],
};
