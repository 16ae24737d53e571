/**
 * The content of a CustomResourceDefinition, read from its JSON. Source: apiextensions-apiserver v0.36 pkg/apis/apiextensions/v1/types.go.
 */
import { fieldsIn, isFields, textOf, textsIn, type ApiObject, type Fields } from "../../../meta/object.ts";
import type { JSONSchemaProps } from "../schema/structural.ts";

/** `spec.names` and `status.acceptedNames`. */
export interface DefinitionNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

/** A column of `additionalPrinterColumns`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  readonly jsonPath: string;
}

/** The paths of `subresources.scale`. */
export interface ScaleDefinition {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath: string | undefined;
}

/** One of `spec.versions`. */
export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning: string | undefined;
  readonly schema: JSONSchemaProps | undefined;
  readonly hasSubresources: boolean;
  readonly hasStatus: boolean;
  readonly scale: ScaleDefinition | undefined;
  readonly columns: readonly PrinterColumn[];
  readonly selectableFields: readonly string[];
  readonly data: Fields;
}

/** A definition's `spec`. */
export interface Definition {
  readonly group: string;
  readonly names: DefinitionNames;
  readonly scope: string;
  readonly versions: readonly DefinitionVersion[];
  readonly preservesUnknownFields: boolean;
  readonly conversion: Fields;
}

/** The names in `spec.names` or `status.acceptedNames`. */
export function namesOf(value: unknown): DefinitionNames {
  const names = isFields(value) ? value : {};
  return {
    plural: textOf(names["plural"]),
    singular: textOf(names["singular"]),
    kind: textOf(names["kind"]),
    listKind: textOf(names["listKind"]),
    shortNames: textsIn(names["shortNames"]),
    categories: textsIn(names["categories"]),
  };
}

/** The spec of a CustomResourceDefinition, whose types were checked when it was decoded. */
export function definitionOf({ spec = {} }: ApiObject): Definition {
  return {
    group: textOf(spec["group"]),
    names: namesOf(spec["names"]),
    scope: textOf(spec["scope"]),
    versions: fieldsIn(spec["versions"]).map(versionOf),
    preservesUnknownFields: spec["preserveUnknownFields"] === true,
    conversion: isFields(spec["conversion"]) ? spec["conversion"] : {},
  };
}

function versionOf(data: Fields): DefinitionVersion {
  const { schema, subresources, deprecationWarning: warning } = data;
  const props = isFields(schema) ? schema["openAPIV3Schema"] : undefined;
  const scale = isFields(subresources) ? subresources["scale"] : undefined;
  return {
    name: textOf(data["name"]),
    served: data["served"] === true,
    storage: data["storage"] === true,
    deprecated: data["deprecated"] === true,
    deprecationWarning: typeof warning === "string" ? warning : undefined,
    schema: isFields(props) ? props : undefined,
    hasSubresources: isFields(subresources),
    hasStatus: isFields(subresources) && isFields(subresources["status"]),
    scale: isFields(scale) ? scaleOf(scale) : undefined,
    columns: fieldsIn(data["additionalPrinterColumns"]).map(columnOf),
    selectableFields: fieldsIn(data["selectableFields"]).map((field) => textOf(field["jsonPath"])),
    data,
  };
}

function scaleOf(scale: Fields): ScaleDefinition {
  const selector = scale["labelSelectorPath"];
  return {
    specReplicasPath: textOf(scale["specReplicasPath"]),
    statusReplicasPath: textOf(scale["statusReplicasPath"]),
    labelSelectorPath: typeof selector === "string" ? selector : undefined,
  };
}

const columnOf = (column: Fields): PrinterColumn => ({
  name: textOf(column["name"]),
  type: textOf(column["type"]),
  format: textOf(column["format"]),
  description: textOf(column["description"]),
  priority: typeof column["priority"] === "number" ? column["priority"] : 0,
  jsonPath: textOf(column["jsonPath"]),
});
