/** Warnings for pods and templates that are accepted. */
import { del, get, patch, paths, post, type Case, type Table } from "../case.ts";

const { pods, deployments, replicasets, statefulsets, daemonsets, jobs, cronjobs, replicationcontrollers } = paths;

type Fields = Readonly<Record<string, unknown>>;

const labels = { app: "a" };
const selector = { matchLabels: labels };
const podOf = (name: string, spec: Fields, metadata: Fields = {}): Fields => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
const one = (name: string, spec: Fields, metadata: Fields = {}): Case => ({
  name,
  steps: [post(pods, podOf("a", spec, metadata))],
});
const container = (more: Fields): Fields => ({ name: "c", image: "i", ...more });
const template = (spec: Fields = {}, metadata: Fields = {}): Fields => ({
  metadata: { labels, ...metadata },
  spec: { containers: [container({})], terminationGracePeriodSeconds: -1, ...spec },
});
const apparmor = "container.apparmor.security.beta.kubernetes.io";

const ofPods: readonly Case[] = [
  one("a pod whose name is not a DNS label", {}, { name: "a.b" }),
  one("deprecated labels of nodes", {
    nodeSelector: { "beta.kubernetes.io/os": "linux", "kubernetes.io/arch": "x" },
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "failure-domain.beta.kubernetes.io/zone", operator: "In", values: ["a"] }] },
          ],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            preference: {
              matchExpressions: [
                { key: "a", operator: "In", values: ["b"] },
                { key: "node-role.kubernetes.io/master", operator: "In", values: ["-a", "b"] },
              ],
            },
          },
        ],
      },
    },
  }),
  one("constraints and terms that select no pods", {
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: "failure-domain.beta.kubernetes.io/zone", whenUnsatisfiable: "DoNotSchedule" },
      { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", labelSelector: {} },
    ],
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "z" }, { topologyKey: "z", labelSelector: {} }],
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: "z" } }],
      },
    },
  }),
  one(
    "annotations without effect",
    {},
    {
      annotations: {
        "scheduler.alpha.kubernetes.io/critical-pod": "",
        "security.alpha.kubernetes.io/unsafe-sysctls": "a=b",
        "seccomp.security.alpha.kubernetes.io/pod": "runtime/default",
        "container.seccomp.security.alpha.kubernetes.io/c": "runtime/default",
      },
    },
  ),
  one("deprecated volumes", {
    volumes: [
      { name: "a", gitRepo: { repository: "r" } },
      { name: "b", glusterfs: { endpoints: "e", path: "p" } },
      { name: "c", cephfs: { monitors: ["m"] } },
      { name: "d", rbd: { monitors: ["m"], image: "i" } },
      { name: "e", flocker: { datasetName: "d" } },
      { name: "f", storageos: { volumeName: "v", volumeNamespace: "n" } },
      {
        name: "g",
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1500m" } } },
          },
        },
      },
    ],
  }),
  one("overlapping paths in volumes", {
    volumes: [
      {
        name: "a",
        configMap: {
          name: "m",
          items: [
            { key: "a", path: "x" },
            { key: "b", path: "x/y" },
            { key: "c", path: "x" },
            { key: "d", path: "xy" },
          ],
        },
      },
      {
        name: "b",
        projected: {
          sources: [
            { configMap: { name: "m", items: [{ key: "a", path: "x" }] } },
            { secret: { name: "s", items: [{ key: "a", path: "x/z" }] } },
            { serviceAccountToken: { path: "x" } },
          ],
        },
      },
    ],
  }),
  one("duplicate names", {
    hostAliases: [
      { ip: "10.1.2.3", hostnames: ["a"] },
      { ip: "10.1.2.3", hostnames: ["b"] },
    ],
    imagePullSecrets: [{ name: "a" }, { name: "a" }, {}],
  }),
  one("fractions of bytes", {
    containers: [
      container({
        resources: {
          limits: { memory: "1500m", "ephemeral-storage": "2.5" },
          requests: { memory: "500m", cpu: "100m" },
        },
      }),
    ],
  }),
  one("duplicate environment variables", {
    containers: [
      container({
        env: [
          { name: "A", value: "1" },
          { name: "A", value: "$(A)2" },
          { name: "A", value: "$(A)" },
          { name: "A", value: "3" },
          { name: "B", value: "1" },
          { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        ],
      }),
    ],
  }),
  one("conflicting ports", {
    containers: [
      container({
        ports: [
          { name: "p", containerPort: 80 },
          { containerPort: 80, hostPort: 8080 },
          { containerPort: 80, hostPort: 8080, hostIP: "10.1.1.1" },
          { containerPort: 81, hostIP: "10.1.1.1" },
        ],
      }),
      { name: "d", image: "i", ports: [{ name: "p", containerPort: 80 }] },
    ],
  }),
  one("a negative grace period", { terminationGracePeriodSeconds: -5 }),
  one(
    "AppArmor annotations become fields",
    {},
    {
      annotations: { [`${apparmor}/c`]: "localhost/p" },
    },
  ),
  one(
    "an AppArmor annotation equal to the pod's field",
    { securityContext: { appArmorProfile: { type: "RuntimeDefault" } } },
    {
      annotations: { [`${apparmor}/c`]: "runtime/default" },
    },
  ),
  one("a pod with scheduling gates", { schedulingGates: [{ name: "g" }] }),
  {
    name: "equal warnings are sent once, and updates of pods cause none",
    steps: [
      post(
        pods,
        podOf("a", {
          containers: [container({ name: "a" }), container({ name: "b" })],
          terminationGracePeriodSeconds: -1,
        }),
      ),
      patch("merge", `${pods}/a`, { metadata: { labels: { a: "b" } } }),
    ],
  },
  {
    name: "many warnings are truncated",
    steps: [
      post(
        pods,
        podOf("a", {
          containers: [
            container({
              env: Array.from({ length: 80 }, (_, index) => ({
                name: `A_RATHER_LONG_NAME_OF_A_VARIABLE_${index % 3}`,
                value: "x",
              })),
            }),
          ],
        }),
      ),
    ],
  },
];

