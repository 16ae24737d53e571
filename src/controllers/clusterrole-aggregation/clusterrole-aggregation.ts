/** The aggregation of ClusterRoles. Source: kubernetes v1.36 pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go. */
import { keyOf } from "../../api/key.ts";
import { apiVersionOf } from "../../api/kind.ts";
import { ClusterRoles } from "../../api/kinds.ts";
import type { ClusterRole } from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { aggregated, hasRules, withoutEmpty } from "./aggregate.ts";
import { aggregate, rules, steady } from "./rules.ts";

/** The same field manager as upstream's: only the manager that applied rules can remove them, by applying none. */
export const aggregationManager = "clusterrole-aggregation-controller";

/** Gives ClusterRoles with an aggregation rule the rules of those that they select. */
export const clusterroleAggregation: ControllerDefinition = defineController<ClusterRole>({
  name: "clusterrole-aggregation",
  aliases: ["clusterrole-aggregation-controller"],
  purpose: "maintains the rules of aggregated ClusterRoles",
  source: "pkg/controller/clusterroleaggregation",
  for: ClusterRoles,
  watches: [watch<ClusterRole>({ kind: ClusterRoles, on: (_any, context) => enqueueAggregated(context) })],
  workers: 5,
  appliesAs: aggregationManager,
  ifRunTwice: "both would apply the same rules",
  dryRun: {
    is: "limited",
    to: "clusters whose ClusterRoles were read",
    knowsEnough: (known) => known.knowsAll(ClusterRoles),
  },
  rules,
  recordsEvents: false,
  // Upstream's role grants these, and the right to update. With `escalate`, it may write rules beyond its own rights.
  permissions: [{ group: "rbac.authorization.k8s.io", resource: "clusterroles", verbs: ["patch", "escalate"] }],
  sync: (_key, context) => syncClusterRole(context),
});

/** Any role may be selected by another. */
function enqueueAggregated(context: WatchContext): void {
  for (const role of context.cache(ClusterRoles).list())
    if (role.aggregationRule !== undefined) context.enqueue(keyOf(role));
}

/** @throws the API server's refusal; RangeError for an invalid selector. */
async function syncClusterRole(context: SyncContext): Promise<void> {
  const roles = context.cache(ClusterRoles);
  const role = roles.get(context.key);
  if (role?.aggregationRule === undefined) return;
  const { rules: wanted, from } = aggregated(role, roles.list());
  const facts = { from, rules: wanted.length };
  if (hasRules(role, wanted)) return void context.decide(steady, facts);
  const because = context.decide(aggregate, facts);
  const { name } = role.metadata;
  const body = {
    apiVersion: apiVersionOf(ClusterRoles),
    kind: ClusterRoles.kind,
    metadata: { name },
    // Without any, previously applied rules are removed.
    ...(wanted.length > 0 && { rules: wanted.map(withoutEmpty) }),
  };
  const options = { because, fieldManager: aggregationManager, basedOn: role, signal: context.signal };
  await context.client.patch(ClusterRoles, { namespace: "", name }, { type: "apply", body, force: true }, options);
}
