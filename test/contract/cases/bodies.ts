/** Unusual bodies: strange JSON, content types, and the kind and apiVersion that an object declares. */
import { brokenJson } from "./broken-json.ts";
import {
  configMap,
  del,
  get,
  patch,
  type patchTypes,
  paths,
  post,
  put,
  workload,
  type Case,
  type Step,
  type Table,
} from "../case.ts";

const { configmaps, secrets, deployments, pods, replicasets, persistentvolumeclaims, resourcequotas: quotas } = paths;
const raw = (name: string, ...bodies: readonly string[]): Case => ({
  name: `JSON: ${name}`,
  steps: bodies.map((body) => post(configmaps, body)),
});
const typed = (type: string): Step => ({ ...post(configmaps, configMap("a")), type });
const scale = (name: string | undefined, replicas: unknown): unknown => ({
  kind: "Scale",
  apiVersion: "autoscaling/v1",
  metadata: name === undefined ? {} : { name },
  spec: { replicas },
});
const twice = '{"metadata":{"name":"twice","labels":{"x":"y","x":"z"}},"data":{"a":"1","a":"2"},"nope":1}';

const deployment = (replicas: string, maxSurge: string): string =>
  `{"metadata":{"name":"d"},"spec":{"replicas":${replicas},"strategy":{"rollingUpdate":{"maxSurge":${maxSurge}}},"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i","ports":[{"containerPort":80}]}]}}}}`;
const typedPatch = (kind: keyof typeof patchTypes, on: string, body: string, query = ""): Step => ({
  ...patch(kind, on, body, query),
});

/** One notation of a number in every place that requires an integer. */
const numbered = (number: string): Case => {
  const d = `${deployments}/d`;
  const operation = (path: string): string => `[{"op":"replace","path":"${path}","value":${number}}]`;
  return {
    name: `JSON: an integer written as ${number}`,
    steps: [
      post(configmaps, `{"metadata":{"name":"a","generation":${number}}}`),
      post(deployments, deployment(number, "1"), "fieldValidation=Strict"),
      post(deployments, deployment("1", number), "fieldValidation=Ignore"),
      post(deployments, deployment("1", "1")),
      put(d, deployment(number, "1")),
      ...["Strict", "Ignore"].flatMap((how) => [
        typedPatch("merge", d, `{"spec":{"replicas":${number}}}`, `fieldValidation=${how}`),
        typedPatch("json", d, operation("/spec/replicas"), `fieldValidation=${how}`),
      ]),
      typedPatch("merge", d, `{"spec":{"strategy":{"rollingUpdate":{"maxSurge":${number}}}}}`),
      typedPatch("json", d, operation("/spec/template/spec/containers/0/ports/0/containerPort")),
      // A JSON patch `test` for -0 succeeds in the sandbox if the value is 0, because they are the same number in JavaScript.
      ...(number === "-0" ? [] : [typedPatch("json", d, `[{"op":"test","path":"/spec/replicas","value":${number}}]`)]),
      typedPatch("strategic", d, `{"spec":{"replicas":${number}}}`),
      typedPatch("strategic", d, `{"spec":{"strategy":{"rollingUpdate":{"maxSurge":${number}}}}}`),
      typedPatch("merge", `${d}/scale`, `{"spec":{"replicas":${number}}}`),
      put(`${d}/scale`, `{"metadata":{"name":"d"},"spec":{"replicas":${number}}}`),
      { ...put(`${d}/scale`, `{"metadata":{"name":"d"},"spec":{"replicas":${number}}}`), type: "application/yaml" },
      del(d, `{"gracePeriodSeconds":${number}}`),
    ],
  };
};

