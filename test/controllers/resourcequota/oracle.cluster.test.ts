/** The real kube-controller-manager and our controller must compute the same quota statuses for the same namespace. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { runProgram } from "../../e2e/support/program.ts";
import { type Cluster, controllersMissing, startCluster } from "../../support/cluster.ts";

const merge = { "content-type": "application/merge-patch+json" };
const core = "/api/v1/namespaces/counted";

interface Quota {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly hard: Readonly<Record<string, string>> };
  readonly status?: {
    readonly hard?: Readonly<Record<string, string>>;
    readonly used?: Readonly<Record<string, string>>;
  };
}

const resourcesOf = (cpu: string, memory: string): object => ({
  requests: { cpu, memory, "example.com/gpu": "1" },
  limits: { cpu, memory, "ephemeral-storage": "1Gi", "example.com/gpu": "1" },
});
const container = (name: string, resources: object = {}, more: object = {}): object => {
  return { name, image: "i", resources, ...more };
};

/** Pods by name: their `spec`, and their `status` if it differs from the one that the API server sets. */
const pods: Readonly<
  Record<string, { readonly spec: object; readonly status?: object; readonly finalizers?: string[] }>
> = {
  plain: {
    spec: { containers: [container("a", resourcesOf("100m", "64Mi")), container("b", resourcesOf("0.2", "1G"))] },
  },
  best: { spec: { containers: [container("a")] } },
  inits: {
    spec: {
      initContainers: [
        container("first", resourcesOf("700m", "1Mi")),
        container("sidecar", resourcesOf("50m", "10Mi"), { restartPolicy: "Always" }),
        container("last", resourcesOf("10m", "900Mi")),
      ],
      containers: [container("a", resourcesOf("100m", "64Mi"))],
    },
  },
  whole: {
    spec: {
      resources: { requests: { cpu: "2", memory: "3Gi" }, limits: { cpu: "4" } },
      containers: [container("a", { requests: { cpu: "100m" } })],
    },
  },
  deadline: { spec: { activeDeadlineSeconds: 3600, containers: [container("a", resourcesOf("1m", "1Mi"))] } },
  critical: { spec: { priorityClassName: "urgent", containers: [container("a", resourcesOf("1m", "1Mi"))] } },
  far: {
    spec: {
      containers: [container("a")],
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: "zone", labelSelector: {}, namespaces: ["other"] },
          ],
        },
      },
    },
  },
  done: { spec: { containers: [container("a", resourcesOf("1", "1Gi"))] }, status: { phase: "Succeeded" } },
  failed: { spec: { containers: [container("a", resourcesOf("1", "1Gi"))] }, status: { phase: "Failed" } },
  resized: {
    spec: { containers: [container("a", { requests: { cpu: "100m" }, limits: { cpu: "300m" } })] },
    status: {
      phase: "Running",
      containerStatuses: [
        {
          name: "a",
          image: "i",
          imageID: "i",
          ready: true,
          restartCount: 0,
          allocatedResources: { cpu: "250m" },
          resources: { requests: { cpu: "150m" }, limits: { cpu: "500m" } },
        },
      ],
    },
  },
  stays: { spec: { containers: [container("a", resourcesOf("5m", "1Mi"))] }, finalizers: ["example.com/stays"] },
};

const services: readonly object[] = [
  { metadata: { name: "inner" }, spec: { ports: [{ port: 80 }] } },
  {
    metadata: { name: "node" },
    spec: {
      type: "NodePort",
      ports: [
        { name: "a", port: 80 },
        { name: "b", port: 81 },
      ],
    },
  },
  { metadata: { name: "balanced" }, spec: { type: "LoadBalancer", ports: [{ port: 80 }] } },
  {
    metadata: { name: "direct" },
    spec: {
      type: "LoadBalancer",
      allocateLoadBalancerNodePorts: false,
      ports: [
        { name: "a", port: 80, nodePort: 30_080 },
        { name: "b", port: 81 },
      ],
    },
  },
];

const claim = (name: string, storage: string, storageClassName?: string): object => ({
  metadata: { name },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage } },
    ...(storageClassName !== undefined && { storageClassName }),
  },
});

const computes = [
  "pods",
  "count/pods",
  "cpu",
  "memory",
  "ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "requests.example.com/gpu",
  "requests.hugepages-2Mi",
];
const counts = [
  "services",
  "services.nodeports",
  "services.loadbalancers",
  "count/services",
  "configmaps",
  "count/configmaps",
  "secrets",
  "resourcequotas",
  "replicationcontrollers",
  "count/jobs.batch",
  "count/deployments.apps",
  "count/nothing.example.com",
  "persistentvolumeclaims",
  "requests.storage",
  "gold.storageclass.storage.k8s.io/persistentvolumeclaims",
  "gold.storageclass.storage.k8s.io/requests.storage",
  "tin.storageclass.storage.k8s.io/requests.storage",
];
const many = (names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, "1000Gi"]));
const numbered = (names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, "1000"]));
const ofPods = (selector: object): object => ({ hard: { pods: "1000" }, ...selector });
const priorityClass = (operator: string, values?: readonly string[]): object =>
  ofPods({
    scopeSelector: {
      matchExpressions: [{ scopeName: "PriorityClass", operator, ...(values !== undefined && { values }) }],
    },
  });

