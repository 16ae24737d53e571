/** ValidatingAdmissionPolicies, and the warnings in their status. */
import type { Script } from "../../suite.ts";
import {
  changePolicy,
  define,
  ownGroup,
  policy,
  policyBecomes,
  redefine,
  removePolicy,
  type Rule,
  undefine,
} from "./policy-acts.ts";

const [text, number] = [{ type: "string" }, { type: "integer" }];
const object = (properties: object): object => ({ type: "object", properties });

const pods: Rule = [[""], ["v1"], ["pods"]];
const deployments: Rule = [["apps"], ["v1"], ["deployments"]];
const widgets: Rule = [[ownGroup], ["v1"], ["widgets"]];

/** Rules for many kinds, in one group or several. */
const many: readonly Rule[] = [
  [["apps"], ["v1"], ["statefulsets", "daemonsets", "replicasets", "deployments"]],
  [["batch"], ["v1"], ["jobs", "cronjobs"]],
  [[""], ["v1"], ["pods", "services", "nodes", "secrets"]],
];
/** More than ten kinds in one rule. */
const tooMany: Rule = [
  [""],
  ["v1"],
  [
    "pods",
    "services",
    "nodes",
    "secrets",
    "configmaps",
    "endpoints",
    "events",
    "namespaces",
    "limitranges",
    "resourcequotas",
    "serviceaccounts",
  ],
];