export const bodies: Table = {
  name: "bodies",
  cases: [
    raw("null", "null"),
    raw("a byte order mark", '\uFEFF{"metadata":{"name":"a"}}'),
    raw("whitespace", ' \n\t{ "metadata" : { "name" : "spaced" , "labels" : { "a" : "b" } } } \n'),
    raw("duplicate keys", twice),
    { name: "JSON: duplicate keys, Strict", steps: [post(configmaps, twice, "fieldValidation=Strict")] },
    { name: "JSON: duplicate keys, Ignore", steps: [post(configmaps, twice, "fieldValidation=Ignore")] },
    {
      name: "JSON: duplicate keys in lists",
      steps: [
        post(
          pods,
          '{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"},{"name":"d","name":"d","image":"i","env":[{"name":"A","value":"1","value":"2"}]}]}}',
        ),
      ],
    },
    raw(
      "numbers beyond int64",
      '{"metadata":{"name":"a","generation":9223372036854775808}}',
      '{"metadata":{"name":"a","generation":1.5}}',
      '{"metadata":{"name":"a","generation":1e400}}',
    ),
    {
      name: "JSON: a number that only an int64 holds",
      differs: "numbers here are exact up to 2^53: a larger one is refused instead of being changed",
      steps: [
        post(
          configmaps,
          '{"metadata":{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"a","uid":"9007199254740993"}],"generation":9007199254740993}}',
        ),
      ],
    },
    ...["1e3", "1.0", "1E3", "10e-1", "-0", "0e5", "1.5", "-1e2"].map(numbered),
    {
      name: "JSON: quantities as numbers",
      steps: ["1e3", "0.10", "1E3", "1.0", "100"].map((number) =>
        post(
          quotas,
          `{"metadata":{"generateName":"madeup-"},"spec":{"hard":{"cpu":${number},"example.com/x 1.5, ":"1","pods":"1.0"}}}`,
        ),
      ),
    },
    {
      name: "JSON: numbers in strings are strings",
      steps: [
        post(
          configmaps,
          '{"metadata":{"name":"a","annotations":{"a":"b: 1.5, c","d":"[1e3]"}},"data":{"generation":"1e3"}}',
        ),
      ],
    },
    raw(
      "times",
      '{"metadata":{"name":"a","creationTimestamp":"2020-13-01T00:00:00Z"}}',
      '{"metadata":{"name":"a","creationTimestamp":"2020-01-32T00:00:00Z"}}',
      '{"metadata":{"name":"a","creationTimestamp":"2020-02-30T00:00:00Z"}}',
      '{"metadata":{"name":"a","creationTimestamp":"2020-01-01T25:00:00Z"}}',
      '{"metadata":{"name":"a","creationTimestamp":"2020-01-01T00:61:00Z"}}',
      '{"metadata":{"name":"a","creationTimestamp":"2020-01-01T00:00:61Z"}}',
      '{"metadata":{"name":"a","creationTimestamp":"2020-01-01 00:00:00"}}',
      '{"metadata":{"name":"a","creationTimestamp":""}}',
      '{"metadata":{"name":"t1","creationTimestamp":"2020-02-29T23:59:59+01:00"}}',
      '{"metadata":{"name":"a","creationTimestamp":"2019-02-29T00:00:00Z"}}',
      '{"metadata":{"name":"a","creationTimestamp":5}}',
    ),
    {
      name: "ConfigMaps: keys and sizes",
      steps: [
        post(configmaps, configMap("a", { ["k".repeat(253)]: "v" })),
        post(configmaps, configMap("b", { ["k".repeat(254)]: "v" })),
        post(configmaps, configMap("c", { "": "v" })),
        post(configmaps, configMap("c", { "..": "v" })),
        post(configmaps, configMap("c", { "..a": "v" })),
        post(configmaps, { metadata: { name: "c" }, binaryData: { a: "eHh4".repeat(349_526) } }),
        post(secrets, { metadata: { name: "c" }, data: { a: "eHh4".repeat(349_526) } }),
        post(configmaps, configMap("d", { a: "x".repeat(1_048_577) })),
        post(configmaps, { metadata: { name: "e" }, data: { a: "b" }, binaryData: { a: "eA==" } }),
      ],
    },
    {
      name: "content types of bodies",
      steps: [
        typed("APPLICATION/JSON"),
        { ...typed(""), body: configMap("b") },
        { ...typed("application/json;charset=utf-8"), body: configMap("c") },
        typed("application/json, text/plain"),
        typed("application/x-www-form-urlencoded"),
        typed("application/json;stream=watch"),
      ],
    },
    {
      name: "a new object has no resourceVersion",
      steps: [
        post(configmaps, configMap("a", {}, { resourceVersion: "5" })),
        post(configmaps, configMap("b", {}, { resourceVersion: "0" })),
        post(configmaps, configMap("c", {}, { resourceVersion: "Always" })),
        post(configmaps, configMap("d", {}, { resourceVersion: "18446744073709551616" })),
        post(configmaps, configMap("", {}, { resourceVersion: "5" })),
        post(configmaps, configMap("e", {}, { resourceVersion: "5", namespace: "other" })),
        post(persistentvolumeclaims, { metadata: { name: "", resourceVersion: "5" }, spec: {} }),
        post(configmaps, configMap("b", {}, { resourceVersion: "5" })),
        post("/api/v1/namespaces", { metadata: { name: "{ns}-b", resourceVersion: "5" } }),
      ],
    },
    {
      name: "name, namespace and version in the body of an update",
      steps: [
        post(configmaps, configMap("a")),
        put(`${configmaps}/a`, { data: { a: "b" } }),
        put(`${configmaps}/a`, configMap("b")),
        put(`${configmaps}/a`, configMap("a", {}, { namespace: "other" })),
        put(`${configmaps}/a`, configMap("a", {}, { resourceVersion: "18446744073709551616" })),
        put(`${configmaps}/a`, configMap("a", {}, { resourceVersion: "18446744073709551615" })),
        put(`${configmaps}/a`, configMap("a", {}, { resourceVersion: "x" })),
        put(`${configmaps}/a`, configMap("a", {}, { resourceVersion: "-1" })),
        put(`${configmaps}/a`, configMap("a", {}, { uid: "other" })),
        put("/api/v1/namespaces/{ns}", { metadata: {} }),
        put("/api/v1/namespaces/{ns}", { metadata: { name: "{ns}", namespace: "x" } }),
        put(`${configmaps}/a`, "null"),
      ],
    },
    {
      name: "name and namespace in the body of a scale",
      steps: [
        post(replicasets, workload("a")),
        put(`${replicasets}/none/scale`, scale(undefined, 1)),
        put(`${replicasets}/none/scale`, scale("none", 1)),
        put(`${replicasets}/a/scale`, scale(undefined, 1)),
        put(`${replicasets}/a/scale`, scale("b", 1)),
        put(`${replicasets}/a/scale`, scale("a", "many")),
        put(`${replicasets}/a/scale`, scale("a", -1)),
        put(`${replicasets}/a/scale`, { ...(scale("a", 2) as object), kind: "ReplicaSet" }),
        put(`${replicasets}/a/scale`, { ...(scale("a", 2) as object), nope: 1 }),
        put(`${replicasets}/a/scale`, scale("a", 3), "fieldManager=a%0A"),
        put(`${replicasets}/a/scale`, "{"),
        put(`${replicasets}/a/scale`, "null"),
        patch("merge", `${replicasets}/none/scale`, { spec: { replicas: 1 } }),
        patch("merge", `${replicasets}/a/scale`, { spec: { replicas: 4 } }),
        patch("json", `${replicasets}/a/scale`, [{ op: "replace", path: "/spec/replicas", value: 5 }]),
        patch("strategic", `${replicasets}/a/scale`, { spec: { replicas: 6 } }),
        patch("json", `${replicasets}/a/scale`, [{ op: "test", path: "/spec/replicas", value: 9 }]),
        patch("merge", `${replicasets}/a/scale`, { spec: { replicas: "x" } }),
        patch("merge", `${replicasets}/a/scale`, { metadata: { name: "b" } }),
        patch("merge", `${replicasets}/a/scale`, { kind: "Nope" }),
        { ...patch("merge", `${replicasets}/a/scale`, {}), type: "text/plain" },
        get(`${replicasets}/a/scale`),
        get(`${replicasets}/none/scale`),
        put(`${deployments}/nobody/scale`, { spec: { replicas: 1 } }),
      ],
    },
    { name: "bodies that are not JSON", steps: brokenJson.map((body) => post(configmaps, body)) },
    {
      name: "patches and options that are not JSON",
      steps: [
        post(configmaps, configMap("a")),
        ...["{", '{"a" 1}', '{"a":tru}', "[1 2]", "{} x"].flatMap((body) => [
          ...(["merge", "strategic", "json"] as const).map((kind) => patch(kind, `${configmaps}/a`, body)),
          put(`${configmaps}/a`, body),
          del(`${configmaps}/a`, body),
        ]),
      ],
    },
  ],
};
