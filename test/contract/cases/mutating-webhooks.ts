/** Mutating admission webhooks: patches, their order, reinvocation, and the processing of the result. */
import { type Case, configMap, del, get, patch, paths, pod, post, put, type Table, workload } from "../case.ts";
import { allowing, allows, reviewResponse, denying, patching, type Webhook } from "../webhooks.ts";
import { isObject, type Json } from "../names.ts";
import { established, group, specOf, widgets } from "./definition-steps.ts";
import { hooked, registrations, rule, webhook } from "./webhooks.ts";

type Scene = Parameters<typeof hooked>[2];
const mutating = (name: string, scene: Scene): Case => hooked("mutating", name, scene);

const create = post(paths.configmaps, configMap("a", { k: "v" }));

const labels = (request: Json): Json => {
  const { object } = request;
  const metadata = isObject(object) && isObject(object["metadata"]) ? object["metadata"] : {};
  return isObject(metadata["labels"]) ? metadata["labels"] : {};
};

/** Adds a label whose value is the number of existing labels. */
const counting =
  (name: string): Webhook =>
  (request, review) => {
    const there = labels(request);
    const operations =
      Object.keys(there).length === 0
        ? [{ op: "add", path: "/metadata/labels", value: { [name]: "0" } }]
        : [{ op: "add", path: `/metadata/labels/${name}`, value: String(Object.keys(there).length) }];
    return reviewResponse(request, review, {
      allowed: true,
      patchType: "JSONPatch",
      patch: btoa(JSON.stringify(operations)),
    });
  };

/** Patches only once: an object that has the label stays unchanged. */
const once =
  (name: string): Webhook =>
  (request, review) =>
    labels(request)[name] === undefined ? counting(name)(request, review) : allows(request, review);

const broken = (name: string, response: Json, differs?: string): Case =>
  mutating(name, {
    hooks: { hook: allowing(response) },
    steps: [create],
    ...(differs === undefined ? {} : { differs }),
  });

const patchOf = (patch: unknown): Json => ({
  patchType: "JSONPatch",
  patch: btoa(typeof patch === "string" ? patch : JSON.stringify(patch)),
});

const rules: readonly object[] = [webhook("one", { reinvocationPolicy: "IfNeeded" }), webhook("two")];

