/** Kinds of the core group other than workloads, and related kinds. */
import { patch, paths, pod, post, put } from "../case.ts";
import type { Dice } from "./dice.ts";
import type { Body, RandomKind, RandomPatch } from "./kind.ts";

const text = (dice: Dice): string => dice.one(["1", "2", "3"]);

const configMaps: RandomKind = {
  name: "configmaps",
  path: paths.configmaps,
  body: (dice, name) => ({
    metadata: { name },
    data: { k: text(dice) },
    binaryData: dice.maybe(0.1, () => ({ [dice.one(["b", "k"])]: "AAEC" })),
    immutable: dice.maybe(0.08, () => true),
  }),
  patches: (dice) => [["merge", { data: { k: dice.one(["1", "2", null]), l: dice.one(["1", null]) } }]],
  fields: ["metadata.namespace=x", "data.k=1"],
};

const secrets: RandomKind = {
  name: "secrets",
  path: paths.secrets,
  body: (dice, name) => ({
    metadata: { name },
    type: dice.maybe(0.4, () =>
      dice.one([
        "Opaque",
        "example.com/x",
        "kubernetes.io/basic-auth",
        "kubernetes.io/dockerconfigjson",
        "kubernetes.io/tls",
      ]),
    ),
    data: dice.maybe(0.5, () => ({ k: dice.one(["MQ==", "Mg==", "!"]) })),
    stringData: dice.maybe(0.5, () => ({ [dice.one(["k", "username", "a b"])]: text(dice) })),
    immutable: dice.maybe(0.08, () => true),
  }),
  patches: (dice) => [
    ["merge", { stringData: { k: text(dice) } }],
    ["strategic", { data: { k: dice.one(["MQ==", null]) } }],
  ],
  fields: ["type=Opaque", "type!=Opaque", "data=x"],
};

function servicePort(dice: Dice, index: number): Body {
  return {
    name:
      dice.maybe(0.5, () => dice.one(["http", "http", "other", "Bad_Name"])) ?? (index > 0 ? `p${index}` : undefined),
    port: dice.chance(0.05) ? 0 : 80 + dice.below(2),
    targetPort: dice.maybe(0.3, () => dice.one([8080, "web", 0, "no such port"])),
    protocol: dice.maybe(0.2, () => dice.one(["TCP", "UDP", "UPD"])),
  };
}

const services: RandomKind = {
  name: "services",
  path: paths.services,
  body: (dice, name) => ({
    metadata: { name },
    spec: {
      ports: Array.from({ length: dice.chance(0.05) ? 0 : 1 + dice.below(2) }, (_, index) => servicePort(dice, index)),
      selector: dice.maybe(0.7, () => ({ x: text(dice) })),
      type: dice.maybe(0.3, () => dice.one(["ClusterIP", "ClusterIP", "ExternalName", "Cluster"])),
      clusterIP: dice.maybe(0.15, () => dice.one(["None", "None", "nowhere"])),
      externalName: dice.maybe(0.1, () => dice.one(["example.com", "Not A Name"])),
      sessionAffinity: dice.maybe(0.15, () => dice.one(["ClientIP", "None", "Sticky"])),
      publishNotReadyAddresses: dice.maybe(0.1, () => true),
    },
  }),
  patches: (dice) => [
    ["merge", { spec: { selector: { x: text(dice) } } }],
    ["strategic", { spec: { ports: [{ port: 80 + dice.below(3), name: dice.one(["http", "other"]) }] } }],
  ],
  status: (dice) => ({ loadBalancer: { ingress: [{ ip: dice.one(["1.2.3.4", "5.6.7.8"]) }] } }),
};

const serviceAccounts: RandomKind = {
  name: "serviceaccounts",
  path: paths.serviceaccounts,
  body: (dice, name) => ({
    metadata: { name },
    secrets: dice.maybe(0.3, () => [{ name: text(dice) }]),
    imagePullSecrets: dice.maybe(0.3, () => dice.some(["p", "q"]).map((secret) => ({ name: secret }))),
    automountServiceAccountToken: dice.maybe(0.3, () => dice.chance(0.5)),
  }),
  patches: (dice) => [
    ["strategic", { imagePullSecrets: [{ name: dice.one(["p", "q", "r"]) }] }],
    ["strategic", { secrets: [{ name: "1", $patch: "delete" }] }],
  ],
};

