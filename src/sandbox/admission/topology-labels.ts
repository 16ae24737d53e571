/**
 * PodTopologyLabels: copies the zone and region labels of a node to its pods. Source: kubernetes v1.36
 * plugin/pkg/admission/podtopologylabels.
 */
import { textOf, type ApiObject } from "../meta/object.ts";
import type { Server } from "../context/server.ts";

const copied = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/** The labels that a node passes on to its pods. */
export function topologyLabels(server: Server, node: string): Record<string, string> {
  if (!server.admission.has("PodTopologyLabels")) return {};
  const labels = server.store.collection("nodes", false).get("", node)?.object.metadata.labels ?? {};
  return Object.fromEntries(copied.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]]])));
}

/** For a new pod that already has a node. */
export function admitTopologyLabels(server: Server, pod: ApiObject): void {
  const node = textOf(pod.spec?.["nodeName"]);
  if (node === "") return;
  const labels = topologyLabels(server, node);
  if (Object.keys(labels).length > 0) pod.metadata.labels = { ...pod.metadata.labels, ...labels };
}
