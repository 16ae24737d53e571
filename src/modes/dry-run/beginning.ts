/** The cluster that manifests alone begin with. */
import type { StoredObject } from "../../api/object.ts";
import { formatTime, parseTime } from "../../api/time.ts";
import type { Node } from "../../api/types.ts";
import { nodeStatusOf, simulatedNode } from "../../controllers/kubelet/node.ts";
import { randomUuid, seededRandom } from "../../platform/random.ts";
import type { Beginning } from "./dry-run.ts";

/** When manifests alone begin: any fixed date would do. */
export const emptyClusterAtMs: number = parseTime("2026-01-01T00:00:00Z");
const nodes = 3;

/** An empty cluster with these namespaces and three ready nodes of 8 CPUs and 16 GiB. */
export function emptyCluster(namespaces: Iterable<string>): Beginning {
  const random = seededRandom(0);
  const creationTimestamp = formatTime(emptyClusterAtMs);
  const meta = (name: string): StoredObject["metadata"] => ({
    name,
    uid: randomUuid(random),
    resourceVersion: "1",
    creationTimestamp,
  });
  const objects: StoredObject[] = [];
  for (const name of namespaces) {
    objects.push({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { ...meta(name), labels: { "kubernetes.io/metadata.name": name } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    } as StoredObject);
    objects.push({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { ...meta("default"), namespace: name },
    });
  }
  for (let n = 0; n < nodes; n++) {
    const node = simulatedNode(n);
    const bare = { ...node, metadata: { ...node.metadata, ...meta(node.metadata.name ?? "") } } as Node;
    objects.push({ ...bare, status: nodeStatusOf(bare, emptyClusterAtMs) } as StoredObject);
  }
  return { objects, atMs: emptyClusterAtMs, settledPods: new Set() };
}
