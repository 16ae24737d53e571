/**
 * The pods on each node: those that the cache shows there, and those bound since. A pod counts from the moment of the
 * decision, so that the next decision does not use the same capacity again.
 *
 * Source: kubernetes v1.36 pkg/scheduler/backend/cache/cache.go; differs: an assumed pod never expires; its binding
 * fails or is observed.
 */
import { keyOf, type ObjectKey } from "../../api/key.ts";
import type { Pod } from "../../api/types.ts";
import { isPodTerminal } from "../../controller/workload/pod-status.ts";
import { addTo, requestsOf, type Resources } from "./requests.ts";

/** The pods on one node, and their totals. */
export interface NodeLoad {
  readonly pods: ReadonlyMap<ObjectKey, Pod>;
  readonly requested: Resources;
  readonly scored: Resources;
  /** `TCP 0.0.0.0 80`, with how many pods have it. */
  readonly hostPorts: ReadonlyMap<string, number>;
}

interface MutableLoad extends NodeLoad {
  readonly pods: Map<ObjectKey, Pod>;
  readonly requested: Map<string, number>;
  readonly scored: Map<string, number>;
  readonly hostPorts: Map<string, number>;
}

const nothing: NodeLoad = { pods: new Map(), requested: new Map(), scored: new Map(), hostPorts: new Map() };

/** What each node's pods use; kept up to date by the informers and by the scheduler's own decisions. */
export class NodeUsageCache {
  #loads = new Map<string, MutableLoad>();
  #placed = new Map<ObjectKey, { readonly node: string; readonly pod: Pod }>();
  /** Pods with required anti-affinity: few, and needed for every decision. */
  #repelling = new Map<ObjectKey, { readonly node: string; readonly pod: Pod }>();

  loadOf(node: string): NodeLoad {
    return this.#loads.get(node) ?? nothing;
  }

  /** The pods that have required anti-affinity, with their nodes. */
  get repelling(): Iterable<{ readonly node: string; readonly pod: Pod }> {
    return this.#repelling.values();
  }

  has(key: ObjectKey): boolean {
    return this.#placed.has(key);
  }

  /** Puts the pod on the node, replacing any pod of the same key. Atomic. */
  place(pod: Pod, node: string): void {
    const key = keyOf(pod);
    this.remove(key);
    const load = this.#loads.get(node) ?? emptyLoad();
    this.#loads.set(node, load);
    load.pods.set(key, pod);
    const { requested, scored } = requestsOf(pod);
    addTo(load.requested, requested);
    addTo(load.scored, scored);
    for (const port of hostPortsOf(pod)) load.hostPorts.set(port, (load.hostPorts.get(port) ?? 0) + 1);
    this.#placed.set(key, { node, pod });
    if ((pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0) {
      this.#repelling.set(key, { node, pod });
    }
  }

  remove(key: ObjectKey): void {
    const placed = this.#placed.get(key);
    if (placed === undefined) return;
    this.#placed.delete(key);
    this.#repelling.delete(key);
    const load = this.#loads.get(placed.node);
    if (load === undefined) return;
    load.pods.delete(key);
    if (load.pods.size === 0) {
      this.#loads.delete(placed.node);
      return;
    }
    const { requested, scored } = requestsOf(placed.pod);
    addTo(load.requested, requested, -1);
    addTo(load.scored, scored, -1);
    for (const port of hostPortsOf(placed.pod)) {
      const left = (load.hostPorts.get(port) ?? 0) - 1;
      if (left > 0) load.hostPorts.set(port, left);
      else load.hostPorts.delete(port);
    }
  }

  /** Applies the cached state of a pod. A pod without a node there keeps the node that it was assigned here. */
  observe(pod: Pod): void {
    const node = pod.spec?.nodeName;
    if (node === undefined || node === "") return;
    if (isPodTerminal(pod)) this.remove(keyOf(pod));
    else this.place(pod, node);
  }
}

function emptyLoad(): MutableLoad {
  return { pods: new Map(), requested: new Map(), scored: new Map(), hostPorts: new Map() };
}

/** `TCP 127.0.0.1 80` for each host port of the pod. */
export function hostPortsOf(pod: Pod): string[] {
  return (pod.spec?.containers ?? []).flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort = 0 }) => hostPort > 0)
      .map(({ protocol = "TCP", hostIP = "", hostPort }) => {
        return `${protocol} ${hostIP === "" ? "0.0.0.0" : hostIP} ${hostPort}`;
      }),
  );
}
