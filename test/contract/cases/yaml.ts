/** Request bodies in YAML, and YAML responses for clients that accept them. */
import { paths, post, type Case, type Step, type Table } from "../case.ts";

const { configmaps, pods, deployments } = paths;
const ns = "/api/v1/namespaces/{ns}";
const yaml = "application/yaml";

const sent = (
  method: "POST" | "PUT" | "DELETE",
  path: string,
  body: string,
  query?: string,
  accept?: string,
): Step => ({
  method,
  path,
  body,
  type: yaml,
  ...(query === undefined ? {} : { query }),
  ...(accept === undefined ? {} : { accept }),
});

/** A ConfigMap whose data consists of these lines. */
const data = (...lines: readonly string[]): string =>
  [
    "apiVersion: v1",
    "kind: ConfigMap",
    "metadata:",
    "  name: a",
    "data:",
    ...lines.map((line) => `  ${line}`),
    "",
  ].join("\n");

const tried = (name: string, ...bodies: readonly string[]): Case => ({
  name,
  steps: bodies.map((body) => sent("POST", configmaps, body, "dryRun=All")),
});

const accepting = (
  method: "GET" | "DELETE" | "POST",
  path: string,
  accept = yaml,
  query?: string,
  body?: unknown,
): Step => ({
  method,
  path,
  accept,
  ...(query === undefined ? {} : { query }),
  ...(body === undefined ? {} : { body }),
});

const deployment = `# a comment
apiVersion: apps/v1
kind: Deployment
metadata: {name: d, labels: {"app": 'x'}}
spec:
  replicas: 0x2
  selector: &s
    matchLabels: &labels
      app: x
  template:
    metadata:
      labels:
        <<: *labels
        more: "on"
    spec:
      containers:
      - name: c
        image: i
        command: ["sh", -c, |-
          a
          b
        ]
        args:
        - >
          folded
          text
        - |+
          kept

      terminationGracePeriodSeconds: 1_0
`.replace(
  `["sh", -c, |-
          a
          b
        ]`,
  `["sh", -c]`,
);