function container(dice: Dice, name: string): Body {
  return {
    name,
    image: dice.chance(0.04) ? "" : dice.one(["i", "j", "registry.example/i:1", "i:latest"]),
    command: dice.maybe(0.1, () => ["sh", "-c", "true"]),
    env: dice.maybe(0.15, () => [{ name: dice.one(["A", "B", "="]), value: text(dice) }]),
    ports: dice.maybe(0.2, () => [
      { containerPort: dice.one([80, 8080, 0, 70000]), name: dice.maybe(0.5, () => "web") },
    ]),
    resources: dice.maybe(0.3, () => ({
      requests: { cpu: dice.one(["100m", "1", "0.5"]) },
      limits: dice.maybe(0.6, () => ({ cpu: dice.one(["1", "50m"]), memory: dice.one(["64Mi", "1e3k", "128M"]) })),
    })),
    imagePullPolicy: dice.maybe(0.08, () => dice.one(["Always", "Never", "Sometimes"])),
    readinessProbe: dice.maybe(0.1, () => ({
      ...dice.one([{ httpGet: { port: 80 } }, { tcpSocket: { port: "web" } }, { exec: { command: ["true"] } }, {}]),
      periodSeconds: dice.maybe(0.3, () => dice.one([5, 0, -1])),
    })),
    securityContext: dice.maybe(0.15, () => ({
      runAsNonRoot: true,
      runAsUser: dice.maybe(0.5, () => dice.one([0, 1000])),
    })),
    volumeMounts: dice.maybe(0.1, () => [{ name: dice.one(["v", "w"]), mountPath: dice.one(["/m", "/n"]) }]),
  };
}

/** The spec of a pod or of a pod template. */
export function podSpec(dice: Dice, more: Body = {}): Body {
  return {
    containers: dice.chance(0.03)
      ? []
      : dice.chance(0.85)
        ? [container(dice, "c")]
        : [container(dice, "c"), container(dice, dice.one(["d", "c"]))],
    initContainers: dice.maybe(0.08, () => [container(dice, "init")]),
    volumes: dice.maybe(0.25, () => [
      {
        name: "v",
        ...dice.one<Body>([
          {},
          { emptyDir: { sizeLimit: "1Gi" } },
          { configMap: { name: "a" } },
          { secret: { secretName: "a", defaultMode: 256 } },
          { hostPath: { path: "/x" } },
          { persistentVolumeClaim: { claimName: "a" } },
          { emptyDir: {}, hostPath: { path: "/x" } },
        ]),
      },
    ]),
    tolerations: dice.maybe(0.1, () => [
      dice.one<Body>([
        { key: "k", operator: "Exists" },
        { key: "k", value: "v", effect: "NoExecute", tolerationSeconds: 5 },
        { operator: "Equal" },
        { key: "k", effect: "Never" },
      ]),
    ]),
    nodeSelector: dice.maybe(0.08, () => ({ zone: dice.one(["a", "not good"]) })),
    terminationGracePeriodSeconds: dice.maybe(0.1, () => dice.one([0, 1000, 2000])),
    ...more,
  };
}

const podPatches = (dice: Dice): readonly RandomPatch[] => [
  ["strategic", { spec: { containers: [{ name: "c", image: dice.one(["i", "j"]) }] } }],
  ["strategic", { spec: { tolerations: [{ key: "t", operator: "Exists" }] } }],
  ["merge", { spec: { activeDeadlineSeconds: dice.one([100, 50, null]) } }],
  ["json", [{ op: "replace", path: "/spec/containers/0/image", value: dice.one(["i", "j", 1]) }]],
];

const conditions = (dice: Dice): Body[] => [
  { type: "Ready", status: dice.one(["True", "False"]), lastTransitionTime: "2026-01-02T03:04:05Z" },
];