const expressions: readonly Script[] = [
  {
    name: "a policy for Deployments is correct, wrong in many ways, and correct again",
    steps: [
      policy("one", { checks: ["object.spec.replicas > 1"] }),
      policyBecomes("one", {
        checks: [
          "object.spec.replicas > '1'",
          "object.spec.replicas < 100",
          "object.spec.none == 1",
          "object.spec.replicas > '1' && object.spec.none == 1",
          "object.spec == 1",
          "object.spec.template.spec.containers.all(c, c.image == 1 || has(c.none))",
          "object.spec.template.spec.containers[0].resources.limits['cpu'] == '1'",
          "object.spec.template.spec.containers[0].ports == object.spec.template.spec.volumes",
          "object.spec.strategy.rollingUpdate.maxSurge == '25%' || object.spec.strategy.rollingUpdate.maxSurge == 1",
          "object.metadata.creationTimestamp == 'now'",
          "object.metadata.labels['a'] == 1",
          "object.metadata.labels.a == 1",
          "object.metadata.managedFields.all(m, m.fieldsV1.any == 1)",
          "object.metadata.namespace == 1",
          "object.metadata.__namespace__ == 1",
          "oldObject.spec.replicas == object.spec.selector",
          "oldObject == object",
          "oldObject == null || oldObject.spec.paused",
          "has(object.spec.none)",
          "object.?spec.?none.orValue(1) == 1",
          "object.spec.?replicas.orValue('x') == 'x'",
          "dyn(object).none == 1",
          "type(object) == type(oldObject)",
          "string(object.spec) == ''",
          "size(object.spec.replicas) == 1",
          "quantity(object.spec.replicas).isInteger()",
          "[object.spec.replicas, object.metadata.name].size() == 2",
          "{'a': object.spec.replicas, 'b': object.metadata.name}.size() == 2",
          "(object.spec.paused ? object.spec.replicas : object.metadata.name) == 1",
          "object.spec.template.spec.containers.map(c, c.name).join() == object.spec.replicas",
          "object.spec.template.spec.containers.exists_one(c, c.name > 1)",
          "object.spec.template.spec.nodeSelector.all(k, k == 1)",
          "object.spec.template.spec.securityContext.runAsUser in [1, 2] && 'a' in object.metadata.labels",
          "object.spec\n  .none == 1 ||\n  object.spec.nothing == 'ä€'",
        ],
      }),
      changePolicy("one", "add a label, which triggers no check", { metadata: { labels: { team: "red" } } }),
      policyBecomes("one", { checks: ["object.spec.replicas > 1"] }),
      removePolicy("one"),
      policy("one", { checks: ["object.spec.none > 1"] }),
    ],
  },
  {
    name: "messages, variables, conditions and annotations of a policy are checked",
    steps: [
      policy("one", {
        checks: [
          ["object.spec.replicas == 'x'", "'of ' + object.metadata.name + object.spec.none"],
          ["true", "'replicas: ' + string(object.spec.replicas)"],
          ["variables.replicas == 'x'", "'of ' + variables.name + variables.replicas"],
        ],
        variables: { replicas: "object.spec.replicas", name: "object.metadata.name" },
      }),
      policy("two", {
        checks: [
          "variables.containers.all(c, c.none == 1)",
          "variables.names[0] == 1",
          "variables.wrong == 1",
          "variables.of_wrong == 1",
          "variables.spec.none == 1",
          "variables.labels['a'] == 1",
          "variables.sum == ''",
          "variables.since == ''",
        ],
        variables: {
          containers: "object.spec.template.spec.containers",
          names: "variables.containers.map(c, c.name)",
          wrong: "object.spec.none",
          of_wrong: "variables.wrong + 1",
          spec: "object.spec",
          labels: "object.metadata.labels",
          sum: "object.spec.replicas + object.spec.minReadySeconds",
          since: "timestamp('2026-01-01T00:00:00Z') - object.metadata.creationTimestamp",
        },
      }),
      policy("three", {
        checks: ["true"],
        variables: { wrong: "object.spec.none == 1" },
        rest: {
          matchConditions: [{ name: "wrong", expression: "object.spec.none == 1" }],
          auditAnnotations: [{ key: "wrong", valueExpression: "string(object.spec.none)" }],
        },
      }),
    ],
  },
  {
    name: "variables other than the object",
    steps: [
      policy("one", {
        checks: [
          "request.userInfo.username == object.metadata.name",
          "request.userInfo.username == object.spec.replicas",
          "request.userInfo.extra['a'] == object.metadata.finalizers",
          "request.userInfo.extra['a'] == object.spec.template",
          "request.options.any == object.spec.replicas",
          "request.kind == object.metadata",
          "request == object",
          "namespaceObject.metadata.labels['a'] == object.spec.replicas",
          "namespaceObject.metadata.labels == object.metadata.labels",
          "namespaceObject.metadata.creationTimestamp < object.metadata.creationTimestamp",
          "namespaceObject == object",
          "authorizer.group('apps').resource('deployments').check('get').allowed() == object.spec.paused",
          "authorizer.group(object.spec.replicas).resource('x').check('get').allowed()",
          "authorizer.requestResource.check('get').allowed()",
          "authorizer.path('/healthz').check('get').reason() == object.spec",
          "authorizer == object",
        ],
      }),
    ],
  },
  {
    name: "the status of a policy is modified by another client",
    steps: [
      policy("one", { checks: ["object.spec.none == 1"] }),
      changePolicy("one/status", "set observedGeneration 0", { status: { observedGeneration: 0 } }),
      changePolicy("one/status", "set other warnings", {
        status: {
          typeChecking: { expressionWarnings: [{ fieldRef: "spec.validations[0].expression", warning: "x" }] },
        },
      }),
      changePolicy("one/status", "remove the warnings and observedGeneration", {
        status: { observedGeneration: null, typeChecking: null },
      }),
      changePolicy("one", "change the generation", { spec: { failurePolicy: "Ignore" } }),
      changePolicy("one/status", "set a condition", {
        status: {
          observedGeneration: 1,
          conditions: [
            { type: "Ready", status: "True", reason: "x", message: "x", lastTransitionTime: "2026-01-01T00:00:00Z" },
          ],
        },
      }),
      policyBecomes("one", { checks: ["object.spec.replicas == 1"] }),
    ],
  },
];