export const yamlBodies: Table = {
  name: "yaml",
  cases: [
    {
      name: "an object is created, replaced and deleted by YAML",
      steps: [
        sent("POST", configmaps, data("a: b", 'c: "1"', "d: |", "  two", "  lines")),
        sent("PUT", `${configmaps}/a`, data("a: b2")),
        sent("PUT", `${configmaps}/a`, data("a: b2"), "fieldValidation=Strict"),
        sent("DELETE", `${configmaps}/a`, "apiVersion: v1\nkind: DeleteOptions\npreconditions:\n  uid: x\n"),
        sent("DELETE", `${configmaps}/a`, "propagationPolicy: Background\n"),
      ],
    },
    {
      name: "anchors, merges, flow and block strings, numbers of all kinds",
      steps: [sent("POST", deployments, deployment)],
    },
    tried(
      "types of plain scalars",
      data("a: 1"),
      data("a: yes"),
      data("a: off"),
      data("a: 1.5"),
      data("a: 0x1f"),
      data("a: 012"),
      data("a: 1e3"),
      data("a: .5"),
      data("a: 0b11"),
      data("a: 1_000"),
      data("a: ~"),
      data("a:"),
      data("a: .inf"),
      data("a: 2001-01-01"),
      data("a: 2001-01-01T00:00:00Z"),
      data("a: 1:30"),
      data("a: !!str 1"),
      data("a: !!int x"),
      data("a: !!binary aGk="),
      data("a: !x 1"),
      data('a: "1"', "b: '2'"),
      data("a: [x]"),
      data("a: {b: c}"),
      data("a: n"),
      data("a: 08"),
      data("a: 0o17"),
      data("a: +1"),
      data("a: 18446744073709551615"),
      data("a: 99999999999999999999"),
      data("a: <<"),
      data("a: -"),
      data("a: =b"),
    ),
    tried(
      "keys that are not strings",
      data("1: a", "true: b", "1.5: c", "yes: d"),
      data("~: a"),
      data("? [a]", ": b"),
      data("? {a: b}", ": c"),
      data('"": a'),
    ),
    {
      name: "duplicate keys",
      steps: [
        sent("POST", configmaps, data("a: b", "c: d", "a: e"), "dryRun=All"),
        sent("POST", configmaps, data("a: b", "c: d", "a: e"), "dryRun=All&fieldValidation=Ignore"),
        sent("POST", configmaps, data("a: b", "c: d", "a: e"), "dryRun=All&fieldValidation=Strict"),
        sent("POST", configmaps, `${data("a: b", "a: c", "b: d", "b: e")}data: {x: y}\nfoo: bar\n`, "dryRun=All"),
        sent("POST", configmaps, `${data("a: b", "a: c")}foo: bar\n`, "dryRun=All&fieldValidation=Strict"),
        sent("POST", configmaps, data("1: b", "1: c"), "dryRun=All"),
      ],
    },
    tried(
      "invalid YAML",
      data("a: b: c"),
      data("a", "b: c"),
      data('a: "b'),
      data("a: 'b"),
      data("a: [b"),
      data("a: {b"),
      data("a: {b: c]}"),
      data("\ta: b"),
      data("a: *nobody"),
      data('a: "\\q"'),
      data("- a", "b: c"),
      data("a: b", " c: d"),
      data("a: @b"),
      data("a: %b"),
      data("a: `b`"),
      data("a: ]"),
      data("a: !<x"),
      data("a: &b &c d"),
      data("a: |x"),
    ),
    tried("bodies that are not objects", "", "null", "a", "[a]", "- a\n- b\n", "1", "---\n", "# nothing\n", "{}", "\0"),
    tried(
      "JSON as YAML, and only the first of several documents counts",
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"b"}}',
      `---\n${data("a: b")}---\n${data("a: c")}`,
      `%YAML 1.1\n---\n${data("a: b")}...\n`,
      `%YAML 1.2\n---\n${data("a: b")}`,
      `%YAML 2.0\n---\n${data("a: b")}`,
      data("a: b").replaceAll("\n", "\r\n"),
      `\ufeff${data("a: b")}`,
    ),
    tried(
      "another kind, and fields of wrong types",
      data("a: b").replace("ConfigMap", "Pod"),
      data("a: b").replace("v1", "v2"),
      data("a: b").replace("name: a", "name: 1"),
      data("a: b").replace("data:", "data: x\nfoo:"),
      data("a: b").replace("kind: ConfigMap", "kind: 1"),
    ),
    {
      name: "other media types for YAML are not accepted",
      steps: [
        { method: "POST", path: configmaps, body: data("a: b"), type: "text/yaml" },
        { method: "POST", path: configmaps, body: data("a: b"), type: "application/x-yaml" },
        { method: "POST", path: configmaps, body: data("a: b"), type: "application/yaml; charset=utf-8" },
        { method: "PATCH", path: `${configmaps}/a`, body: "data: {a: c}", type: "application/yaml" },
        { method: "PATCH", path: `${configmaps}/a`, body: "data: {a: c}", type: "application/merge-patch+yaml" },
      ],
    },
    {
      name: "responses in YAML",
      steps: [
        sent(
          "POST",
          configmaps,
          data('a: "yes"', 'b: "1"', "c: |", "  two", "  lines", "d: ' x'", 'e: ""'),
          undefined,
          yaml,
        ),
        accepting("GET", `${configmaps}/a`),
        accepting("GET", configmaps),
        accepting("GET", `${configmaps}/nobody`),
        accepting("GET", configmaps, "application/yaml;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"),
        accepting("GET", `${configmaps}/a`, "application/yaml;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"),
        accepting("GET", `${configmaps}/a`, "text/yaml"),
        accepting("GET", `${configmaps}/a`, "application/yaml, application/json"),
        accepting("GET", `${configmaps}/a`, "application/json, application/yaml"),
        accepting("GET", `${configmaps}/a`, "text/plain, application/yaml;q=0.9"),
        accepting("GET", configmaps, yaml, "watch=1"),
        accepting("GET", configmaps, yaml, "limit=x"),
        accepting("POST", configmaps, yaml, undefined, { metadata: { name: "A" } }),
        post(pods, { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "i" }] } }),
        accepting("GET", `${pods}/a`),
        accepting("DELETE", `${pods}/a`),
        accepting("DELETE", `${configmaps}/a`),
        accepting("DELETE", configmaps),
        accepting("GET", `${ns}/nothings`),
        accepting("GET", "/api/v1"),
        accepting("GET", "/api"),
        accepting("GET", "/apis/apps"),
        accepting("GET", `${ns}/pods/a/log`),
      ],
    },
    {
      name: "a scale in YAML",
      steps: [
        sent("POST", deployments, deployment),
        accepting("GET", `${deployments}/d/scale`),
        sent(
          "PUT",
          `${deployments}/d/scale`,
          "metadata: {name: d, namespace: {ns}}\nspec: {replicas: 5}\n",
          undefined,
          yaml,
        ),
      ],
    },
  ],
};
