/** Subresources of pods: eviction, binding, ephemeral containers, resize. */
import { del, get, patch, paths, pod, post, put, settle, type Case, type Step, type Table } from "../case.ts";

type Fields = Readonly<Record<string, unknown>>;

const { pods } = paths;
const bindings = "/api/v1/namespaces/{ns}/bindings";

const eviction = (more: Fields = {}): Fields => ({ metadata: { name: "a" }, ...more });
const kept = post(pods, pod("a", { finalizers: ["example.com/keep"] }));
const evicted = (deleteOptions: Fields): Step => post(`${pods}/a/eviction`, eviction({ deleteOptions }));

const evictions: readonly Case[] = [
  {
    name: "an eviction is decoded by its kind and version",
    steps: [
      kept,
      ...[
        eviction({ apiVersion: "policy/v2", kind: "Eviction" }),
        eviction({ apiVersion: "policy/v1beta1", kind: "Eviction" }),
        eviction({ apiVersion: "policy/v1", kind: "Evict" }),
        eviction({ apiVersion: "v1", kind: "Pod" }),
        eviction({ apiVersion: "policy/v1", kind: "PodDisruptionBudget" }),
        eviction({ kind: "Eviction" }),
        eviction({ apiVersion: "v1", kind: "Eviction" }),
        eviction({ deleteOptions: { nonsense: 1 } }),
        eviction({ deleteOptions: { gracePeriodSeconds: "a" } }),
        eviction({ deleteOptions: { dryRun: ["Some"] } }),
        eviction({ deleteOptions: { propagationPolicy: "X" } }),
        eviction({ spec: {} }),
        { metadata: { name: "a", namespace: "other" } },
        {},
        [],
      ].map((body) => post(`${pods}/a/eviction`, body, "dryRun=All")),
      post(`${pods}/nobody/eviction`, { metadata: { name: "nobody" } }),
      get(`${pods}/a`),
    ],
  },
  {
    name: "an eviction whose preconditions fail changes nothing",
    steps: [
      kept,
      // Without a resourceVersion the real server retries for 10 s in case the UID becomes right.
      evicted({ preconditions: { uid: "wrong", resourceVersion: "{0.metadata.resourceVersion}" } }),
      get(`${pods}/a`),
      evicted({ preconditions: { resourceVersion: "1" } }),
      get(`${pods}/a`),
      evicted({ preconditions: { uid: "wrong", resourceVersion: "1" }, dryRun: ["All"] }),
    ],
  },
  {
    name: "an eviction sees the pod in the client's version",
    steps: [
      kept,
      evicted({ preconditions: { uid: "{0.metadata.uid}", resourceVersion: "{0.metadata.resourceVersion}" } }),
      get(`${pods}/a`),
      evicted({ preconditions: { resourceVersion: "{0.metadata.resourceVersion}" } }),
    ],
  },
];

const bound = (more: Fields = {}, metadata: Fields = {}): Fields => ({
  metadata: { name: "a", ...metadata },
  target: { name: "n" },
  ...more,
});

const node = (name: string, labels: Fields, status?: Fields): Step =>
  post("/api/v1/nodes", { metadata: { name: `{ns}-${name}`, labels }, ...(status === undefined ? {} : { status }) });
const noNode = (name: string): Step => del(`/api/v1/nodes/{ns}-${name}`);

const binding: readonly Case[] = [
  {
    name: "a binding is decoded by its kind, on both paths",
    steps: [
      post(pods, pod("a")),
      ...[
        { metadata: { name: "a" } },
        bound({ target: { kind: "Pod", name: "n" } }),
        bound({ target: { kind: "Pod" } }),
        bound({}, { name: "nobody" }),
        { target: { name: "n" } },
        bound({ apiVersion: "v2", kind: "Binding" }),
        bound({ apiVersion: "v1", kind: "Pod" }),
        bound({ target: { name: 5 } }),
        bound({}, { uid: "other" }),
        bound({}, { resourceVersion: "1" }),
        bound({}, { namespace: "other" }),
        bound({ nonsense: 1 }),
      ].flatMap((body) => [post(`${pods}/a/binding`, body, "dryRun=All"), post(bindings, body, "dryRun=All")]),
      get(bindings),
      post("/api/v1/bindings", bound()),
      post(bindings, bound()),
      get(`${pods}/a`),
      post(bindings, bound()),
    ],
  },
  {
    name: "a pod gets the zone and the region of its node",
    steps: [
      node("n", {
        "topology.kubernetes.io/zone": "z",
        "topology.kubernetes.io/region": "r",
        "topology.k8s.io/zone": "q",
        other: "x",
      }),
      settle,
      post(pods, pod("a", { labels: { "topology.kubernetes.io/zone": "own" } })),
      post(pods, pod("b", { labels: { "topology.kubernetes.io/zone": "own" } }, { nodeName: "{ns}-n" })),
      post(pods, pod("c", {}, { nodeName: "nowhere" })),
      post(`${pods}/a/binding`, bound({ target: { kind: "Node", name: "{ns}-n" } })),
      get(`${pods}/a`),
      post(pods, pod("d")),
      post(`${pods}/d/binding`, bound({ target: { name: "{ns}-n" } }, { name: "d" })),
      get(`${pods}/d`),
      noNode("n"),
    ],
  },
];

