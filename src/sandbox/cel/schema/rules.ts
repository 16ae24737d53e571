/**
 * Compiles and checks the rules of a schema, like those of a CustomResourceDefinition. Source: apiextensions-apiserver v0.36
 * pkg/apis/apiextensions/validation/validation.go, cel_validation.go; pkg/apiserver/schema/cel/compilation.go.
 */
import { type FieldError, invalid, notAllowed } from "../../meta/field-errors.ts";
import { goJson } from "../../../api/go-json.ts";
import { compile, type Environment, type Program } from "../program/compile.ts";
import { boolType, optionalOf, stringType, isExactType } from "../values/types.ts";
import { type DeclType, declTypeOf, mostOccurrences, named, sizesOf } from "./decl-type.ts";
import { normalizedFieldPath } from "./field-path.ts";
import type { CompiledRule, ValidatorNode } from "./node.ts";
import { isEmbedded, type JsonSchema, type ValidationRule, valuesOf } from "./schema.ts";
import { RuleValidator } from "./validator.ts";

/** The result of compiling a schema's rules. */
export interface CompiledRules {
  /** Errors in the rules, as an API server reports them for a CustomResourceDefinition. */
  readonly errors: readonly FieldError[];
  /** Undefined if the schema has no rules. */
  readonly validator: RuleValidator | undefined;
}

const expressionLimit = 10_000_000n;
const schemaLimit = 100_000_000n;
const most = 2n ** 64n - 1n;

/** Options for compiling a schema. */
export interface CompileOptions {
  /** The path of the schema: `spec.versions[0].schema.openAPIV3Schema`. */
  readonly path: string;
  /** False for a part of a resource, without `apiVersion`, `kind` and `metadata`. Default true. */
  readonly isRoot?: boolean;
  /** True for paths of schemas whose own rules are skipped. Default: none. */
  readonly skips?: (path: string) => boolean;
}

/** Compiles the rules of a schema, which must be structural. */
export function compileRules(
  schema: JsonSchema,
  { path, isRoot = true, skips = () => false }: CompileOptions,
): CompiledRules {
  if (!hasRules(schema)) return { errors: [], validator: undefined };
  const compiler = new Compiler(skips);
  const node = compiler.visit({ schema, path, isRoot, cardinality: 1n, uncorrelatable: undefined });
  compiler.checkTotal(path);
  return { errors: compiler.errors, validator: node === undefined ? undefined : new RuleValidator(node) };
}

const rulesOf = (schema: JsonSchema): readonly ValidationRule[] => schema["x-kubernetes-validations"] ?? [];

function hasRules(schema: JsonSchema): boolean {
  const values = valuesOf(schema);
  return (
    rulesOf(schema).length > 0 ||
    (schema.items !== undefined && hasRules(schema.items)) ||
    (values !== undefined && hasRules(values)) ||
    Object.values(schema.properties ?? {}).some(hasRules)
  );
}

/** A part of a schema during the walk. */
interface Place {
  readonly schema: JsonSchema;
  readonly path: string;
  readonly isRoot: boolean;
  /** The maximum number of occurrences; undefined if unlimited. */
  readonly cardinality: bigint | undefined;
  /** The first ancestor whose items have no old ones. */
  readonly uncorrelatable: string | undefined;
}

const multiplied = (cost: bigint, by: bigint): bigint => (cost * by > most ? most : cost * by);

class Compiler {
  readonly errors: FieldError[] = [];
  readonly #expensive: { readonly path: string; readonly cost: bigint }[] = [];
  readonly #skips: (path: string) => boolean;
  #total = 0n;

  constructor(skips: (path: string) => boolean) {
    this.#skips = skips;
  }

  visit(place: Place): ValidatorNode | undefined {
    const { schema, isRoot } = place;
    const type = declTypeOf(schema, isRoot);
    const below = this.#below(place);
    const rules = type === undefined ? [] : this.#rulesAt(place, type);
    if (type === undefined) return undefined;
    const isEmpty =
      rules.length === 0 && below.items === undefined && below.values === undefined && below.fields.size === 0;
    return isEmpty ? undefined : { schema, isRoot, rules, ...below };
  }

