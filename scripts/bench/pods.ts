import type { Cluster } from "../../test/support/cluster.ts";
import { inLanes } from "./lanes.ts";

/** Concurrent requests while pods are created. */
const lanes = 48;
const pageSize = 500;

/**
 * Fills a cluster with pods like those of a busy service: about 11 KB of JSON each, a third of it managedFields, a status written by a
 * different manager from the spec. One namespace per 100; on nodes named `fake-0` and so on, whether they exist or not.
 */
export async function fillWithPods(
  cluster: Cluster,
  { count, nodes }: { readonly count: number; readonly nodes: number },
): Promise<void> {
  const namespaces = Array.from({ length: Math.ceil(count / 100) }, (_, i) => `bench-${i}`);
  await inLanes({ count: namespaces.length, lanes }, async (i) => cluster.createNamespace(namespaces[i] as string));
  await inLanes({ count, lanes }, async (i) => {
    const namespace = namespaces[Math.floor(i / 100)] as string;
    const made = await send(cluster, "POST", `/api/v1/namespaces/${namespace}/pods`, podNumber(i, nodes), "deployer");
    await send(
      cluster,
      "PATCH",
      `/api/v1/namespaces/${namespace}/pods/${made.metadata.name}/status`,
      { status: runningStatus(i) },
      "kubelet",
    );
  });
}

/** Saves all pods as one PodList, each item as the server wrote it; returns the bytes per pod. */
export async function savePods(cluster: Cluster, path: string): Promise<number> {
  const items: string[] = [];
  let token = "";
  do {
    const query = new URLSearchParams({ limit: String(pageSize), ...(token !== "" && { continue: token }) });
    const { body } = await cluster.request("GET", `/api/v1/pods?${query.toString()}`);
    const page = body as { metadata: { continue?: string }; items: unknown[] };
    for (const item of page.items) items.push(JSON.stringify(item));
    token = page.metadata.continue ?? "";
  } while (token !== "");
  const list = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[${items.join(",")}]}`;
  await Bun.write(path, list);
  return list.length / items.length;
}

async function send(
  cluster: Cluster,
  method: string,
  path: string,
  body: unknown,
  manager: string,
): Promise<{ readonly metadata: { readonly name: string } }> {
  // Lists are replaced: kwok may have written the pod's address already.
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const response = await cluster.request(method, `${path}?fieldManager=${manager}`, body, { "content-type": type });
  if (response.status >= 300) throw new Error(`Cannot fill the cluster: ${JSON.stringify(response.body)}`);
  return response.body as { metadata: { name: string } };
}

function podNumber(i: number, nodes: number): unknown {
  const app = `service-${i % 50}`;
  return {
    metadata: {
      name: `${app}-7d9c8b6f5d-${i.toString(36).padStart(5, "x")}`,
      labels: {
        app,
        "app.kubernetes.io/name": app,
        "app.kubernetes.io/instance": `${app}-production`,
        "app.kubernetes.io/version": `1.${i % 20}.0`,
        "app.kubernetes.io/part-of": "shop",
        "pod-template-hash": "7d9c8b6f5d",
      },
      annotations: {
        "prometheus.io/scrape": "true",
        "prometheus.io/port": "9102",
        "kubectl.kubernetes.io/restartedAt": "2026-11-01T10:00:00Z",
      },
    },
    spec: {
      nodeName: `fake-${i % nodes}`,
      serviceAccountName: "default",
      containers: [container("main", 8080), container("sidecar", 9102)],
      initContainers: [container("migrate", 8081)],
      volumes: [
        { name: "config", configMap: { name: `${app}-config` } },
        { name: "secrets", secret: { secretName: `${app}-secrets` } },
        { name: "scratch", emptyDir: { sizeLimit: "1Gi" } },
      ],
    },
  };
}

function container(name: string, port: number): unknown {
  const probe = { httpGet: { path: "/healthz", port }, initialDelaySeconds: 5, periodSeconds: 10, failureThreshold: 3 };
  return {
    name,
    image: `registry.example.com/shop/${name}:1.0.0`,
    args: ["--listen", `0.0.0.0:${port}`, "--log-level=info"],
    env: Array.from({ length: 4 }, (_, i) => ({ name: `SETTING_${i}`, value: `value-${i}-of-${name}` })),
    ports: [{ name: "http", containerPort: port }],
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: "1", memory: "512Mi" } },
    ...(name !== "migrate" && { livenessProbe: probe, readinessProbe: probe }),
    volumeMounts: [
      { name: "config", mountPath: "/etc/config", readOnly: true },
      { name: "secrets", mountPath: "/etc/secrets", readOnly: true },
      { name: "scratch", mountPath: "/var/scratch" },
    ],
  };
}

function runningStatus(i: number): unknown {
  const at = "2026-11-01T10:00:00Z";
  const ip = `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
  const running = (name: string): unknown => ({
    name,
    image: `registry.example.com/shop/${name}:1.0.0`,
    imageID: `registry.example.com/shop/${name}@sha256:${"0123456789abcdef".repeat(4)}`,
    containerID: `containerd://${"fedcba9876543210".repeat(4)}`,
    ready: true,
    started: true,
    restartCount: i % 3,
    state: { running: { startedAt: at } },
    lastState: {},
  });
  return {
    phase: "Running",
    hostIP: `192.168.0.${i % 250}`,
    podIP: ip,
    podIPs: [{ ip }],
    startTime: at,
    conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) => ({
      type,
      status: "True",
      lastTransitionTime: at,
    })),
    containerStatuses: [running("main"), running("sidecar")],
  };
}
