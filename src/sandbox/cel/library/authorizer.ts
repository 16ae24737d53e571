/**
 * The signatures of the authorizer, so that expressions with it are checked; what it decides is for the one who declares the
 * variable. Source: apiserver v0.36 pkg/cel/library/authz.go.
 */
import { type CelType, objectOf } from "../values/types.ts";
import { declare, type FunctionDecl } from "./function.ts";

const prefix = "kubernetes.authorization";

/** The type of the variable `authorizer`. */
export const authorizerType: CelType = objectOf(`${prefix}.Authorizer`);
const pathCheckType = objectOf(`${prefix}.PathCheck`);
const groupCheckType = objectOf(`${prefix}.GroupCheck`);
/** The type of the variable `authorizer.requestResource`. */
export const resourceCheckType: CelType = objectOf(`${prefix}.ResourceCheck`);
const decisionType = objectOf(`${prefix}.Decision`);

/** The types whose values are compared at the cost of one. */
export const authorizationTypes: ReadonlySet<string> = new Set(
  [authorizerType, pathCheckType, groupCheckType, resourceCheckType, decisionType].map(({ name }) => name),
);

/** `path`, `group`, `check` and the others. */
export const authorizerFunctions: readonly FunctionDecl[] = declare(
  {
    path: { authorizer_path: "Authorizer.(string) PathCheck" },
    group: { authorizer_group: "Authorizer.(string) GroupCheck" },
    serviceAccount: { authorizer_serviceaccount: "Authorizer.(string, string) Authorizer" },
    resource: { groupcheck_resource: "GroupCheck.(string) ResourceCheck" },
    subresource: { resourcecheck_subresource: "ResourceCheck.(string) ResourceCheck" },
    namespace: { resourcecheck_namespace: "ResourceCheck.(string) ResourceCheck" },
    name: { resourcecheck_name: "ResourceCheck.(string) ResourceCheck" },
    check: {
      pathcheck_check: "PathCheck.(string) Decision",
      resourcecheck_check: "ResourceCheck.(string) Decision",
    },
    errored: { decision_errored: "Decision.() bool" },
    error: { decision_error: "Decision.() string" },
    allowed: { decision_allowed: "Decision.() bool" },
    reason: { decision_reason: "Decision.() string" },
    fieldSelector: { authorizer_fieldselector: "ResourceCheck.(string) ResourceCheck" },
    labelSelector: { authorizer_labelselector: "ResourceCheck.(string) ResourceCheck" },
  },
  {
    Authorizer: authorizerType,
    PathCheck: pathCheckType,
    GroupCheck: groupCheckType,
    ResourceCheck: resourceCheckType,
    Decision: decisionType,
  },
);
