/**
 * Validates CustomResourceDefinitions as the real server does. Source: apiextensions-apiserver v0.36
 * pkg/apis/apiextensions/validation/validation.go.
 */
import { webhookClientErrors } from "../../../validation/webhook-client.ts";
import { isTrue } from "../../../meta/conditions.ts";
import { deepEqual } from "../../../../api/field-changes.ts";
import { invalid, notAllowed, notSupported, required, type FieldError } from "../../../meta/field-errors.ts";
import { at, isFields, textOf, textsIn, type ApiObject, type Fields } from "../../../meta/object.ts";
import { isSubdomain, subdomainProblems } from "../../../../api/label-names.ts";
import { dns1035Problems } from "../../../validation/names.ts";
import { definitionOf, namesOf, type Definition, type DefinitionNames, type DefinitionVersion } from "./definition.ts";
import { schemaErrors } from "./schema-checks.ts";
import { columnsErrors, deprecationErrors, scaleErrors, selectableErrors } from "./version-checks.ts";

/** Validates a definition's name. */
export function definitionNameErrors({ metadata }: ApiObject, { group, names }: Definition): FieldError[] {
  const { name = "" } = metadata;
  if (name === "" || name === `${names.plural}.${group}`) return [];
  return [invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')];
}

/** Validates a new definition, except for its metadata. */
export function definitionErrors(object: ApiObject): FieldError[] {
  const definition = definitionOf(object);
  return [
    ...specErrors(definition),
    ...namesErrors(namesOf(object.status?.["acceptedNames"]), "status.acceptedNames"),
    ...storedVersionsErrors(object, definition),
    ...approvalErrors(object, definition),
    ...(definition.preservesUnknownFields ? [preserveError] : []),
  ];
}

/** The same for an update. */
export function definitionUpdateErrors(object: ApiObject, old: ApiObject): FieldError[] {
  const [definition, before] = [definitionOf(object), definitionOf(old)];
  const same = (path: string, [value, was]: readonly [now: string, before: string]): FieldError[] =>
    value === was ? [] : [invalid(path, value, "field is immutable")];
  const isEstablished = isTrue(old, "Established");
  return [
    ...specErrors(definition),
    ...(isEstablished ? same("spec.scope", [definition.scope, before.scope]) : []),
    ...(isEstablished ? same("spec.names.kind", [definition.names.kind, before.names.kind]) : []),
    ...same("spec.group", [definition.group, before.group]),
    ...same("spec.names.plural", [definition.names.plural, before.names.plural]),
    ...namesErrors(namesOf(object.status?.["acceptedNames"]), "status.acceptedNames"),
    ...storedVersionsErrors(object, definition),
    ...(deepEqual(approvalOf(object), approvalOf(old)) ? [] : approvalErrors(object, definition)),
    ...(definition.preservesUnknownFields && !before.preservesUnknownFields ? [preserveError] : []),
  ];
}

/** Of a status, only the names are validated. */
export function definitionStatusErrors(object: ApiObject): FieldError[] {
  return namesErrors(namesOf(object.status?.["acceptedNames"]), "status.acceptedNames");
}

const preserveError = invalid(
  "spec.preserveUnknownFields",
  true,
  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
);

function specErrors(definition: Definition): FieldError[] {
  const { group, scope, versions, names } = definition;
  return [
    ...groupErrors(group),
    ...scopeErrors(scope),
    ...missingSchemas(definition),
    ...versionsErrors(definition),
    ...(["plural", "singular", "kind", "listKind"] as const).flatMap((key) =>
      names[key] === "" ? [required(`spec.names.${key}`)] : [],
    ),
    ...namesErrors(names, "spec.names"),
    ...sharedErrors(versions),
    ...conversionErrors(definition.conversion),
  ];
}

function groupErrors(group: string): FieldError[] {
  if (group === "") return [required("spec.group")];
  if (!isSubdomain(group)) return [invalid("spec.group", group, subdomainProblems(group).join(","))];
  return group.includes(".") ? [] : [invalid("spec.group", group, "should be a domain with at least one dot")];
}

const scopes = ["Cluster", "Namespaced"];

const scopeErrors = (scope: string): FieldError[] => {
  if (scope === "") return [required("spec.scope")];
  return scopes.includes(scope) ? [] : [notSupported("spec.scope", scope, scopes)];
};

function missingSchemas({ versions }: Definition): FieldError[] {
  return versions.flatMap(({ schema }, index) =>
    schema === undefined ? [required(`spec.versions[${index}].schema.openAPIV3Schema`)] : [],
  );
}

/** Parts of versions that the real server stores once, at the top level, if they are the same in all versions. */
type Shared = "schema" | "subresources" | "additionalPrinterColumns" | "selectableFields";

function isShared(versions: readonly DefinitionVersion[], part: Shared): boolean {
  const [first] = versions;
  return versions.every(({ data }) => deepEqual(data[part], first?.data[part]));
}

function versionsErrors({ versions }: Definition): FieldError[] {
  const parts = {
    schema: isShared(versions, "schema"),
    subresources: isShared(versions, "subresources"),
    columns: isShared(versions, "additionalPrinterColumns"),
    selectable: isShared(versions, "selectableFields"),
  };
  const errors = versions.flatMap((version, index) => {
    const path = `spec.versions[${index}]`;
    const problems = dns1035Problems(version.name);
    return [
      ...(problems.length === 0 ? [] : [invalid(`${path}.name`, version.name, problems.join(","))]),
      ...deprecationErrors(version, path),
      ...(parts.schema || version.schema === undefined
        ? []
        : schemaErrors(version.schema, { path: `${path}.schema`, hasStatus: version.hasStatus })),
      ...(parts.subresources ? [] : scaleErrors(version.scale, path)),
      ...(parts.columns ? [] : columnsErrors(version.columns, path)),
      ...(parts.selectable ? [] : selectableErrors(version, path)),
    ];
  });
  const shown = versions.map(({ data }) => data);
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    errors.push(invalid("spec.versions", shown, "must contain unique version names"));
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.push(invalid("spec.versions", shown, "must have exactly one version marked as storage version"));
  // The real server stores the first version's name a second time.
  const [first] = versions;
  const problems = first === undefined ? [] : dns1035Problems(first.name);
  if (problems.length > 0) errors.push(invalid("spec.version", first?.name, problems.join(",")));
  return errors;
}

/** Validates the parts that all versions share, at the paths where the real server has them. */
function sharedErrors(versions: readonly DefinitionVersion[]): FieldError[] {
  const [first] = versions;
  if (first === undefined) return [];
  const hasStatus = versions.some((version) => version.hasStatus);
  return [
    ...(isShared(versions, "schema") && first.schema !== undefined
      ? schemaErrors(first.schema, { path: "spec.validation", hasStatus })
      : []),
    ...(isShared(versions, "subresources") ? scaleErrors(first.scale, "spec") : []),
    ...(isShared(versions, "additionalPrinterColumns") ? columnsErrors(first.columns, "spec") : []),
    ...(isShared(versions, "selectableFields") ? selectableErrors(first, "spec") : []),
  ];
}

function namesErrors(names: DefinitionNames, path: string): FieldError[] {
  const label = (key: "plural" | "singular" | "kind" | "listKind", prefix = ""): FieldError[] => {
    const text = names[key];
    const problems = text === "" ? [] : dns1035Problems(prefix === "" ? text : text.toLowerCase());
    return problems.length === 0 ? [] : [invalid(`${path}.${key}`, text, prefix + problems.join(","))];
  };
  const mixed = "may have mixed case, but should otherwise match: ";
  const listed = (key: "shortNames" | "categories"): FieldError[] =>
    names[key].flatMap((text, index) => {
      const problems = dns1035Problems(text);
      return problems.length === 0 ? [] : [invalid(`${path}.${key}[${index}]`, text, problems.join(","))];
    });
  return [
    ...label("plural"),
    ...label("singular"),
    ...label("kind", mixed),
    ...label("listKind", mixed),
    ...listed("shortNames"),
    ...(names.kind !== "" && names.kind === names.listKind
      ? [invalid(`${path}.listKind`, names.listKind, "kind and listKind may not be the same")]
      : []),
    ...listed("categories"),
  ];
}

function storedVersionsErrors({ status = {} }: ApiObject, { versions }: Definition): FieldError[] {
  const field = "status.storedVersions";
  const stored = textsIn(status["storedVersions"]);
  if (stored.length === 0) return [invalid(field, stored, "must have at least one stored version")];
  const names = versions.map(({ name }) => name);
  return [
    ...versions.flatMap(({ name, storage }) =>
      storage && !stored.includes(name) ? [invalid(field, stored, `must have the storage version ${name}`)] : [],
    ),
    ...stored.flatMap((name, index) => {
      if (names.includes(name)) return [];
      const why = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
      return [invalid(`${field}[${index}]`, name, why)];
    }),
  ];
}

const approval = "api-approved.kubernetes.io";
const approvalOf = ({ metadata }: ApiObject): string => textOf(metadata.annotations?.[approval]);
const proposal = "see https://github.com/kubernetes/enhancements/pull/1111";

/** Groups of the Kubernetes community need an approval annotation. */
function approvalErrors(object: ApiObject, { group }: Definition): FieldError[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  const text = approvalOf(object);
  const field = `metadata.annotations[${approval}]`;
  if (text === "")
    return [required(field, `protected groups must have approval annotation "${approval}", ${proposal}`)];
  if (text.startsWith("unapproved") || /^[a-z][a-z0-9+.-]*:\/\/[^/]+/i.test(text)) return [];
  const why = `protected groups must have approval annotation "${approval}" with either a URL or a reason starting with "unapproved", ${proposal}`;
  return [invalid(field, text, why)];
}

const strategies = ["None", "Webhook"];

function conversionErrors(conversion: Fields): FieldError[] {
  const strategy = textOf(conversion["strategy"]);
  const path = "spec.conversion";
  if (strategy === "") return [required(`${path}.strategy`)];
  if (!strategies.includes(strategy)) return [notSupported(`${path}.strategy`, strategy, strategies)];
  const client = at(conversion, "webhook", "clientConfig");
  const reviews = textsIn(at(conversion, "webhook", "conversionReviewVersions"));
  if (strategy === "None") {
    const why = "should not be set when strategy is not set to Webhook";
    return [
      ...(isFields(client) ? [notAllowed(`${path}.webhookClientConfig`, why)] : []),
      ...(reviews.length > 0 ? [notAllowed(`${path}.conversionReviewVersions`, why)] : []),
    ];
  }
  return [...clientErrors(client, `${path}.webhookClientConfig`), ...reviewErrors(reviews, path)];
}

function clientErrors(client: unknown, field: string): FieldError[] {
  if (!isFields(client)) return [required(field, "required when strategy is set to Webhook")];
  return webhookClientErrors(client, field);
}

function reviewErrors(versions: readonly string[], path: string): FieldError[] {
  const field = `${path}.conversionReviewVersions`;
  if (versions.length === 0) return [required(field)];
  const isKnown = versions.includes("v1") || versions.includes("v1beta1");
  return isKnown ? [] : [invalid(field, versions, "must include at least one of v1, v1beta1")];
}
