/** ValidatingAdmissionPolicies: denials and warnings. */
import {
  apply,
  configMap,
  del,
  patch,
  paths,
  pod,
  post,
  put,
  type Case,
  type Step,
  type Table,
  workload,
} from "../case.ts";
import { established, group, specOf, widget, widgets } from "./definition-steps.ts";
import {
  binding,
  constraints,
  expecting,
  policy,
  rule,
  untilInForce,
  validating,
  validatingBindings,
  validatingPolicies,
} from "./policy-steps.ts";

type Json = Record<string, unknown>;

const { configmaps, pods, deployments } = paths;

/** Creates a ConfigMap with one value as a dry run. */
const tried = (a: string, name = "x"): Step => post(configmaps, configMap(name, { a }), "dryRun=All");

/** A policy for ConfigMaps, and the values of ConfigMaps to validate. */
const judged = (name: string, spec: Json, ...values: readonly string[]): Case => ({
  name,
  steps: [...validating(spec), ...values.map((value) => tried(value))],
});

const isOk = "object.data.a == 'ok'";

const withMessage = (more: Json): Json => ({ validations: [{ expression: isOk, ...more }] });

const verdicts: readonly Case[] = [
  judged("a policy rejects what its expression does not allow", expecting(isOk), "ok", "no"),
  judged("a message", withMessage({ message: " only ok \t" }), "no"),
  judged(
    "a message expression",
    withMessage({ message: "fallback", messageExpression: "'got ' + object.data.a + ' '" }),
    "no",
    "\n",
  ),
  judged(
    "message expressions with unusable results",
    withMessage({ messageExpression: "object.data.a == 'x' ? '' : 'a\\nb'" }),
    "x",
    "y",
  ),
  judged("a message that fails", withMessage({ message: "fallback", messageExpression: "object.data.missing" }), "x"),
  ...["Forbidden", "Invalid", "RequestEntityTooLarge"].map((reason) =>
    judged(`reason ${reason}`, withMessage({ reason, message: "no" }), "x"),
  ),
  judged(
    "several expressions, of which the first failing one is reported",
    expecting("object.data.a != 'x'", isOk, "object.data.a.size() < 2"),
    "x",
    "yy",
    "ok",
  ),
  judged("expressions that fail", expecting("object.data.missing == 'x'"), "a"),
  judged(
    "failures that are ignored",
    { failurePolicy: "Ignore", validations: [{ expression: "object.data.missing == 'x'" }, { expression: isOk }] },
    "a",
    "ok",
  ),
  {
    name: "a policy that warns",
    steps: [
      ...validating(expecting(isOk, "object.data.a == 'other'"), { validationActions: ["Warn", "Audit"] }),
      tried("no"),
      tried("ok"),
      post(configmaps, configMap("y", { a: "no" })),
    ],
  },
  {
    name: "a policy that is only audited",
    steps: [...validating(expecting(isOk), { validationActions: ["Audit"] }), tried("no")],
  },
  {
    name: "policies of two bindings",
    steps: [
      post(validatingPolicies, policy(expecting(isOk))),
      post(validatingBindings, binding({ validationActions: ["Deny"] })),
      post(validatingBindings, {
        metadata: { name: "{ns}-c" },
        spec: { policyName: "{ns}-p", validationActions: ["Warn"] },
      }),
      ...untilInForce,
      tried("no"),
    ],
  },
  {
    name: "a policy is in force only while it has a binding",
    steps: [
      post(validatingPolicies, policy(expecting(isOk))),
      tried("no"),
      post(validatingBindings, binding({ validationActions: ["Deny"] })),
      ...untilInForce,
      tried("no"),
      del(`${validatingBindings}/{ns}-b`),
      ...untilInForce,
      tried("no"),
    ],
  },
];