const kinds: readonly Script[] = [
  {
    name: "policies for several kinds, for all kinds, and for missing ones",
    steps: [
      policy("two", { rules: [deployments, pods], checks: ["object.spec.replicas > 1", "object.spec.nodeName == 1"] }),
      policy("many", { rules: many, checks: ["object.spec.template.spec.containers.all(c, c.image == '')"] }),
      policy("too-many", { rules: [tooMany, deployments], checks: ["object.none == 1"] }),
      policy("too-many-after", { rules: [deployments, tooMany], checks: ["object.none == 1"] }),
      policy("all", { rules: [[["*"], ["*"], ["*"]]], checks: ["object.none == 1"] }),
      policy("all-groups", { rules: [[["*"], ["v1"], ["pods"]]], checks: ["object.none == 1"] }),
      policy("all-versions", { rules: [[["apps"], ["*"], ["deployments"]], pods], checks: ["object.none == 1"] }),
      policy("all-resources", { rules: [[["apps"], ["v1"], ["*"]]], checks: ["object.none == 1"] }),
      policy("subresources", {
        rules: [[["apps"], ["v1"], ["deployments/scale", "*/status", "replicasets"]]],
        checks: ["object.none == 1"],
      }),
      policy("all-subresources", { rules: [[[""], ["v1"], ["pods/*"]]], checks: ["object.none == 1"] }),
      policy("core", { rules: [[[""], ["v1"], ["deployments", "events", "jobs"]]], checks: ["object.none == 1"] }),
      policy("names", {
        rules: [[["apps"], ["v1"], ["deployment", "StatefulSets", "deploy"]]],
        checks: ["object.none == 1"],
      }),
      policy("autoscalers", {
        rules: [[["autoscaling"], ["v1", "v2"], ["horizontalpodautoscalers"]]],
        checks: ["object.spec.targetCPUUtilizationPercentage == 1 || object.spec.metrics[0].type == 1"],
      }),
      policy("unknown", {
        rules: [
          [["apps"], ["v2"], ["deployments"]],
          [["none.io"], ["v1"], ["nones"]],
          [["apps"], ["v1"], ["pods"]],
        ],
        checks: ["object.none == 1"],
      }),
      policy("virtual", {
        rules: [[["authorization.k8s.io"], ["v1"], ["subjectaccessreviews"]]],
        checks: ["object.spec.none == 1", "object.spec.extra['a'] == 1", "object.status.allowed == 1"],
      }),
      policy("definitions", {
        rules: [[["apiextensions.k8s.io"], ["v1"], ["customresourcedefinitions"]]],
        checks: [
          "object.spec.versions[0].schema.openAPIV3Schema.properties['a'].properties['b'] == 1",
          "object.spec.versions[0].schema.openAPIV3Schema.items == 1",
          "object.spec.versions[0].schema.openAPIV3Schema.x__dash__kubernetes__dash__validations == 1",
          "object.spec.conversion == 1",
        ],
      }),
    ],
  },
  {
    name: "the types of parameters",
    steps: [
      policy("map", {
        params: ["v1", "ConfigMap"],
        checks: [
          "object.spec.replicas == params.data['most']",
          "params.none == 1",
          "params == null",
          "params.data == 1",
        ],
      }),
      policy("own-kind", {
        params: ["apps/v1", "Deployment"],
        checks: ["object.spec.replicas <= params.spec.replicas", "object.spec == params.spec", "params.spec == 1"],
      }),
      policy("of-the-name", {
        rules: [[["events.k8s.io"], ["v1"], ["events"]]],
        params: ["v1", "Event"],
        checks: [
          "object.note == params.message",
          "object.message == params.note",
          "object.metadata == params.metadata",
        ],
      }),
      policy("unknown", {
        params: ["none.io/v1", "None"],
        checks: ["object.spec.replicas == params.any.thing", "object.none == params.any"],
      }),
      policy("for-nothing", {
        rules: [[["*"], ["*"], ["*"]]],
        params: ["v1", "ConfigMap"],
        checks: ["params.none == 1"],
      }),
      policyBecomes("map", { params: ["v1", "Secret"], checks: ["params.data['a'] == 'x'", "params.type == 1"] }),
    ],
  },
];

