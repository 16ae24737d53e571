/** Defaults of structural schemas. Source: apiextensions-apiserver v0.36 pkg/apiserver/schema/defaulting. */
import { copyOf, isFields } from "../../../meta/object.ts";
import { fieldOf, setField, type Structural } from "./structural.ts";

/** Defaults missing fields of a value, and nulls in fields that are not nullable; in place. */
export function fillSchemaDefaults(value: unknown, structural: Structural | undefined): void {
  if (structural === undefined || !structural.hasDefaults) return;
  if (Array.isArray(value)) fillItems(value, structural.items);
  if (!isFields(value)) return;
  for (const [name, property] of structural.properties) {
    if (property.default === undefined) continue;
    if (!Object.hasOwn(value, name) || (value[name] === null && !property.nullable))
      setField(value, { name, value: copyOf(property.default) });
  }
  for (const name of Object.keys(value)) {
    const field = fieldOf(structural, name);
    if (value[name] === null && field !== undefined && !field.nullable && field.default !== undefined)
      setField(value, { name, value: copyOf(field.default) });
    fillSchemaDefaults(value[name], field);
  }
}

function fillItems(list: unknown[], items: Structural | undefined): void {
  if (items === undefined) return;
  for (let index = 0; index < list.length; index++) {
    if (list[index] === null && !items.nullable && items.default !== undefined) list[index] = copyOf(items.default);
    fillSchemaDefaults(list[index], items);
  }
}

/** Removes nulls of fields that are not nullable and have no default; in place. Nulls in lists stay. */
export function pruneNulls(value: unknown, structural: Structural | undefined): void {
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object") pruneNulls(item, structural?.items);
    return;
  }
  if (!isFields(value)) return;
  for (const name of Object.keys(value)) {
    const item = value[name];
    if (typeof item !== "object") continue;
    const field = fieldOf(structural, name);
    if (item !== null) pruneNulls(item, field);
    else if (field !== undefined && !field.nullable && field.default === undefined) delete value[name];
  }
}