const operations: readonly Case[] = [
  {
    name: "updates, patches and applies",
    steps: [
      ...validating(expecting("request.operation == 'CREATE' || object.data.a >= oldObject.data.a")),
      post(configmaps, configMap("x", { a: "5" })),
      put(`${configmaps}/x`, configMap("x", { a: "4" })),
      patch("merge", `${configmaps}/x`, { data: { a: "3" } }),
      apply(
        `${configmaps}/x`,
        "m",
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, data: { a: "2" } },
        "force=true",
      ),
      patch("merge", `${configmaps}/x`, { data: { a: "6" } }),
      apply(`${configmaps}/y`, "m", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "y" }, data: { a: "1" } }),
    ],
  },
  {
    name: "deletions",
    steps: [
      ...validating({
        matchConstraints: constraints({ resourceRules: [rule({ operations: ["DELETE"] })] }),
        ...expecting("object == null && oldObject.metadata.name != 'kept'"),
      }),
      post(configmaps, configMap("kept")),
      post(configmaps, configMap("other")),
      del(`${configmaps}/kept`),
      del(`${configmaps}/other`),
      del(configmaps),
    ],
  },
  {
    name: "variables of a request",
    steps: [
      ...validating({
        validations: [
          "request.name + '|' + request.namespace + '|' + request.operation + '|' + request.kind.kind + '|' + request.resource.resource",
          "request.requestKind.version + '|' + request.requestResource.group + '|' + string(request.dryRun) + '|' + string(has(request.subResource))",
          "request.userInfo.groups.join(',')",
          "string(request.options.kind) + '|' + string(has(request.options.fieldManager))",
          "string(has(request.userInfo.extra)) + string(has(request.userInfo.username))",
        ].map((messageExpression) => ({
          expression: `object.data.a != ${JSON.stringify(messageExpression.slice(0, 9))}`,
          messageExpression,
        })),
      }),
      ...["request.n", "request.r", "request.u", "string(re", "string(ha"].map((a) => tried(a)),
      post(configmaps, configMap("y", { a: "request.r" }), "fieldManager=me"),
    ],
  },
  {
    name: "an object without a name",
    steps: [
      ...validating(expecting("has(object.metadata.name) || request.name != ''")),
      post(configmaps, { metadata: { generateName: "gen-" } }, "dryRun=All"),
    ],
  },
  {
    name: "the namespace of an object",
    steps: [
      ...validating({
        validations: [
          {
            expression: "'team' in namespaceObject.metadata.labels",
            messageExpression: "namespaceObject.metadata.name + ' ' + namespaceObject.status.phase + ' has no team'",
          },
        ],
      }),
      tried("a"),
      patch("merge", "/api/v1/namespaces/{ns}", { metadata: { labels: { team: "t" } } }),
      ...untilInForce,
      tried("a"),
    ],
  },
  {
    name: "cluster-scoped objects have no namespace",
    steps: [
      ...validating({
        matchConstraints: {
          resourceRules: [
            rule({ apiGroups: ["scheduling.k8s.io"], resources: ["priorityclasses"], resourceNames: ["{ns}-class"] }),
          ],
        },
        ...expecting("namespaceObject != null"),
      }),
      post("/apis/scheduling.k8s.io/v1/priorityclasses", { metadata: { name: "{ns}-class" }, value: 1 }, "dryRun=All"),
      post("/apis/scheduling.k8s.io/v1/priorityclasses", { metadata: { name: "{ns}-other" }, value: 1 }, "dryRun=All"),
    ],
  },
  {
    name: "subresources",
    steps: [
      ...validating({
        matchConstraints: constraints({
          resourceRules: [rule({ apiGroups: ["apps"], resources: ["deployments/status", "deployments/scale"] })],
        }),
        ...expecting("request.subResource == 'scale' ? object.spec.replicas < 3 : object.status.replicas < 3"),
      }),
      post(deployments, workload("d", { replicas: 9 })),
      patch("merge", `${deployments}/d/status`, { status: { replicas: 2 } }),
      patch("merge", `${deployments}/d/status`, { status: { replicas: 5 } }),
      patch("merge", `${deployments}/d/scale`, { spec: { replicas: 2 } }),
      patch("merge", `${deployments}/d/scale`, { spec: { replicas: 5 } }),
      patch("merge", `${deployments}/d`, { spec: { replicas: 8 } }),
    ],
  },
  {
    name: "a binding of a pod",
    steps: [
      ...validating({
        matchConstraints: constraints({ resourceRules: [rule({ resources: ["pods/binding"] })] }),
        ...expecting("object.target.name != 'forbidden'"),
      }),
      post(pods, pod("x", {}, { automountServiceAccountToken: false })),
      post(`${pods}/x/binding`, { metadata: { name: "x" }, target: { kind: "Node", name: "forbidden" } }),
      post(`${pods}/x/binding`, { metadata: { name: "x" }, target: { kind: "Node", name: "n" } }),
    ],
  },
  {
    name: "an older version of the same resource",
    steps: [
      ...validating({
        matchConstraints: constraints({
          resourceRules: [rule({ apiGroups: ["autoscaling"], resources: ["horizontalpodautoscalers"] })],
        }),
        validations: [
          {
            expression: "object.spec.?targetCPUUtilizationPercentage.orValue(0) < 50",
            messageExpression: "object.apiVersion + ' ' + request.kind.version + ' ' + request.requestKind.version",
          },
        ],
      }),
      ...[40, 60].map((averageUtilization) =>
        post(
          "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers",
          {
            metadata: { name: "h" },
            spec: {
              maxReplicas: 2,
              scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
              metrics: [
                { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } },
              ],
            },
          },
          "dryRun=All",
        ),
      ),
    ],
  },
  {
    name: "custom resources",
    steps: [
      ...established({ schema: specOf({ size: { type: "integer", default: 3 } }) }),
      ...validating({
        matchConstraints: constraints({ resourceRules: [rule({ apiGroups: [group], resources: ["widgets"] })] }),
        validations: [
          { expression: "object.spec.size < 3", messageExpression: "object.kind + ' of ' + string(object.spec.size)" },
        ],
      }),
      post(widgets, widget("a", { spec: { size: 2 } }), "dryRun=All"),
      post(widgets, widget("a", { spec: {} }), "dryRun=All"),
    ],
  },
  {
    name: "policies do not apply to policies",
    steps: [
      ...validating({
        matchConstraints: {
          resourceRules: [
            rule({
              apiGroups: ["admissionregistration.k8s.io"],
              resources: ["*"],
              resourceNames: ["{ns}-p1", "{ns}-w"],
            }),
          ],
        },
        ...expecting("false"),
      }),
      post(validatingPolicies, policy(expecting("true"), "1"), "dryRun=All"),
      post(
        "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
        { metadata: { name: "{ns}-w" } },
        "dryRun=All",
      ),
    ],
  },
];

