/** The QoS class of a pod, which ranks it for eviction. */
import { at, type ApiObject } from "../../../../meta/object.ts";

/** `Guaranteed`, `Burstable` or `BestEffort`. Source: kubernetes v1.36 pkg/apis/core/v1/helper/qos/qos.go. */
export function qosClassOf(pod: ApiObject): string {
  const lists = ["containers", "initContainers"].map((key) => at(pod, "spec", key));
  const containers = lists.flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  let any = false;
  let guaranteed = true;
  for (const container of containers) {
    const requests = at(container, "resources", "requests") ?? {};
    const limits = at(container, "resources", "limits") ?? {};
    for (const name of ["cpu", "memory"]) {
      const [request, limit] = [at(requests, name), at(limits, name)];
      if (request !== undefined || limit !== undefined) any = true;
      if (limit === undefined || (request !== undefined && request !== limit)) guaranteed = false;
    }
  }
  return any ? (guaranteed ? "Guaranteed" : "Burstable") : "BestEffort";
}
