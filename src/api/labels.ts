/** Label selectors: matching, and reading `LabelSelector` objects; `selector-parser.ts` reads the text form. */
import type { LabelSelector } from "./types.ts";

/** `metadata.labels`. */
export type Labels = Readonly<Record<string, string>>;

/** One requirement of a selector. */
export interface Requirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | "Equals" | "NotEquals" | "GreaterThan" | "LessThan";
  readonly values: readonly string[];
}

/** A selector is the conjunction of its requirements; an empty one matches everything. `"nothing"` matches no object. */
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
      const label = int64Of(labels[key]);
      const bound = int64Of(values[0]);
      if (label === undefined || bound === undefined || values.length > 1) return false;
      return operator === "GreaterThan" ? label > bound : label < bound;
    }
  }
}

/** As Go's `strconv.ParseInt(text, 10, 64)`; undefined if the text is not such a number. */
function int64Of(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return undefined;
  const number = BigInt(text);
  return number === BigInt.asIntN(64, number) ? number : undefined;
}

/**
 * Whether the labels satisfy the selector; absent labels count as empty. Source: apimachinery v0.36 labels/selector.go.
 */
export function matches(selector: Selector, labels: Labels | undefined): boolean {
  if (selector === "nothing") return false;
  return selector.every((requirement) => meets(labels ?? {}, requirement));
}

/** Whether the selector has no requirements and so matches every object. */
export function matchesEverything(selector: Selector): boolean {
  return selector !== "nothing" && selector.length === 0;
}

/**
 * The selector of a `LabelSelector`: an absent one selects nothing, an empty one everything.
 * @throws RangeError for an unknown operator, or values that do not fit it.
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

/** The selector that `make` returns; `"nothing"` if it throws a RangeError, as for an invalid selector. */
export function selectorOrNothing(make: () => Selector): Selector {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) return "nothing";
    throw error;
  }
}

/** A selector that requires each label to have this value, as in ReplicationControllers and Services. */
export function selectorOfLabels(labels: Labels | undefined): Selector {
  return Object.entries(labels ?? {}).map(([key, value]) => ({ key, operator: "Equals", values: [value] }));
}

/** The text form that the API server and kubectl parse: `app=web,tier in (a,b),!old`. */
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
