/** PodSecurity: each check with allowed and denied pods, in the versions that have it; warnings; labels without effect. */
import { del, get, patch, paths, post, settle, type Case, type Step, type Table } from "../case.ts";

const { pods } = paths;
const ns = "/api/v1/namespaces/{ns}";
const prefix = "pod-security.kubernetes.io/";

type Labels = Readonly<Record<string, string | null>>;
type Fields = Readonly<Record<string, unknown>>;

const prefixed = (labels: Labels): Fields =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [`${prefix}${name}`, value]));

/** Labels the namespace, and waits until the admission plugin of the real server has received the change. */
const labelled = (labels: Labels): Step[] => [patch("merge", ns, { metadata: { labels: prefixed(labels) } }), settle];

/** Makes the namespace enforce a level, by the rules of a version. */
const enforcing = (level: string, version = "latest"): Step[] =>
  labelled({ enforce: level, "enforce-version": version });

const container = (name: string, securityContext?: Fields, more: Fields = {}): Fields => ({
  name,
  image: "i",
  ...(securityContext === undefined ? {} : { securityContext }),
  ...more,
});

const podOf = (name: string, spec: Fields, metadata: Fields = {}): Fields => ({
  metadata: { name, ...metadata },
  spec: { containers: [container("c")], ...spec },
});

/** The security context of a restricted container. */
const tight: Fields = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
/** The security context of a restricted pod. */
const tightPod: Fields = { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } };

/** A pod that every level allows, except for the given changes. */
const tightOne = (
  name: string,
  changed: { pod?: Fields; container?: Fields; spec?: Fields },
  metadata: Fields = {},
): Fields =>
  podOf(
    name,
    {
      securityContext: { ...tightPod, ...changed.pod },
      containers: [container("c", { ...tight, ...changed.container })],
      ...changed.spec,
    },
    metadata,
  );

/** Creates one pod for each spec, with different names. */
const tried = (...specs: readonly ((name: string) => Fields)[]): Step[] =>
  specs.map((make, index) => post(pods, make(`p${index}`)));

const spec =
  (fields: Fields) =>
  (name: string): Fields =>
    podOf(name, fields);
const inContainers =
  (...contexts: readonly (Fields | undefined)[]) =>
  (name: string): Fields =>
    podOf(name, { containers: contexts.map((context, index) => container(`c${index}`, context)) });
const tightened =
  (changed: { pod?: Fields; container?: Fields; spec?: Fields }) =>
  (name: string): Fields =>
    tightOne(name, changed);
const containerFields =
  (...fields: readonly Fields[]) =>
  (name: string): Fields =>
    podOf(name, { containers: fields.map((more, index) => container(`c${index}`, undefined, more)) });

