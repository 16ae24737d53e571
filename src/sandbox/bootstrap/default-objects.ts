/** Objects that every cluster has from the start, and those that a controller creates in each namespace. */
import { formatTime } from "../../api/time.ts";
import { randomUuid } from "../../platform/random.ts";
import { createMissing } from "../serving/loopback.ts";
import type { Server } from "../context/server.ts";

const firstNamespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];

const priorities: readonly [name: string, value: number, description: string][] = [
  [
    "system-node-critical",
    2_000_001_000,
    "Used for system critical pods that must not be moved from their current node.",
  ],
  [
    "system-cluster-critical",
    2_000_000_000,
    "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  ],
];

/** Creates the first namespaces and the system priority classes, unless they exist. */
export function putFirstObjects(server: Server): void {
  for (const name of firstNamespaces) {
    createMissing(server, { path: "/api/v1/namespaces", body: { metadata: { name } } });
  }
  for (const [name, value, description] of priorities) {
    const body = { metadata: { name }, value, description };
    createMissing(server, { path: "/apis/scheduling.k8s.io/v1/priorityclasses", body });
  }
}

/**
 * Creates the ServiceAccount `default` in all existing and future namespaces, like kube-controller-manager; without it pods are rejected.
 * It is created in the same turn as the namespace.
 */
export function keepDefaultServiceAccounts(server: Server): void {
  const namespaces = server.store.collection("namespaces", false);
  const accounts = server.store.collection("serviceaccounts", true);
  const make = (namespace: string): void => {
    if (accounts.get(namespace, "default") !== undefined) return;
    server.store.put(accounts, {
      kind: "ServiceAccount",
      apiVersion: "v1",
      metadata: {
        name: "default",
        uid: randomUuid(server.random),
        creationTimestamp: formatTime(server.timeline.now()),
        namespace,
      },
    });
  };
  for (const { name, object } of namespaces.range({})) if (object.metadata.deletionTimestamp === undefined) make(name);
  namespaces.listeners.add((change) => {
    if (change.type === "ADDED") make(change.entry.name);
  });
}
