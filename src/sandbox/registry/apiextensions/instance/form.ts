/**
 * How the objects of one version of a custom resource are read and converted.
 * Source: apiextensions-apiserver v0.36 pkg/apiserver/customresource_handler.go unstructuredSchemaCoercer, unstructuredDefaulter.
 */
import { clientConfigOf } from "../../../webhook/client-config.ts";
import { at, isFields, textOf, textsIn, type ApiObject, type Fields } from "../../../meta/object.ts";
import type { StatusError } from "../../../../api/status-error.ts";
import { invalid, invalidObject } from "../../../meta/field-errors.ts";
import { badRequest, refusal } from "../../../meta/refusal.ts";
import type { ConversionWebhook, ObjectForm, ObjectRead, PathColumn, ScalePaths } from "../../strategy/object-form.ts";
import type { Definition, DefinitionVersion, PrinterColumn } from "../definition/definition.ts";
import { fillSchemaDefaults, pruneNulls } from "../schema/defaulting.ts";
import { coerceEmbedded, type ReadMetadata } from "../schema/objectmeta.ts";
import { prune } from "../schema/pruning.ts";
import { openApiOf } from "./openapi.ts";
import type { Structural } from "../schema/structural.ts";
import { compareKubeAwareVersions } from "../../../meta/kube-version.ts";

/** One version of a definition with its schema, by name. */
export interface VersionSchema {
  readonly version: DefinitionVersion;
  readonly structural: Structural | undefined;
}

/** What the versions of a kind share. */
export interface KindForms {
  readonly definition: Definition;
  readonly kind: string;
  readonly listKind: string;
  readonly versions: ReadonlyMap<string, VersionSchema>;
  readonly readMetadata: ReadMetadata;
  readonly refusesCreate: string | undefined;
}

/** The form of the objects at a version. */
export function formOf(forms: KindForms, name: string): ObjectForm {
  const { definition } = forms;
  const own = forms.versions.get(name);
  const storage = definition.versions.find((version) => version.storage)?.name ?? name;
  return {
    read: (fields) => read(fields, { structural: own?.structural, forms }),
    anotherKind: (own, object) => refusedKind({ own, object }, { forms, name }),
    convert: (object) => converted(object, { forms, name }),
    stored: (object) => (versionIn(object) === storage ? object : converted(object, { forms, name: storage })),
    conversionWebhook: webhookOf(definition, `${definition.group}/${storage}`),
    received: (object) => pruned(object, { forms, name }),
    columns: columnsOf(own?.version.columns ?? []),
    selectableFields: (own?.version.selectableFields ?? []).map((path) => path.replace(/^\./, "")),
    scale: scaleOf(own?.version),
    deprecation: own === undefined ? undefined : deprecationOf(definition, own.version),
    listKind: forms.listKind,
    openApi() {
      const { kind, listKind } = forms;
      const { group, names } = definition;
      return openApiOf({ group, version: name, kind, listKind, plural: names.plural, schema: own?.version.schema });
    },
    refusesCreate: forms.refusesCreate,
  };
}

interface Wanted {
  readonly forms: KindForms;
  readonly name: string;
}