const baseline: readonly Case[] = [
  {
    name: "baseline: host namespaces",
    steps: [
      ...enforcing("baseline"),
      ...tried(
        spec({ hostNetwork: true }),
        spec({ hostPID: true, hostIPC: true }),
        spec({ hostNetwork: false, hostPID: false }),
      ),
    ],
  },
  {
    name: "baseline: hostPath volumes",
    steps: [
      ...enforcing("baseline"),
      ...tried(
        spec({ volumes: [{ name: "a", hostPath: { path: "/a" } }] }),
        spec({
          volumes: [
            { name: "a", hostPath: { path: "/a" } },
            { name: "b", emptyDir: {} },
            { name: "c", hostPath: { path: "/c" } },
          ],
        }),
        spec({ volumes: [{ name: "b", emptyDir: {} }] }),
      ),
    ],
  },
  {
    name: "baseline: host ports",
    steps: [
      ...enforcing("baseline"),
      ...tried(
        containerFields({ ports: [{ containerPort: 80, hostPort: 80 }] }),
        containerFields(
          { ports: [{ containerPort: 80, hostPort: 80 }, { containerPort: 81 }, { containerPort: 9, hostPort: 9 }] },
          { ports: [{ containerPort: 8080, hostPort: 8080 }] },
          {},
        ),
        containerFields({ ports: [{ containerPort: 80 }] }),
      ),
    ],
  },
  {
    name: "baseline: hosts of probes and lifecycle handlers, since 1.34",
    steps: [
      ...enforcing("baseline"),
      ...tried(
        containerFields({ livenessProbe: { httpGet: { port: 80, host: "b" } } }),
        containerFields(
          {
            readinessProbe: { tcpSocket: { port: 80, host: "z" } },
            lifecycle: { preStop: { httpGet: { port: 80, host: "a" } } },
          },
          { startupProbe: { httpGet: { port: 80, host: "a" } } },
          { livenessProbe: { httpGet: { port: 80 } } },
        ),
        containerFields({ livenessProbe: { httpGet: { port: 80 } } }),
      ),
      settle,
      ...enforcing("baseline", "v1.33"),
      post(pods, containerFields({ livenessProbe: { httpGet: { port: 80, host: "b" } } })("old")),
    ],
  },
  {
    name: "baseline: privileged containers",
    steps: [
      ...enforcing("baseline"),
      ...tried(
        inContainers({ privileged: true }),
        inContainers({ privileged: true }, {}, { privileged: true }),
        inContainers({ privileged: false }),
      ),
    ],
  },
  {
    name: "baseline: additional capabilities",
    steps: [
      ...enforcing("baseline"),
      ...tried(
        inContainers({ capabilities: { add: ["NET_ADMIN"] } }),
        inContainers({ capabilities: { add: ["SYS_TIME", "KILL"] } }, {}, { capabilities: { add: ["NET_ADMIN"] } }),
        inContainers({ capabilities: { add: ["KILL", "CHOWN"], drop: ["ALL"] } }),
      ),
    ],
  },
  {
    name: "baseline: an unmasked /proc, until 1.34 even for pods in a user namespace",
    steps: [
      ...enforcing("baseline"),
      post(pods, podOf("a", { hostUsers: false, containers: [container("c", { procMount: "Unmasked" })] })),
      settle,
      ...enforcing("baseline", "v1.34"),
      post(
        pods,
        podOf("b", {
          hostUsers: false,
          containers: [
            container("c", { procMount: "Unmasked" }),
            container("d", { procMount: "Unmasked" }),
            container("e"),
          ],
        }),
      ),
      post(pods, podOf("c", { containers: [container("c", { procMount: "Default" })] })),
    ],
  },
  {
    name: "baseline: SELinux options",
    steps: [
      ...enforcing("baseline"),
      ...tried(
        spec({ securityContext: { seLinuxOptions: { type: "spc_t" } } }),
        spec({
          securityContext: { seLinuxOptions: { user: "u" } },
          containers: [
            container("c", { seLinuxOptions: { type: "b_t", role: "r" } }),
            container("d", { seLinuxOptions: { type: "a_t" } }),
          ],
        }),
        spec({ securityContext: { seLinuxOptions: { type: "container_engine_t", level: "s0" } } }),
      ),
      settle,
      ...enforcing("baseline", "v1.30"),
      post(pods, spec({ securityContext: { seLinuxOptions: { type: "container_engine_t" } } })("old")),
    ],
  },
  {
    name: "baseline: seccomp profiles",
    steps: [
      ...enforcing("baseline"),
      ...tried(
        spec({ securityContext: { seccompProfile: { type: "Unconfined" } } }),
        spec({
          securityContext: { seccompProfile: { type: "Unconfined" } },
          containers: [container("c", { seccompProfile: { type: "Unconfined" } }), container("d")],
        }),
        inContainers({ seccompProfile: { type: "Unconfined" } }, { seccompProfile: { type: "Unconfined" } }),
        inContainers({ seccompProfile: { type: "RuntimeDefault" } }, {}),
      ),
    ],
  },
  {
    name: "baseline: seccomp annotations, until 1.18",
    steps: [
      ...enforcing("baseline", "v1.18"),
      post(
        pods,
        podOf(
          "a",
          {},
          {
            annotations: {
              "seccomp.security.alpha.kubernetes.io/pod": "unconfined",
              "container.seccomp.security.alpha.kubernetes.io/c": "unconfined",
              "container.seccomp.security.alpha.kubernetes.io/nobody": "unconfined",
            },
          },
        ),
      ),
      post(pods, podOf("b", {}, { annotations: { "seccomp.security.alpha.kubernetes.io/pod": "docker/default" } })),
      settle,
      ...enforcing("baseline", "v1.19"),
      post(pods, podOf("c", {}, { annotations: { "seccomp.security.alpha.kubernetes.io/pod": "unconfined" } })),
    ],
  },
  {
    name: "baseline: AppArmor profiles",
    steps: [
      ...enforcing("baseline"),
      ...tried(
        spec({ securityContext: { appArmorProfile: { type: "Unconfined" } } }),
        spec({
          securityContext: { appArmorProfile: { type: "Unconfined" } },
          containers: [container("c", { appArmorProfile: { type: "Unconfined" } }), container("d")],
        }),
        inContainers({ appArmorProfile: { type: "RuntimeDefault" } }),
      ),
      post(pods, podOf("a", {}, { annotations: { "container.apparmor.security.beta.kubernetes.io/c": "unconfined" } })),
      post(
        pods,
        podOf("b", {}, { annotations: { "container.apparmor.security.beta.kubernetes.io/c": "runtime/default" } }),
      ),
    ],
  },
  {
    name: "baseline: sysctls, of which newer versions allow more",
    steps: [
      ...enforcing("baseline"),
      ...tried(
        spec({
          securityContext: {
            sysctls: [
              { name: "kernel.sem", value: "1" },
              { name: "net.ipv4.tcp_rmem", value: "1" },
              { name: "kernel.msgmax", value: "1" },
            ],
          },
        }),
        spec({ securityContext: { sysctls: [{ name: "net.ipv4.tcp_rmem", value: "1" }] } }),
      ),
      settle,
      ...enforcing("baseline", "v1.28"),
      post(
        pods,
        spec({
          securityContext: {
            sysctls: [
              { name: "net.ipv4.tcp_rmem", value: "1" },
              { name: "net.ipv4.tcp_fin_timeout", value: "1" },
              { name: "net.ipv4.ip_local_reserved_ports", value: "1" },
            ],
          },
        })("old"),
      ),
    ],
  },
  {
    name: "baseline: Windows HostProcess containers",
    steps: [
      ...enforcing("baseline"),
      ...tried(
        spec({ hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } }),
        spec({
          hostNetwork: true,
          containers: [container("c", { windowsOptions: { hostProcess: true } })],
        }),
        spec({ securityContext: { windowsOptions: { hostProcess: false } } }),
      ),
    ],
  },
  {
    name: "baseline: all violations, in order",
    steps: [
      ...enforcing("baseline"),
      post(
        pods,
        podOf("a", {
          hostNetwork: true,
          hostPID: true,
          securityContext: {
            seLinuxOptions: { type: "x" },
            seccompProfile: { type: "Unconfined" },
            sysctls: [{ name: "a.b", value: "1" }],
          },
          volumes: [{ name: "v", hostPath: { path: "/" } }],
          initContainers: [container("i", { privileged: true })],
          containers: [
            container("c", { capabilities: { add: ["SYS_ADMIN"] } }, { ports: [{ containerPort: 1, hostPort: 1 }] }),
          ],
        }),
      ),
    ],
  },
];

