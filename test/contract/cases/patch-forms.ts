/** Unusual patches: which forms are accepted, which paths they can have, and the errors for those that do not fit. */
import {
  configMap,
  del,
  get,
  patch,
  patchTypes,
  paths,
  pod,
  post,
  put,
  workload,
  type Step,
  type Table,
} from "../case.ts";

const { configmaps, pods, deployments, leases } = paths;

const made = post(configmaps, configMap("a", { k: "v", l: "w" }, { labels: { x: "y" }, annotations: { "a/b": "c" } }));
const on = `${configmaps}/a`;
const each = (
  kind: keyof typeof patchTypes,
  name: string,
  bodies: readonly unknown[],
  query?: string,
): { name: string; steps: Step[] } => ({
  name: `${kind} patch: ${name}`,
  steps: [made, ...bodies.map((body) => patch(kind, on, body, query))],
});
const onPod = (name: string, ...operations: readonly unknown[]): { name: string; steps: Step[] } => ({
  name: `json patch in a list: ${name}`,
  steps: [
    post(pods, pod("a", { finalizers: ["x.io/one", "x.io/two"] }, { tolerations: [{ key: "k", operator: "Exists" }] })),
    ...operations.map((list) => patch("json", `${pods}/a`, list)),
  ],
});
const onDeployment = (name: string, ...bodies: readonly unknown[]): { name: string; steps: Step[] } => ({
  name: `strategic patch of lists: ${name}`,
  steps: [
    post(deployments, {
      metadata: { name: "a", finalizers: ["x.io/one", "x.io/two"] },
      spec: {
        selector: { matchLabels: { app: "a" } },
        template: {
          metadata: { labels: { app: "a" } },
          spec: {
            containers: [
              { name: "c", image: "i", args: ["1", "2"] },
              { name: "d", image: "j" },
            ],
            volumes: [{ name: "v", emptyDir: {} }],
          },
        },
      },
    }),
    ...bodies.map((body) => patch("strategic", `${deployments}/a`, body)),
  ],
});
const inSpec = (spec: unknown): unknown => ({ spec: { template: { spec } } });
const replaceAt = (path: string): unknown => [{ op: "replace", path, value: "x.io/new" }];
const addAt = (path: string): unknown => [{ op: "add", path, value: "x.io/new" }];

