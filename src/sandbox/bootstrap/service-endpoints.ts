/** Endpoints of Services that are deleted. Source: kubernetes v1.36 pkg/registry/core/service/storage/storage.go afterDelete. */
import { askLoopback } from "../serving/loopback.ts";
import type { Server } from "../context/server.ts";

/** Deletes the Endpoints of a Service in the turn in which it goes, so that the next one of the name does not get its addresses. */
export function deleteEndpointsOfServices(server: Server): void {
  const endpoints = server.store.collection("endpoints", true);
  server.store.collection("services", true).listeners.add(({ type, entry }) => {
    const { name, namespace = "" } = entry.object.metadata;
    if (type !== "DELETED" || name === undefined || endpoints.get(namespace, name) === undefined) return;
    // What is refused there is no reason to keep the Service: it is gone.
    askLoopback(server, { method: "DELETE", path: `/api/v1/namespaces/${namespace}/endpoints/${name}`, body: {} });
  });
}
