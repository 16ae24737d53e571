/** ValidatingAdmissionPolicies without bindings, and CustomResourceDefinitions that they can match. */
import { ValidatingAdmissionPolicies } from "../../../../src/api/kinds.ts";
import type { AnyObject, Json } from "../../objects.ts";
import { ownName, type Stage } from "../../stage.ts";
import type { Step } from "../../suite.ts";
import { standing } from "../../normalize.ts";
import { act } from "./acts.ts";

/** API groups, versions and resources of a rule. */
export type Rule = readonly [groups: readonly string[], versions: readonly string[], resources: readonly string[]];

export interface PolicyParts {
  /** Default: Deployments. */
  readonly rules?: readonly Rule[];
  /** Expressions, optionally each with a message expression. */
  readonly checks?: readonly (string | readonly [expression: string, messageExpression: string])[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly params?: readonly [apiVersion: string, kind: string];
  /** Additional fields of the spec. */
  readonly rest?: object;
}

const deployments: Rule = [["apps"], ["v1"], ["deployments"]];

/** Placeholder in API groups for the stage's own group. */
export const ownGroup = "OWN";

const groupOf = (stage: Stage): string => `${stage.namespace}.example.com`;

function specOf(stage: Stage, { rules = [deployments], checks, variables, params, rest }: PolicyParts): object {
  const named = (text: string): string => text.replace(ownGroup, groupOf(stage));
  return {
    matchConstraints: {
      resourceRules: rules.map(([apiGroups, apiVersions, resources]) => ({
        apiGroups: apiGroups.map(named),
        apiVersions,
        resources,
        operations: ["*"],
      })),
    },
    ...(checks !== undefined && {
      validations: checks.map((check) =>
        typeof check === "string" ? { expression: check } : { expression: check[0], messageExpression: check[1] },
      ),
    }),
    ...(variables !== undefined && {
      variables: Object.entries(variables).map(([name, expression]) => ({ name, expression })),
    }),
    ...(params !== undefined && { paramKind: { apiVersion: named(params[0]), kind: params[1] } }),
    ...rest,
  };
}

export function makePolicy(stage: Stage, name: string, parts: PolicyParts): Promise<unknown> {
  const metadata = { name: ownName(stage, name) };
  return stage.create(ValidatingAdmissionPolicies, { metadata, spec: specOf(stage, parts) });
}

export const changePolicyTo = (stage: Stage, name: string, parts: PolicyParts): Promise<unknown> =>
  stage.patch(ValidatingAdmissionPolicies, ownName(stage, name), { spec: specOf(stage, parts) });

export const policy = (name: string, parts: PolicyParts): Step =>
  act(`create policy ${name}`, (stage) => makePolicy(stage, name, parts));
export const policyBecomes = (name: string, parts: PolicyParts): Step =>
  act(`change policy ${name}`, (stage) => changePolicyTo(stage, name, parts));
export const changePolicy = (name: string, what: string, body: object): Step =>
  act(`policy ${name}: ${what}`, (stage) => {
    const [own = "", subresource] = name.split("/");
    const path = `${ownName(stage, own)}${subresource === undefined ? "" : `/${subresource}`}`;
    return stage.patch(ValidatingAdmissionPolicies, path, body);
  });
export const removePolicy = (name: string): Step =>
  act(`delete policy ${name}`, (stage) => stage.remove(ValidatingAdmissionPolicies, ownName(stage, name)));

/** The schemas of a kind's versions, by version. */
type Versions = Readonly<Record<string, object>>;

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isSo());) {
    if (Date.now() > end) throw new Error("The API server has not published the kind within a minute");
    await Bun.sleep(100);
  }
}

const definitionName = (stage: Stage, plural: string): string => `${plural}.${groupOf(stage)}`;

function versionsOf(versions: Versions): readonly object[] {
  return Object.entries(versions).map(([name, properties], n) => ({
    name,
    served: true,
    storage: n === 0,
    schema: { openAPIV3Schema: { type: "object", properties } },
  }));
}

/** Waits until discovery and OpenAPI show the definition. `mark`: a field that these versions have and no previous one had. */
function isPublished(stage: Stage, plural: string, versions: readonly string[], mark: string): Promise<void> {
  const group = `apis/${groupOf(stage)}`;
  return until(async () => {
    for (const version of versions) {
      const [found, document] = await Promise.all([
        stage.cluster.request("GET", `/${group}/${version}`),
        stage.cluster.request("GET", `/openapi/v3/${group}/${version}`),
      ]);
      const isFound = found.status === 200 && JSON.stringify(found.body).includes(`"${plural}"`);
      if (!isFound || document.status !== 200 || !JSON.stringify(document.body).includes(`"${mark}"`)) return false;
    }
    return true;
  });
}

interface DefinitionParts {
  readonly kind: string;
  readonly plural: string;
  readonly versions: Versions;
  /** A field that all versions have and none had before. */
  readonly mark: string;
}

export const define = ({ kind, plural, versions, mark }: DefinitionParts): Step =>
  act(`create CustomResourceDefinition ${kind}`, async (stage) => {
    const names = { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` };
    await stage.create("customresourcedefinitions", {
      metadata: { name: definitionName(stage, plural) },
      spec: { group: groupOf(stage), scope: "Namespaced", names, versions: versionsOf(versions) },
    });
    await isPublished(stage, plural, Object.keys(versions), mark);
  });

export const redefine = ({ kind, plural, versions, mark }: DefinitionParts): Step =>
  act(`change CustomResourceDefinition ${kind}`, async (stage) => {
    const spec = { versions: versionsOf(versions) };
    await stage.patch("customresourcedefinitions", definitionName(stage, plural), { spec });
    await isPublished(stage, plural, Object.keys(versions), mark);
  });

/** Waits until the group's OpenAPI document is gone, so the group must have no other kind. */
export const undefine = (plural: string): Step =>
  act(`delete the CustomResourceDefinition of ${plural}`, async (stage) => {
    await stage.remove("customresourcedefinitions", definitionName(stage, plural));
    const root = `apis/${groupOf(stage)}/`;
    await until(async () => {
      const { body } = await stage.cluster.request("GET", "/openapi/v3");
      return !JSON.stringify(body).includes(root);
    });
  });

/** The object, and the status fields that each manager has applied. Removes the times with which upstream's type names end. */
export function policyState(object: AnyObject): object {
  const entries = (object.metadata as { readonly managedFields?: readonly Json[] }).managedFields ?? [];
  const applied = entries
    .filter(({ operation }) => operation === "Apply")
    .map(({ manager, subresource, fieldsV1 }) => ({ manager, subresource, fields: fieldsV1 }));
  const { metadata, ...content } = standing(object) as Json;
  const plain = JSON.stringify(content).replaceAll(/\b([A-Z][A-Za-z]+)\d+/g, "$1");
  return { metadata, applied, ...(JSON.parse(plain) as object) };
}
