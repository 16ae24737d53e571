/** The ResourceQuota controller. Source: kubernetes v1.36 pkg/controller/resourcequota. */
import { keyOf } from "../../api/key.ts";
import { type Kind } from "../../api/kind.ts";
import { PersistentVolumeClaims, Pods, ResourceClaims, ResourceQuotas, Services } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import { changesUsage, namesFor } from "../../api/quota/usage.ts";
import type { ResourceQuota } from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  type Notification,
  type Watch,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import type { KnownCluster } from "../../controller/api/dry-run-part.ts";
import { countedKinds, memory } from "./counted-kinds.ts";
import { rules } from "./rules.ts";
import { sameAmounts } from "./status.ts";
import { syncQuota } from "./sync.ts";

/** kube-controller-manager's discovery interval. */
const discoveryMs = 30_000;

/**
 * Writes the usage into the status of each ResourceQuota. The API server charges new objects when it admits them; this
 * controller credits deleted and terminal objects, and recounts everything every 5 minutes.
 */
export const resourcequota: ControllerDefinition = defineController<ResourceQuota>({
  name: "resourcequota",
  aliases: ["quota", "resourcequota-controller"],
  purpose: "counts the resources that each ResourceQuota limits, and writes the usage to its status",
  component: "resourcequota-controller",
  recordsEvents: false,
  source: "pkg/controller/resourcequota/resource_quota_controller.go",
  for: ResourceQuotas,
  watches: [
    watch<ResourceQuota>({
      kind: ResourceQuotas,
      on(notification, context) {
        const { type, object } = notification;
        if (type === "deleted") countAgain(ResourceQuotas, notification, context);
        // Its own writes change the status only.
        else if (type === "added" || !sameAmounts(notification.before.spec?.hard, object.spec?.hard)) {
          context.enqueue(keyOf(object));
        }
      },
    }),
    counts(Pods),
    counts(Services),
    counts(PersistentVolumeClaims),
    counts(ResourceClaims),
  ],
  dynamicWatches: {
    description: "every namespaced kind except Events",
    select: countedKinds,
    discoveryIntervalMs: discoveryMs,
    initialSyncTimeoutMs: discoveryMs,
    discovered: (kinds, context) => context.state(memory).set(countedKinds(kinds)),
    on: (notification, kind, context) => countAgain(kind, notification, context),
  },
  workers: 5,
  // Until a quota has its first usage, the API server rejects everything that the quota limits.
  order: {
    by: "priority",
    priorityOf(key, { cache }) {
      const quota = cache(ResourceQuotas).get(key);
      return quota !== undefined && !sameAmounts(quota.spec?.hard, quota.status?.hard) ? 1 : 0;
    },
  },
  dryRun: {
    is: "limited",
    to: "quotas on kinds that were read",
    knowsEnough: (known, key, { cache }) => isAllKnown(known, cache(ResourceQuotas).get(key)),
  },
  rules,
  permissions: [
    { group: "", resource: "resourcequotas/status", verbs: ["update"] },
    { group: "*", resource: "*", verbs: ["list", "watch"] },
  ],
  sync: syncQuota,
});

/** The status may count objects that a dry run does not know: counting again would lose them. */
function isAllKnown(known: KnownCluster, quota: ResourceQuota | undefined): boolean {
  if (quota?.status?.hard === undefined) return true;
  return Object.keys(quota.spec?.hard ?? {}).every((name) => known.knowsResource(name.replace(/^count\//, "")));
}

function counts<T extends StoredObject>(kind: Kind<T>): Watch {
  return watch<T>({ kind, on: (notification, context) => countAgain(kind, notification, context) });
}

/** Enqueues the quotas that count the object, if its usage may have fallen. */
function countAgain(kind: Kind, notification: Notification<StoredObject>, context: WatchContext): void {
  const { type, object } = notification;
  if (type === "added") return;
  if (type === "updated") {
    const change = { before: notification.before, after: object, now: context.now() };
    if (!changesUsage(kind, change)) return;
  }
  for (const quota of context.cache(ResourceQuotas).list(object.metadata.namespace)) {
    if (namesFor(kind, Object.keys(quota.status?.hard ?? {})).length > 0) context.enqueue(keyOf(quota));
  }
}