export const mutatingWebhookCases: Table = {
  name: "mutating-webhooks",
  sideBySide: true,
  cases: [
    mutating("a label that is added", {
      hooks: { hook: counting("first") },
      steps: [create, get(`${paths.configmaps}/a`)],
    }),
    mutating("two webhooks, the second of which sees what the first did", {
      hooks: { one: counting("first"), two: counting("second") },
      webhooks: [webhook("one"), webhook("two")],
      steps: [create],
    }),
    mutating("a webhook whose changes make another webhook match", {
      hooks: { one: counting("first"), two: counting("second") },
      webhooks: [webhook("one"), webhook("two", { objectSelector: { matchLabels: { first: "0" } } })],
      steps: [create],
    }),
    mutating("an update", {
      hooks: { hook: counting("first") },
      webhooks: [webhook("hook", { rules: [rule("configmaps", "UPDATE")] })],
      before: [create],
      steps: [
        put(`${paths.configmaps}/a`, configMap("a", { k: "w" })),
        patch("strategic", `${paths.configmaps}/a`, { data: { l: "x" } }),
      ],
    }),
    mutating("an update of a missing object, and one with an old version", {
      hooks: { hook: counting("first") },
      webhooks: [webhook("hook", { rules: [rule("configmaps", "*")] })],
      before: [create],
      steps: [
        put(`${paths.configmaps}/none`, configMap("none")),
        put(`${paths.configmaps}/a`, configMap("a", {}, { resourceVersion: "1" })),
      ],
    }),
    mutating("a status, of which no other fields can be changed", {
      hooks: {
        hook: patching(
          { op: "add", path: "/spec/replicas", value: 7 },
          { op: "add", path: "/status/replicas", value: 2 },
        ),
      },
      webhooks: [webhook("hook", { rules: [rule("deployments/status", "UPDATE")] })],
      before: [post(paths.deployments, workload("web"))],
      steps: [patch("merge", `${paths.deployments}/web/status`, { status: { replicas: 1 } })],
    }),
    mutating("a Scale", {
      hooks: { hook: patching({ op: "replace", path: "/spec/replicas", value: 5 }) },
      webhooks: [webhook("hook", { rules: [rule("deployments/scale", "UPDATE")] })],
      before: [post(paths.deployments, workload("web"))],
      steps: [
        patch("merge", `${paths.deployments}/web/scale`, { spec: { replicas: 3 } }),
        get(`${paths.deployments}/web/scale`),
      ],
    }),
    mutating("a container that is added to a pod gets defaults", {
      hooks: { hook: patching({ op: "add", path: "/spec/containers/-", value: { name: "side", image: "side" } }) },
      webhooks: [webhook("hook", { rules: [rule("pods")] })],
      steps: [post(paths.pods, pod("p"))],
    }),
    mutating("a patch that makes the object invalid", {
      hooks: { hook: patching({ op: "replace", path: "/spec/containers/0/name", value: "Not A Name" }) },
      webhooks: [webhook("hook", { rules: [rule("pods")] })],
      steps: [post(paths.pods, pod("p"))],
    }),
    mutating("a name is added", {
      hooks: { hook: patching({ op: "add", path: "/metadata/name", value: "named" }) },
      steps: [post(paths.configmaps, { metadata: { generateName: "madeup-" } })],
    }),
    mutating("server-managed fields are changed", {
      hooks: {
        hook: patching(
          { op: "add", path: "/metadata/generation", value: 7 },
          { op: "add", path: "/metadata/managedFields", value: [] },
          { op: "add", path: "/unknown", value: 1 },
        ),
      },
      steps: [create],
    }),
    mutating("a webhook is called again after a later one changed the object", {
      hooks: { one: counting("first"), two: counting("second") },
      webhooks: rules,
      steps: [create],
    }),
    mutating("a webhook without reinvocation is not called again", {
      hooks: { one: counting("first"), two: counting("second") },
      webhooks: [webhook("one"), webhook("two")],
      steps: [create],
    }),
    mutating("a webhook with reinvocation is not called again if nothing changed after it", {
      hooks: { one: allows, two: counting("second") },
      webhooks: [webhook("two"), webhook("one", { reinvocationPolicy: "IfNeeded" })],
      steps: [create],
    }),
    mutating("both webhooks are called again at most once", {
      hooks: { one: counting("first"), two: counting("second") },
      webhooks: [
        webhook("one", { reinvocationPolicy: "IfNeeded" }),
        webhook("two", { reinvocationPolicy: "IfNeeded" }),
      ],
      steps: [create],
    }),
    mutating("an admission plugin sees the object again", {
      hooks: {
        one: once("first"),
        two: patching({ op: "add", path: "/spec/tolerations/-", value: { key: "own", operator: "Exists" } }),
      },
      webhooks: [
        webhook("one", { rules: [rule("pods")], reinvocationPolicy: "IfNeeded" }),
        webhook("two", { rules: [rule("pods")] }),
      ],
      steps: [post(paths.pods, pod("p"))],
    }),
    mutating("a deletion, which cannot be changed", {
      hooks: { hook: patching({ op: "add", path: "/metadata/labels", value: {} }) },
      webhooks: [webhook("hook", { rules: [rule("configmaps", "DELETE")] })],
      before: [create],
      steps: [del(`${paths.configmaps}/a`)],
    }),
    mutating("after a denial, no other webhook is called", {
      hooks: { one: denying({ message: "no" }), two: allows },
      webhooks: [webhook("one"), webhook("two")],
      steps: [create],
    }),
    mutating("after an ignored failure, the next webhook is called", {
      hooks: { one: () => ({ status: 500, text: "oops" }), two: counting("second") },
      webhooks: [webhook("one", { failurePolicy: "Ignore" }), webhook("two")],
      steps: [create],
    }),
    mutating("a patch in a v1beta1 review needs no type", {
      hooks: { hook: allowing({ patch: btoa('[{"op":"add","path":"/data/l","value":"x"}]') }) },
      webhooks: [webhook("hook", { admissionReviewVersions: ["v1beta1"] })],
      steps: [create],
    }),
    mutating("unknown fields of a custom resource are pruned", {
      hooks: {
        hook: patching(
          { op: "add", path: "/spec/known", value: "yes" },
          { op: "add", path: "/spec/unknown", value: 1 },
        ),
      },
      webhooks: [webhook("hook", { rules: [rule("widgets", "*")] })],
      before: [
        ...established({ schema: specOf({ known: { type: "string" }, filled: { type: "string", default: "here" } }) }),
      ],
      steps: [
        post(widgets, { apiVersion: `${group}/v1`, kind: "Widget", metadata: { name: "a" }, spec: {} }),
        patch("merge", `${widgets}/a`, { spec: { filled: "there" } }),
        del(`${widgets}/a`),
      ],
    }),
    broken("a patch without a type", { patch: btoa("[]") }),
    broken("a type without a patch", { patchType: "JSONPatch" }),
    broken("a type that is empty", { patch: btoa("[]"), patchType: "" }),
    broken("an unknown patch type", { patch: btoa("[]"), patchType: "MergePatch" }),
    broken("an empty patch", patchOf([])),
    broken("a patch that is not JSON", patchOf("[{")),
    broken("a patch that is not a list", patchOf({ op: "add" })),
    broken("a patch with a missing path", patchOf([{ op: "add", path: "/spec/deep/er", value: 1 }])),
    broken("a patch that removes a missing field", patchOf([{ op: "remove", path: "/metadata/labels" }])),
    broken("a patch with a failing test", patchOf([{ op: "test", path: "/data/k", value: "w" }])),
    broken("a patch with an unknown operation", patchOf([{ op: "invent", path: "/data/k" }])),
    broken("a patch that writes a wrong type", patchOf([{ op: "add", path: "/data", value: "text" }])),
    broken("a patch that changes the kind", patchOf([{ op: "replace", path: "/kind", value: "Nothing" }])),
    broken("a patch with invalid base64", { patchType: "JSONPatch", patch: "###" }),
    {
      name: "defaults of a configuration",
      steps: [
        post(`${registrations}/mutatingwebhookconfigurations`, {
          metadata: { name: "{ns}" },
          webhooks: [
            {
              name: "a.example.com",
              clientConfig: { service: { namespace: "none", name: "none" } },
              rules: [
                { apiGroups: ["none.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nones"] },
              ],
              admissionReviewVersions: ["v1"],
              sideEffects: "None",
            },
          ],
        }),
        del(`${registrations}/mutatingwebhookconfigurations/{ns}`),
      ],
    },
  ],
};