const ofTemplates: readonly Case[] = [
  {
    name: "templates cause warnings, with their path",
    steps: [
      post(deployments, { metadata: { name: "a.b" }, spec: { selector, template: template() } }),
      post(replicasets, { metadata: { name: "a.b" }, spec: { selector, template: template() } }),
      post(statefulsets, {
        metadata: { name: "a" },
        spec: { selector, serviceName: "s", template: template(), revisionHistoryLimit: -1 },
      }),
      post(daemonsets, { metadata: { name: "a.b" }, spec: { selector, template: template() } }),
      post(replicationcontrollers, { metadata: { name: "a.b" }, spec: { selector: labels, template: template() } }),
      post("/api/v1/namespaces/{ns}/podtemplates", { metadata: { name: "a" }, template: template() }),
      post(jobs, {
        metadata: { name: "a.b" },
        spec: { template: template({ restartPolicy: "Never" }, { labels: {} }) },
      }),
      post(cronjobs, {
        metadata: { name: "a.b" },
        spec: {
          schedule: "* * * * *",
          jobTemplate: { spec: { template: template({ restartPolicy: "Never" }, { labels: {} }) } },
        },
      }),
      patch("merge", `${deployments}/a.b`, { spec: { replicas: 2 } }),
      patch("merge", `${deployments}/a.b`, { metadata: { labels: { a: "b" } } }),
      patch("merge", `${deployments}/a.b`, { metadata: { annotations: { a: "b" } } }),
      patch("merge", `${replicasets}/a.b`, { spec: { replicas: 2 } }),
      patch("merge", `${statefulsets}/a`, { spec: { replicas: 2 } }),
      patch("merge", `${statefulsets}/a`, { metadata: { labels: { a: "b" } } }),
      patch("merge", `${daemonsets}/a.b`, { spec: { minReadySeconds: 2 } }),
      patch("strategic", `${daemonsets}/a.b`, { spec: { template: { spec: { hostname: "h" } } } }),
      patch("merge", `${replicationcontrollers}/a.b`, { spec: { replicas: 2 } }),
      patch("merge", "/api/v1/namespaces/{ns}/podtemplates/a", { template: { metadata: { labels: { x: "y" } } } }),
      patch("merge", `${jobs}/a.b`, { spec: { parallelism: 2 } }),
      patch("merge", `${cronjobs}/a.b`, { spec: { suspend: true } }),
      get(`${cronjobs}/a.b`),
    ],
  },
  {
    name: "AppArmor annotations in a template",
    steps: [
      post(deployments, {
        metadata: { name: "a" },
        spec: {
          selector,
          template: template(
            { terminationGracePeriodSeconds: 1 },
            { annotations: { [`${apparmor}/c`]: "unconfined" } },
          ),
        },
      }),
    ],
  },
  {
    name: "claims of a StatefulSet with fractions of bytes",
    steps: [
      post(statefulsets, {
        metadata: { name: "a" },
        spec: {
          selector,
          serviceName: "s",
          template: template({ terminationGracePeriodSeconds: 1 }),
          volumeClaimTemplates: [
            {
              metadata: { name: "v" },
              spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1500m" } } },
            },
          ],
        },
      }),
    ],
  },
];

const volumes = "/api/v1/persistentvolumes";
const volume = (name: string, metadata: Record<string, unknown>, spec: Record<string, unknown>): Case => ({
  name: `a volume: ${name}`,
  steps: [
    post(volumes, {
      metadata: { name: "{ns}-v", ...metadata },
      spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], ...spec },
    }),
    patch("merge", `${volumes}/{ns}-v`, { metadata: { labels: { a: "b" } } }),
    del(`${volumes}/{ns}-v`),
  ],
});
const local = { hostPath: { path: "/tmp/a" } };

const ofVolumes: readonly Case[] = [
  volume("annotations", { annotations: { "volume.beta.kubernetes.io/storage-class": "a" } }, local),
  volume("mount options", { annotations: { "volume.beta.kubernetes.io/mount-options": "ro" } }, local),
  volume(
    "mount options of NFS",
    { annotations: { "volume.beta.kubernetes.io/mount-options": "ro" } },
    { nfs: { server: "s", path: "/" } },
  ),
  volume("recycled", {}, { ...local, persistentVolumeReclaimPolicy: "Recycle" }),
  volume("rbd", {}, { rbd: { monitors: ["a"], image: "b" } }),
  volume("storageos", {}, { storageos: { volumeName: "a" } }),
  volume("cephfs", {}, { cephfs: { monitors: ["a"] } }),
];

export const warnings: Table = { name: "warnings", cases: [...ofPods, ...ofTemplates, ...ofVolumes] };
