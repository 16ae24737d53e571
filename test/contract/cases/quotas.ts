/** What counts against a ResourceQuota. */
import { get, patch, paths, pod, post, settle, type Case, type Step, type Table } from "../case.ts";

type Fields = Readonly<Record<string, unknown>>;

const { pods, resourcequotas: quotas, services, persistentvolumeclaims: claims } = paths;

/** A quota with a status in which nothing is used, as a controller would write it. */
const quota = (name: string, hard: Readonly<Record<string, string>>, more: Fields = {}): Step[] => [
  post(quotas, { metadata: { name }, spec: { hard, ...more } }),
  patch("merge", `${quotas}/${name}/status`, {
    status: { hard, used: Object.fromEntries(Object.keys(hard).map((key) => [key, "0"])) },
  }),
];
const service = (name: string, spec: Fields, nodePorts: readonly number[] = []): Step => {
  const ports = [80, 81].map((port, index) => ({ name: `p${port}`, port, nodePort: nodePorts[index] }));
  return post(services, { metadata: { name }, spec: { ports, ...spec } });
};
const claim = (name: string, more: Fields = {}): Step =>
  post(claims, {
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...more },
  });
const containerWith = (requests: Fields, limits: Fields = {}): Fields => ({
  name: "c",
  image: "i",
  resources: { requests, limits },
});

const cases: readonly Case[] = [
  {
    name: "Services by node ports and load balancers, and when they change",
    steps: [
      ...quota("q", { services: "4", "services.nodeports": "4", "services.loadbalancers": "1" }),
      settle,
      service("a", { type: "NodePort" }, [30_001, 30_002]),
      get(`${quotas}/q`),
      service("b", { type: "LoadBalancer", allocateLoadBalancerNodePorts: false }),
      settle,
      get(`${quotas}/q`),
      service("c", { type: "LoadBalancer" }),
      service("d", {}),
      settle,
      patch("merge", `${services}/d`, {
        spec: { type: "NodePort", ports: [{ name: "p80", port: 80, nodePort: 30_003 }] },
      }),
      settle,
      get(`${quotas}/q`),
      patch("merge", `${services}/d`, { spec: { type: "LoadBalancer" } }),
      service("e", { type: "NodePort" }),
      get(`${quotas}/q`),
    ],
  },
  {
    name: "claims by storage and class",
    steps: [
      ...quota("q", {
        persistentvolumeclaims: "3",
        "requests.storage": "3Gi",
        "gold.storageclass.storage.k8s.io/requests.storage": "1Gi",
        "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "2",
      }),
      settle,
      claim("a"),
      settle,
      claim("b", { storageClassName: "gold" }),
      settle,
      claim("c", { storageClassName: "gold" }),
      claim("d", { resources: { requests: { storage: "1.5Gi" } } }),
      get(`${quotas}/q`),
    ],
  },
  {
    name: "quotas with scopes count only matching objects",
    steps: [
      ...quota("best-effort", { pods: "1" }, { scopes: ["BestEffort"] }),
      ...quota("others", { pods: "1" }, { scopes: ["NotBestEffort"] }),
      ...quota(
        "classed",
        { persistentvolumeclaims: "1" },
        {
          scopeSelector: {
            matchExpressions: [{ scopeName: "VolumeAttributesClass", operator: "In", values: ["x"] }],
          },
        },
      ),
      settle,
      post(pods, pod("a")),
      settle,
      post(pods, pod("b")),
      post(pods, pod("c", {}, { containers: [containerWith({ cpu: "1" })] })),
      settle,
      post(pods, pod("d", {}, { containers: [containerWith({ cpu: "1" })] })),
      claim("a"),
      claim("b", { volumeAttributesClassName: "x" }),
      settle,
      claim("c", { volumeAttributesClassName: "x" }),
      ...["best-effort", "others", "classed"].map((name) => get(`${quotas}/${name}`)),
    ],
  },
  {
    name: "scopes for terminating pods, cross-namespace affinity and priority classes",
    steps: [
      ...quota("ending", { pods: "0" }, { scopes: ["Terminating"] }),
      ...quota("elsewhere", { pods: "0" }, { scopes: ["CrossNamespacePodAffinity"] }),
      ...quota(
        "critical",
        { pods: "0" },
        {
          scopeSelector: {
            matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["system-node-critical"] }],
          },
        },
      ),
      settle,
      post(pods, pod("a")),
      post(pods, pod("e", {}, { activeDeadlineSeconds: 5 })),
      post(pods, pod("f", {}, { priorityClassName: "system-node-critical" })),
      post(
        pods,
        pod(
          "g",
          {},
          {
            affinity: {
              podAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [
                  { topologyKey: "a", namespaces: ["x"], labelSelector: {} },
                ],
              },
            },
          },
        ),
      ),
    ],
  },
  {
    name: "pods by their requests, including sidecars and resizes",
    steps: [
      ...quota("q", {
        "requests.cpu": "2",
        "limits.memory": "4Gi",
        "requests.example.com/gpu": "1",
        "requests.ephemeral-storage": "1Gi",
        "count/pods": "3",
        "count/jobs.batch": "0",
      }),
      settle,
      post(pods, pod("a")),
      post(
        pods,
        pod(
          "b",
          {},
          {
            initContainers: [{ name: "i", image: "i" }],
            containers: [containerWith({ cpu: "1" }, { memory: "1Gi" }), { name: "d", image: "i" }],
          },
        ),
      ),
      post(
        pods,
        pod(
          "c",
          {},
          {
            initContainers: [
              { ...containerWith({ cpu: "500m" }, { memory: "1Gi" }), name: "s", restartPolicy: "Always" },
            ],
            containers: [
              containerWith({ cpu: "1", "example.com/gpu": "1" }, { memory: "1Gi", "example.com/gpu": "1" }),
            ],
          },
        ),
      ),
      settle,
      get(`${quotas}/q`),
      post(pods, pod("d", {}, { containers: [containerWith({ cpu: "1" }, { memory: "1Gi" })] })),
      patch("strategic", `${pods}/c/resize`, { spec: { containers: [containerWith({ cpu: "2" })] } }),
      patch("strategic", `${pods}/c/resize`, { spec: { containers: [containerWith({ cpu: "1100m" })] } }),
      settle,
      get(`${quotas}/q`),
      post(paths.jobs, {
        metadata: { name: "j" },
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
      }),
    ],
  },
  {
    name: "a quota without a status rejects even updates of existing objects",
    steps: [
      service("a", {}),
      post(quotas, { metadata: { name: "q" }, spec: { hard: { services: "1" } } }),
      patch("merge", `${quotas}/q/status`, { status: { hard: { services: "1" } } }),
      settle,
      service("a", {}),
      service("b", {}),
    ],
  },
  {
    name: "a Job's pod failure policy gets status True as the default",
    steps: [
      post(paths.jobs, {
        metadata: { name: "j" },
        spec: {
          template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } },
          podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }] },
        },
      }),
    ],
  },
];

export const quotaUse: Table = { name: "quotas", cases };
