/** Deletes the Endpoints of deleted Services. Source: kubernetes v1.36 pkg/registry/core/service/storage/storage.go afterDelete. */
import { sendLoopback } from "../serving/loopback.ts";
import type { Server } from "../context/server.ts";

/** Deletes a Service's Endpoints in the same turn, so a new Service of that name does not get its addresses. */
export function deleteEndpointsOfServices(server: Server): void {
  const endpoints = server.store.collection("endpoints", true);
  server.store.collection("services", true).listeners.add(({ type, entry }) => {
    const { name, namespace = "" } = entry.object.metadata;
    if (type !== "DELETED" || name === undefined || endpoints.get(namespace, name) === undefined) return;
    // A failure here cannot keep the Service: it is already deleted.
    sendLoopback(server, { method: "DELETE", path: `/api/v1/namespaces/${namespace}/endpoints/${name}`, body: {} });
  });
}
