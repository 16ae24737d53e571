/**
 * Pods on nodes that exist, are gone or are out of service. Neither kubelets nor a scheduler run: a pod is created with its node, and the
 * script writes its status.
 */
import { pathOf } from "../../../../src/api/kind.ts";
import { Nodes, Pods } from "../../../../src/api/kinds.ts";
import type { PodObject } from "../../objects.ts";
import { ownName, type Stage } from "../../stage.ts";

export interface PodParts {
  /** Name of the node without its prefix. If missing, the pod waits for a scheduler. */
  readonly node?: string;
  readonly phase?: string;
  readonly reason?: string;
  readonly conditions?: readonly object[];
  /** Whether it has a finalizer that nobody removes: a deleted pod then stays. */
  readonly held?: boolean;
  /** Whether it is deleted after everything else is set. */
  readonly deleted?: boolean;
}

export const heldBy = "example.com/hold";

/** Creates a pod in the given state. */
export async function makePod(stage: Stage, name: string, parts: PodParts = {}): Promise<void> {
  const { node, phase = "Running", reason, conditions, held = false, deleted = false } = parts;
  await stage.create("pods", {
    metadata: { name, labels: { pod: name }, ...(held && { finalizers: [heldBy] }) },
    spec: {
      containers: [{ name: "main", image: "main:1" }],
      ...(node !== undefined && { nodeName: ownName(stage, node) }),
    },
  });
  const status = { ...(reason !== undefined && { reason }), ...(conditions !== undefined && { conditions }) };
  if (phase !== "Pending" || Object.keys(status).length > 0)
    await stage.patch("pods", `${name}/status`, { status: { phase, ...status } });
  if (deleted) await stage.remove("pods", name);
}

export const outOfServiceTaint = {
  key: "node.kubernetes.io/out-of-service",
  value: "nodeshutdown",
  effect: "NoExecute",
};

export interface NodeParts {
  readonly ready?: "True" | "False" | "Unknown";
  readonly outOfService?: boolean;
}

/** Creates a node, or changes the existing one. */
export async function setNode(stage: Stage, node: string, parts: NodeParts = {}): Promise<void> {
  const { ready = "True", outOfService = false } = parts;
  const name = ownName(stage, node);
  const { status } = await stage.cluster.request("GET", pathOf(Nodes, { name }));
  if (status === 404) await stage.create("nodes", { metadata: { name } });
  await stage.patch("nodes", name, { spec: { taints: outOfService ? [outOfServiceTaint] : [] } });
  await stage.patch("nodes", `${name}/status`, { status: { conditions: [{ type: "Ready", status: ready }] } });
}

export function removeNode(stage: Stage, node: string): Promise<void> {
  return stage.remove("nodes", ownName(stage, node));
}

export async function podNames(stage: Stage): Promise<readonly string[]> {
  return (await stage.pods()).map(({ metadata }: PodObject) => metadata.name).sort();
}

/** Whether exactly these pods are left. */
export function left(...names: readonly string[]): (stage: Stage) => Promise<boolean> {
  const wanted = names.toSorted().join();
  return async (stage) => (await podNames(stage)).join() === wanted;
}

/** The namespace of the finished pod that is kept. It belongs to no stage. */
const aside = "kept-aside";

/**
 * One finished pod is kept per cluster. This creates one that cannot be removed, so that all evicted pods of the stages, which are deleted
 * before it, exceed the threshold.
 */
export async function keepOneAside({ cluster }: Stage): Promise<void> {
  const pods = pathOf(Pods, { namespace: aside });
  // Several scripts of a cluster do this concurrently, and find what another one has created.
  for (let tries = 0; tries < 50; tries++) {
    const { status, body } = await cluster.request("GET", `${pods}/kept`);
    if (status === 404) {
      await cluster.createNamespace(aside).catch(() => undefined);
      await cluster.request("POST", pods, {
        metadata: { name: "kept", finalizers: [heldBy] },
        spec: { containers: [{ name: "main", image: "main:1" }] },
      });
    } else if ((body as PodObject).status?.phase === "Succeeded") {
      return;
    } else {
      const succeeded = { status: { phase: "Succeeded" } };
      await cluster.request("PATCH", `${pods}/kept/status`, succeeded, {
        "content-type": "application/merge-patch+json",
      });
    }
    await Bun.sleep(100);
  }
  throw new Error("Cannot keep a pod aside: it has not succeeded after 50 tries");
}
