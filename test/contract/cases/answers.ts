/** Content negotiation: media types, tables, metadata only; response headers; impersonation. */
import {
  configMap,
  del,
  get,
  paths,
  pod,
  post,
  put,
  watching,
  workload,
  type Case,
  type Step,
  type Table,
} from "../case.ts";

const { configmaps, pods, replicationcontrollers, deployments } = paths;
const json = "application/json";
const table = `${json};as=Table;v=v1;g=meta.k8s.io`;
const partial = `${json};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`;
const partialList = `${json};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io`;
const at = (path: string, accept: string, query?: string): Step => ({ ...get(path, query), accept });
const each = (name: string, path: string, ...accepts: readonly string[]): Case => ({
  name: `accepts ${name}`,
  steps: [post(configmaps, configMap("a")), ...accepts.map((accept) => at(path, accept))],
});
const getWith = (path: string, headers: Readonly<Record<string, string>>): Step => ({ ...get(path), headers });
const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };

const aggregated = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
/** Response headers that clients use for caching. */
const kept = ["content-type", "cache-control", "etag", "vary"];
/** The ETags of the discovery documents that Kubernetes 1.36.3 serves by default. */
const tags = {
  api: "4D7E1BED90B364BC86049DD9E636494980AEF65B7F8CFAA267616FA062B514A8A3CC2C2851CC9337B8D28B4C80960E2353DE5E0B152E87CC223E02EA3C5C37AC",
  apis: "A74552DF419C4697E3A22F67B8FE55FD8F2CC33F6134FF206B16341598294CDE9896C7F67B2819217E6BB70E74F97FCC864DDFCDB02FDA565699CC7D6E3CC377",
};

const keeping = (path: string, etag: string): Step => ({
  ...at(path, `${json};${aggregated}`),
  headers: { "if-none-match": etag },
  shows: kept,
});