  #below(place: Place): Pick<ValidatorNode, "items" | "values" | "fields"> {
    const { schema, path, uncorrelatable } = place;
    const cardinality = cardinalityBelow(place);
    const fields = new Map<string, ValidatorNode>();
    const values = valuesOf(schema);
    const child = (inner: JsonSchema, at: string): Place => ({
      schema: inner,
      path: `${path}.${at}`,
      isRoot: isEmbedded(inner),
      cardinality,
      uncorrelatable,
    });
    const ofValues = values === undefined ? undefined : this.visit(child(values, "additionalProperties"));
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const node = this.visit(child(property, `properties[${name}]`));
      if (node !== undefined) fields.set(name, node);
    }
    const isMap = schema["x-kubernetes-list-type"] === "map";
    const ofItems =
      schema.items === undefined
        ? undefined
        : this.visit({
            ...child(schema.items, "items"),
            uncorrelatable: isMap ? uncorrelatable : (uncorrelatable ?? path),
          });
    return { items: ofItems, values: ofValues, fields };
  }

  #rulesAt({ schema, path, cardinality, uncorrelatable }: Place, type: DeclType): CompiledRule[] {
    if (rulesOf(schema).length === 0 || this.#skips(path)) return [];
    const occurrences = cardinality ?? mostOccurrences(type);
    return compileAll(rulesOf(schema), { type, schema }).map((one, n) => {
      const at = `${path}.x-kubernetes-validations[${n}]`;
      this.#judge(one, { at, occurrences });
      const { compiled } = one;
      if (compiled.usesOldSelf && uncorrelatable !== undefined) {
        this.errors.push(
          invalid(
            `${at}.rule`,
            compiled.rule.rule,
            `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`,
          ),
        );
      }
      if (!compiled.usesOldSelf && compiled.rule.optionalOldSelf !== undefined) {
        this.errors.push(
          invalid(
            `${at}.optionalOldSelf`,
            compiled.rule.optionalOldSelf,
            "may not be set if oldSelf is not used in rule",
          ),
        );
      }
      return compiled;
    });
  }

  #judge(
    { compiled, cost, messageCost, messageProblem }: Compilation,
    { at, occurrences }: { readonly at: string; readonly occurrences: bigint },
  ): void {
    this.#observe({ what: "rule", at: `${at}.rule` }, multiplied(cost, occurrences));
    const { rule, problem } = compiled;
    if (problem !== undefined) this.errors.push(invalidRule(`${at}.rule`, { rule, why: problem }));
    if (messageProblem !== undefined)
      this.errors.push(invalidRule(`${at}.messageExpression`, { rule, why: messageProblem }));
    else if (compiled.message !== undefined)
      this.#observe({ what: "messageExpression", at: `${at}.messageExpression` }, messageCost);
  }

  #observe({ what, at }: { readonly what: string; readonly at: string }, cost: bigint): void {
    if (cost > expressionLimit)
      this.errors.push(notAllowed(at, exceeded(`estimated ${what} cost`, { cost, limit: expressionLimit })));
    this.#total = this.#total + cost > most ? most : this.#total + cost;
    if (cost < schemaLimit / 100n) return;
    this.#expensive.push({ path: at, cost });
    this.#expensive.sort((a, b) => (a.cost > b.cost ? -1 : a.cost < b.cost ? 1 : 0));
    this.#expensive.length = Math.min(this.#expensive.length, 4);
  }

  /** Checks the total estimated cost of all rules. */
  checkTotal(path: string): void {
    if (this.#total <= schemaLimit) return;
    const contributed = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    for (const { path: at } of this.#expensive) this.errors.push(notAllowed(at, contributed));
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    this.errors.push(notAllowed(path, exceeded(what, { cost: this.#total, limit: schemaLimit })));
  }
}

/** The maximum number of occurrences of a child; undefined if unlimited. */
function cardinalityBelow({ schema, cardinality }: Place): bigint | undefined {
  if (cardinality === undefined) return undefined;
  const isMap =
    schema.type === "object" && schema.additionalProperties !== undefined && schema.additionalProperties !== false;
  if (!isMap && schema.type !== "array") return cardinality;
  const limit = isMap ? schema.maxProperties : schema.maxItems;
  return limit === undefined ? undefined : multiplied(cardinality, BigInt(Math.max(0, limit)));
}

/** A rule as Go prints its struct, in JSON. */
function shownRule({
  rule,
  message = "",
  messageExpression = "",
  reason,
  fieldPath = "",
  optionalOldSelf,
}: ValidationRule): string {
  return goJson({
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason ?? null,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf ?? null,
  });
}

/** An error about a rule, which prints the whole rule. */
const invalidRule = (
  field: string,
  { rule, why }: { readonly rule: ValidationRule; readonly why: string },
): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  message: `Invalid value: ${shownRule(rule)}: ${why}`,
});

function exceeded(what: string, { cost, limit }: { readonly cost: bigint; readonly limit: bigint }): string {
  const factor = Number(cost) / Number(limit);
  const shown = factor > 100 ? "more than 100x" : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${what} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

interface Compilation {
  readonly compiled: CompiledRule;
  readonly cost: bigint;
  readonly messageCost: bigint;
  readonly messageProblem: string | undefined;
}

function compileAll(
  rules: readonly ValidationRule[],
  { type, schema }: { readonly type: DeclType; readonly schema: JsonSchema },
): Compilation[] {
  const { root, structs } = named(type, "selfType");
  const sizes = sizesOf(type);
  const environment = (isOptional: boolean): Environment => ({
    variables: new Map([
      ["self", root.type],
      ["oldSelf", isOptional ? optionalOf(root.type) : root.type],
    ]),
    structs,
  });
  const [plain, optional] = [environment(false), environment(true)];
  return rules.map((rule) =>
    compileOne(rule, { environment: rule.optionalOldSelf === true ? optional : plain, schema, sizes }),
  );
}

function compileOne(
  rule: ValidationRule,
  {
    environment,
    schema,
    sizes,
  }: { readonly environment: Environment; readonly schema: JsonSchema; readonly sizes: ReturnType<typeof sizesOf> },
): Compilation {
  const nothing = { cost: 0n, messageCost: 0n, messageProblem: undefined };
  const base = {
    rule,
    usesOldSelf: false,
    program: undefined,
    problem: undefined,
    message: undefined,
    fieldPath: undefined,
  };
  if (rule.rule.trim() === "") return { ...nothing, compiled: base };
  const made = programOf(rule.rule, { environment, isWanted: (program) => isExactType(program.type, boolType) });
  if ("issues" in made) return { ...nothing, compiled: { ...base, problem: `compilation failed: ${made.issues}` } };
  if ("isOther" in made)
    return { ...nothing, compiled: { ...base, problem: "cel expression must evaluate to a bool" } };
  const usesOldSelf = made.program.refersTo("oldSelf");
  const { problem } = made.program;
  if (problem !== undefined) {
    return { ...nothing, compiled: { ...base, usesOldSelf, problem: `program instantiation failed: ${problem}` } };
  }
  const message = messageOf(rule.messageExpression ?? "", environment);
  const compiled: CompiledRule = {
    ...base,
    usesOldSelf,
    program: made.program,
    message: message.program,
    fieldPath:
      rule.fieldPath === undefined || rule.fieldPath === "" || message.problem !== undefined
        ? undefined
        : normalizedFieldPath(rule.fieldPath, schema),
  };
  return {
    compiled,
    cost: made.program.estimate(sizes).max,
    messageCost: message.program?.estimate(sizes).max ?? 0n,
    messageProblem: message.problem,
  };
}

type Made = { readonly program: Program } | { readonly issues: string } | { readonly isOther: true };

function programOf(
  expression: string,
  { environment, isWanted }: { readonly environment: Environment; readonly isWanted: (program: Program) => boolean },
): Made {
  const compiled = compile(expression, environment);
  if (compiled.is === "refused") return { issues: compiled.issues };
  return isWanted(compiled.program) ? { program: compiled.program } : { isOther: true };
}

function messageOf(
  expression: string,
  environment: Environment,
): { readonly program: Program | undefined; readonly problem: string | undefined } {
  if (expression === "") return { program: undefined, problem: undefined };
  const made = programOf(expression, { environment, isWanted: (program) => isExactType(program.type, stringType) });
  const failed = (problem: string): { program: undefined; problem: string } => ({ program: undefined, problem });
  if ("issues" in made) return failed(`messageExpression compilation failed: ${made.issues}`);
  if ("isOther" in made) return failed("messageExpression must evaluate to a string");
  const { problem } = made.program;
  return problem === undefined
    ? { program: made.program, problem: undefined }
    : failed(`messageExpression instantiation failed: ${problem}`);
}