const debug = (more: Fields = {}): Fields => ({ name: "e", image: "i", ...more });
const added = (...ephemeralContainers: readonly Fields[]): Step =>
  patch("merge", `${pods}/a/ephemeralcontainers`, { spec: { ephemeralContainers } }, "dryRun=All");
const exec = { exec: { command: ["a"] } };

const ephemeral: readonly Case[] = [
  {
    name: "ephemeral containers can be added only by their subresource",
    steps: [
      post(pods, pod("x", {}, { ephemeralContainers: [debug()] })),
      post(paths.deployments, {
        metadata: { name: "d" },
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: {
            metadata: { labels: { a: "b" } },
            spec: { containers: [{ name: "c", image: "i" }], ephemeralContainers: [debug()] },
          },
        },
      }),
      post(pods, pod("g", {}, { nodeName: "n", schedulingGates: [{ name: "example.com/gate" }] })),
    ],
  },
  {
    name: "fields that ephemeral containers can have",
    steps: [
      post(pods, pod("a", {}, { volumes: [{ name: "v", emptyDir: {} }] })),
      ...[
        debug({ name: "c" }),
        debug({ name: "" }),
        debug({ image: "" }),
        debug({ name: "A_" }),
        debug({ targetContainerName: "c" }),
        debug({ targetContainerName: "nobody" }),
        debug({ ports: [{ containerPort: 80 }] }),
        debug({ resources: { requests: { cpu: "1" } } }),
        debug({ livenessProbe: exec, lifecycle: { preStop: exec }, readinessProbe: exec, startupProbe: exec }),
        debug({ restartPolicy: "Always" }),
        debug({ resizePolicy: [{ resourceName: "cpu", restartPolicy: "NotRequired" }] }),
        debug({ volumeMounts: [{ name: "v", mountPath: "/a", subPath: "b" }] }),
        debug({ volumeMounts: [{ name: "w", mountPath: "/a", subPathExpr: "b" }] }),
        debug({ command: ["a"], stdin: true, tty: true, securityContext: { privileged: true } }),
        debug({ imagePullPolicy: "X", terminationMessagePolicy: "Y" }),
      ].map((container) => added(container)),
      added(debug(), debug()),
    ],
  },
  {
    name: "an ephemeral container cannot be changed",
    steps: [
      post(pods, pod("a")),
      patch("merge", `${pods}/a/ephemeralcontainers`, { spec: { ephemeralContainers: [debug()] } }),
      get(`${pods}/a/ephemeralcontainers`),
      added(),
      added(debug({ image: "j" })),
      added(debug({ name: "f" })),
      added(debug(), debug({ name: "f" })),
      patch("json", `${pods}/a/ephemeralcontainers`, [{ op: "remove", path: "/spec/ephemeralContainers/0" }]),
      patch("merge", `${pods}/a`, { spec: { ephemeralContainers: null } }),
      patch("merge", `${pods}/a/ephemeralcontainers`, { metadata: { labels: { x: "y" } }, spec: { nodeName: "q" } }),
      put(`${pods}/a/ephemeralcontainers`, pod("a", { resourceVersion: "1" }, { ephemeralContainers: [debug()] })),
      put(`${pods}/a/ephemeralcontainers`, pod("b")),
      put(`${pods}/nobody/ephemeralcontainers`, pod("nobody")),
      put(`${pods}/a/ephemeralcontainers`, pod("a", {}, { ephemeralContainers: [debug(), debug({ name: "h" })] })),
      get(`${pods}/a`),
      post(pods, pod("m", { annotations: { "kubernetes.io/config.mirror": "x" } }, { nodeName: "n" })),
      patch("merge", `${pods}/m/ephemeralcontainers`, { spec: { ephemeralContainers: [debug()] } }),
    ],
  },
];

const resources = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "2", memory: "2Gi" } };
const sized = { containers: [{ name: "c", image: "i", resources }] };
const inits = [
  { name: "n", image: "i", resources: { requests: { cpu: "1" } } },
  { name: "s", image: "i", restartPolicy: "Always", resources: { requests: { cpu: "1" } } },
];
const whole = { resources: { requests: { cpu: "3" }, limits: { cpu: "4" } } };

const resize = (name: string, spec: Fields): Step =>
  patch("strategic", `${pods}/${name}/resize`, { spec }, "dryRun=All");
