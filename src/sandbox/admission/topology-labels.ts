/** PodTopologyLabels: pods carry the zone and the region of their node. Source: kubernetes v1.36 plugin/pkg/admission/podtopologylabels. */
import { textOf, type ApiObject } from "../meta/object.ts";
import type { Server } from "../context/server.ts";

const copied = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/** What a node gives to the pods that run on it. */
export function topologyLabels(server: Server, node: string): Record<string, string> {
  if (!server.admission.has("PodTopologyLabels")) return {};
  const labels = server.store.collection("nodes", false).get("", node)?.object.metadata.labels ?? {};
  return Object.fromEntries(copied.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]]])));
}

/** Of a new pod that has its node already. */
export function admitTopologyLabels(server: Server, pod: ApiObject): void {
  const node = textOf(pod.spec?.["nodeName"]);
  if (node === "") return;
  const labels = topologyLabels(server, node);
  if (Object.keys(labels).length > 0) pod.metadata.labels = { ...pod.metadata.labels, ...labels };
}