const restricted: readonly Case[] = [
  {
    name: "restricted: a plain pod, and one that meets all requirements",
    steps: [...enforcing("restricted"), ...tried(spec({}), tightened({}))],
  },
  {
    name: "restricted: privilege escalation",
    steps: [
      ...enforcing("restricted"),
      ...tried(
        tightened({ container: { allowPrivilegeEscalation: true } }),
        tightened({ spec: { initContainers: [container("i", { capabilities: { drop: ["ALL"] } })] } }),
      ),
      settle,
      ...enforcing("restricted", "v1.7"),
      post(pods, tightOne("old", { container: { allowPrivilegeEscalation: true } })),
    ],
  },
  {
    name: "restricted: capabilities must be dropped",
    steps: [
      ...enforcing("restricted"),
      ...tried(
        tightened({ container: { capabilities: { drop: ["KILL"] } } }),
        tightened({ container: { capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE", "CHOWN"] } } }),
        tightened({ container: { capabilities: { add: ["SYS_TIME"] } } }),
        tightened({ container: { capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } } }),
      ),
      settle,
      ...enforcing("restricted", "v1.21"),
      post(pods, tightOne("old", { container: { capabilities: { add: ["SYS_TIME"] } } })),
    ],
  },
  {
    name: "restricted: an unmasked /proc, in every version",
    steps: [
      ...enforcing("restricted"),
      post(pods, tightOne("a", { container: { procMount: "Unmasked" }, spec: { hostUsers: false } })),
      settle,
      ...enforcing("restricted", "v1.34"),
      post(pods, tightOne("b", { container: { procMount: "Unmasked" }, spec: { hostUsers: false } })),
    ],
  },
  {
    name: "restricted: volume types",
    steps: [
      ...enforcing("restricted"),
      post(
        pods,
        tightOne("a", {
          spec: {
            volumes: [
              { name: "a", hostPath: { path: "/" } },
              { name: "b", emptyDir: {} },
              { name: "c", nfs: { server: "s", path: "/p" } },
            ],
          },
        }),
      ),
      post(
        pods,
        tightOne("b", {
          spec: {
            volumes: [
              { name: "b", emptyDir: {} },
              { name: "s", secret: { secretName: "s" } },
            ],
          },
        }),
      ),
    ],
  },
  {
    name: "restricted: runAsNonRoot",
    steps: [
      ...enforcing("restricted"),
      ...tried(
        tightened({ pod: { runAsNonRoot: false } }),
        tightened({ pod: { runAsNonRoot: false }, container: { runAsNonRoot: false } }),
        tightened({ container: { runAsNonRoot: false } }),
        (name) =>
          podOf(name, {
            securityContext: { seccompProfile: { type: "RuntimeDefault" } },
            containers: [container("c", tight), container("d", tight)],
          }),
        (name) =>
          podOf(name, {
            securityContext: { seccompProfile: { type: "RuntimeDefault" } },
            containers: [container("c", { ...tight, runAsNonRoot: true })],
          }),
      ),
    ],
  },
  {
    name: "restricted: user 0, since 1.23",
    steps: [
      ...enforcing("restricted"),
      ...tried(
        tightened({ pod: { runAsUser: 0 } }),
        tightened({ pod: { runAsUser: 0 }, container: { runAsUser: 0 } }),
        tightened({ pod: { runAsUser: 1000 } }),
      ),
      settle,
      ...enforcing("restricted", "v1.22"),
      post(pods, tightOne("old", { pod: { runAsUser: 0 } })),
    ],
  },
  {
    name: "restricted: root in a user namespace, since 1.35",
    steps: [
      ...enforcing("restricted"),
      post(pods, tightOne("a", { pod: { runAsUser: 0, runAsNonRoot: false }, spec: { hostUsers: false } })),
      settle,
      ...enforcing("restricted", "v1.34"),
      post(pods, tightOne("b", { pod: { runAsUser: 0, runAsNonRoot: false }, spec: { hostUsers: false } })),
    ],
  },
  {
    name: "restricted: a seccomp profile, since 1.19",
    steps: [
      ...enforcing("restricted"),
      ...tried(
        tightened({ pod: { seccompProfile: { type: "Unconfined" } } }),
        tightened({ container: { seccompProfile: { type: "Unconfined" } } }),
        (name) =>
          podOf(name, {
            securityContext: { runAsNonRoot: true },
            containers: [container("c", tight), container("d", tight)],
          }),
        (name) =>
          podOf(name, {
            securityContext: { runAsNonRoot: true },
            containers: [container("c", { ...tight, seccompProfile: { type: "RuntimeDefault" } })],
          }),
      ),
      settle,
      ...enforcing("restricted", "v1.18"),
      post(pods, podOf("old", { securityContext: { runAsNonRoot: true }, containers: [container("c", tight)] })),
    ],
  },
  {
    name: "restricted: fewer requirements for Windows pods, since 1.25",
    steps: [
      ...enforcing("restricted"),
      post(pods, podOf("a", { os: { name: "windows" }, securityContext: { runAsNonRoot: true } })),
      settle,
      ...enforcing("restricted", "v1.24"),
      post(pods, podOf("b", { os: { name: "windows" }, securityContext: { runAsNonRoot: true } })),
    ],
  },
  {
    name: "restricted in the first version, and in a future one",
    steps: [
      ...enforcing("restricted", "v1.0"),
      post(pods, podOf("a", {})),
      settle,
      ...enforcing("restricted", "v1.999"),
      post(pods, podOf("b", {})),
    ],
  },
];

const privileged = (name: string): Fields => podOf(name, { containers: [container("c", { privileged: true })] });
const templateOf = (restartPolicy = "Always"): Fields => ({
  metadata: { labels: { app: "a" } },
  spec: { containers: [container("c", { privileged: true })], restartPolicy },
});
const selector = { matchLabels: { app: "a" } };

const modes: readonly Case[] = [
  {
    name: "a namespace that only warns",
    steps: [
      ...labelled({ warn: "restricted", "warn-version": "v1.30" }),
      post(pods, podOf("a", {})),
      post(pods, tightOne("b", {})),
      post(pods, podOf("c", {}), "dryRun=All"),
      get(`${pods}/a`),
    ],
  },
  {
    name: "a namespace that only audits",
    steps: [...labelled({ audit: "restricted" }), post(pods, podOf("a", {}))],
  },
  {
    name: "a namespace that enforces one level and warns of a stricter one",
    steps: [
      ...labelled({ enforce: "baseline", warn: "restricted" }),
      post(pods, podOf("a", {})),
      post(pods, privileged("b")),
      post(pods, { metadata: { generateName: "madeup-" }, spec: { hostPID: true, containers: [container("c")] } }),
      post(pods, privileged("a")),
    ],
  },
  {
    name: "workloads cause warnings if their pods would be rejected",
    steps: [
      ...enforcing("baseline", "v1.30"),
      post(paths.deployments, { metadata: { name: "a" }, spec: { selector, template: templateOf() } }),
      post(paths.replicasets, { metadata: { name: "a" }, spec: { selector, template: templateOf() } }),
      post(paths.statefulsets, {
        metadata: { name: "a" },
        spec: { selector, serviceName: "s", template: templateOf() },
      }),
      post(paths.daemonsets, { metadata: { name: "a" }, spec: { selector, template: templateOf() } }),
      post(paths.jobs, { metadata: { name: "a" }, spec: { template: { spec: templateOf("Never")["spec"] } } }),
      post(paths.cronjobs, {
        metadata: { name: "a" },
        spec: { schedule: "* * * * *", jobTemplate: { spec: { template: { spec: templateOf("Never")["spec"] } } } },
      }),
      post(paths.replicationcontrollers, {
        metadata: { name: "a" },
        spec: { selector: { app: "a" }, template: templateOf() },
      }),
      post("/api/v1/namespaces/{ns}/podtemplates", { metadata: { name: "a" }, template: templateOf() }),
      patch("merge", `${paths.deployments}/a`, { spec: { replicas: 2 } }),
      patch("merge", `${paths.deployments}/a/scale`, { spec: { replicas: 3 } }),
      patch("merge", `${paths.deployments}/a/status`, { status: { observedGeneration: 1 } }),
      patch("strategic", `${paths.deployments}/a`, {
        spec: { template: { spec: { containers: [{ name: "c", securityContext: { privileged: false } }] } } },
      }),
    ],
  },
  {
    name: "updates of an existing pod",
    steps: [
      post(pods, privileged("a")),
      settle,
      ...enforcing("baseline"),
      patch("merge", `${pods}/a`, { metadata: { labels: { a: "b" } } }),
      patch("merge", `${pods}/a`, { spec: { activeDeadlineSeconds: 5 } }),
      patch("merge", `${pods}/a/status`, { status: { message: "m" } }),
      patch("strategic", `${pods}/a`, { spec: { containers: [{ name: "c", image: "j" }] } }),
      patch("strategic", `${pods}/a/ephemeralcontainers`, { spec: { ephemeralContainers: [container("e")] } }),
      post(`${pods}/a/binding`, { metadata: { name: "a" }, target: { kind: "Node", name: "n" } }),
      del(`${pods}/a`, { gracePeriodSeconds: 0 }),
    ],
  },
  {
    name: "ephemeral containers are checked",
    steps: [
      ...enforcing("baseline"),
      post(pods, podOf("a", {})),
      patch("strategic", `${pods}/a/ephemeralcontainers`, {
        spec: { ephemeralContainers: [container("e", { privileged: true })] },
      }),
      patch("strategic", `${pods}/a/ephemeralcontainers`, { spec: { ephemeralContainers: [container("e")] } }),
    ],
  },
  {
    name: "a request that is not a pod is rejected as such first",
    steps: [...enforcing("restricted"), post(pods, podOf("A", {})), post(pods, podOf("a", { containers: [] }))],
  },
];

const byLabels = (name: string, labels: Labels): Fields => ({ metadata: { name, labels: prefixed(labels) } });
const owned = { ownerReferences: [{ apiVersion: "v1", kind: "X", name: "x", uid: "u", controller: true }] };

const namespaces: readonly Case[] = [
  {
    name: "a new namespace with invalid labels",
    steps: [
      post("/api/v1/namespaces", byLabels("{ns}-a", { enforce: "strict" })),
      post(
        "/api/v1/namespaces",
        byLabels("{ns}-a", {
          enforce: "",
          "enforce-version": "1.30",
          audit: "x",
          "audit-version": "v1.01",
          warn: "Baseline",
          "warn-version": "v2.0",
        }),
      ),
      post("/api/v1/namespaces", byLabels("{ns}-b", { "warn-version": "v1.99999999999999999999" })),
      post("/api/v1/namespaces", byLabels("{ns}-c", { "audit-version": "v1.0", other: "x" })),
    ],
  },
  {
    name: "a namespace is updated with invalid labels",
    steps: [
      patch("merge", ns, { metadata: { labels: prefixed({ enforce: "strict", "warn-version": "x" }) } }),
      patch("merge", ns, { metadata: { labels: prefixed({ enforce: "baseline" }) } }),
      patch("merge", ns, { metadata: { labels: prefixed({ enforce: null, audit: "nothing" }) } }),
      get(ns),
    ],
  },
  {
    name: "an update to a stricter level warns of existing pods",
    steps: [
      post(pods, podOf("b", {})),
      post(pods, podOf("a", {})),
      post(pods, privileged("z")),
      post(pods, tightOne("t", {})),
      settle,
      ...labelled({ enforce: "baseline" }),
      ...labelled({ enforce: "restricted", "enforce-version": "v1.30" }),
      patch("merge", ns, { metadata: { labels: { other: "x" } } }),
      settle,
      ...labelled({ enforce: "baseline" }),
      ...labelled({ "enforce-version": "v1.31" }),
      patch("merge", ns, { metadata: { labels: prefixed({ enforce: "restricted" }) } }, "dryRun=All"),
      settle,
      ...labelled({ warn: "restricted" }),
      ...labelled({ enforce: "privileged" }),
    ],
  },
  {
    name: "pods of the same controller are counted together",
    steps: [
      post(pods, podOf("c", { hostPID: true }, owned)),
      post(pods, podOf("b", { hostPID: true }, owned)),
      post(pods, podOf("d", { hostPID: true }, owned)),
      post(pods, podOf("a", { hostIPC: true, hostPID: true, containers: [container("c", { privileged: true })] })),
      settle,
      ...labelled({ enforce: "baseline" }),
    ],
  },
];

export const podSecurity: Table = {
  name: "pod-security",
  sideBySide: true,
  cases: [...baseline, ...restricted, ...modes, ...namespaces],
};
