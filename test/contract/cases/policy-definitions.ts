/** Admission policies and their bindings: which are rejected, with the messages. */
import { get, patch, post, type Case, type Table } from "../case.ts";
import {
  applying,
  binding,
  constraints,
  expecting,
  mutatingBindings,
  mutatingPolicies,
  patching,
  policy,
  rule,
  validatingBindings,
  validatingPolicies,
} from "./policy-steps.ts";

type Json = Record<string, unknown>;

/** Creates policies as dry runs. */
const tried = (name: string, ...specs: readonly Json[]): Case => ({
  name,
  steps: specs.map((spec) => post(validatingPolicies, policy(spec), "dryRun=All")),
});

const expressions = (name: string, ...each: readonly string[]): Case =>
  tried(name, ...each.map((one) => expecting(one)));

const triedMutating = (name: string, ...specs: readonly Json[]): Case => ({
  name,
  steps: specs.map((spec) => post(mutatingPolicies, policy({ reinvocationPolicy: "Never", ...spec }), "dryRun=All")),
});

const cases: readonly Case[] = [
  {
    name: "a policy and a binding are stored",
    steps: [
      post(validatingPolicies, policy({ ...expecting("true"), failurePolicy: "Ignore" })),
      post(validatingBindings, binding({ validationActions: ["Audit"] })),
      get(`${validatingPolicies}/{ns}-p`),
      patch("merge", `${validatingPolicies}/{ns}-p`, { spec: { validations: [{ expression: "1" }] } }),
      post(mutatingPolicies, policy({ reinvocationPolicy: "Never", failurePolicy: "Ignore", ...applying("Object{}") })),
      post(mutatingBindings, binding()),
    ],
  },
  expressions("expressions that cannot be parsed", "object.", "(true", "object.a === 1"),
  expressions("expressions of the wrong type", "1", "'a'", "object.spec", "object.spec.a == 1 ? 'a' : 'b'"),
  expressions(
    "unknown names",
    "self.a == 1",
    "params.a == 1",
    "variables.a == 1",
    "request.object == null",
    "namespaceObject.metadata.ownerReferences == []",
    "request.userInfo.name == 'a'",
  ),
  expressions("constants that fail", "int('x') == 1", "object.a.matches('(')", "duration('x') == duration('1s')"),
  tried(
    "messages",
    ...["object.a", "1", "'a", " ", "authorizer.path('/').check('get').reason()", "params.a + ''"].map(
      (messageExpression) => ({ validations: [{ expression: "true", messageExpression }] }),
    ),
  ),
  tried(
    "invalid messages",
    ...[" ", "a\nb"].map((message) => ({ validations: [{ expression: "true", message }] })),
    { validations: [{ expression: "true", reason: "Other" }] },
    { validations: [{ expression: " " }] },
    { validations: [] },
  ),
  tried(
    "variables",
    {
      variables: [
        { name: "a", expression: "object.x" },
        { name: "b", expression: "variables.a + variables.c" },
      ],
      ...expecting("variables.b == 1"),
    },
    {
      variables: [
        { name: "a", expression: "1" },
        { name: "b", expression: "[{'x': 'y'}]" },
      ],
      ...expecting("variables.a == 'x'", "variables.b[0].x == 1"),
    },
    {
      variables: [
        { name: "for", expression: "1" },
        { name: "a b", expression: "1" },
        { name: "", expression: "" },
      ],
      ...expecting("true"),
    },
    { variables: [{ name: "a", expression: "1 +" }], ...expecting("variables.a == 1") },
  ),
  tried(
    "conditions",
    { matchConditions: [{ name: "a", expression: "1" }], ...expecting("true") },
    { matchConditions: [{ name: "a", expression: "params.x == 1" }], ...expecting("true") },
    {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      matchConditions: [{ name: "a", expression: " params.x == 1 " }],
      ...expecting("true"),
    },
    {
      variables: [{ name: "v", expression: "1" }],
      matchConditions: [{ name: "a", expression: "variables.v == 1" }],
      ...expecting("true"),
    },
    {
      matchConditions: [
        { name: "a", expression: "true" },
        { name: "a", expression: "" },
        { name: "", expression: "x" },
      ],
      ...expecting("true"),
    },
  ),
  tried(
    "annotations",
    ...["1", "object.x", " 'a' ", "null", "a +", " "].map((valueExpression) => ({
      auditAnnotations: [{ key: "k", valueExpression }],
    })),
    {
      auditAnnotations: [
        { key: "K k", valueExpression: "'a'" },
        { key: "K k", valueExpression: "'a'" },
      ],
    },
  ),
  tried(
    "match constraints",
    { matchConstraints: {}, ...expecting("true") },
    {
      matchConstraints: constraints({
        resourceRules: [rule({ operations: ["READ"], resourceNames: ["a/b", "x", "x"] })],
      }),
      ...expecting("true"),
    },
    {
      matchConstraints: constraints({ matchPolicy: "Other", namespaceSelector: { matchLabels: { "a b": "c" } } }),
      ...expecting("true"),
    },
    { paramKind: { apiVersion: "a/b/c", kind: "" }, failurePolicy: "Other", ...expecting("true") },
  ),
  {
    name: "bindings",
    steps: [
      { validationActions: [] },
      { validationActions: ["Deny", "Warn", "Deny", "Other"] },
      { validationActions: ["Deny"], policyName: "" },
      { validationActions: ["Deny"], paramRef: { name: "a", selector: {}, parameterNotFoundAction: "Other" } },
      { validationActions: ["Deny"], paramRef: {} },
    ].map((spec) => post(validatingBindings, binding(spec), "dryRun=All")),
  },
  triedMutating(
    "apply configurations",
    ...[
      "Object{}",
      "{}",
      "Object{spec: Object.spec{a: 1}}",
      "Object{spec: 1}.spec",
      "Object.spec{}",
      "Other{}",
      "Object{",
      " ",
    ].map((one) => applying(one)),
  ),
  triedMutating(
    "JSON patches",
    ...[
      "[]",
      "[JSONPatch{op: 'add', path: '/a', value: 1}]",
      "[JSONPatch{op: 1}]",
      "JSONPatch{op: 'add'}",
      "['a']",
      "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'), value: 'c'}]",
      "object.x ? [JSONPatch{op: 'remove', path: '/a'}] : []",
    ].map((one) => patching(one)),
  ),
  triedMutating(
    "invalid mutations",
    { mutations: [] },
    { mutations: [{ patchType: "Other" }] },
    { mutations: [{ patchType: "JSONPatch" }] },
    {
      mutations: [
        { patchType: "JSONPatch", applyConfiguration: { expression: "Object{}" }, jsonPatch: { expression: "[]" } },
      ],
    },
    { reinvocationPolicy: "Sometimes", ...applying("Object{}") },
    { matchConstraints: constraints({ resourceRules: [rule({ operations: ["DELETE"] })] }), ...applying("Object{}") },
    {
      variables: [{ name: "a", expression: "'x'" }],
      ...applying("Object{data: Object.data{a: variables.a, b: variables.b}}"),
    },
    { validations: [{ expression: "true" }], ...applying("jsonpatch.escapeKey('a') == 'a' ? Object{} : Object{}") },
  ),
  expressions("JSON patches only in mutations", "Object{} == Object{}", "jsonpatch.escapeKey('a') == 'a'"),
  {
    name: "match conditions of webhooks",
    steps: [
      "object.a == 1",
      "1",
      "object.",
      "variables.a == 1",
      "params.a == 1",
      "authorizer.requestResource.check('get').allowed()",
    ].map((expression) =>
      post(
        "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
        {
          metadata: { name: "{ns}-w" },
          webhooks: [
            {
              name: "a.example.com",
              clientConfig: { url: "https://a.example.com" },
              sideEffects: "None",
              admissionReviewVersions: ["v1"],
              matchConditions: [{ name: "c", expression }],
            },
          ],
        },
        "dryRun=All",
      ),
    ),
  },
];

export const policyDefinitions: Table = { name: "policy-definitions", sideBySide: true, cases };
