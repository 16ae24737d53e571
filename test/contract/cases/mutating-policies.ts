/** MutatingAdmissionPolicies with apply configurations and JSON patches. */
import { configMap, get, patch, paths, pod, post, type Case, type Step, type Table, workload } from "../case.ts";
import {
  applying,
  binding,
  constraints,
  mutating,
  mutatingBindings,
  mutatingPolicies,
  patching,
  policy,
  rule,
  untilInForce,
} from "./policy-steps.ts";
import { established, group, specOf, widget, widgets } from "./definition-steps.ts";

type Json = Record<string, unknown>;

const { configmaps, deployments, pods } = paths;

const tried = (a: string, metadata: Json = {}): Step => post(configmaps, configMap("x", { a }, metadata), "dryRun=All");

const changed = (name: string, spec: Json, ...steps: readonly Step[]): Case => ({
  name,
  steps: [...mutating(spec), ...steps],
});

const about = (apiGroup: string, ...resources: readonly string[]): Json => ({
  matchConstraints: constraints({ resourceRules: [rule({ apiGroups: [apiGroup], resources })] }),
});

const label = (key: string, value: string): string =>
  `Object{metadata: Object.metadata{labels: Object.metadata.labels{${key}: ${value}}}}`;

const cases: readonly Case[] = [
  changed(
    "an apply configuration",
    applying(label("added", "'yes'"), "Object{data: {'b': object.data.a + '!', 'c': object.metadata.labels.added}}"),
    tried("v"),
    tried("v", { labels: { own: "1" } }),
    post(configmaps, configMap("y", { a: "1" })),
    patch("merge", `${configmaps}/y`, { data: { a: "2" } }),
  ),
  changed(
    "items of keyed lists",
    {
      ...about("apps", "deployments"),
      ...applying(
        "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: object.spec.template.spec.containers.map(c, Object.spec.template.spec.containers{name: c.name, env: [Object.spec.template.spec.containers.env{name: 'ADDED', value: 'x'}]})}}}}",
        "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{initContainers: [Object.spec.template.spec.initContainers{name: 'first', image: 'i'}]}}}}",
      ),
    },
    post(deployments, workload("d"), "dryRun=All"),
  ),
  changed(
    "a JSON patch",
    patching(
      "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': 'b'}}, JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('example.com/x~y'), value: 'c'}, JSONPatch{op: 'copy', from: '/data/a', path: '/data/b'}]",
    ),
    tried("v"),
  ),
  changed(
    "a JSON patch with objects",
    {
      ...about("", "pods"),
      ...patching(
        "[JSONPatch{op: 'add', path: '/spec/containers/-', value: Object.spec.containers{name: 'more', image: 'i', args: ['a', string(1 + 1)]}}]",
      ),
    },
    post(pods, pod("x", {}, { automountServiceAccountToken: false }), "dryRun=All"),
  ),
  changed(
    "a JSON patch with a failing test changes nothing",
    patching("[JSONPatch{op: 'test', path: '/data/a', value: 'other'}, JSONPatch{op: 'remove', path: '/data/a'}]"),
    tried("v"),
    tried("other"),
  ),
  changed(
    "a JSON patch that cannot be applied",
    patching("[JSONPatch{op: 'remove', path: '/data/missing'}]"),
    tried("v"),
  ),
  changed("a JSON patch with an unknown operation", patching("[JSONPatch{op: 'put', path: '/data/a'}]"), tried("v")),
  changed("missing fields", patching("[JSONPatch{op: 'add', path: '/unknown', value: 'x'}]"), tried("v")),
  changed("a value of the wrong type", patching("[JSONPatch{op: 'add', path: '/data', value: 'x'}]"), tried("v")),
  changed("a configuration with missing fields", applying("Object{unknown: 'x'}"), tried("v")),
  changed("a configuration with a wrong type", applying("Object{data: 'x'}"), tried("v")),
  changed("objects for another field", applying("Object{metadata: Object.spec{labels: {'a': 'b'}}}"), tried("v")),
  changed(
    "atomic parts",
    {
      ...about("apps", "deployments"),
      ...applying("Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'a': 'b'}}}}"),
    },
    post(deployments, workload("d"), "dryRun=All"),
  ),
  changed(
    "atomic lists",
    {
      ...about("", "pods"),
      ...applying("Object{spec: Object.spec{containers: [Object.spec.containers{name: 'c', args: ['x']}]}}"),
    },
    post(pods, pod("x", {}, { automountServiceAccountToken: false }), "dryRun=All"),
  ),
  changed("an expression that fails", applying(label("a", "object.data.missing")), tried("v")),
  changed(
    "failures that are ignored",
    { failurePolicy: "Ignore", ...applying(label("a", "object.data.missing"), label("b", "'b'")) },
    tried("v"),
  ),
  changed("an invalid result", applying(label("a", "'not a label'")), tried("v")),
  changed(
    "variables, conditions and parameters",
    {
      variables: [{ name: "v", expression: "object.data.a + params.data.suffix" }],
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      matchConditions: [{ name: "c", expression: "object.data.a != 'skip'" }],
      ...applying("Object{data: {'a': variables.v}}"),
    },
    tried("v"),
  ),
  {
    name: "a parameter",
    steps: [
      post(configmaps, configMap("params", { suffix: "-s" })),
      ...mutating(
        {
          paramKind: { apiVersion: "v1", kind: "ConfigMap" },
          ...applying("Object{data: {'a': object.data.a + params.data.suffix}}"),
        },
        { paramRef: { name: "params", parameterNotFoundAction: "Deny" } },
      ),
      tried("v"),
    ],
  },
  {
    name: "a missing parameter",
    steps: [
      ...mutating(
        { paramKind: { apiVersion: "v1", kind: "ConfigMap" }, ...applying("Object{data: {'a': params.data.suffix}}") },
        { paramRef: { name: "missing", parameterNotFoundAction: "Deny" } },
      ),
      tried("v"),
    ],
  },
  {
    name: "policies that request reinvocation",
    steps: [
      post(
        mutatingPolicies,
        policy(
          {
            reinvocationPolicy: "IfNeeded",
            ...applying(
              `has(object.metadata.labels) && 'one' in object.metadata.labels ? ${label("two", "'2'")} : Object{}`,
            ),
          },
          "1",
        ),
      ),
      post(mutatingBindings, binding({}, "1")),
      post(mutatingPolicies, policy({ reinvocationPolicy: "IfNeeded", ...applying(label("one", "'1'")) }, "2")),
      post(mutatingBindings, binding({}, "2")),
      ...untilInForce,
      tried("v"),
    ],
  },
  {
    name: "admission plugins see changes of a policy",
    steps: [
      ...mutating({
        ...about("", "pods"),
        ...patching(
          "[JSONPatch{op: 'add', path: '/spec/tolerations', value: []}, JSONPatch{op: 'add', path: '/spec/priorityClassName', value: 'system-node-critical'}, JSONPatch{op: 'remove', path: '/spec/priority'}]",
        ),
      }),
      post(pods, pod("x", {}, { automountServiceAccountToken: false }), "dryRun=All"),
    ],
  },
  {
    name: "custom resources are changed",
    differs:
      "the real server learns the schemas of kinds that come later after some seconds; test/sandbox/policies.test.ts",
    steps: [
      ...established({
        schema: specOf({ size: { type: "integer" }, list: { type: "array", items: { type: "string" } } }),
      }),
      ...mutating({
        matchConstraints: constraints({ resourceRules: [rule({ apiGroups: [group], resources: ["widgets"] })] }),
        ...applying("Object{spec: Object.spec{size: object.spec.size + 1}}"),
      }),
      post(widgets, widget("a", { spec: { size: 1, list: ["a"] } }), "dryRun=All"),
    ],
  },
  {
    name: "the field manager of a policy's changes",
    steps: [
      ...mutating(applying(label("added", "'yes'"))),
      post(configmaps, configMap("x", { a: "1" })),
      get(`${configmaps}/x`),
    ],
  },
];

export const mutatingPolicyCases: Table = {
  name: "mutating-policies",
  sideBySide: true,
  slow: "the real server takes a second to see a policy",
  cases,
};
