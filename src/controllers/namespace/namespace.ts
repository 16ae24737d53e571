import { keyOf } from "../../api/key.ts";
import { Namespaces } from "../../api/kinds.ts";
import type { Namespace } from "../../api/types.ts";
import { type ControllerDefinition, defineController, watch } from "../../controller/api/definition.ts";
import { bucketLimiter, exponentialFailureLimiter, maxOfLimiters } from "../../workqueue/rate-limiters.ts";
import { rules } from "./rules.ts";
import { syncNamespace } from "./sync.ts";

/**
 * Empties namespaces that are being deleted. Keys are delayed by 5 seconds, so that all API servers have seen the
 * deletion and reject new objects; the back-off of a failing namespace is at most a minute.
 */
export const namespace: ControllerDefinition = defineController<Namespace>({
  name: "namespace",
  aliases: ["ns", "namespace-controller"],
  purpose: "deletes everything in a terminating namespace, then the namespace itself",
  component: "namespace-controller",
  recordsEvents: false,
  ifRunTwice: "both would delete what is left in a namespace, and count it for its conditions",
  isLeftUndone: ({ metadata, status }) =>
    metadata.deletionTimestamp !== undefined && (status?.conditions ?? []).length === 0,
  source: "pkg/controller/namespace/namespace_controller.go",
  for: Namespaces,
  watches: [
    watch<Namespace>({
      kind: Namespaces,
      // A namespace that is stuck is synced again, whatever happened to its key. Source: pkg/controller/namespace/config/v1alpha1/defaults.go.
      resyncMs: 300_000,
      on({ type, object }, context) {
        if (type !== "deleted" && object.metadata.deletionTimestamp !== undefined) context.enqueue(keyOf(object));
      },
    }),
  ],
  workers: 10,
  // Each sync goes through all kinds. Source: cmd/kube-controller-manager/app/core.go newNamespaceController.
  requests: { qpsTimes: 20, burstTimes: 100 },
  retry: {
    firstDelayMs: 5000,
    rateLimiter: (now) =>
      maxOfLimiters(
        exponentialFailureLimiter({ baseDelayMs: 5, maxDelayMs: 60_000 }),
        bucketLimiter({ qps: 10, burst: 100, now }),
      ),
  },
  dryRun: {
    is: "limited",
    to: "namespaces of which everything was read",
    knowsEnough: (known, key) => known.knowsNamespace(key),
  },
  rules,
  permissions: [
    { group: "", resource: "namespaces", verbs: ["get"] },
    { group: "", resource: "namespaces/status", verbs: ["update"] },
    { group: "", resource: "namespaces/finalize", verbs: ["update"] },
    { group: "*", resource: "*", verbs: ["list", "delete", "deletecollection"] },
  ],
  sync: syncNamespace,
});
