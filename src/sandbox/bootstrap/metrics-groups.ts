/** The groups of the metrics APIs in discovery. */
import type { Server } from "../context/server.ts";

const read = ["get", "list"];
const pods = { name: "pods", singularName: "", namespaced: true, kind: "PodMetrics", verbs: read };
const nodes = { name: "nodes", singularName: "", namespaced: false, kind: "NodeMetrics", verbs: read };

/** Adds the groups. Custom and external metrics are not listed by name: any annotation can define one. */
export function addMetricsGroups({ registry }: Pick<Server, "registry">): void {
  const add = (group: string, entries: Parameters<typeof registry.add>[1]["entries"]): void =>
    registry.add(`metrics of ${group}`, { group, versions: [], structs: [], entries });
  add("metrics.k8s.io", new Map([["metrics.k8s.io/v1beta1", [nodes, pods]]]));
  add(
    "custom.metrics.k8s.io",
    new Map([
      ["custom.metrics.k8s.io/v1beta2", []],
      ["custom.metrics.k8s.io/v1beta1", []],
    ]),
  );
  add("external.metrics.k8s.io", new Map([["external.metrics.k8s.io/v1beta1", []]]));
}