const matching: readonly Case[] = [
  {
    name: "resource names, exclusions and selectors",
    steps: [
      ...validating({
        matchConstraints: constraints({
          resourceRules: [rule({ resourceNames: ["x", "y", "z"] })],
          excludeResourceRules: [rule({ resourceNames: ["y"] })],
          objectSelector: { matchExpressions: [{ key: "skip", operator: "DoesNotExist" }] },
        }),
        ...expecting("false"),
      }),
      tried("a", "x"),
      tried("a", "y"),
      tried("a", "other"),
      post(configmaps, configMap("z", {}, { labels: { skip: "1" } }), "dryRun=All"),
      post(configmaps, { metadata: { generateName: "x" } }, "dryRun=All"),
    ],
  },
  {
    name: "a binding matches less than its policy",
    steps: [
      ...validating(expecting("false"), { matchResources: { objectSelector: { matchLabels: { checked: "1" } } } }),
      tried("a"),
      post(configmaps, configMap("x", {}, { labels: { checked: "1" } }), "dryRun=All"),
    ],
  },
  {
    name: "conditions",
    steps: [
      ...validating({
        matchConditions: [
          { name: "not-a", expression: "object.data.a != 'a'" },
          { name: "has-b", expression: "object.data.a == 'x' || object.data.b == 'b'" },
        ],
        ...expecting("false"),
      }),
      tried("a"),
      tried("x"),
      tried("other"),
    ],
  },
  {
    name: "conditions whose failures are ignored",
    steps: [
      ...validating({
        failurePolicy: "Ignore",
        matchConditions: [{ name: "b", expression: "object.data.b == 'b'" }],
        ...expecting("false"),
      }),
      tried("a"),
      post(configmaps, configMap("x", { b: "b" }), "dryRun=All"),
    ],
  },
  judged(
    "variables",
    {
      variables: [
        { name: "value", expression: "object.data.a" },
        { name: "parts", expression: "variables.value.split(',')" },
        { name: "wrong", expression: "object.data.missing" },
      ],
      validations: [
        { expression: "variables.parts.size() < 3", messageExpression: "'parts: ' + variables.parts.join('/')" },
        { expression: "variables.value != 'w' || variables.wrong == 'x'" },
      ],
    },
    "a,b",
    "a,b,c",
    "w",
  ),
];