const quotas: Readonly<Record<string, object>> = {
  computes: { hard: many(computes.slice(1)) },
  counts: { hard: { ...numbered(counts), "requests.storage": "1000Gi" } },
  terminating: { hard: many(["pods", "limits.cpu"].slice(1)), scopes: ["Terminating"] },
  "not-terminating": { hard: many(["requests.memory"]), scopes: ["NotTerminating"] },
  "best-effort": ofPods({ scopes: ["BestEffort"] }),
  "not-best-effort": ofPods({ scopes: ["NotBestEffort", "NotTerminating"] }),
  affine: ofPods({ scopes: ["CrossNamespacePodAffinity"] }),
  exists: priorityClass("Exists"),
  in: priorityClass("In", ["urgent", "none"]),
  "not-in": priorityClass("NotIn", ["urgent"]),
  "does-not-exist": priorityClass("DoesNotExist"),
};

describe.skipIf(controllersMissing !== undefined)("the real resourcequota controller", () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster({ controllers: "resourcequota-controller", nodes: 0, scheduler: false });
    await cluster.createNamespace("counted");
    const urgent = { metadata: { name: "urgent" }, value: 1000 };
    await post("/apis/scheduling.k8s.io/v1/priorityclasses", urgent);
  });
  afterAll(() => cluster?.stop());

  async function post(path: string, body: object): Promise<void> {
    const response = await cluster.request("POST", path, body);
    expect({ path, status: response.status, body: response.status === 201 ? "" : (response.body as unknown) }).toEqual({
      path,
      status: 201,
      body: "",
    });
  }

  async function populate(): Promise<void> {
    for (const [name, { spec, status, finalizers = [] }] of Object.entries(pods)) {
      await post(`${core}/pods`, { metadata: { name, finalizers }, spec });
      if (status !== undefined) await cluster.request("PATCH", `${core}/pods/${name}/status`, { status }, merge);
    }
    for (const service of services) await post(`${core}/services`, service);
    await post(`${core}/persistentvolumeclaims`, claim("a", "1Gi", "gold"));
    await post(`${core}/persistentvolumeclaims`, claim("b", "1500m", "gold"));
    await post(`${core}/persistentvolumeclaims`, claim("c", "3G"));
    await post(`${core}/configmaps`, { metadata: { name: "a" } });
    await post(`${core}/secrets`, { metadata: { name: "a" } });
    const template = { spec: { restartPolicy: "Never", containers: [container("a")] } };
    await post("/apis/batch/v1/namespaces/counted/jobs", { metadata: { name: "a" }, spec: { template } });
  }

  async function statuses(): Promise<Readonly<Record<string, Quota["status"]>>> {
    const { body } = await cluster.request("GET", `${core}/resourcequotas`);
    const { items } = body as { readonly items: readonly Quota[] };
    return Object.fromEntries(items.map(({ metadata, status }) => [metadata.name, status]));
  }

  /** Returns the statuses once they are complete and have not changed for 2 seconds; waits at most 60 seconds. */
  async function settled(): Promise<Readonly<Record<string, Quota["status"]>>> {
    let [before, since] = ["", 0];
    for (let tries = 0; tries < 120; tries++) {
      const now = await statuses();
      const text = JSON.stringify(now);
      since = text === before ? since + 1 : 0;
      before = text;
      if (since >= 4 && Object.values(now).every((status) => status?.used !== undefined)) return now;
      await Bun.sleep(500);
    }
    throw new Error(`the quotas did not settle in 60 seconds: ${before}`);
  }

  test("has the same hard and used in every status", async () => {
    await populate();
    for (const [name, spec] of Object.entries(quotas)) {
      await post(`${core}/resourcequotas`, { metadata: { name }, spec });
    }
    await settled();
    // Usage that is released, and an object that still counts although it was deleted.
    await cluster.request("DELETE", `${core}/pods/best`);
    await cluster.request("DELETE", `${core}/pods/stays`);
    await cluster.request("DELETE", `${core}/services/node`);
    await cluster.request("DELETE", `${core}/persistentvolumeclaims/b`);
    await cluster.request("DELETE", `${core}/configmaps/a`);
    await cluster.request("PATCH", `${core}/pods/critical/status`, { status: { phase: "Failed" } }, merge);
    const theirs = await settled();
    await cluster.kill("kube-controller-manager");
    for (const name of Object.keys(quotas)) {
      await cluster.request("PATCH", `${core}/resourcequotas/${name}/status`, { status: null }, merge);
    }
    const ours = ["run", "resourcequota", "-n", "counted", "--once", "--force", "--kubeconfig", cluster.kubeconfig];
    const { code, stderr } = await runProgram(ours);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(await statuses()).toEqual(theirs);
    // Ensures that the comparison is not trivial.
    expect(theirs["best-effort"]?.used).toEqual({ pods: "1" });
    expect(theirs["counts"]?.used?.["count/nothing.example.com"]).toBeUndefined();
  });
});