export const answers: Table = {
  name: "answers",
  cases: [
    each(
      "forms of a list",
      configmaps,
      table,
      partialList,
      partial,
      table.replace("v=v1;", "v=v1beta1;"),
      partialList.replace("v=v1;", "v=v1beta1;"),
    ),
    each(
      "forms of an object",
      `${configmaps}/a`,
      table,
      partial,
      partialList,
      partial.replace("v=v1;", "v=v1beta1;"),
      table.replace("v=v1;", "v=v1beta1;"),
    ),
    each(
      "unknown forms",
      configmaps,
      `${json};as=Table;v=v9;g=meta.k8s.io`,
      `${json};as=Table;v=v1;g=nope`,
      `${json};as=Table;v=v9;g=nope`,
      `${json};as=Table`,
      `${json};as=Nope;v=v1;g=meta.k8s.io`,
      `${json};as=Table;v=v9;g=nope,${json}`,
      `${json};v=v1;g=meta.k8s.io`,
      `${json};as=`,
      "text/html",
      "text/html,*/*",
      "*/*;q=0.1",
      `${json};q=0`,
      "application/*",
      "application/yaml;as=Table;v=v1;g=meta.k8s.io",
    ),
    each(
      "forms of discovery",
      "/apis",
      `${json};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryLis`,
      "text/html",
      "application/yaml",
    ),
    each("forms of discovery of a group", "/apis/apps", "text/html"),
    each("forms of discovery of a version", "/api/v1", "text/html"),
    each(
      "unknown versions of discovery",
      "/apis",
      `${json};g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList`,
      `${json};g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList`,
      `${json};g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,${json}`,
    ),
    {
      name: "all groups in one document",
      steps: [
        { ...at("/apis", `${json};${aggregated}`), shows: kept },
        ...[
          `${json};${aggregated};profile=nopeer,${json};${aggregated},${json};${aggregated.replace("v2", "v2beta1")},${json}`,
          `${json},${json};${aggregated}`,
          `${json};q=0.9,*/*;${aggregated};q=0.1`,
          `text/html,${json};as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io`,
          `application/yaml;${aggregated}`,
          `${json};v=v2`,
          `${json};g=apidiscovery.k8s.io`,
          `${json};as=Table;v=v1;g=meta.k8s.io,*/*`,
        ].map((accept) => ({ ...at("/api", accept), shows: kept })),
      ],
    },
    {
      name: "all groups in one document, at other paths and with other methods",
      steps: [
        ...["/api/", "/apis/", "/apis/apps", "/apis/apps/v1", "/api/v1"].map((path) =>
          at(path, `${json};${aggregated}`),
        ),
        ...["/api", "/apis"].map((path) => ({ ...del(path), accept: `${json};${aggregated}`, shows: kept })),
        del("/api"),
      ],
    },
    {
      name: "all groups in one document, with an ETag that the client has",
      steps: [
        ...Object.values(tags).flatMap((tag) =>
          [`"${tag}"`, `W/"${tag}"`, `"x", "${tag}"`, tag, "*"].map((etag) => keeping("/api", etag)),
        ),
        keeping("/apis", `"${tags.apis}"`),
        { ...at("/apis", json), headers: { "if-none-match": `"${tags.apis}"` }, shows: kept },
      ],
    },
    {
      name: "tables with objects of their rows, or without",
      steps: [
        post(configmaps, configMap("a", { k: "v" })),
        at(configmaps, table, "includeObject=None"),
        at(configmaps, table, "includeObject=Metadata"),
        at(configmaps, table, "includeObject=Object"),
        at(configmaps, table, "includeObject=Nope"),
        at(configmaps, table, "includeObject="),
        at(configmaps, table, "noHeaders=true"),
        at(configmaps, json, "includeObject=Nope"),
        at(configmaps, `${json};as=Table;v=v1beta1;g=meta.k8s.io`, "includeObject=Object"),
        { ...watching(configmaps, 1, "resourceVersion=0&includeObject=Object"), accept: table },
        { ...watching(configmaps, 1, "resourceVersion=0&includeObject=None"), accept: table },
        { ...watching(configmaps, 1, "resourceVersion=0&includeObject=Nope"), accept: table },
      ],
    },
    {
      name: "a watch of tables sends the column definitions once",
      steps: [
        post(configmaps, configMap("a")),
        post(configmaps, configMap("b")),
        { ...watching(configmaps, 2, "resourceVersion=0"), accept: table },
        { ...watching(configmaps, 2, "resourceVersion=0"), accept: table.replace("v=v1;", "v=v1beta1;") },
        { ...watching(configmaps, 1, "resourceVersion=0"), accept: partial },
        { ...watching(configmaps, 1, "resourceVersion=0"), accept: partial.replace("v=v1;", "v=v1beta1;") },
        { ...watching(configmaps, 1, "resourceVersion=0"), accept: partialList },
        { ...watching(configmaps, 1, "resourceVersion=0"), accept: `${json};as=Nope;v=v1;g=meta.k8s.io` },
      ],
    },
    {
      name: "responses to writes as metadata and as tables",
      steps: [
        { ...post(configmaps, configMap("a")), accept: partial },
        { ...put(`${configmaps}/a`, configMap("a", { k: "v" })), accept: table },
        { ...post(configmaps, configMap("b")), accept: "text/html" },
        { ...post(configmaps, configMap("c")), accept: partialList },
        get(`${configmaps}/b`),
        get(`${configmaps}/c`),
      ],
    },
    {
      name: "scales as tables",
      steps: [
        post(replicationcontrollers, {
          metadata: { name: "a" },
          spec: { replicas: 2, selector: { app: "a" }, template },
        }),
        post(deployments, workload("a", { replicas: 2 })),
        at(`${replicationcontrollers}/a/scale`, table),
        at(`${deployments}/a/scale`, table),
        at(`${deployments}/a/scale`, partial),
        at(`${deployments}/a/scale`, "text/html"),
        at(`${deployments}/a/status`, table),
      ],
    },
    {
      name: "headers of responses",
      steps: [
        post(configmaps, configMap("a")),
        { ...get(configmaps), shows: ["cache-control", "content-type"] },
        { ...get(`${configmaps}/none`), shows: ["cache-control", "content-type"] },
        { ...get("/api/v1"), shows: ["cache-control", "content-type"] },
        { ...get("/readyz"), shows: ["cache-control", "content-type", "x-content-type-options"] },
        { ...get("/nope"), shows: ["cache-control", "content-type", "x-content-type-options"] },
      ],
    },
    {
      name: "impersonation needs a user name, and grants nothing",
      steps: [
        getWith("/api/v1/secrets", { "impersonate-user": "nobody" }),
        getWith(`${configmaps}/a`, { "impersonate-user": "nobody" }),
        getWith("/apis/apps/v1/namespaces/{ns}/deployments/a/scale", { "impersonate-user": "nobody" }),
        getWith("/api/v1/nodes/a", { "impersonate-user": "nobody" }),
        { ...post(configmaps, configMap("a")), headers: { "impersonate-user": "system:anonymous" } },
        getWith("/api/v1/secrets", { "impersonate-user": "system:serviceaccount:default:default" }),
        getWith("/api/v1/secrets", { "impersonate-group": "system:masters" }),
        getWith("/api/v1/secrets", { "impersonate-extra-scopes": "x" }),
        getWith("/api/v1/secrets", { "impersonate-uid": "x" }),
        getWith(configmaps, { "impersonate-user": "somebody", "impersonate-group": "system:masters" }),
        getWith("/metrics/nope", { "impersonate-user": "nobody" }),
        getWith("/version", { "impersonate-user": "nobody" }),
        { ...watching(configmaps, 1, "timeoutSeconds=1"), headers: { "impersonate-user": "nobody" } },
        {
          ...post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}),
          headers: {
            "impersonate-user": "nobody",
            "impersonate-uid": "u",
            "impersonate-group": "g",
            "impersonate-extra-a": "b",
          },
        },
        {
          ...post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
            spec: { resourceAttributes: { verb: "get", resource: "pods" } },
          }),
          headers: { "impersonate-user": "nobody" },
        },
      ],
    },
    {
      name: "access reviews have exactly one kind of attributes",
      steps: [
        post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { spec: {} }),
        post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
          spec: { resourceAttributes: { verb: "get" }, nonResourceAttributes: { path: "/", verb: "get" } },
        }),
        post("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", { spec: {} }),
        post("/apis/authorization.k8s.io/v1/subjectaccessreviews", { spec: { resourceAttributes: { verb: "get" } } }),
        post("/apis/authorization.k8s.io/v1/subjectaccessreviews", { spec: { user: "u" } }),
        post("/apis/authorization.k8s.io/v1/namespaces/{ns}/localsubjectaccessreviews", {
          spec: { user: "u", resourceAttributes: { namespace: "other" } },
        }),
        post("/apis/authorization.k8s.io/v1/namespaces/{ns}/localsubjectaccessreviews", {
          spec: { user: "u", nonResourceAttributes: { path: "/", verb: "get" } },
        }),
        post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: {} }),
      ],
    },
    {
      name: "methods and paths that do not exist",
      steps: [
        post("/version", {}),
        post("/api/v1", {}),
        post("/apis", {}),
        put(configmaps, {}),
        get("/api/v1/namespaces/{ns}/pods/none/log"),
        post(pods, pod("a")),
      ],
    },
  ],
};