/** Source: pkg/registry/customresource/validator.go ValidateTypeMeta; apiserver v0.36 endpoints/handlers/create.go. */
function refusedKind(
  { own, object }: { readonly own: { readonly kind: string; readonly apiVersion: string }; readonly object: Fields },
  { forms: { definition, kind }, name }: Wanted,
): StatusError {
  const { group } = definition;
  const apiVersion = `${group}/${name}`;
  if (own.apiVersion !== apiVersion)
    return badRequest(
      `the API version in the data (${own.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  const errors = [invalid("kind", own.kind, `must be ${kind}`)];
  return invalidObject({ group, name: own.kind }, textOf(at(object, "metadata", "name")), errors);
}

const versionIn = ({ apiVersion }: ApiObject): string => apiVersion.slice(apiVersion.indexOf("/") + 1);

function read(
  fields: Fields,
  { structural, forms }: { readonly structural: Structural | undefined; readonly forms: KindForms },
): ObjectRead {
  const { readMetadata, definition } = forms;
  const strict: string[] = [];
  if (fields["metadata"] !== undefined) {
    const metadata = readMetadata(fields["metadata"]);
    if ("problem" in metadata) return metadata;
    fields["metadata"] = metadata.value;
    strict.push(...metadata.unknown.map((path) => `metadata.${path}`));
  }
  if (!definition.preservesUnknownFields) {
    strict.push(...prune(fields, structural));
    pruneNulls(fields, structural);
  }
  const { unknown, error } = coerceEmbedded(fields, { structural, read: readMetadata });
  if (error !== undefined) return { problem: `${error.field}: ${error.message}` };
  strict.push(...unknown);
  fillSchemaDefaults(fields, structural);
  return { value: fields, strict: strict.map((path) => `unknown field "${path}"`) };
}

/** The object at another version: without a webhook, only fields unknown there are lost. */
function converted(object: ApiObject, { forms, name }: Wanted): ApiObject {
  const { definition } = forms;
  const from = object.apiVersion;
  const to = `${definition.group}/${name}`;
  if (from === to) return object;
  if (definition.conversion["strategy"] === "Webhook") {
    const why = "it was not asked";
    throw refusal(500, "", `conversion webhook for ${from}, Kind=${object.kind} failed: ${why}`);
  }
  const { kind, apiVersion: _from, ...rest } = object;
  return pruned({ kind, apiVersion: to, ...structuredClone(rest) }, { forms, name });
}

/**
 * The object without the fields that are unknown at its version; takes it over. Sets no defaults: only objects that clients send get them.
 */
function pruned(object: ApiObject, { forms: { definition, versions }, name }: Wanted): ApiObject {
  const structural = versions.get(name)?.structural;
  if (definition.preservesUnknownFields) return object;
  prune(object, structural);
  pruneNulls(object, structural);
  return object;
}

function webhookOf({ conversion }: Definition, storedVersion: string): ConversionWebhook | undefined {
  if (conversion["strategy"] !== "Webhook") return undefined;
  const client = at(conversion, "webhook", "clientConfig");
  const versions = at(conversion, "webhook", "conversionReviewVersions");
  return { client: clientConfigOf(isFields(client) ? client : {}), versions: textsIn(versions), storedVersion };
}

/** The object, pruned and defaulted by its version's current schema; unchanged if there is none or unknown fields are preserved. */
export function rereadBy({ versions, definition }: KindForms, object: ApiObject): ApiObject {
  const structural = versions.get(versionIn(object))?.structural;
  if (structural === undefined || definition.preservesUnknownFields) return object;
  const copy = structuredClone(object);
  prune(copy, structural);
  pruneNulls(copy, structural);
  fillSchemaDefaults(copy, structural);
  return copy;
}

const ageColumn: PathColumn = {
  name: "Age",
  type: "date",
  format: "",
  description: "When the object was created.",
  priority: 0,
  path: ".metadata.creationTimestamp",
};

function columnsOf(columns: readonly PrinterColumn[]): readonly PathColumn[] {
  if (columns.length === 0) return [ageColumn];
  return columns.map(({ name, type, format, description, priority, jsonPath }) => ({
    name,
    type,
    format,
    description:
      description === "" ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : description,
    priority,
    path: jsonPath,
  }));
}

function scaleOf(version: DefinitionVersion | undefined): ScalePaths | undefined {
  if (version?.scale === undefined) return undefined;
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = "" } = version.scale;
  const keys = (path: string): string[] => path.replace(/^\./, "").split(".");
  return {
    specReplicas: keys(specReplicasPath),
    statusReplicas: keys(statusReplicasPath),
    labelSelector: labelSelectorPath === "" ? undefined : keys(labelSelectorPath),
  };
}

/** Source: defaultDeprecationWarning. */
function deprecationOf({ group, names, versions }: Definition, version: DefinitionVersion): string | undefined {
  if (!version.deprecated) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const better = versions
    .filter(({ served, deprecated, name }) => served && !deprecated && compareKubeAwareVersions(version.name, name) < 0)
    .map(({ name }) => name)
    .sort((a, b) => compareKubeAwareVersions(b, a));
  const [best] = better;
  const message = `${group}/${version.name} ${names.kind} is deprecated`;
  return best === undefined ? message : `${message}; use ${group}/${best} ${names.kind}`;
}
