/**
 * JSONPath as in kubectl, without braces: `.spec.replicas`, `.metadata.labels['a']`, `.status.conditions[?(@.type=="Ready")].status`.
 * Source: client-go v0.36 util/jsonpath.
 */
import { isFields } from "../meta/object.ts";

/** Returns the values at a path, in order. */
export type JsonPath = (value: unknown) => readonly unknown[];

type Step = (values: readonly unknown[]) => readonly unknown[];

/** A parsed path; undefined if it is invalid. */
export function jsonPathOf(text: string): JsonPath | undefined {
  const steps: Step[] = [];
  let rest = text.startsWith("$") ? text.slice(1) : text;
  while (rest !== "") {
    const read = stepOf(rest);
    if (read === undefined) return undefined;
    if (read.step !== undefined) steps.push(read.step);
    rest = rest.slice(read.length);
  }
  return (value) => steps.reduce<readonly unknown[]>((values, step) => step(values), [value]);
}

interface Read {
  readonly step: Step | undefined;
  /** The number of characters that it consumes. */
  readonly length: number;
}

function stepOf(text: string): Read | undefined {
  if (text === ".") return { step: undefined, length: 1 };
  if (text.startsWith("[")) return bracketOf(text);
  if (!text.startsWith(".")) return undefined;
  if (text.startsWith("..")) return { step: (values) => values.flatMap(allIn), length: 1 };
  if (text.startsWith(".[")) return { step: undefined, length: 1 };
  if (text.startsWith(".*")) return { step: (values) => values.flatMap(partsOf), length: 2 };
  const [name = ""] = /^\.(?:\\.|[^.[\\\s])+/.exec(text) ?? [];
  if (name === "") return undefined;
  return { step: fieldStep(name.slice(1).replaceAll(/\\(.)/g, "$1")), length: name.length };
}

const fieldStep =
  (name: string): Step =>
  (values) =>
    values.flatMap((value) => (isFields(value) && Object.hasOwn(value, name) ? [value[name]] : []));

const partsOf = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  return isFields(value) ? Object.values(value) : [];
};

const allIn = (value: unknown): readonly unknown[] => [value, ...partsOf(value).flatMap(allIn)];

function bracketOf(text: string): Read | undefined {
  const [whole = "", inside = ""] = /^\[((?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^\]'"])*)\]/.exec(text) ?? [];
  if (whole === "") return undefined;
  const step = insideStep(inside.trim());
  return step === undefined ? undefined : { step, length: whole.length };
}

function insideStep(inside: string): Step | undefined {
  if (inside === "*") return (values) => values.flatMap(partsOf);
  const [, quoted] = /^'((?:\\.|[^'\\])*)'$/.exec(inside) ?? /^"((?:\\.|[^"\\])*)"$/.exec(inside) ?? [];
  if (quoted !== undefined) return fieldStep(quoted.replaceAll(/\\(.)/g, "$1"));
  const [, condition] = /^\?\((.*)\)$/s.exec(inside) ?? [];
  if (condition !== undefined) return filterStep(condition);
  if (/^-?\d+$/.test(inside)) return (values) => values.flatMap((value) => slice(value, Number(inside)));
  const [, from, to, by = "1"] = /^(-?\d*):(-?\d*)(?::(\d+))?$/.exec(inside) ?? [];
  if (from === undefined || to === undefined || by === "0") return undefined;
  return (values) =>
    values.flatMap((value) =>
      Array.isArray(value)
        ? value
            .slice(from === "" ? 0 : Number(from), to === "" ? value.length : Number(to))
            .filter((_item: unknown, index) => index % Number(by) === 0)
        : [],
    );
}

function slice(value: unknown, index: number): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  const list: readonly unknown[] = value;
  const at = index < 0 ? value.length + index : index;
  return at >= 0 && at < value.length ? [list[at]] : [];
}

type Operand = (value: unknown) => unknown;

function operandOf(text: string): Operand | undefined {
  const trimmed = text.trim();
  if (trimmed.startsWith("@")) {
    const path = jsonPathOf(trimmed.slice(1));
    return path === undefined ? undefined : (value) => path(value)[0];
  }
  const [, quoted] = /^'(.*)'$/s.exec(trimmed) ?? /^"(.*)"$/s.exec(trimmed) ?? [];
  if (quoted !== undefined) return () => quoted;
  if (/^-?\d+(\.\d+)?$/.test(trimmed)) return () => Number(trimmed);
  return trimmed === "true" || trimmed === "false" ? () => trimmed === "true" : undefined;
}

function filterStep(condition: string): Step | undefined {
  const [, left = "", operator = "", right = ""] = /^(.+?)(==|!=|<=|>=|<|>)(.+)$/s.exec(condition) ?? [];
  const [one, other] = [operandOf(operator === "" ? condition : left), operandOf(right)];
  if (one === undefined || (operator !== "" && other === undefined)) return undefined;
  const holds = (item: unknown): boolean => {
    const value = one(item);
    return operator === "" ? value !== undefined : compares(operator, [value, other?.(item)]);
  };
  return (values) => values.flatMap((value) => partsOf(value).filter(holds));
}

function compares(operator: string, [one, other]: readonly [one: unknown, other: unknown]): boolean {
  if (operator === "==") return one === other;
  if (operator === "!=") return one !== undefined && one !== other;
  const isOrdered =
    (typeof one === "number" && typeof other === "number") || (typeof one === "string" && typeof other === "string");
  if (!isOrdered) return false;
  switch (operator) {
    case "<":
      return one < other;
    case "<=":
      return one <= other;
    case ">":
      return one > other;
    default:
      return one >= other;
  }
}

/** A value as a path prints it: strings as they are, lists and objects as JSON. */
export function printed(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