const params: readonly Case[] = [
  {
    name: "a parameter by name",
    steps: [
      post(configmaps, configMap("limits", { most: "2" }, { labels: { kind: "limits" } })),
      ...validating(
        {
          paramKind: { apiVersion: "v1", kind: "ConfigMap" },
          validations: [
            {
              expression: "int(object.data.a) <= int(params.data.most)",
              messageExpression: "params.kind + ' ' + params.metadata.name + ': at most ' + params.data.most",
            },
          ],
          matchConditions: [{ name: "no-limits", expression: "object.metadata.name != params.metadata.name" }],
        },
        { paramRef: { name: "limits", parameterNotFoundAction: "Deny" } },
      ),
      tried("2"),
      tried("3"),
    ],
  },
  {
    name: "parameters by selector",
    steps: [
      post(configmaps, configMap("one", { most: "5" }, { labels: { use: "limits" } })),
      post(configmaps, configMap("two", { most: "5" }, { labels: { use: "limits" } })),
      ...validating(
        {
          paramKind: { apiVersion: "v1", kind: "ConfigMap" },
          ...expecting("int(object.data.a) <= int(params.data.most)"),
        },
        { paramRef: { selector: { matchLabels: { use: "limits" } }, parameterNotFoundAction: "Deny" } },
      ),
      tried("5"),
      tried("6"),
    ],
  },
  ...["Deny", "Allow"].map((parameterNotFoundAction): Case => ({
    name: `a missing parameter: ${parameterNotFoundAction}`,
    steps: [
      ...validating(
        { paramKind: { apiVersion: "v1", kind: "ConfigMap" }, ...expecting("params.data.most == '1'") },
        { paramRef: { name: "missing", parameterNotFoundAction } },
      ),
      tried("a"),
    ],
  })),
  {
    name: "a binding without a parameter",
    steps: [
      ...validating({ paramKind: { apiVersion: "v1", kind: "ConfigMap" }, ...expecting("params == null") }),
      tried("a"),
    ],
  },
  ...["Fail", "Ignore"].map((failurePolicy): Case => ({
    name: `a paramKind that is not served: ${failurePolicy}`,
    steps: [
      ...validating(
        { failurePolicy, paramKind: { apiVersion: "example.com/v1", kind: "Nothing" }, ...expecting("true") },
        { paramRef: { name: "x", parameterNotFoundAction: "Deny" } },
      ),
      tried("a"),
    ],
  })),
  {
    name: "a custom resource as a parameter",
    differs: "the real server learns of kinds that come later after half a minute; test/sandbox/policies.test.ts",
    steps: [
      ...established({ schema: specOf({ most: { type: "integer" } }) }),
      post(widgets, widget("limits", { spec: { most: 2 } })),
      ...validating(
        {
          paramKind: { apiVersion: `${group}/v1`, kind: "Widget" },
          ...expecting("int(object.data.a) <= params.spec.most"),
        },
        { paramRef: { name: "limits", parameterNotFoundAction: "Deny" } },
      ),
      ...untilInForce,
      tried("2"),
      tried("3"),
    ],
  },
  {
    name: "a namespaced parameter for a cluster-scoped object",
    steps: [
      ...validating(
        {
          paramKind: { apiVersion: "v1", kind: "ConfigMap" },
          matchConstraints: {
            resourceRules: [
              rule({ apiGroups: ["scheduling.k8s.io"], resources: ["priorityclasses"], resourceNames: ["{ns}-class"] }),
            ],
          },
          ...expecting("true"),
        },
        { paramRef: { name: "limits", parameterNotFoundAction: "Deny" } },
      ),
      post("/apis/scheduling.k8s.io/v1/priorityclasses", { metadata: { name: "{ns}-class" }, value: 1 }, "dryRun=All"),
    ],
  },
];

const rights: readonly Case[] = [
  judged(
    "the permissions of the user",
    expecting(
      "authorizer.group('apps').resource('deployments').namespace('x').check('delete').allowed()",
      "authorizer.requestResource.check('create').allowed() && !authorizer.requestResource.check('create').errored()",
      "authorizer.path('/healthz').check('get').allowed()",
      "authorizer.requestResource.check('create').error() == ''",
    ),
    "a",
  ),
  judged(
    "the permissions of a service account",
    {
      validations: [
        {
          expression:
            "authorizer.serviceAccount('default', 'nobody').group('').resource('pods').subresource('log').name('p').namespace('default').check('get').allowed()",
          messageExpression: "'nobody may not'",
        },
      ],
    },
    "a",
  ),
  judged(
    "invalid authorizer calls",
    expecting("authorizer.serviceAccount('default', 'A b').group('').resource('pods').check('get').allowed()"),
    "a",
  ),
  judged("more invalid authorizer calls", expecting("authorizer.group('').resource(' ').check('get').allowed()"), "a"),
  judged("an invalid path", expecting("authorizer.path('').check('get').allowed()"), "a"),
  judged(
    "an expression whose cost is too high",
    expecting("[1, 2, 3].all(x, authorizer.group('').resource('pods').check('get').allowed())"),
    "a",
  ),
  judged(
    "expressions whose total cost is too high",
    expecting(
      ...Array.from(
        { length: 16 },
        () => "[1, 2].all(x, authorizer.group('').resource('pods').check('get').allowed())",
      ),
    ),
    "a",
  ),
];

const annotations: readonly Case[] = [
  judged(
    "audit annotations",
    {
      auditAnnotations: [
        { key: "value", valueExpression: "'is ' + object.data.a" },
        { key: "nothing", valueExpression: "null" },
      ],
      ...expecting(isOk),
    },
    "ok",
    "no",
  ),
  judged(
    "annotations that fail",
    { auditAnnotations: [{ key: "value", valueExpression: "object.data.missing + ''" }] },
    "a",
  ),
  judged(
    "annotations whose failures are ignored",
    { failurePolicy: "Ignore", auditAnnotations: [{ key: "value", valueExpression: "object.data.missing + ''" }] },
    "a",
  ),
];

export const policyCases: Table = {
  name: "policies",
  sideBySide: true,
  slow: "the real server takes a second to see a policy",
  cases: [...verdicts, ...operations, ...matching, ...params, ...rights, ...annotations],
};
