/** Label selectors: matching, reading from `LabelSelector` objects and from kubectl's text form. */
import type { LabelSelector } from "./types.ts";

export type Labels = Readonly<Record<string, string>>;

export interface Requirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | "Equals" | "NotEquals" | "GreaterThan" | "LessThan";
  readonly values: readonly string[];
}

/** A selector is the conjunction of its requirements; none matches everything. `"nothing"` matches no object. */
export type Selector = readonly Requirement[] | "nothing";

function has(labels: Labels, key: string): boolean {
  return Object.hasOwn(labels, key);
}

function meets(labels: Labels, { key, operator, values }: Requirement): boolean {
  switch (operator) {
    case "In":
    case "Equals":
      return has(labels, key) && values.includes(labels[key] ?? "");
    case "NotIn":
    case "NotEquals":
      return !has(labels, key) || !values.includes(labels[key] ?? "");
    case "Exists":
      return has(labels, key);
    case "DoesNotExist":
      return !has(labels, key);
    case "GreaterThan":
    case "LessThan": {
      const [label, bound] = [labels[key] ?? "", values[0] ?? ""];
      if (!has(labels, key) || !/^[+-]?\d+$/.test(label)) return false;
      return operator === "GreaterThan" ? BigInt(label) > BigInt(bound) : BigInt(label) < BigInt(bound);
    }
  }
}

export function matches(selector: Selector, labels: Labels | undefined): boolean {
  if (selector === "nothing") return false;
  return selector.every((requirement) => meets(labels ?? {}, requirement));
}

/** Whether the selector has no requirements and so matches every object. */
export function matchesEverything(selector: Selector): boolean {
  return selector !== "nothing" && selector.length === 0;
}

/**
 * An absent selector selects nothing, an empty one everything.
 * @throws RangeError for an operator that is not one, or values that do not fit it.
 * Source: apimachinery v0.36 meta/v1/helpers.go LabelSelectorAsSelector.
 */
export function selectorOf(selector: LabelSelector | undefined): Selector {
  if (selector === undefined) return "nothing";
  const requirements: Requirement[] = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: "In",
    values: [value],
  }));
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    switch (operator) {
      case "In":
      case "NotIn":
        if (values.length === 0)
          throw new RangeError(`Cannot use the selector on ${key}: ${operator} needs at least one value`);
        break;
      case "Exists":
      case "DoesNotExist":
        if (values.length > 0) throw new RangeError(`Cannot use the selector on ${key}: ${operator} takes no values`);
        break;
      default:
        throw new RangeError(`Cannot use the selector on ${key}: ${JSON.stringify(operator)} is not an operator`);
    }
    requirements.push({ key, operator, values });
  }
  return requirements;
}

/** A selector that asks for each label as given; of ReplicationControllers and Services. */
export function selectorOfLabels(labels: Labels | undefined): Selector {
  return Object.entries(labels ?? {}).map(([key, value]) => ({ key, operator: "Equals", values: [value] }));
}

/** The text form that the API server and kubectl read: `app=web,tier in (a,b),!old`. */
export function formatSelector(selector: Selector): string {
  if (selector === "nothing") return "";
  return selector
    .map(({ key, operator, values }) => {
      switch (operator) {
        case "In":
          return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${[...values].sort().join(",")})`;
        case "NotIn":
          return values.length === 1 ? `${key}!=${values[0]}` : `${key} notin (${[...values].sort().join(",")})`;
        case "Equals":
          return `${key}=${values[0]}`;
        case "NotEquals":
          return `${key}!=${values[0]}`;
        case "Exists":
          return key;
        case "DoesNotExist":
          return `!${key}`;
        case "GreaterThan":
          return `${key}>${values[0]}`;
        case "LessThan":
          return `${key}<${values[0]}`;
      }
    })
    .join(",");
}

const label = String.raw`(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)`;
const key = new RegExp(`^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?/)?${label}$`);
const value = new RegExp(`^${label}?$`);

/**
 * Reads kubectl's `-l`.
 * @throws RangeError that quotes the part which is wrong.
 */
export function parseSelector(text: string): Selector {
  const requirements: Requirement[] = [];
  // Commas inside brackets do not separate requirements.
  for (const part of text.split(/,(?![^(]*\))/)) {
    const trimmed = part.trim();
    if (trimmed === "" && text.trim() === "") continue;
    requirements.push(parseRequirement(trimmed));
  }
  return requirements;
}

function parseRequirement(part: string): Requirement {
  const wrong = (why: string): RangeError =>
    new RangeError(`Cannot read the label selector at ${JSON.stringify(part)}: ${why}`);
  const checked = (requirement: Requirement): Requirement => {
    if (!key.test(requirement.key)) throw wrong(`${JSON.stringify(requirement.key)} is not a label key`);
    for (const v of requirement.values)
      if (!value.test(v) || v.length > 63) throw wrong(`${JSON.stringify(v)} is not a label value`);
    return requirement;
  };
  const set = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(part);
  if (set !== null) {
    const values = (set[3] ?? "").split(",").map((v) => v.trim());
    return checked({ key: set[1] ?? "", operator: set[2] === "in" ? "In" : "NotIn", values });
  }
  const pair = /^([^=!<>\s]+)\s*(==|=|!=|>|<)\s*([^=!<>\s]*)$/.exec(part);
  if (pair !== null) {
    const operators = {
      "=": "Equals",
      "==": "Equals",
      "!=": "NotEquals",
      ">": "GreaterThan",
      "<": "LessThan",
    } as const;
    const operator = operators[pair[2] as keyof typeof operators];
    if ((operator === "GreaterThan" || operator === "LessThan") && !/^[+-]?\d+$/.test(pair[3] ?? "")) {
      throw wrong("> and < take a whole number");
    }
    return checked({ key: pair[1] ?? "", operator, values: [pair[3] ?? ""] });
  }
  const absent = /^!\s*(\S+)$/.exec(part);
  if (absent !== null) return checked({ key: absent[1] ?? "", operator: "DoesNotExist", values: [] });
  if (part === "" || /\s/.test(part))
    throw wrong("a requirement is KEY, !KEY, KEY=VALUE, KEY!=VALUE, KEY in (A,B) or KEY notin (A,B)");
  return checked({ key: part, operator: "Exists", values: [] });
}
