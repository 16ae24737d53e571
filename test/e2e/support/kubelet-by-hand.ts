/**
 * A minimal kubelet that reports every pod of a namespace as ready, and completes the deletion of terminating pods, always by uid. kwok
 * deletes by name only, and twice, so it sometimes deletes the next pod of the same name, which a StatefulSet creates immediately.
 */
import type { Cluster } from "../../support/cluster.ts";

interface PodSeen {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const ready = {
  phase: "Running",
  conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }],
};

/** Runs until stopped; refused requests are retried. */
export function startKubeletByHand(cluster: Cluster, namespace: string): { stop(): Promise<void> } {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const over = new AbortController();
  const see = async ({ metadata: { name, uid, deletionTimestamp }, status }: PodSeen): Promise<void> => {
    if (deletionTimestamp !== undefined) {
      await cluster.request("DELETE", `${path}/${name}`, { gracePeriodSeconds: 0, preconditions: { uid } });
    } else if (status.conditions?.some(({ type }) => type === "Ready") !== true) {
      const body = { metadata: { uid }, status: ready };
      await cluster.request("PATCH", `${path}/${name}/status`, body, {
        "content-type": "application/merge-patch+json",
      });
    }
  };
  const run = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const { body } = await cluster.request("GET", path);
      await Promise.all((body as { readonly items: readonly PodSeen[] }).items.map(see));
      await Bun.sleep(20);
    }
  };
  const running = run();
  return {
    async stop() {
      over.abort();
      await running;
    },
  };
}