const everything = {
  spec: {
    type: "object",
    required: ["size"],
    properties: {
      size: number,
      ratio: { type: "number" },
      on: { type: "boolean" },
      name: { ...text, maxLength: 5, default: "x" },
      level: { ...text, enum: ["low", "high"] },
      at: { ...text, format: "date-time" },
      day: { ...text, format: "date" },
      takes: { ...text, format: "duration" },
      bytes: { ...text, format: "byte" },
      port: { "x-kubernetes-int-or-string": true },
      list: { type: "array", items: object({ a: number }) },
      lists: { type: "array", items: { type: "array", items: text } },
      map: { type: "object", additionalProperties: number },
      maps: { type: "object", additionalProperties: { type: "array", items: object({ b: text }) } },
      open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      known: { ...object({ c: number }), "x-kubernetes-preserve-unknown-fields": true },
      any: { "x-kubernetes-preserve-unknown-fields": true },
      anys: { type: "array", items: { "x-kubernetes-preserve-unknown-fields": true } },
      whole: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      maybe: { ...number, nullable: true },
      "with-dash": number,
      "a.b": number,
      for: number,
      "1st": number,
    },
  },
  status: object({ size: number }),
};

const definitions: readonly Script[] = [
  {
    name: "a policy is created before its kind, and the kind changes and is deleted",
    steps: [
      policy("one", { rules: [widgets], checks: ["object.spec.size == 'x'", "object.spec.none == 1"] }),
      define({ kind: "Widget", plural: "widgets", versions: { v1: { spec: object({ size: number }) } }, mark: "size" }),
      changePolicy("one", "add a label, which triggers no check", { metadata: { labels: { team: "red" } } }),
      changePolicy("one", "change the generation", { spec: { failurePolicy: "Ignore" } }),
      redefine({
        kind: "Widget",
        plural: "widgets",
        versions: { v1: { spec: object({ size: text, none: number }) }, v2: { spec: object({ none: text }) } },
        mark: "none",
      }),
      changePolicy("one", "change the generation", { spec: { failurePolicy: "Fail" } }),
      policyBecomes("one", {
        rules: [[[ownGroup], ["v1", "v2"], ["widgets"]]],
        checks: ["object.spec.size == 'x'", "object.spec.none == 1"],
      }),
      undefine("widgets"),
      changePolicy("one", "change the generation", { spec: { failurePolicy: "Ignore" } }),
    ],
  },
  {
    name: "a kind with everything a schema can have",
    steps: [
      define({ kind: "Widget", plural: "widgets", versions: { v1: everything }, mark: "takes" }),
      policy("types", {
        rules: [widgets],
        checks: [
          ...Object.keys(everything.spec.properties)
            .filter((name) => /^[a-z]+$/.test(name) && name !== "for")
            .map((name) => `object.spec.${name} == type(1)`),
          "object.spec.with__dash__dash == type(1)",
          "object.spec.a__dot__b == type(1)",
          "object.spec.__for__ == type(1)",
          "object.spec.for == type(1)",
          "object.spec.lists[0] == type(1)",
          "object.spec.maps['a'][0].b == 1",
          "object.spec.open.any == 1",
          "object.spec.known.none == 1",
          "object.spec.whole.metadata == type(1)",
          "object.spec.whole.spec == 1",
          "object.metadata.labels == type(1)",
          "object.metadata == type(1)",
          "object.kind == 1 || object.apiVersion == 1",
          "object.none == 1",
          "object.status == object.spec",
          "object == type(1)",
        ],
      }),
      policy("params", {
        rules: [widgets, deployments],
        params: [`${ownGroup}/v1`, "Widget"],
        checks: [
          "object.spec.replicas <= params.spec.size",
          "object.spec == params.spec",
          "params.spec.list[0].a == ''",
        ],
      }),
      policy("both", {
        // Without the core group: `widgets` in the core group would be looked up in any group, including another script's.
        rules: [[[ownGroup, "apps"], ["v1"], ["widgets", "deployments"]], pods],
        checks: ["object.spec.size == 1 || object.spec.replicas == 1 || object.spec.nodeName == ''"],
      }),
    ],
  },
];

export const scripts: readonly Script[] = [...expressions, ...kinds, ...definitions];