const pods: RandomKind = {
  name: "pods",
  path: paths.pods,
  body: (dice, name) => ({
    metadata: { name },
    spec: podSpec(dice, {
      nodeName: dice.maybe(0.4, () => "n"),
      restartPolicy: dice.maybe(0.2, () => dice.one(["Never", "OnFailure", "Sometimes"])),
      activeDeadlineSeconds: dice.maybe(0.05, () => dice.one([60, 0])),
      priorityClassName: dice.maybe(0.04, () => dice.one(["no-such-class", "system-node-critical"])),
      hostNetwork: dice.maybe(0.05, () => true),
    }),
  }),
  patches: podPatches,
  status: (dice) => ({
    phase: dice.one(["Pending", "Running", "Succeeded", "Failed"]),
    conditions: dice.maybe(0.5, () => conditions(dice)),
    podIP: dice.maybe(0.2, () => "1.2.3.4"),
  }),
  others: (dice, object, name) =>
    dice.chance(0.5)
      ? post(`${object}/eviction`, {
          metadata: { name: dice.chance(0.95) ? name : "other" },
          deleteOptions: dice.maybe(0.3, () => ({ gracePeriodSeconds: dice.one([0, 1000]) })),
        })
      : post(`${object}/binding`, {
          metadata: { name },
          target: { kind: "Node", name: dice.chance(0.9) ? "n" : "" },
        }),
  fields: [
    "status.phase=Running",
    "spec.nodeName=n",
    "spec.nodeName=",
    "spec.restartPolicy=Never",
    "status.podIP=1.2.3.4",
    "spec.image=i",
  ],
};

/** A pod that is always valid. */
export const plainPod = (name: string): Body => pod(name) as Body;

const nodes: RandomKind = {
  name: "nodes",
  path: "/api/v1/nodes",
  clusterWide: true,
  body: (dice, name) => ({
    metadata: { name },
    spec: {
      unschedulable: dice.maybe(0.2, () => true),
      taints: dice.maybe(0.3, () => [
        { key: dice.one(["k", "l", "not good"]), effect: dice.one(["NoSchedule", "NoExecute", "Never"]) },
      ]),
      podCIDR: dice.maybe(0.15, () => "10.1.0.0/24"),
      providerID: dice.maybe(0.15, () => dice.one(["x", "y"])),
    },
    status: dice.maybe(0.4, () => ({ capacity: { cpu: dice.one(["4", "4000m"]), memory: "8Gi" } })),
  }),
  patches: (dice) => [
    ["merge", { spec: { unschedulable: dice.one([true, null]) } }],
    ["strategic", { spec: { taints: [{ key: "k", effect: "NoSchedule", value: text(dice) }] } }],
    ["merge", { spec: { providerID: dice.one(["x", "y"]) } }],
  ],
  status: (dice) => ({ conditions: conditions(dice), capacity: { cpu: dice.one(["4", "8"]) } }),
  fields: ["spec.unschedulable=true", "spec.providerID=x"],
};

const namespaces: RandomKind = {
  name: "namespaces",
  path: "/api/v1/namespaces",
  clusterWide: true,
  body: (dice, name) => ({
    metadata: { name },
    spec: dice.maybe(0.15, () => ({ finalizers: [dice.one(["kubernetes", "example.com/a", "bad"])] })),
  }),
  status: (dice) => ({ phase: dice.one(["Active", "Terminating"]) }),
  others: (dice, object, name) =>
    dice.chance(0.8)
      ? put(`${object}/finalize`, {
          metadata: { name },
          spec: { finalizers: dice.one([[], ["kubernetes"], ["example.com/a"]]) },
        })
      : patch("merge", `${object}/finalize`, {}),
  fields: ["status.phase=Active", "status.phase=Terminating", "spec.finalizers=x"],
};

const leases: RandomKind = {
  name: "leases",
  path: paths.leases,
  body: (dice, name) => ({
    metadata: { name },
    spec: {
      holderIdentity: dice.maybe(0.8, () => text(dice)),
      leaseDurationSeconds: dice.maybe(0.6, () => dice.one([15, 30, 0, -1])),
      leaseTransitions: dice.maybe(0.3, () => dice.one([0, 1, -1])),
      renewTime: dice.maybe(0.4, () => dice.one(["2026-01-02T03:04:05.000006Z", "2026-01-02T03:04:05Z", "yesterday"])),
    },
  }),
  patches: (dice) => [["merge", { spec: { holderIdentity: text(dice), leaseTransitions: dice.below(3) } }]],
};

export const coreKinds: readonly RandomKind[] = [
  configMaps,
  secrets,
  services,
  serviceAccounts,
  pods,
  nodes,
  namespaces,
  leases,
];
