/**
 * Maintains the rules of ClusterRoles with an aggregation rule, like kube-controller-manager; without it `admin`, `edit` and `view` would
 * allow nothing. Source: kubernetes v1.36 pkg/controller/clusterroleaggregation.
 */
import { deepEqual } from "../../api/field-changes.ts";
import { matches, selectorOf } from "../../api/labels.ts";
import { fieldsIn, isFields, type ApiObject, type Fields } from "../meta/object.ts";
import type { Server } from "../context/server.ts";
import { loopbackRequest } from "../serving/loopback.ts";

const manager = "clusterrole-aggregation-controller";

/** Aggregates the existing roles, as `started`, so they are complete when first read. */
export function aggregateRoles(started: Server): void {
  const roles = rolesOf(started);
  // No chain is longer than the number of roles.
  for (let left = roles.size; left > 0 && pass(started); left--);
}

function rolesOf(server: Server): Roles {
  return server.store.collection("clusterroles.rbac.authorization.k8s.io", false);
}

/** Returns true if anything changed: then another pass is needed, since roles may aggregate aggregated ones. */
function pass(server: Server): boolean {
  const { revision } = server.store;
  const roles = rolesOf(server);
  for (const role of allOf(roles)) aggregate(server, { role, all: allOf(roles) });
  return server.store.revision !== revision;
}

/** Aggregates again after each change of a ClusterRole. */
export function keepAggregatedRoles(server: Server): void {
  let scheduled = false;
  rolesOf(server).listeners.add(() => {
    if (scheduled) return;
    scheduled = true;
    server.timeline.after(0, manager, () => {
      scheduled = false;
      pass(server);
    });
  });
}

type Roles = ReturnType<Server["store"]["collection"]>;

const allOf = (roles: Roles): ApiObject[] => Array.from(roles.range({}), ({ object }) => object);

interface Aggregation {
  readonly role: ApiObject;
  readonly all: readonly ApiObject[];
}

function aggregate(server: Server, { role, all }: Aggregation): void {
  const { aggregationRule, metadata } = role;
  if (!isFields(aggregationRule)) return;
  const rules: Fields[] = [];
  for (const selector of fieldsIn(aggregationRule["clusterRoleSelectors"])) {
    // Validated when the role was stored.
    const wanted = selectorOf(selector);
    for (const other of all) {
      if (other.metadata.name === metadata.name || !matches(wanted, other.metadata.labels)) continue;
      for (const rule of fieldsIn(other["rules"])) if (!rules.some((one) => deepEqual(one, rule))) rules.push(rule);
    }
  }
  if (deepEqual(rules, fieldsIn(role["rules"]))) return;
  const { name = "" } = metadata;
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const body = { apiVersion, kind: "ClusterRole", metadata: { name }, ...(rules.length > 0 && { rules }) };
  loopbackRequest(server, { method: "APPLY", path: `/apis/${apiVersion}/clusterroles/${name}`, body, by: manager });
}