export const patchForms: Table = {
  name: "patch-forms",
  cases: [
    each("json", "null and lists of null", [
      "null",
      "[null]",
      '[{"op":null,"path":null}]',
      "[[]]",
      '["a"]',
      "7",
      '"a"',
    ]),
    each("json", "fields of a wrong type", [
      [{ op: "add", path: 5, value: "x" }],
      [{ op: 5, path: "/data/k" }],
      [{ op: "move", from: {}, path: "/data/k" }],
      [{ op: "add", path: ["a"], value: "x" }],
    ]),
    each(
      "json",
      "fields of a wrong type, Ignore",
      [[{ op: "add", path: 5, value: "x" }], [{ op: 5, path: "/data/k" }]],
      "fieldValidation=Ignore",
    ),
    each("json", "unknown fields of operations", [[{ op: "add", path: "/data/n", value: "1", nope: 2 }]]),
    each(
      "json",
      "unknown fields of operations, Strict",
      [[{ op: "add", path: "/data/n", value: "1", nope: 2 }]],
      "fieldValidation=Strict",
    ),
    each("json", "duplicate keys", ['[{"op":"add","op":"add","path":"/data/n","value":"1"}]']),
    each("json", "without required fields", [
      [{ path: "/data/k" }],
      [{ op: "add", value: "1" }],
      [{ op: "remove" }],
      [{ op: "move", path: "/data/k" }],
      [{ op: "copy", path: "/data/k" }],
      [{ op: "add", path: "/data/n" }],
      [{ op: "test", path: "/data/none" }],
    ]),
    each("json", "the whole document", [
      [{ op: "replace", path: "", value: {} }],
      [{ op: "replace", path: "", value: null }],
      [{ op: "replace", path: "", value: [] }],
      [{ op: "replace", path: "", value: "x" }],
      [{ op: "add", path: "", value: {} }],
      [{ op: "remove", path: "" }],
      [{ op: "copy", from: "", path: "/data/all" }],
      [{ op: "move", from: "", path: "/data/all" }],
      [{ op: "move", from: "/data", path: "" }],
      [{ op: "test", path: "", value: {} }],
    ]),
    each("json", "paths without a leading slash", [
      [{ op: "add", path: "data", value: "x" }],
      [{ op: "add", path: "none/nope", value: "x" }],
      [{ op: "test", path: "data/kind", value: "ConfigMap" }],
    ]),
    each("json", "empty path segments", [
      [{ op: "add", path: "/", value: "x" }],
      [{ op: "add", path: "/data/", value: "x" }],
      [{ op: "add", path: "//k", value: "x" }],
    ]),
    each("json", "missing values are copied, moved and tested", [
      [{ op: "copy", from: "/data/none", path: "/data/n" }],
      [{ op: "move", from: "/data/none", path: "/data/n" }],
      [{ op: "copy", from: "/none/some", path: "/data/n" }],
      [{ op: "test", path: "/none/some", value: null }],
      [{ op: "test", path: "/data/none", value: null }],
    ]),
    each("json", "kind, version and name", [
      [{ op: "remove", path: "/kind" }],
      [{ op: "remove", path: "/apiVersion" }],
      [{ op: "replace", path: "/kind", value: "Nope" }],
      [{ op: "replace", path: "/apiVersion", value: "v9" }],
      [{ op: "replace", path: "/kind", value: 5 }],
      [{ op: "remove", path: "/metadata/name" }],
      [{ op: "remove", path: "/metadata/namespace" }],
      [{ op: "replace", path: "/metadata/name", value: "" }],
      [{ op: "remove", path: "/metadata" }],
    ]),
    each("json", "escapes", [
      [{ op: "copy", from: "/metadata/annotations/a~1b", path: "/data/n" }],
      [{ op: "add", path: "/metadata/annotations/~01", value: "x" }],
    ]),
    each("json", "copies beyond the size limit", [
      [
        { op: "add", path: "/data/big", value: "x".repeat(900_000) },
        ...["1", "2", "3", "4"].flatMap((n) => [
          { op: "copy", from: "/data/big", path: `/data/${n}` },
          { op: "remove", path: `/data/${n}` },
        ]),
      ],
      Array.from({ length: 40 }, (_, n) => ({ op: "copy", from: "/data", path: `/data/a${n}` })),
    ]),
    onPod(
      "indices are parsed as in Go",
      replaceAt("/metadata/finalizers/01"),
      replaceAt("/metadata/finalizers/+0"),
      replaceAt("/metadata/finalizers/0x0"),
      replaceAt("/metadata/finalizers/ 0"),
      replaceAt("/metadata/finalizers/1.0"),
      replaceAt("/metadata/finalizers/"),
      replaceAt("/metadata/finalizers/1e0"),
      replaceAt("/metadata/finalizers/-"),
    ),
    onPod(
      "negative indices",
      replaceAt("/metadata/finalizers/-1"),
      replaceAt("/metadata/finalizers/-2"),
      replaceAt("/metadata/finalizers/-3"),
      addAt("/metadata/finalizers/-1"),
      [{ op: "remove", path: "/metadata/finalizers/-1" }],
      [{ op: "test", path: "/spec/containers/-1/name", value: "c" }],
      [{ op: "move", from: "/metadata/finalizers/-1", path: "/metadata/finalizers/0" }],
    ),
    onPod(
      "inside elements",
      [{ op: "replace", path: "/spec/containers/0x0/image", value: "k" }],
      [{ op: "replace", path: "/spec/containers//image", value: "k" }],
      [{ op: "replace", path: "/spec/containers/-1/image", value: "k" }],
      [{ op: "add", path: "/spec/containers/0/args/-", value: "k" }],
    ),
    onPod(
      "at the end",
      addAt("/metadata/finalizers/-"),
      addAt("/metadata/finalizers/3"),
      addAt("/metadata/finalizers/9"),
    ),
    each("merge", "null, lists and strings", ["null", "[]", '"a"', "7"]),
    each("merge", "null, lists and strings, Ignore", ["null", "[]", '"a"'], "fieldValidation=Ignore"),
    each("merge", "kind and version", [
      { kind: null },
      { apiVersion: null },
      { kind: "Nope" },
      { apiVersion: "v9" },
      { kind: 5 },
      { kind: "" },
    ]),
    each("merge", "name and namespace", [
      { metadata: { name: null } },
      { metadata: { namespace: null } },
      { metadata: { name: "b" } },
      { metadata: { namespace: "b" } },
      { metadata: null },
      { metadata: "x" },
    ]),
    each("merge", "nested nulls", [
      { data: { n: null } },
      { metadata: { annotations: { a: null, b: "x" } } },
      { metadata: { ownerReferences: [null] } },
      { binaryData: { a: null } },
    ]),
    each("merge", "__proto__ as a key", ['{"data":{"__proto__":"x"}}', '{"data":{"__proto__":null}}']),
    each("merge", "duplicate keys", ['{"data":{"k":"1","k":"2"}}']),
    each("merge", "duplicate keys, Strict", ['{"data":{"k":"1","k":"2"}}'], "fieldValidation=Strict"),
    {
      name: "merge patch: a namespace for a cluster-scoped object",
      steps: [
        patch("merge", "/api/v1/namespaces/{ns}", { metadata: { namespace: "x" } }),
        patch("strategic", "/api/v1/namespaces/{ns}", { metadata: { namespace: "x" } }),
        patch("json", "/api/v1/namespaces/{ns}", [{ op: "add", path: "/metadata/namespace", value: "x" }]),
      ],
    },
    each("strategic", "null, lists and strings", ["null", "[]", '"a"', "7"]),
    each("strategic", "kind and version", [
      { kind: null },
      { apiVersion: null },
      { kind: "Pod" },
      { kind: "Nope" },
      { apiVersion: "v2" },
    ]),
    each("strategic", "name and namespace", [
      { metadata: { name: null } },
      { metadata: { namespace: null } },
      { metadata: { name: "b" } },
      { metadata: null },
    ]),
    each("strategic", "directives at the root", [
      { $patch: "delete" },
      { $patch: "invent" },
      { $patch: "replace", data: { n: "m" } },
      { $patch: 5 },
    ]),
    {
      name: "strategic patch: __proto__ as a key",
      steps: [
        post(configmaps, configMap("a")),
        patch("strategic", on, '{"data":{"__proto__":"x"}}'),
        get(on),
        patch("strategic", on, '{"data":{"__proto__":"y"}}'),
        patch("strategic", on, '{"data":{"__proto__":null}}'),
        patch("strategic", on, '{"metadata":{"annotations":{"__proto__":{"x":"y"}}}}'),
      ],
    },
    each("strategic", "an order that is not a list", [
      { metadata: { "$setElementOrder/finalizers": "x" } },
      { metadata: { "$setElementOrder/finalizers": null } },
      { metadata: { "$setElementOrder/finalizers": 5 } },
      { metadata: { "$setElementOrder/finalizers": 1.5 } },
      { metadata: { "$setElementOrder/finalizers": true } },
      { metadata: { "$setElementOrder/finalizers": { a: "b" } } },
      { metadata: { $setElementOrder: [] } },
    ]),
    each("strategic", "lists that replace or delete themselves", [
      { metadata: { ownerReferences: [{ $patch: "replace" }] } },
      { metadata: { ownerReferences: [{ uid: "x", $patch: "delete" }] } },
      { metadata: { labels: { $patch: "delete", a: "b" } } },
      { metadata: { labels: { $patch: "replace", a: "b" } } },
    ]),
    each("strategic", "lists of primitives", [
      { metadata: { finalizers: ["x.io/a", "x.io/b"] } },
      { metadata: { "$deleteFromPrimitiveList/finalizers": "x" } },
      { metadata: { "$deleteFromPrimitiveList/finalizers": ["x.io/a"] } },
      { metadata: { $deleteFromPrimitiveList: [] } },
      { metadata: { finalizers: [5] } },
      { metadata: { finalizers: [["x"]] } },
      { metadata: { "$deleteFromPrimitiveList/finalizers": null } },
    ]),
    onDeployment(
      "an order for something other than a list",
      inSpec({ containers: null, "$setElementOrder/containers": [{ name: "n" }, { name: "c" }] }),
      inSpec({ containers: -1, "$setElementOrder/containers": [{ name: "c" }] }),
      inSpec({ containers: 1.5, "$setElementOrder/containers": [{ name: "c" }] }),
      inSpec({ containers: true, "$setElementOrder/containers": [{ name: "c" }] }),
    ),
    onDeployment(
      "an order with missing items",
      inSpec({ "$setElementOrder/containers": [{ name: "x" }, { name: "d" }, { name: "c" }] }),
      inSpec({ "$setElementOrder/containers": [{ nope: "x" }] }),
      inSpec({ "$setElementOrder/containers": ["x"] }),
      inSpec({ "$setElementOrder/nope": ["x"] }),
      inSpec({ "$setElementOrder/imagePullSecrets": [{ name: "x" }] }),
    ),
    onDeployment(
      "an order without some of the patched items",
      inSpec({
        containers: [{ name: "c", args: ["3"] }, { $patch: "replace" }],
        "$setElementOrder/containers": [{ name: "c" }],
        restartPolicy: true,
      }),
      inSpec({
        containers: [{ name: "c" }, { name: "n", image: "r" }],
        "$setElementOrder/containers": [{ name: "c" }],
      }),
    ),
    onDeployment(
      "elements without their key",
      inSpec({ containers: [{ name: "c" }, { name: "n", $patch: "replace", image: "r" }, {}] }),
      inSpec({ containers: [{ name: "c" }, {}] }),
      inSpec({ containers: [null] }),
      inSpec({ containers: ["x"] }),
      inSpec({ containers: [{ $patch: "delete" }] }),
    ),
    onDeployment(
      "a deletion and an order",
      {
        metadata: {
          "$deleteFromPrimitiveList/finalizers": ["x.io/one"],
          "$setElementOrder/finalizers": ["x.io/two", "x.io/new"],
          finalizers: ["x.io/new"],
        },
      },
      inSpec({ "$setElementOrder/containers": [{ name: "d" }], containers: [{ name: "c", $patch: "delete" }] }),
    ),
    onDeployment(
      "added items with nested directives and nulls",
      inSpec({
        volumes: [{ name: "w", $retainKeys: ["name", "configMap"], configMap: { name: "x", optional: null } }],
      }),
      inSpec({
        containers: [
          {
            name: "n",
            image: "i",
            args: null,
            "$setElementOrder/env": [{ name: "A" }],
            env: [{ name: "A", value: "b" }],
          },
        ],
      }),
      inSpec({ securityContext: { $patch: "replace", runAsUser: 5 } }),
    ),
    onDeployment(
      "types that change",
      inSpec({ containers: {} }),
      { spec: { template: [] } },
      { spec: { strategy: "x" } },
    ),
    {
      name: "patches of missing objects return 404 first",
      steps: [
        patch("json", `${configmaps}/none`, "{"),
        patch("merge", `${configmaps}/none`, "[]"),
        patch("strategic", `${configmaps}/none`, { $patch: "invent" }),
        patch("strategic", `${configmaps}/none`, "{"),
        patch("merge", `${configmaps}/none`, {}, "fieldValidation=Nope"),
        { ...patch("merge", `${configmaps}/none`, {}), type: "text/plain" },
        put(`${configmaps}/none`, configMap("other")),
        put(`${configmaps}/none`, { data: {} }),
        put(`${configmaps}/none`, configMap("none", {}, { namespace: "x" })),
        put(`${configmaps}/none`, configMap("none", {}, { resourceVersion: "Always" })),
        put(`${deployments}/none`, workload("none", { replicas: -1 })),
        put(`${leases}/none`, { metadata: { name: "none" } }),
        del(`${configmaps}/none`),
      ],
    },
    {
      name: "a patch with an invalid manager",
      steps: [
        made,
        patch("merge", on, {}, "fieldManager=a%0Ab"),
        patch("merge", on, {}, `fieldManager=${"m".repeat(129)}`),
        patch("merge", on, {}, "fieldManager=%C3%BC"),
        patch("merge", on, {}, "fieldManager=%E2%80%8B"),
        post(configmaps, configMap("b"), "fieldManager=a%00"),
        put(on, configMap("a"), "fieldManager=a%7F"),
      ],
    },
    {
      name: "content types of patches are matched exactly",
      steps: [
        made,
        { ...patch("merge", on, {}), type: "application/merge-patch+json; charset=utf-8" },
        { ...patch("merge", on, {}), type: "Application/merge-patch+json" },
        { ...patch("merge", on, {}), type: "application/merge-patch+json ;x" },
        { ...patch("merge", on, {}), type: "" },
      ],
    },
    {
      name: "too many operations",
      steps: [
        made,
        patch(
          "json",
          on,
          Array.from({ length: 10_001 }, () => ({ op: "test", path: "/kind", value: "ConfigMap" })),
        ),
      ],
    },
  ],
};