const toHave = (containerResources: unknown, more: Fields = {}): Fields => ({
  containers: [{ name: "c", resources: containerResources, ...more }],
});
const initToHave = (name: string, more: Fields): Fields => ({ initContainers: [{ name, ...more }] });
const running = (more: Fields = {}): Step =>
  patch("merge", `${pods}/a/status`, {
    status: {
      containerStatuses: [
        { name: "c", image: "i", imageID: "", ready: true, restartCount: 0, state: { running: {} }, ...more },
      ],
    },
  });

const resizes: readonly Case[] = [
  {
    name: "fields that a resize can change",
    steps: [
      post(pods, pod("a", {}, sized)),
      ...[
        { requests: { cpu: "1500m" } },
        { requests: { cpu: "3" } },
        { requests: { cpu: "2", memory: "2Gi" } },
        { requests: { "ephemeral-storage": "1Gi" } },
        { limits: { "ephemeral-storage": "1Gi" } },
        { requests: { "example.com/a": "1" }, limits: { "example.com/a": "1" } },
        { requests: { cpu: null } },
        { limits: null },
        { requests: { cpu: "-1" } },
        null,
      ].map((containerResources) => resize("a", toHave(containerResources))),
      resize("a", { containers: [{ name: "z", image: "i" }] }),
      patch("merge", `${pods}/a/resize`, { spec: { containers: [{ name: "z", image: "i" }] } }, "dryRun=All"),
      resize("a", toHave({ requests: { cpu: "1500m" } }, { image: "other" })),
      resize("a", { nodeName: "x", activeDeadlineSeconds: 5 }),
      resize("a", toHave({}, { resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] })),
      resize("a", toHave({}, { resizePolicy: [{ resourceName: "disk", restartPolicy: "Maybe" }] })),
      resize("a", whole),
      put(`${pods}/a/resize`, pod("a", { resourceVersion: "1" }, sized)),
      put(`${pods}/a/resize`, pod("nobody", {}, sized)),
      patch("strategic", `${pods}/a/resize`, { spec: toHave({ requests: { cpu: "1200m" } }) }),
      get(`${pods}/a`),
    ],
  },
  {
    name: "which pods can be resized",
    steps: [
      post(pods, pod("a", {}, sized)),
      post(pods, pod("b")),
      post(pods, pod("w", {}, { os: { name: "windows" }, ...sized })),
      post(pods, pod("i", {}, { ...sized, initContainers: inits })),
      post(pods, pod("l", {}, { ...sized, ...whole })),
      resize("b", toHave({ requests: { cpu: "1" } })),
      resize("w", toHave({ requests: { cpu: "1" } })),
      resize("i", initToHave("n", { resources: { requests: { cpu: "2" } } })),
      resize("i", initToHave("s", { resources: { requests: { cpu: "2" } } })),
      resize("i", initToHave("n", { resources: { requests: { "ephemeral-storage": "2" } } })),
      resize(
        "i",
        initToHave("n", {
          resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }],
          resources: { requests: { cpu: "2" } },
        }),
      ),
      resize("l", { resources: { requests: { cpu: "2" } } }),
      resize("l", { resources: null }),
      resize("l", { resources: { requests: { cpu: null } } }),
      running(),
      resize("a", toHave({ requests: { cpu: "1500m" } })),
      running({ resources: {} }),
      resize("a", toHave({ requests: { cpu: "1500m" } })),
    ],
  },
  {
    name: "a resize must fit the node",
    steps: [
      ...["linux", "windows"].map((system) =>
        node(system, { "kubernetes.io/os": system }, { allocatable: { cpu: "2", memory: "2Gi" } }),
      ),
      settle,
      post(pods, pod("a", {}, { ...sized, nodeName: "{ns}-linux", initContainers: inits.slice(0, 1) })),
      post(pods, pod("w", {}, { ...sized, nodeName: "{ns}-windows" })),
      post(pods, pod("x", {}, { ...sized, nodeName: "nowhere" })),
      post(pods, pod("l", {}, { ...sized, ...whole, nodeName: "{ns}-linux" })),
      resize("a", toHave({ requests: { cpu: "1500m" } })),
      resize("a", toHave({ requests: { cpu: "3", memory: "3Gi" }, limits: { cpu: "3", memory: "3Gi" } })),
      resize("a", toHave({ requests: { cpu: "2500m" }, limits: { cpu: "3" } })),
      resize("w", toHave({ requests: { cpu: "1500m" } })),
      resize("x", toHave({ requests: { cpu: "1500m" } })),
      resize("a", initToHave("n", { resources: { requests: { cpu: "2" } } })),
      resize("l", { resources: { requests: { cpu: "2" } } }),
      resize("w", {}),
      noNode("linux"),
      noNode("windows"),
    ],
  },
];

export const podParts: Table = { name: "pod-parts", cases: [...evictions, ...binding, ...ephemeral, ...resizes] };
