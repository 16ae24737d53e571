/**
 * Which requests are audited, and at which level.
 * Source: apiserver v0.36 pkg/audit/policy/{checker,reader}.go, pkg/apis/audit/{v1/types,validation/validation}.go.
 */
import { fieldsIn, isFields, textOf, type Fields } from "../meta/object.ts";
import type { Attributes, User } from "../context/authorizer.ts";

const levels = ["None", "Metadata", "Request", "RequestResponse"] as const;
const stages = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"] as const;

/** How much of a request is logged: nothing; metadata; also the request's object; also the response. */
export type Level = (typeof levels)[number];

/** When an event is logged: before a request is served, when a long response begins, at the end. */
export type Stage = (typeof stages)[number];

interface GroupResources {
  readonly group: string;
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

interface PolicyRule {
  readonly level: Level;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly GroupResources[];
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: readonly Stage[];
  readonly omitManagedFields: boolean | undefined;
}

/** A policy: the first rule that matches a request counts. Created by `readAuditPolicy`. */
export interface AuditPolicy {
  readonly rules: readonly PolicyRule[];
  readonly omitStages: readonly Stage[];
  readonly omitManagedFields: boolean;
}

/** How one request is audited. */
export interface RequestAuditConfig {
  readonly level: Level;
  readonly omitStages: ReadonlySet<Stage>;
  readonly omitManagedFields: boolean;
}

/** Logs the metadata of every request, at its end. */
export const metadataPolicy: AuditPolicy = readAuditPolicy({
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [{ level: "Metadata" }],
});

/** The user and attributes of a request; `user` is undefined if its credentials were rejected. */
export interface RequestAttributes {
  readonly user: User | undefined;
  readonly attributes: Attributes;
}

/** Evaluates a policy for a request. */
export function auditConfigOf(policy: AuditPolicy, request: RequestAttributes): RequestAuditConfig {
  const rule = policy.rules.find((each) => ruleMatches(each, request));
  return {
    level: rule?.level ?? "None",
    omitStages: new Set([...policy.omitStages, ...(rule?.omitStages ?? [])]),
    omitManagedFields: rule?.omitManagedFields ?? policy.omitManagedFields,
  };
}

const covers = (list: readonly string[], value: string): boolean => list.length === 0 || list.includes(value);

function ruleMatches(rule: PolicyRule, { user, attributes }: RequestAttributes): boolean {
  if (rule.users.length > 0 && !rule.users.includes(user?.name ?? "")) return false;
  if (rule.userGroups.length > 0 && user?.groups.some((group) => rule.userGroups.includes(group)) !== true)
    return false;
  if (!covers(rule.verbs, attributes.verb)) return false;
  if (rule.namespaces.length + rule.resources.length > 0) return matchesResource(rule, attributes);
  if (rule.nonResourceURLs.length === 0) return true;
  return attributes.is === "path" && rule.nonResourceURLs.some((spec) => matchesPath(spec, attributes.path));
}

function matchesPath(spec: string, path: string): boolean {
  return spec === "*" || spec === path || (spec.endsWith("*") && path.startsWith(spec.replace(/\*+$/, "")));
}

function matchesResource({ namespaces, resources }: PolicyRule, attributes: Attributes): boolean {
  if (attributes.is !== "resource" || !covers(namespaces, attributes.namespace)) return false;
  if (resources.length === 0) return true;
  const { group, resource, subresource, name } = attributes;
  const whole = subresource === "" ? resource : `${resource}/${subresource}`;
  const patterns = ["*", whole, `${resource}/*`, ...(subresource === "" ? [] : [`*/${subresource}`])];
  return resources.some((own) => {
    if (own.group !== group && own.group !== "*") return false;
    if (own.resources.length === 0) return true;
    return covers(own.resourceNames, name) && own.resources.some((pattern) => patterns.includes(pattern));
  });
}

/** Reads a policy from JSON. @throws RangeError with what is wrong with it. */
export function readAuditPolicy(json: unknown): AuditPolicy {
  const policy = isFields(json) ? json : {};
  const [apiVersion, kind] = [textOf(policy["apiVersion"]), textOf(policy["kind"])];
  if (apiVersion !== "audit.k8s.io/v1" || kind !== "Policy")
    throw new RangeError(`it is ${kind === "" ? "no object" : kind} of ${apiVersion}, not Policy of audit.k8s.io/v1`);
  const rules = fieldsIn(policy["rules"]).map((rule, index) => ruleOf(rule, `rules[${index}]`));
  if (rules.length === 0) throw new RangeError("it has no rules");
  return {
    rules,
    omitStages: stagesIn(policy, "omitStages"),
    omitManagedFields: policy["omitManagedFields"] === true,
  };
}

function listIn(fields: Fields, key: string): readonly string[] {
  const list = fields[key];
  return Array.isArray(list) ? list.map(textOf) : [];
}

function stagesIn(fields: Fields, path: string): readonly Stage[] {
  return listIn(fields, "omitStages").map((name, index) => {
    const stage = stages.find((each) => each === name);
    if (stage === undefined)
      throw new RangeError(`${path}[${index}]: ${JSON.stringify(name)}: allowed stages are ${stages.join(",")}`);
    return stage;
  });
}

function ruleOf(rule: Fields, path: string): PolicyRule {
  const level = levels.find((each) => each === rule["level"]);
  if (level === undefined)
    throw new RangeError(
      `${path}.level: ${JSON.stringify(rule["level"] ?? "")}: supported values: ${levels.join(", ")}`,
    );
  const [resources, nonResourceURLs] = [fieldsIn(rule["resources"]), listIn(rule, "nonResourceURLs")];
  const namespaces = listIn(rule, "namespaces");
  if (nonResourceURLs.length > 0 && resources.length + namespaces.length > 0)
    throw new RangeError(`${path}.nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs`);
  for (const url of nonResourceURLs) checkUrl(url, `${path}.nonResourceURLs`);
  const { omitManagedFields } = rule;
  return {
    level,
    users: listIn(rule, "users"),
    userGroups: listIn(rule, "userGroups"),
    verbs: listIn(rule, "verbs"),
    resources: resources.map((own) => groupResources(own, path)),
    namespaces,
    nonResourceURLs,
    omitStages: stagesIn(rule, `${path}.omitStages`),
    omitManagedFields: typeof omitManagedFields === "boolean" ? omitManagedFields : undefined,
  };
}

function groupResources(own: Fields, path: string): GroupResources {
  const [resources, resourceNames] = [listIn(own, "resources"), listIn(own, "resourceNames")];
  if (resourceNames.length > 0 && resources.length === 0)
    throw new RangeError(`${path}.resources.resourceNames: using resourceNames requires at least one resource`);
  return { group: textOf(own["group"]), resources, resourceNames };
}

function checkUrl(url: string, path: string): void {
  if (url === "*") return;
  if (!url.startsWith("/"))
    throw new RangeError(`${path}: ${url}: non-resource URL rules must begin with a '/' character`);
  if (url.slice(0, -1).includes("*"))
    throw new RangeError(`${path}: ${url}: non-resource URL wildcards '*' must be the final character of the rule`);
}
