/** Validates objects by the rules of their schema. Source: apiextensions-apiserver v0.36 pkg/apiserver/schema/cel/validation.go. */
import { duplicate, type FieldError, invalid, notAllowed, required } from "../../meta/field-errors.ts";
import type { Program } from "../program/compile.ts";
import { CelError, Optional, optionalNone, type Value } from "../values/value.ts";
import { Correlated, oldItemFinder } from "./correlation.ts";
import { converterOf } from "./json-values.ts";
import { type CompiledRule, perCallLimit, type ValidatorNode } from "./node.ts";
import { type JsonSchema, type ValidationRule, withTypeAndObjectMeta } from "./schema.ts";

/** The total cost limit of all rules for an object. */
export const objectBudget = 10_000_000;
const longestMessage = 5 * 1024;

/** The result of the rules for an object. */
export interface Verdict {
  readonly errors: readonly FieldError[];
  /** Errors in unchanged parts, which an update may keep. */
  readonly warnings: readonly FieldError[];
  /** The remaining cost budget of the object; negative if it ran out. */
  readonly budget: number;
}

/** Options for validation. */
export interface ValidateOptions {
  /** The object before an update; undefined for a new one. */
  readonly old?: unknown;
  /** A prefix for the paths of errors. Default: none. */
  readonly path?: string;
  /** The total cost budget. Default: that of an object. */
  readonly budget?: number;
  /** False: errors in unchanged parts are not downgraded. Default true. */
  readonly ratchets?: boolean;
}

/** Validates objects by the rules of a schema. */
export class RuleValidator {
  readonly #root: ValidatorNode;

  constructor(root: ValidatorNode) {
    this.#root = root;
  }

  /** Validates an object, or a part of one. */
  validate(value: unknown, { old, path = "", budget = objectBudget, ratchets = true }: ValidateOptions = {}): Verdict {
    const run = new Run(budget);
    const isCompared = ratchets && old !== undefined && old !== null;
    const correlated = isCompared ? new Correlated(value, { old, schema: this.#root.schema }) : undefined;
    run.visit(this.#root, { value, old, path, ratchet: { current: correlated, parent: undefined } });
    return { errors: run.errors, warnings: run.warnings, budget: run.budget };
  }
}

/** Decides whether errors of a value are ignored: if it or its parent has not changed. */
interface Ratchet {
  readonly current: Correlated | undefined;
  readonly parent: Correlated | undefined;
}

/** A value during the walk through an object. */
interface Visited {
  readonly value: unknown;
  readonly old: unknown;
  readonly path: string;
  readonly ratchet: Ratchet;
}

const isFields = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === "object" && json !== null && !Array.isArray(json);

const isNothing = (json: unknown): boolean => json === undefined || json === null;

function ratchetOf({ current, parent }: Ratchet, key: string | number): Ratchet {
  if (current === undefined) return { current, parent };
  if (parent === undefined && (key === "apiVersion" || key === "kind"))
    return { current: undefined, parent: undefined };
  return { current: typeof key === "string" ? current.field(key) : current.item(key), parent: current };
}

const isPassedOver = ({ current, parent }: Ratchet): boolean => (current ?? parent)?.isSame === true;

class Run {
  readonly errors: FieldError[] = [];
  readonly warnings: FieldError[] = [];
  budget: number;

  constructor(budget: number) {
    this.budget = budget;
  }

  visit(node: ValidatorNode, visited: Visited): void {
    const { value } = visited;
    if (isNothing(value)) return;
    this.#rules(node, visited);
    if (this.budget < 0) return;
    if (Array.isArray(value)) this.#items(node, { ...visited, value });
    else if (isFields(value)) this.#fields(node, { ...visited, value });
  }

  #items(node: ValidatorNode, { value, old, path, ratchet }: Visited & { readonly value: readonly unknown[] }): void {
    const { items } = node;
    if (items === undefined) return;
    const oldItem = oldItemFinder(node.schema, old);
    for (const [n, item] of value.entries()) {
      this.visit(items, { value: item, old: oldItem(item), path: `${path}[${n}]`, ratchet: ratchetOf(ratchet, n) });
      if (this.budget < 0) return;
    }
  }

  #fields(
    { values, fields }: ValidatorNode,
    { value, old, path, ratchet }: Visited & { readonly value: Readonly<Record<string, unknown>> },
  ): void {
    const before = isFields(old) ? old : {};
    const child = (key: string, at: string): Visited => ({
      value: value[key],
      old: Object.hasOwn(before, key) ? before[key] : undefined,
      path: at,
      ratchet: ratchetOf(ratchet, key),
    });
    for (const key of Object.keys(value)) {
      if (this.budget < 0) return;
      if (values !== undefined) this.visit(values, child(key, `${path}[${key}]`));
    }
    for (const [key, node] of fields) {
      if (this.budget < 0) return;
      if (Object.hasOwn(value, key)) this.visit(node, child(key, path === "" ? key : `${path}.${key}`));
    }
  }

  #rules(node: ValidatorNode, visited: Visited): void {
    if (node.rules.length === 0) return;
    const type = node.schema.type ?? "";
    const refused = (why: string): void => void this.errors.push(invalid(shownPath(visited.path), type, why));
    if (this.budget <= 0) {
      refused(outOfBudget);
      this.budget = -1;
      return;
    }
    const convert = converterOf(node.isRoot ? rootSchema(node.schema) : node.schema);
    const self = convert(visited.value);
    const oldSelf = isNothing(visited.old) ? undefined : convert(visited.old);
    for (const rule of node.rules) {
      if (rule.problem !== undefined) refused(`rule compile error: ${rule.problem}`);
      if (rule.program === undefined || rule.problem !== undefined) continue;
      const isOptional = rule.rule.optionalOldSelf === true;
      if (rule.usesOldSelf && oldSelf === undefined && !isOptional) continue;
      const optional = oldSelf === undefined ? optionalNone : new Optional(oldSelf);
      const variables: Variables = { self, oldSelf: isOptional ? optional : oldSelf, plainOldSelf: oldSelf };
      if (!this.#rule({ ...rule, program: rule.program }, { node, visited, variables, refused })) return;
    }
  }

  /** False if the budget is spent. */
  #rule(rule: Runnable, context: RuleContext): boolean {
    const { node, visited, variables, refused } = context;
    const { value, cost, isCancelled } = rule.program.evaluate(variables, perCallLimit);
    if (cost > this.budget) {
      refused(outOfBudget);
      this.budget = -1;
      return false;
    }
    this.budget -= cost;
    if (value instanceof CelError) {
      const shown = shownRule(rule.rule);
      if (isCancelled) {
        refused(
          `'${value.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${shown}`,
        );
        this.budget = -1;
        return false;
      }
      refused(
        value.message.startsWith("no such overload")
          ? `'${value.message}': call arguments did not match a supported operator, function or macro signature for rule: ${shown}`
          : `${value.message} evaluating rule: ${shown}`,
      );
      return true;
    }
    if (value === true) return true;
    const path = shownPath(joinedPath(visited.path, rule.fieldPath));
    const add = (error: FieldError): void => {
      const isWarning = !rule.usesOldSelf && isPassedOver(visited.ratchet);
      (isWarning ? this.warnings : this.errors).push(error);
    };
    const detail = this.#message(rule, variables);
    if (detail.is === "failed") {
      add(invalid(path, node.schema.type ?? "", detail.why));
      this.budget = -1;
      return false;
    }
    const text = detail.is === "text" ? detail.text : defaultMessage(rule.rule);
    add(errorOf(rule.rule.reason, { path, text, value: visited.value, type: node.schema.type ?? "" }));
    return true;
  }

