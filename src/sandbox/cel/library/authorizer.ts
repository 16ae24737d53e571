/** The authorizer: checks permissions of a request's user or a service account. Source: apiserver v0.36 pkg/cel/library/authz.go. */
import { labelProblems, subdomainProblems } from "../../../api/label-names.ts";
import type { Attributes, User } from "../../meta/access.ts";
import { type CelType, objectOf } from "../values/types.ts";
import { CelError, noSuchOverload, Opaque, overloadError, type Value } from "../values/value.ts";
import { declare, type FunctionDecl, type Run } from "./function.ts";

/** Decides what a user may do. */
export interface Decider {
  decide(user: User, attributes: Attributes): { readonly allowed: boolean; readonly reason?: string };
}

const prefix = "kubernetes.authorization";

/** The type of the variable `authorizer`. */
export const authorizerType: CelType = objectOf(`${prefix}.Authorizer`);
const pathCheckType = objectOf(`${prefix}.PathCheck`);
const groupCheckType = objectOf(`${prefix}.GroupCheck`);
/** The type of the variable `authorizer.requestResource`. */
export const resourceCheckType: CelType = objectOf(`${prefix}.ResourceCheck`);
const decisionType = objectOf(`${prefix}.Decision`);

/** The types whose values are compared at a cost of one. */
export const authorizationTypes: ReadonlySet<string> = new Set(
  [authorizerType, pathCheckType, groupCheckType, resourceCheckType, decisionType].map(({ name }) => name),
);

/** A value with functions but no fields; it equals no other value. */
abstract class Receiver extends Opaque {
  equal(other: Value): CelError {
    return overloadError(other);
  }

  text(): string {
    return this.type.name;
  }
}

/** The value of `authorizer`. */
export class AuthorizerValue extends Receiver {
  readonly type: CelType = authorizerType;
  readonly user: User;
  readonly decider: Decider;

  constructor(user: User, decider: Decider) {
    super();
    this.user = user;
    this.decider = decider;
  }
}

/** A check that an authorizer can decide. */
abstract class Check extends Receiver {
  readonly authorizer: AuthorizerValue;

  constructor(authorizer: AuthorizerValue) {
    super();
    this.authorizer = authorizer;
  }
}

class PathCheck extends Check {
  readonly type = pathCheckType;
  readonly path: string;

  constructor(authorizer: AuthorizerValue, path: string) {
    super(authorizer);
    this.path = path;
  }
}

class GroupCheck extends Check {
  readonly type = groupCheckType;
  readonly group: string;

  constructor(authorizer: AuthorizerValue, group: string) {
    super(authorizer);
    this.group = group;
  }
}

/** The resource that a check is about. */
export interface CheckedResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The value of `authorizer.requestResource`. */
export class ResourceCheck extends Check {
  readonly type: CelType = resourceCheckType;
  readonly about: CheckedResource;

  constructor(authorizer: AuthorizerValue, about: CheckedResource) {
    super(authorizer);
    this.about = about;
  }
}

class Decision extends Receiver {
  readonly type = decisionType;
  readonly allowed: boolean;
  readonly reason: string;

  constructor({ allowed, reason = "" }: ReturnType<Decider["decide"]>) {
    super();
    this.allowed = allowed;
    this.reason = reason;
  }
}

const isBlank = (text: string): boolean => text.trim() === "";

/** A function of a receiver and a string. */
const ofText =
  <T extends Receiver>(kind: abstract new (...args: never[]) => T, run: (target: T, text: string) => Value): Run =>
  (target = null, text = null) =>
    target instanceof kind && typeof text === "string" ? run(target, text) : noSuchOverload();

const about = (change: (text: string) => Partial<CheckedResource>): Run =>
  ofText(ResourceCheck, (check, text) => new ResourceCheck(check.authorizer, { ...check.about, ...change(text) }));

const ofDecision =
  (read: (decision: Decision) => Value): Run =>
  (decision = null) =>
    decision instanceof Decision ? read(decision) : noSuchOverload();

/** The authorizer of a service account. */
const serviceAccount: Run = (authorizer = null, namespace = null, name = null) => {
  if (!(authorizer instanceof AuthorizerValue) || typeof namespace !== "string" || typeof name !== "string")
    return noSuchOverload();
  if (subdomainProblems(name).length > 0) return new CelError("Invalid service account name");
  if (labelProblems(namespace).length > 0) return new CelError("Invalid service account namespace");
  const user: User = {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
  };
  return new AuthorizerValue(user, authorizer.decider);
};

const checkPath: Run = ofText(
  PathCheck,
  ({ authorizer: { user, decider }, path }, verb) => new Decision(decider.decide(user, { is: "path", verb, path })),
);

const checkResource: Run = ofText(
  ResourceCheck,
  ({ authorizer: { user, decider }, about: resource }, verb) =>
    new Decision(decider.decide(user, { is: "resource", verb, ...resource })),
);

const nowhere = { subresource: "", namespace: "", name: "" };

/** `path`, `group`, `check` and the others. The authorizer based on roles ignores selectors and never fails, so `error` is always empty. */
export const authorizerFunctions: readonly FunctionDecl[] = declare(
  {
    path: {
      authorizer_path: [
        "Authorizer.(string) PathCheck",
        ofText(AuthorizerValue, (authorizer, path) =>
          isBlank(path) ? new CelError("path must not be empty") : new PathCheck(authorizer, path),
        ),
      ],
    },
    group: {
      authorizer_group: [
        "Authorizer.(string) GroupCheck",
        ofText(AuthorizerValue, (authorizer, group) => new GroupCheck(authorizer, group)),
      ],
    },
    serviceAccount: { authorizer_serviceaccount: ["Authorizer.(string, string) Authorizer", serviceAccount] },
    resource: {
      groupcheck_resource: [
        "GroupCheck.(string) ResourceCheck",
        ofText(GroupCheck, ({ authorizer, group }, resource) =>
          isBlank(resource)
            ? new CelError("resource must not be empty")
            : new ResourceCheck(authorizer, { group, resource, ...nowhere }),
        ),
      ],
    },
    subresource: {
      resourcecheck_subresource: ["ResourceCheck.(string) ResourceCheck", about((subresource) => ({ subresource }))],
    },
    namespace: {
      resourcecheck_namespace: ["ResourceCheck.(string) ResourceCheck", about((namespace) => ({ namespace }))],
    },
    name: { resourcecheck_name: ["ResourceCheck.(string) ResourceCheck", about((name) => ({ name }))] },
    check: {
      pathcheck_check: ["PathCheck.(string) Decision", checkPath],
      resourcecheck_check: ["ResourceCheck.(string) Decision", checkResource],
    },
    errored: { decision_errored: ["Decision.() bool", ofDecision(() => false)] },
    error: { decision_error: ["Decision.() string", ofDecision(() => "")] },
    allowed: { decision_allowed: ["Decision.() bool", ofDecision(({ allowed }) => allowed)] },
    reason: { decision_reason: ["Decision.() string", ofDecision(({ reason }) => reason)] },
    fieldSelector: { authorizer_fieldselector: ["ResourceCheck.(string) ResourceCheck", about(() => ({}))] },
    labelSelector: { authorizer_labelselector: ["ResourceCheck.(string) ResourceCheck", about(() => ({}))] },
  },
  {
    Authorizer: authorizerType,
    PathCheck: pathCheckType,
    GroupCheck: groupCheckType,
    ResourceCheck: resourceCheckType,
    Decision: decisionType,
  },
);
