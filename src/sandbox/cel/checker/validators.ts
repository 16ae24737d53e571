/**
 * Checks after type checking: literals of durations, timestamps and patterns, homogeneous lists, format strings.
 * Source: cel-go v0.26 cel/validator.go, ext/formatting.go stringFormatValidator.
 */
import { toDuration, toTimestamp } from "../library/conversions.ts";
import { type Clause, eachClause, refusal } from "../library/format-text.ts";
import { patternOf } from "../library/regular-expressions.ts";
import { type Call, childrenOf, descendantsOf, type Expr, type List, type MapLiteral } from "../syntax/ast.ts";
import type { Issues } from "../syntax/source.ts";
import { type CelType, dynType, errorType, formatType, isEquivalentType, type TypeKind } from "../values/types.ts";
import { CelError, type Value } from "../values/value.ts";
import type { Checked } from "./checker.ts";

/** Reports further errors of an expression without type errors. */
export function validate({ expr, types }: Checked, issues: Issues): void {
  const all = descendantsOf(expr);
  const typeOf = ({ id }: Expr): CelType => types.get(id) ?? errorType;
  const exempt = exemptIn(expr);
  for (const one of all) {
    if (one.is === "list" && !exempt.has(one.id)) checkList(one, { typeOf, issues });
  }
  for (const one of all) {
    if (one.is === "map" && !exempt.has(one.id)) checkMap(one, { typeOf, issues });
  }
  const calls = all.filter((one) => one.is === "call");
  for (const [fn, isValid] of literalChecks) {
    for (const call of calls) if (call.fn === fn) checkLiteral(call, { isValid, issues });
  }
  for (const call of calls) if (call.fn === "format") checkFormat(call, { typeOf, issues });
}

interface Context {
  readonly typeOf: (expr: Expr) => CelType;
  readonly issues: Issues;
}

/** The expressions within arguments of `format`, which may have mixed types. */
function exemptIn(expr: Expr): ReadonlySet<number> {
  const found = new Set<number>();
  const visit = (one: Expr, isInside: boolean): void => {
    if (isInside) found.add(one.id);
    for (const child of childrenOf(one)) visit(child, isInside || (one.is === "call" && one.fn === "format"));
  };
  visit(expr, false);
  return found;
}

interface Mismatch {
  readonly at: number;
  readonly expected: CelType;
  readonly actual: CelType;
}

const mismatch = (issues: Issues, { at, expected, actual }: Mismatch): void =>
  issues.report(at, `expected type '${formatType(expected)}' but found '${formatType(actual)}'`);

const held = (type: CelType, isOptional: boolean): CelType => (isOptional ? (type.parameters[0] ?? dynType) : type);

function checkList({ elements, optional }: List, { typeOf, issues }: Context): void {
  const [first, ...rest] = elements.map((element, n) => ({ element, type: held(typeOf(element), optional.has(n)) }));
  const other = rest.find(({ type }) => first !== undefined && !isEquivalentType(first.type, type));
  if (first !== undefined && other !== undefined)
    mismatch(issues, { at: other.element.at, expected: first.type, actual: other.type });
}

function checkMap({ entries }: MapLiteral, { typeOf, issues }: Context): void {
  const [first, ...rest] = entries;
  if (first === undefined) return;
  const [keyType, valueType] = [typeOf(first.key), held(typeOf(first.value), first.optional)];
  for (const { key, value, optional } of rest) {
    const [ownKey, own] = [typeOf(key), held(typeOf(value), optional)];
    if (!isEquivalentType(keyType, ownKey)) mismatch(issues, { at: key.at, expected: keyType, actual: ownKey });
    if (!isEquivalentType(valueType, own)) mismatch(issues, { at: value.at, expected: valueType, actual: own });
  }
}

const literalChecks: readonly (readonly [string, (value: Value) => boolean])[] = [
  ["duration", (value) => !(toDuration(value) instanceof CelError)],
  ["timestamp", (value) => !(toTimestamp(value) instanceof CelError)],
  ["matches", (value) => typeof value !== "string" || "re" in patternOf(value)],
];

function checkLiteral(
  { fn, args: [arg] }: Call,
  { isValid, issues }: { readonly isValid: (value: Value) => boolean; readonly issues: Issues },
): void {
  if (arg?.is === "literal" && !isValid(arg.value)) issues.report(arg.at, `invalid ${fn} argument`);
}

/** The types that a clause accepts. */
const taken: Readonly<Record<Clause["is"], readonly TypeKind[]>> = {
  string: ["list", "map", "int", "uint", "double", "bool", "string", "timestamp", "bytes", "duration", "type", "null"],
  decimal: ["int", "uint"],
  fixed: ["double", "string"],
  scientific: ["double", "string"],
  binary: ["int", "uint", "bool"],
  hex: ["int", "uint", "string", "bytes"],
  octal: ["int", "uint"],
};

/** An argument that a clause does not accept. */
class Misfit extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** The first expression, among those printed, that a clause does not accept. */
function misfit(
  expr: Expr,
  { is, typeOf }: { readonly is: Clause["is"]; readonly typeOf: Context["typeOf"] },
): Expr | undefined {
  const { kind } = typeOf(expr);
  if (kind !== "dyn" && !taken[is].includes(kind)) return expr;
  if (is !== "string" || (expr.is !== "list" && expr.is !== "map")) return undefined;
  for (const child of childrenOf(expr)) {
    const found = misfit(child, { is, typeOf });
    if (found !== undefined) return found;
  }
  return undefined;
}

function checkFormat(call: Call, { typeOf, issues }: Context): void {
  const { target, args } = call;
  const [list] = args;
  if (target?.is !== "literal" || typeof target.value !== "string" || list?.is !== "list") return;
  const { elements } = list;
  let used = 0;
  try {
    eachClause(target.value, {
      count: elements.length,
      take(index, { is }) {
        used++;
        const element = elements[index];
        const wrong = element === undefined ? undefined : misfit(element, { is, typeOf });
        if (wrong !== undefined) throw new Misfit(wrong.at, refusal(is, typeOf(wrong).name));
        return "";
      },
    });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    issues.report(error.cause instanceof Misfit ? error.cause.at : call.at, error.message);
    return;
  }
  if (elements.length > used) {
    issues.report(call.at, `too many arguments supplied to string.format (expected ${used}, got ${elements.length})`);
  }
}