  /** The message of a rule's messageExpression; none if it cannot be used. */
  #message({ message, rule }: CompiledRule, { self, plainOldSelf }: Variables): Message {
    if (message === undefined) return { is: "none" };
    const quoted = JSON.stringify(rule.messageExpression ?? "");
    const { value, cost, isCancelled } = message.evaluate({ self, oldSelf: plainOldSelf }, perCallLimit);
    if (cost > this.budget)
      return {
        is: "failed",
        why: `messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run`,
      };
    if (isCancelled)
      return {
        is: "failed",
        why: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${quoted}`,
      };
    this.budget -= cost;
    if (typeof value !== "string") return { is: "none" };
    const text = value.trim();
    const isUsable = text !== "" && !text.includes("\n") && new TextEncoder().encode(text).length <= longestMessage;
    return isUsable ? { is: "text", text } : { is: "none" };
  }
}

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";

interface Variables {
  readonly [name: string]: Value | undefined;
  readonly self: Value;
  readonly oldSelf: Value | undefined;
  /** The value for messages: never an optional. */
  readonly plainOldSelf: Value | undefined;
}

type Runnable = CompiledRule & { readonly program: Program };

interface RuleContext {
  readonly node: ValidatorNode;
  readonly visited: Visited;
  readonly variables: Variables;
  readonly refused: (why: string) => void;
}

type Message =
  | { readonly is: "none" }
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "failed"; readonly why: string };

const roots = new WeakMap<JsonSchema, JsonSchema>();

/** The schema of a whole resource; created once. */
function rootSchema(schema: JsonSchema): JsonSchema {
  const known = roots.get(schema) ?? withTypeAndObjectMeta(schema);
  roots.set(schema, known);
  return known;
}

const shownPath = (path: string): string => (path === "" ? "<nil>" : path);

const joinedPath = (path: string, more: string | undefined): string =>
  more === undefined || more === "" ? path : path === "" ? more : `${path}.${more}`;

const shownRule = ({ message = "", rule }: ValidationRule): string => (message === "" ? rule : message).trim();

const defaultMessage = (rule: ValidationRule): string => {
  const { message = "" } = rule;
  return message === "" ? `failed rule: ${shownRule(rule)}` : message.trim();
};

function errorOf(
  reason: string | undefined,
  {
    path,
    text,
    value,
    type,
  }: { readonly path: string; readonly text: string; readonly value: unknown; readonly type: string },
): FieldError {
  // Objects and lists are not printed.
  const isOmitted = type === "object" || type === "array";
  switch (reason) {
    case "FieldValueForbidden":
      return notAllowed(path, text);
    case "FieldValueRequired":
      return required(path, text);
    case "FieldValueDuplicate":
      return isOmitted ? { reason, field: path, message: "Duplicate value" } : duplicate(path, value);
    case undefined:
    default:
      return isOmitted
        ? { reason: "FieldValueInvalid", field: path, message: `Invalid value: ${text}` }
        : invalid(path, value, text);
  }
}
