/**
 * Validates an object against its type, with the real server's messages. Source: structured-merge-diff v6 typed/validate.go,
 * typed/helpers.go.
 */
import { goQuoted } from "../../api/go-text.ts";
import { isFields, isList, type Fields } from "../meta/object.ts";
import { elementText } from "./path-element.ts";
import {
  atomOf,
  ItemProblem,
  itemElement,
  type ListType,
  type MapType,
  type ScalarType,
  type Type,
  typeAt,
  type Typed,
} from "./types.ts";

/** What is allowed in lists. */
interface Allowed {
  /** Items with the same path element. */
  readonly duplicates: boolean;
}

/** Type errors of an object, each with its path. */
export function typeProblems({ value, type }: Typed, allowed: Allowed = { duplicates: false }): string[] {
  return problemsOf({ value, type, allowed }).map(({ path, problem }) =>
    path === "" ? problem : `${path}: ${problem}`,
  );
}

/** All errors as one message. */
export function problemsText(problems: readonly string[]): string {
  return problems.length === 1 ? (problems[0] ?? "") : ["errors:", ...problems.map((text) => `  ${text}`)].join("\n");
}

interface Problem {
  readonly path: string;
  readonly problem: string;
}

interface Place<Is extends Type = Type, Value = unknown> {
  readonly value: Value;
  readonly type: Is;
  readonly allowed: Allowed;
}

function problemsOf({ value, type, allowed }: Place): Problem[] {
  const atom = atomOf(type, value);
  if (value === null) return [];
  const wrong = (problem: string): Problem[] => [{ path: "", problem }];
  switch (atom.is) {
    case "scalar":
      return scalarProblem(value, atom).flatMap(wrong);
    case "map":
      return isFields(value)
        ? fieldProblems({ value, type: atom, allowed })
        : wrong(`expected map, got ${shown(value)}`);
    case "list":
      return isList(value) ? itemProblems({ value, type: atom, allowed }) : wrong(`expected list, got ${shown(value)}`);
  }
}

const below = (element: string, problems: readonly Problem[]): Problem[] => {
  if (problems.length === 0) return [];
  const text = elementText(element);
  return problems.map(({ path, problem }) => ({ path: `${text}${path}`, problem }));
};

function fieldProblems({ value: fields, type, allowed }: Place<MapType, Fields>): Problem[] {
  const problems: Problem[] = [];
  for (const key of Object.keys(fields)) {
    const at = typeAt(type, key);
    // The real server stops at the first of these.
    if (at === undefined) return [...problems, { path: `.${key}`, problem: "field not declared in schema" }];
    problems.push(...below(`f:${key}`, problemsOf({ value: fields[key], type: at, allowed })));
  }
  return problems;
}

function itemProblems({ value: items, type, allowed }: Place<ListType, readonly unknown[]>): Problem[] {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const element = type.associative ? named(item, type) : `i:${index}`;
    if (element instanceof ItemProblem)
      return [...problems, { path: "", problem: `element ${index}: ${element.message}` }];
    if (seen.has(element) && !allowed.duplicates)
      problems.push({ path: "", problem: `duplicate entries for key ${elementText(element)}` });
    seen.add(element);
    problems.push(...below(element, problemsOf({ value: item, type: type.of(), allowed })));
  }
  return problems;
}

function named(item: unknown, type: ListType): string | ItemProblem {
  try {
    return itemElement(item, type);
  } catch (cause) {
    if (!(cause instanceof ItemProblem)) throw cause;
    return cause;
  }
}

function scalarProblem(value: unknown, { scalar }: ScalarType): string[] {
  switch (scalar) {
    case "numeric":
      return typeof value === "number" ? [] : [`expected numeric (int or float), got ${goType(value)}`];
    case "string":
      return typeof value === "string"
        ? []
        : [`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`];
    case "boolean":
      return typeof value === "boolean" ? [] : [`expected boolean, got ${shown(value)}`];
    case "untyped":
      return typeof value === "object" ? [`expected any scalar, got ${shown(value)}`] : [];
  }
}

/** As Go prints a value that wraps another. */
const shown = (value: unknown): string => `&{${goText(value)}}`;

function goType(value: unknown): string {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
}

const scalarText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** As Go's `%v`. */
function goText(value: unknown): string {
  if (isList(value)) return `[${value.map(goText).join(" ")}]`;
  if (isFields(value)) {
    const keys = Object.keys(value).sort();
    return `map[${keys.map((key) => `${key}:${goText(value[key])}`).join(" ")}]`;
  }
  return value === null ? "<nil>" : scalarText(value);
}

/** As Go's `%#v`. */
function goSyntax(value: unknown): string {
  if (isList(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (isFields(value)) {
    const keys = Object.keys(value).sort();
    return `map[string]interface {}{${keys.map((key) => `${goQuoted(key)}:${goSyntax(value[key])}`).join(", ")}}`;
  }
  if (value === null) return "interface {}(nil)";
  return typeof value === "string" ? goQuoted(value) : scalarText(value);
}
