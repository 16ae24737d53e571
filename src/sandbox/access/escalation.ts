/**
 * Prevents roles and bindings from granting more than their author may do, on servers that evaluate roles. Source: kubernetes v1.36
 * pkg/registry/rbac/{escalation_check,helpers}.go, pkg/registry/rbac/*\/policybased/storage.go, pkg/registry/rbac/validation/rule.go.
 */
import { goQuotedList } from "../../api/go-text.ts";
import { deepEqual } from "../../api/field-changes.ts";
import { at, fieldsIn, isFields, textOf, type ApiObject } from "../meta/object.ts";
import { forbidden, notFound, qualified, refusal } from "../meta/refusal.ts";
import { privilegedGroup, type PolicyRule } from "../context/authorizer.ts";
import type { RequestScope } from "../context/server.ts";
import { missingRules } from "./policy-rule.ts";

const group = "rbac.authorization.k8s.io";

/** Role kinds and binding kinds, by storage name. */
const roles: ReadonlySet<string> = new Set([`roles.${group}`, `clusterroles.${group}`]);
const bindings: ReadonlySet<string> = new Set([`rolebindings.${group}`, `clusterrolebindings.${group}`]);

/** A role or a binding about to be stored; `old` is undefined for new ones. */
export interface RoleWrite {
  readonly scope: RequestScope;
  readonly object: ApiObject;
  readonly old?: ApiObject;
}

/**
 * Checks that the user may grant what a role or a binding grants; ignores other kinds. @throws StatusError 403, 404 for a role that does
 * not exist.
 */
export function checkEscalation(write: RoleWrite): void {
  const { scope, object, old } = write;
  const { storage } = scope.resource;
  if (!roles.has(storage) && !bindings.has(storage)) return;
  const { ruleResolver } = scope.server;
  const { user, namespace } = scope;
  if (ruleResolver === undefined || user.groups.includes(privilegedGroup)) return;
  if (old !== undefined && onlyForCollection(object, old)) return;
  const granted = roles.has(storage) ? rulesOfRole(write) : rulesOfBinding(write);
  if (granted === undefined) return;
  const { rules: held, evaluationError } = ruleResolver.rulesFor(user, namespace);
  const missing = missingRules(held, granted);
  const { asResource } = scope.resource;
  const name = textOf(object.metadata.name);
  if (missing.length === 0) {
    const isHeld = !(aggregates(object) || aggregates(old)) || missingRules(held, everything).length === 0;
    if (isHeld) return;
    throw forbidden(asResource, name, "must have cluster-admin privileges to use the aggregationRule");
  }
  const who = `user ${JSON.stringify(user.name)} (groups=${goQuotedList(user.groups)})`;
  const unresolved = evaluationError === undefined ? "" : `; resolution errors: [${evaluationError}]`;
  throw refusal(
    403,
    "Forbidden",
    `${qualified(asResource)} ${JSON.stringify(name)} is forbidden: ${who} is attempting to grant RBAC permissions not currently held:\n${missing.join("\n")}${unresolved}`,
    { ...(name === "" ? {} : { name }), group, kind: asResource.name },
  );
}

/** What an aggregated role may come to grant. */
const everything: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

function aggregates(role: ApiObject | undefined): boolean {
  return fieldsIn(at(role, "aggregationRule", "clusterRoleSelectors")).length > 0;
}

/** The rules of a role; undefined if the user may escalate. */
function rulesOfRole({ scope, object }: RoleWrite): readonly PolicyRule[] | undefined {
  const { server, user, resource, namespace, name } = scope;
  const attributes = { is: "resource", verb: "escalate", group, resource: resource.plural, subresource: "" } as const;
  if (server.authorizer.decide(user, { ...attributes, namespace, name }).allowed) return undefined;
  // Their types were checked; the rules are validated later.
  return fieldsIn(object["rules"]).map((rule) => ({ verbs: [], ...rule }));
}

/** The rules of a binding's role; undefined if the user may bind it. @throws StatusError 404. */
function rulesOfBinding({ scope, object }: RoleWrite): readonly PolicyRule[] | undefined {
  const { server, user, resource, namespace } = scope;
  const reference = isFields(object["roleRef"]) ? object["roleRef"] : {};
  const [kind, name] = [textOf(reference["kind"]), textOf(reference["name"])];
  const plural = kind === "ClusterRole" ? "clusterroles" : "roles";
  const attributes = { is: "resource", verb: "bind", group: textOf(reference["apiGroup"]), subresource: "" } as const;
  if (server.authorizer.decide(user, { ...attributes, resource: plural, namespace, name }).allowed) return undefined;
  const rules = server.ruleResolver?.rulesOf({ kind, name, namespace });
  // The real server names the resource of the request.
  if (rules === undefined) throw notFound(resource.asResource, name);
  return rules;
}

/** True if nothing changes except what the garbage collector writes. */
function onlyForCollection(object: ApiObject, old: ApiObject): boolean {
  const shown = ({ metadata, ...rest }: ApiObject): object => {
    const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _fields, ...others } = metadata;
    return { ...rest, metadata: others };
  };
  return deepEqual(shown(object), shown(old));
}
