/** All forms of deletion, finalizers, generation, status, watches, lists and pages. */
import {
  configMap,
  del,
  get,
  patch,
  paths,
  pod,
  post,
  put,
  settle,
  watching,
  workload,
  type Step,
  type Table,
} from "../case.ts";

const { configmaps, pods, replicasets, deployments, replicationcontrollers, jobs, services, serviceaccounts } = paths;

const running = (name: string): unknown => pod(name, {}, { nodeName: "node-1" });
const inPhase = (phase: string): Step => patch("merge", `${pods}/a/status`, { status: { phase } });
const several = ["d", "b", "a", "c"].map((name) =>
  post(
    configmaps,
    configMap(name, { k: name }, { labels: { letter: name, even: name === "b" || name === "d" ? "yes" : "no" } }),
  ),
);
const withFinalizer = post(configmaps, configMap("a", {}, { finalizers: ["example.com/x"] }));

const policies = (path: string, body: unknown, what: string): { name: string; steps: Step[] }[] =>
  ["Background", "Foreground", "Orphan"].map((propagationPolicy) => ({
    name: `a ${what} deleted with the policy ${propagationPolicy}`,
    steps: [post(path, body), del(`${path}/a`, { propagationPolicy }), get(`${path}/a`)],
  }));

export const lifecycle: Table = {
  name: "lifecycle",
  cases: [
    ...policies(replicasets, workload("a"), "ReplicaSet"),
    ...policies(deployments, workload("a"), "Deployment"),
    ...policies(configmaps, configMap("a"), "ConfigMap"),
    ...policies(pods, running("a"), "running pod"),
    {
      name: "orphanDependents, the deprecated option",
      steps: [
        post(replicasets, workload("a")),
        del(`${replicasets}/a`, { orphanDependents: true }),
        post(replicasets, workload("b")),
        del(`${replicasets}/b`, { orphanDependents: false }),
      ],
    },
    {
      name: "the policy as a query parameter",
      steps: [
        post(replicasets, workload("a")),
        del(`${replicasets}/a`, undefined, "propagationPolicy=Foreground&gracePeriodSeconds=0"),
      ],
    },
    {
      name: "a second deletion with another policy changes the finalizer",
      steps: [
        post(replicasets, workload("a")),
        del(`${replicasets}/a`, { propagationPolicy: "Foreground" }),
        del(`${replicasets}/a`, { propagationPolicy: "Orphan" }),
      ],
    },
    {
      name: "a running pod waits for its kubelet",
      steps: [
        post(pods, running("a")),
        del(`${pods}/a`),
        get(`${pods}/a`),
        del(`${pods}/a`, { gracePeriodSeconds: 0 }),
        get(`${pods}/a`),
      ],
    },
    {
      name: "a running pod has its own grace period",
      steps: [post(pods, pod("a", {}, { nodeName: "n", terminationGracePeriodSeconds: 5 })), del(`${pods}/a`)],
    },
    {
      name: "a grace period can be shortened, but not extended",
      steps: [
        post(pods, running("a")),
        del(`${pods}/a`, { gracePeriodSeconds: 20 }),
        del(`${pods}/a`, { gracePeriodSeconds: 40 }),
        del(`${pods}/a`, { gracePeriodSeconds: 5 }),
        del(`${pods}/a`),
      ],
    },
    {
      name: "a negative grace period is one second",
      steps: [post(pods, running("a")), del(`${pods}/a`, { gracePeriodSeconds: -5 })],
    },
    {
      name: "a finished pod is removed immediately",
      steps: [post(pods, running("a")), inPhase("Succeeded"), del(`${pods}/a`), get(`${pods}/a`)],
    },
    {
      name: "a failed pod is removed immediately",
      steps: [post(pods, running("a")), inPhase("Failed"), del(`${pods}/a`), get(`${pods}/a`)],
    },
    {
      name: "a pod without a node sends two watch events when it is deleted",
      steps: [
        post(pods, pod("a")),
        del(`${pods}/a`),
        watching(pods, 2, "resourceVersion={0.metadata.resourceVersion}"),
      ],
    },
    {
      name: "an object with a finalizer waits",
      steps: [
        withFinalizer,
        del(`${configmaps}/a`),
        get(`${configmaps}/a`),
        patch("merge", `${configmaps}/a`, { metadata: { finalizers: null } }),
        get(`${configmaps}/a`),
      ],
    },
    {
      name: "a terminating object can be deleted again",
      steps: [withFinalizer, del(`${configmaps}/a`), del(`${configmaps}/a`)],
    },
    {
      name: "a terminating object accepts no new finalizer",
      steps: [
        withFinalizer,
        del(`${configmaps}/a`),
        patch("merge", `${configmaps}/a`, { metadata: { finalizers: ["example.com/x", "example.com/y"] } }),
      ],
    },
    {
      name: "a terminating object can be changed",
      steps: [withFinalizer, del(`${configmaps}/a`), patch("merge", `${configmaps}/a`, { data: { k: "v" } })],
    },
    {
      name: "a running pod with a finalizer",
      steps: [
        post(pods, pod("a", { finalizers: ["example.com/x"] }, { nodeName: "n" })),
        del(`${pods}/a`),
        del(`${pods}/a`, { gracePeriodSeconds: 0 }),
        get(`${pods}/a`),
        patch("merge", `${pods}/a`, { metadata: { finalizers: null } }),
        get(`${pods}/a`),
      ],
    },
    {
      name: "a pod with a finalizer and without a node",
      steps: [
        post(pods, pod("a", { finalizers: ["example.com/x"] })),
        del(`${pods}/a`),
        patch("json", `${pods}/a`, [{ op: "remove", path: "/metadata/finalizers" }]),
        get(`${pods}/a`),
      ],
    },
    {
      name: "removing the last finalizer sends one watch event",
      steps: [
        withFinalizer,
        del(`${configmaps}/a`),
        put(`${configmaps}/a`, configMap("a")),
        watching(configmaps, 2, "resourceVersion={0.metadata.resourceVersion}"),
      ],
    },
    {
      name: "invalid finalizers",
      steps: [
        post(configmaps, configMap("a", {}, { finalizers: ["x"] })),
        post(configmaps, configMap("b", {}, { finalizers: ["a/b/c"] })),
        post(configmaps, configMap("c", {}, { finalizers: ["orphan", "foregroundDeletion"] })),
      ],
    },
    { name: "deletes a collection", steps: [...several, del(configmaps), get(configmaps)] },
    {
      name: "deletes a page of a collection",
      steps: [
        ...several,
        del(configmaps, undefined, "limit=1"),
        get(configmaps),
        del(configmaps, undefined, "limit=9"),
      ],
    },
    {
      name: "deletes a part of a collection by label",
      steps: [...several, del(configmaps, undefined, "labelSelector=even%3Dyes"), get(configmaps)],
    },
    {
      name: "deletes a part of a collection by field",
      steps: [...several, del(configmaps, undefined, "fieldSelector=metadata.name%3Db"), get(configmaps)],
    },
    {
      name: "deletes a collection of pods",
      steps: [post(pods, running("a")), post(pods, pod("b")), del(pods), get(pods)],
    },
    {
      name: "a dry run deletes no collection",
      steps: [...several, del(configmaps, undefined, "dryRun=All"), get(configmaps)],
    },
    {
      name: "deletes a Service and returns it",
      steps: [post(services, { metadata: { name: "a" }, spec: { clusterIP: "None" } }), del(`${services}/a`)],
    },
    {
      name: "deletes a ServiceAccount and returns it",
      steps: [post(serviceaccounts, { metadata: { name: "a" } }), del(`${serviceaccounts}/a`)],
    },
    {
      name: "deletes a ReplicationController",
      steps: [
        post(replicationcontrollers, {
          metadata: { name: "a" },
          spec: { template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } } },
        }),
        del(`${replicationcontrollers}/a`),
      ],
    },
    {
      name: "deletes a Job",
      steps: [
        post(jobs, {
          metadata: { name: "a" },
          spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
        }),
        del(`${jobs}/a`),
      ],
    },
    {
      name: "generation increases only with changes of the spec",
      steps: [
        post(replicasets, workload("a")),
        patch("merge", `${replicasets}/a`, { metadata: { labels: { x: "y" } } }),
        patch("merge", `${replicasets}/a`, { spec: { replicas: 3 } }),
        patch("merge", `${replicasets}/a`, { spec: { replicas: 3 } }),
        patch("merge", `${replicasets}/a`, { metadata: { generation: 77 } }),
      ],
    },
    {
      name: "a Deployment's generation also counts its annotations",
      steps: [
        post(deployments, workload("a")),
        patch("merge", `${deployments}/a`, { metadata: { annotations: { x: "y" } } }),
        patch("merge", `${deployments}/a`, { metadata: { labels: { x: "y" } } }),
      ],
    },
    {
      name: "a pod's generation",
      steps: [
        post(pods, pod("a")),
        patch("merge", `${pods}/a`, { metadata: { labels: { x: "y" } } }),
        patch("merge", `${pods}/a`, { spec: { containers: null, activeDeadlineSeconds: 5 } }),
        patch("strategic", `${pods}/a`, { spec: { activeDeadlineSeconds: 5 } }),
        patch("strategic", `${pods}/a`, { spec: { containers: [{ name: "c", image: "new" }] } }),
      ],
    },
    {
      name: "the status is written by its subresource",
      steps: [
        post(replicasets, workload("a")),
        put(`${replicasets}/a/status`, {
          metadata: { name: "a", labels: { x: "y" } },
          spec: { replicas: 9 },
          status: { replicas: 2, readyReplicas: 1, observedGeneration: 1 },
        }),
        get(`${replicasets}/a/status`),
        put(`${replicasets}/a`, {
          metadata: { name: "a" },
          spec: {
            replicas: 4,
            selector: { matchLabels: { app: "a" } },
            template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } },
          },
          status: { replicas: 99 },
        }),
      ],
    },
    {
      name: "the status of a new object is dropped",
      steps: [post(replicasets, { ...(workload("a") as object), status: { replicas: 5 } })],
    },
    {
      name: "a pod's status",
      steps: [
        post(pods, running("a")),
        patch("strategic", `${pods}/a/status`, {
          status: {
            phase: "Running",
            podIP: "10.1.2.3",
            hostIP: "10.9.9.9",
            conditions: [{ type: "Ready", status: "True" }],
            containerStatuses: [
              { name: "c", ready: true, restartCount: 0, image: "i", imageID: "", state: { running: {} } },
            ],
          },
        }),
        patch("strategic", `${pods}/a/status`, { status: { conditions: [{ type: "PodScheduled", status: "True" }] } }),
      ],
    },
    {
      name: "a missing status subresource",
      steps: [
        patch("merge", `${configmaps}/a/status`, {}),
        get(`${configmaps}/a/status`),
        put(`${replicasets}/none/status`, workload("none")),
      ],
    },
    {
      name: "lists by label",
      steps: [
        ...several,
        ...[
          "even=yes",
          "even==yes",
          "even!=yes",
          "letter in (a,b)",
          "letter notin (a,b)",
          "letter",
          "!letter",
          "even=yes,letter=b",
          "nothing=x",
        ].map((s) => get(configmaps, `labelSelector=${encodeURIComponent(s)}`)),
      ],
    },
    {
      name: "invalid label selectors",
      steps: ["a=b=c", "a in b", "a in (", "=x", "a,,b", "!", "a===b", "a in (b", "-a=b", "a=-"].map((s) =>
        get(configmaps, `labelSelector=${encodeURIComponent(s)}`),
      ),
    },
    {
      name: "lists by field",
      steps: [
        ...several,
        ...[
          "metadata.name=a",
          "metadata.name!=a",
          "metadata.namespace={ns}",
          "metadata.namespace=other",
          "metadata.name=a,metadata.namespace={ns}",
        ].map((s) => get(configmaps, `fieldSelector=${s.replaceAll("=", "%3D").replace("!%3D", "!%3D")}`)),
      ],
    },
    {
      name: "fields that do not support selectors",
      steps: [
        get(configmaps, "fieldSelector=data.k%3Da"),
        get(pods, "fieldSelector=spec.foo%3Da"),
        get(replicasets, "fieldSelector=status.replicas%3D1"),
        get(jobs, "fieldSelector=x%3Dy"),
        get(configmaps, "fieldSelector=metadata.name"),
        get(services, "fieldSelector=x%3Dy"),
      ],
    },
    {
      name: "pods by field",
      steps: [
        post(pods, running("a")),
        post(pods, pod("b")),
        inPhase("Running"),
        ...[
          "spec.nodeName=node-1",
          "spec.nodeName=",
          "status.phase=Running",
          "status.phase!=Running",
          "spec.restartPolicy=Always",
          "spec.serviceAccountName=default",
          "spec.schedulerName=x",
          "spec.hostNetwork=false",
        ].map((s) => get(pods, `fieldSelector=${encodeURIComponent(s)}`)),
      ],
    },
    {
      name: "pages",
      steps: [
        ...several,
        get(configmaps, "limit=3"),
        get(configmaps, "limit=2&continue={4.metadata.continue}"),
        get(configmaps, "limit=4"),
        get(configmaps, "limit=1&labelSelector=even%3Dyes"),
        get(configmaps, "limit=5&continue={7.metadata.continue}&labelSelector=even%3Dyes"),
      ],
    },
    {
      name: "all pages have the same version",
      steps: [
        ...several,
        get(configmaps, "limit=1"),
        del(`${configmaps}/c`),
        post(configmaps, configMap("bb")),
        patch("merge", `${configmaps}/d`, { data: { k: "new" } }),
        get(configmaps, "continue={4.metadata.continue}"),
        get(configmaps),
      ],
    },
    {
      name: "invalid continue tokens",
      steps: [
        "abc",
        "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ",
        "eyJ2IjoieCIsInJ2IjoxLCJzdGFydCI6ImEifQ",
        "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi9hIn0",
      ].map((token) => get(configmaps, `continue=${token}`)),
    },
    {
      name: "a continue token with a version",
      steps: [
        ...several,
        get(configmaps, "limit=1"),
        get(configmaps, "limit=1&continue={4.metadata.continue}&resourceVersion=5"),
        get(configmaps, "limit=1&continue={4.metadata.continue}&resourceVersion=0"),
      ],
    },
    {
      name: "a list at an exact version",
      steps: [
        ...several,
        del(`${configmaps}/a`),
        get(configmaps, "resourceVersion={3.metadata.resourceVersion}&resourceVersionMatch=Exact"),
        get(configmaps, "resourceVersion={1.metadata.resourceVersion}&resourceVersionMatch=Exact"),
        get(configmaps, "resourceVersion={1.metadata.resourceVersion}&limit=1"),
      ],
    },
    {
      name: "a list not older than a version",
      steps: [
        ...several,
        settle,
        get(configmaps, "resourceVersion={1.metadata.resourceVersion}&resourceVersionMatch=NotOlderThan"),
        get(configmaps, "resourceVersion={1.metadata.resourceVersion}"),
        get(configmaps, "resourceVersion=0"),
        get(configmaps, "resourceVersion=0&limit=1"),
      ],
    },
    {
      name: "invalid versions of lists",
      steps: [
        "resourceVersion=abc",
        "resourceVersion=-1",
        "resourceVersion=99999999",
        "resourceVersionMatch=Exact",
        "resourceVersion=0&resourceVersionMatch=Exact",
        "resourceVersion=1&resourceVersionMatch=Sometimes",
        "limit=x",
        "limit=-1",
        "continue=x&resourceVersionMatch=Exact&resourceVersion=1",
        "sendInitialEvents=true",
      ].map((query) => get(configmaps, query)),
    },
    {
      name: "a get with a version",
      steps: [
        post(configmaps, configMap("a")),
        settle,
        get(`${configmaps}/a`, "resourceVersion=0"),
        get(`${configmaps}/a`, "resourceVersion={0.metadata.resourceVersion}"),
        get(`${configmaps}/a`, "resourceVersion=abc"),
      ],
    },
    {
      name: "watches without a version start with the present state",
      steps: [...several, watching(configmaps, 4, ""), watching(configmaps, 4, "resourceVersion=0")],
    },
    {
      name: "a watch by label sees objects added and removed",
      steps: [
        post(configmaps, configMap("a", {}, { labels: { on: "yes" } })),
        patch("merge", `${configmaps}/a`, { metadata: { labels: { on: "no" } } }),
        patch("merge", `${configmaps}/a`, { metadata: { labels: { on: "yes" } } }),
        patch("merge", `${configmaps}/a`, { data: { k: "v" } }),
        del(`${configmaps}/a`),
        watching(configmaps, 4, "labelSelector=on%3Dyes&resourceVersion={0.metadata.resourceVersion}"),
      ],
    },
    {
      name: "a watch of one object",
      steps: [
        post(configmaps, configMap("a")),
        post(configmaps, configMap("b")),
        patch("merge", `${configmaps}/a`, { data: { k: "v" } }),
        patch("merge", `${configmaps}/b`, { data: { k: "v" } }),
        patch("merge", `${configmaps}/a`, { data: { k: "w" } }),
        watching(configmaps, 2, "fieldSelector=metadata.name%3Da&resourceVersion={1.metadata.resourceVersion}"),
        watching(`${configmaps}/a`, 2, "resourceVersion={1.metadata.resourceVersion}"),
      ],
    },
    {
      name: "the initial events and the bookmark at their end",
      steps: [
        ...several,
        watching(configmaps, 5, "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"),
        watching(replicasets, 1, "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"),
        watching(pods, 1, "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"),
        watching(deployments, 1, "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"),
        watching(services, 1, "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"),
        watching(jobs, 1, "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"),
      ],
    },
    {
      name: "invalid options of watches",
      steps: [
        "sendInitialEvents=true",
        "sendInitialEvents=true&resourceVersionMatch=Exact",
        "resourceVersionMatch=NotOlderThan&resourceVersion=1",
        "resourceVersion=abc",
        "timeoutSeconds=x",
      ].map((query) => watching(configmaps, 1, query)),
    },
    { name: "a watch times out", steps: [watching(configmaps, 1, "timeoutSeconds=1&resourceVersion=0")] },
    {
      name: "metadata alone",
      steps: [
        post(configmaps, configMap("a", { k: "v" }, { labels: { x: "y" } })),
        { ...get(`${configmaps}/a`), accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" },
        { ...get(configmaps), accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" },
        { ...watching(configmaps, 1, ""), accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" },
        { ...post(configmaps, configMap("b")), accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" },
      ],
    },
    {
      name: "unsupported media types of responses",
      steps: [
        { ...get(configmaps), accept: "text/plain" },
        { ...get(configmaps), accept: "application/json;as=Foo;g=meta.k8s.io;v=v1" },
        { ...get(configmaps), accept: "*/*" },
        { ...get(configmaps), accept: "application/json;as=Foo;g=meta.k8s.io;v=v1,application/json" },
      ],
    },
    {
      name: "unsupported media types of bodies",
      steps: [
        { ...post(configmaps, "x"), type: "text/plain" },
        { ...post(configmaps, "x"), type: "application/xml" },
      ],
    },
    {
      name: "a bookmark after the objects with which a watch starts",
      steps: [
        post(configmaps, configMap("a")),
        settle,
        watching(configmaps, 2, "allowWatchBookmarks=true"),
        watching(configmaps, 2, "resourceVersion=0&allowWatchBookmarks=true"),
        watching(configmaps, 2, "resourceVersion=0&allowWatchBookmarks=true&labelSelector=a&timeoutSeconds=1"),
      ],
    },
  ],
};
