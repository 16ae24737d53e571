/** Cells defined by JSONPaths. Source: apiextensions-apiserver v0.36 pkg/registry/customresource/tableconvertor/tableconvertor.go. */
import { parseTime } from "../../api/time.ts";
import type { ApiObject } from "../meta/object.ts";
import type { PathColumn } from "../registry/strategy/object-form.ts";
import { ageOf } from "./age.ts";
import { type JsonPath, jsonPathOf, printed } from "./json-path.ts";

const known = new WeakMap<PathColumn, JsonPath | undefined>();

function pathOf(column: PathColumn): JsonPath | undefined {
  if (!known.has(column)) known.set(column, jsonPathOf(column.path));
  return known.get(column);
}

/** An object, and the current time, in milliseconds since 1970. */
export interface Shown {
  readonly object: ApiObject;
  readonly now: number;
}

/** The name of an object, and a cell for each column. */
export function pathCells(columns: readonly PathColumn[], shown: Shown): readonly unknown[] {
  // There are no cells from the first invalid column on.
  const broken = columns.findIndex((column) => pathOf(column) === undefined);
  const readable = broken < 0 ? columns : columns.slice(0, broken);
  return [shown.object.metadata.name, ...readable.map((column) => cellOf(column, shown))];
}

function cellOf(column: PathColumn, { object, now }: Shown): unknown {
  const [value = null] = pathOf(column)?.(object) ?? [];
  if (column.type === "string") return pathOf(column)?.(object).length === 0 ? null : printed(value);
  if (value === null) return null;
  switch (column.type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? dateCell(value, now) : null;
    default:
      return null;
  }
}

function dateCell(text: string, now: number): string {
  if (text === "") return "<unknown>";
  return Number.isNaN(parseTime(text)) ? "<invalid>" : ageOf(text, now);
}
