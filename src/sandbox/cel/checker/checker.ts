/** Checks the types of expressions. Source: cel-go v0.26 checker/checker.go, env.go, errors.go. */
import type { FunctionDecl, Overload } from "../library/function.ts";
import {
  type Call,
  type Comprehension,
  type Expr,
  type List,
  type MapLiteral,
  qualifiedName,
  type Select,
  type Struct,
} from "../syntax/ast.ts";
import type { Issues } from "../syntax/source.ts";
import {
  boolType,
  type CelType,
  dynType,
  errorType,
  formatCall,
  formatType,
  intType,
  isDyn,
  isExactType,
  listOf,
  mapOf,
  objectOf,
  optionalOf,
  typeOfType,
  typeParam,
} from "../values/types.ts";
import { typeOf } from "../values/value.ts";
import {
  assign,
  assignAll,
  heldBy,
  isDynOrError,
  mostGeneral,
  settled,
  substitute,
  type Substitution,
} from "./substitution.ts";

/** Types with fields. */
export interface StructTypes {
  /** True if there is a struct of this name. */
  has(name: string): boolean;
  /** True if an expression can construct one by name. Default: true for all that exist. */
  canMake?(name: string): boolean;
  /** The type of a field; undefined if the struct does not have it. */
  fieldOf(name: string, field: string): CelType | undefined;
}

/** Everything that an expression can refer to. */
export interface Declarations {
  readonly functions: ReadonlyMap<string, FunctionDecl>;
  /** Types that have names in expressions. */
  readonly types: ReadonlyMap<string, CelType>;
  readonly variables: ReadonlyMap<string, CelType>;
  readonly structs: StructTypes;
}

/** What a name or a call refers to. */
export type Reference =
  | { readonly is: "variable"; readonly name: string }
  | { readonly is: "type"; readonly type: CelType }
  | { readonly is: "function"; readonly overloads: readonly string[] };

/** An expression without errors. */
export interface Checked {
  /** The tree with qualified names merged into one node. */
  readonly expr: Expr;
  readonly types: ReadonlyMap<number, CelType>;
  readonly references: ReadonlyMap<number, Reference>;
  readonly type: CelType;
}

/** Checks an expression; errors are added to the issues, and then the result is useless. */
export function check(
  expr: Expr,
  { declarations, issues }: { readonly declarations: Declarations; readonly issues: Issues },
): Checked {
  return new Checker(declarations, issues).whole(expr);
}

/** The variables of a comprehension, and the enclosing scope. */
interface Scope {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly outer: Scope | undefined;
}

interface Found {
  readonly type: CelType;
  readonly reference: Reference;
}

class Checker {
  readonly #declared: Declarations;
  readonly #issues: Issues;
  readonly #types = new Map<number, CelType>();
  readonly #references = new Map<number, Reference>();
  #mapping: Substitution = new Map();
  #scope: Scope | undefined;
  #parameters = 0;

  constructor(declared: Declarations, issues: Issues) {
    this.#declared = declared;
    this.#issues = issues;
  }

  whole(expr: Expr): Checked {
    const checked = this.#check(expr);
    for (const [id, type] of this.#types) this.#types.set(id, settled(this.#mapping, type));
    return { expr: checked, types: this.#types, references: this.#references, type: this.#typeOf(checked) };
  }

  #check(expr: Expr): Expr {
    switch (expr.is) {
      case "literal":
        return this.#typed(expr, typeOf(expr.value));
      case "ident":
        return this.#checkName(expr, expr.name) ?? this.#undeclared(expr, expr.name);
      case "select":
        return this.#checkSelect(expr);
      case "call":
        return this.#checkCall(expr);
      case "list":
        return this.#checkList(expr);
      case "map":
        return this.#checkMap(expr);
      case "struct":
        return this.#checkStruct(expr);
      case "comprehension":
        return this.#checkComprehension(expr);
      case "unspecified":
        return this.#typed(expr, errorType);
    }
  }

  #typed<T extends Expr>(expr: T, type: CelType): T {
    this.#types.set(expr.id, type);
    return expr;
  }

  #typeOf({ id }: Expr): CelType {
    return this.#types.get(id) ?? errorType;
  }

  #undeclared(expr: Expr, name: string): Expr {
    this.#issues.report(expr.at, `undeclared reference to '${name}' (in container '')`);
    return this.#typed(expr, errorType);
  }

  #lookup(name: string): Found | undefined {
    const plain = name.startsWith(".") ? name.slice(1) : name;
    for (let scope = this.#scope; scope !== undefined; scope = scope.outer) {
      const type = scope.variables.get(plain);
      if (type !== undefined) return { type, reference: { is: "variable", name: plain } };
    }
    const variable = this.#declared.variables.get(plain);
    if (variable !== undefined) return { type: variable, reference: { is: "variable", name: plain } };
    const type = this.#declared.types.get(plain);
    return type === undefined ? undefined : { type: typeOfType(type), reference: { is: "type", type } };
  }

  /** Resolves the expression as a name; undefined if nothing has this name. */
  #checkName(expr: Expr, name: string): Expr | undefined {
    const found = this.#lookup(name);
    if (found === undefined) return undefined;
    this.#references.set(expr.id, found.reference);
    const plain = name.startsWith(".") ? name.slice(1) : name;
    return this.#typed({ is: "ident", id: expr.id, at: expr.at, name: plain }, found.type);
  }

  #checkSelect(expr: Select): Expr {
    const name = qualifiedName(expr);
    const named = name === undefined ? undefined : this.#checkName(expr, name);
    if (named !== undefined) return named;
    const operand = this.#check(expr.operand);
    const type = this.#fieldOf(expr, { operand, field: expr.field, isOptional: false });
    return this.#typed({ ...expr, operand }, substitute(this.#mapping, expr.testOnly ? boolType : type));
  }

  #fieldOf(
    { at }: Expr,
    { operand, field, isOptional }: { readonly operand: Expr; readonly field: string; readonly isOptional: boolean },
  ): CelType {
    const whole = substitute(this.#mapping, this.#typeOf(operand));
    const held = heldBy(whole);
    const target = held ?? whole;
    const type = this.#selected(target, { at, field });
    return held !== undefined || isOptional ? optionalOf(type) : type;
  }

  #selected(target: CelType, { at, field }: { readonly at: number; readonly field: string }): CelType {
    if (target.kind === "map") return target.parameters[1] ?? dynType;
    if (target.kind === "struct") return this.#structField(target.name, { at, field }) ?? errorType;
    if (target.kind === "typeParam") this.#goes(dynType, target);
    else if (!isDynOrError(target))
      this.#issues.report(at, `type '${formatType(target)}' does not support field selection`);
    return dynType;
  }

  #structField(name: string, { at, field }: { readonly at: number; readonly field: string }): CelType | undefined {
    const { structs } = this.#declared;
    if (!structs.has(name)) {
      this.#issues.report(at, `unexpected failed resolution of '${name}'`);
      return undefined;
    }
    const type = structs.fieldOf(name, field);
    if (type === undefined) this.#issues.report(at, `undefined field '${field}'`);
    return type;
  }

  #checkCall(expr: Call): Expr {
    if (expr.fn === "_?._") return this.#checkOptionalSelect(expr);
    const args = expr.args.map((arg) => this.#check(arg));
    if (expr.target === undefined) return this.#checkFunction({ ...expr, args }, expr.fn);
    const prefix = qualifiedName(expr.target);
    const qualified = prefix === undefined ? undefined : `${prefix}.${expr.fn}`.replace(/^\./, "");
    if (qualified !== undefined && this.#declared.functions.has(qualified))
      return this.#checkFunction({ ...expr, target: undefined, args }, qualified);
    const target = this.#check(expr.target);
    return this.#checkFunction({ ...expr, target, args }, expr.fn);
  }

  #checkFunction(expr: Call, name: string): Expr {
    const fn = this.#declared.functions.get(name.replace(/^\./, ""));
    if (fn === undefined) return this.#undeclared(expr, name);
    const called = { ...expr, fn: fn.name };
    return this.#typed(called, this.#resolve(called, fn) ?? errorType);
  }

  #checkOptionalSelect(expr: Call): Expr {
    const [first, second] = expr.args;
    if (first === undefined || second === undefined) return this.#typed(expr, errorType);
    const operand = this.#check(first);
    const field = second.is === "literal" && typeof second.value === "string" ? second.value : "";
    const type = this.#fieldOf(expr, { operand, field, isOptional: true });
    this.#references.set(expr.id, { is: "function", overloads: ["select_optional_field"] });
    return this.#typed({ ...expr, args: [operand, this.#check(second)] }, substitute(this.#mapping, type));
  }

  /** The type of a call; undefined if no overload accepts its arguments. */
  #resolve(call: Call, fn: FunctionDecl): CelType | undefined {
    const operands = call.target === undefined ? call.args : [call.target, ...call.args];
    if (fn.name === "_&&_" || fn.name === "_||_") return this.#resolveLogic(call, fn);
    const types = operands.map((operand) => this.#typeOf(operand));
    const overloads: string[] = [];
    let result: CelType | undefined;
    for (const overload of fn.overloads) {
      if (overload.isMember !== (call.target !== undefined)) continue;
      const type = this.#resultOf(overload, types);
      if (type === undefined) continue;
      overloads.push(overload.id);
      if (result === undefined) result = type;
      else if (!isDyn(result) && !isExactType(type, result)) result = dynType;
    }
    if (result === undefined) {
      const shown = types.map((type) => settled(this.#mapping, type));
      const signature = formatCall(shown, call.target !== undefined);
      this.#issues.report(call.at, `found no matching overload for '${fn.name}' applied to '${signature}'`);
      return undefined;
    }
    this.#references.set(call.id, { is: "function", overloads });
    return result;
  }

  #resolveLogic(call: Call, fn: FunctionDecl): CelType | undefined {
    let isRight = true;
    for (const arg of call.args) {
      const type = this.#typeOf(arg);
      if (this.#goes(type, boolType)) continue;
      this.#mismatch(arg, [boolType, type]);
      isRight = false;
    }
    this.#references.set(call.id, { is: "function", overloads: fn.overloads.map(({ id }) => id) });
    return isRight ? boolType : undefined;
  }

  #resultOf(overload: Overload, types: readonly CelType[]): CelType | undefined {
    const fresh = new Map(overload.parameters.map((name) => [name, this.#newParameter()]));
    const wanted = overload.operands.map((type) => substitute(fresh, type));
    const mapping = assignAll(this.#mapping, [types, wanted]);
    if (mapping === undefined) return undefined;
    this.#mapping = mapping;
    return substitute(mapping, substitute(fresh, overload.result));
  }

  #newParameter(): CelType {
    return typeParam(`_var${this.#parameters++}`);
  }

  #goes(one: CelType, other: CelType): boolean {
    const mapping = assign(this.#mapping, [one, other]);
    if (mapping !== undefined) this.#mapping = mapping;
    return mapping !== undefined;
  }

  #mismatch({ at }: { readonly at: number }, [expected, actual]: readonly [CelType, CelType]): void {
    this.#issues.report(at, `expected type '${formatType(expected)}' but found '${formatType(actual)}'`);
  }

  /** The element type of an optional element. */
  #unwrapped(expr: Expr, isOptional: boolean): CelType {
    const type = this.#typeOf(expr);
    if (!isOptional) return type;
    const held = heldBy(type);
    if (held === undefined && !isDyn(type)) this.#mismatch(expr, [optionalOf(type), type]);
    return held ?? type;
  }

  /** The common type of previous elements and the current one: `dyn` if they are not compatible. */
  #join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    return this.#goes(previous, current) ? mostGeneral(previous, current) : dynType;
  }

  #checkList(expr: List): Expr {
    let type: CelType | undefined;
    const elements = expr.elements.map((element, n) => {
      const checked = this.#check(element);
      type = this.#join(type, this.#unwrapped(checked, expr.optional.has(n)));
      return checked;
    });
    return this.#typed({ ...expr, elements }, listOf(type ?? this.#newParameter()));
  }

  #checkMap(expr: MapLiteral): Expr {
    let keyType: CelType | undefined;
    let valueType: CelType | undefined;
    const entries = expr.entries.map((entry) => {
      const key = this.#check(entry.key);
      keyType = this.#join(keyType, this.#typeOf(key));
      const value = this.#check(entry.value);
      valueType = this.#join(valueType, this.#unwrapped(value, entry.optional));
      return { ...entry, key, value };
    });
    const type = mapOf(keyType ?? this.#newParameter(), valueType ?? this.#newParameter());
    return this.#typed({ ...expr, entries }, type);
  }

  #checkStruct(expr: Struct): Expr {
    const found = this.#lookup(expr.typeName);
    const plain = expr.typeName.replace(/^\./, "");
    const isStruct = this.#canMake(plain);
    if (found === undefined && !isStruct) return this.#undeclared(expr, expr.typeName);
    const type = this.#structType(expr, found);
    const fields = expr.fields.map((field) => {
      const value = this.#check(field.value);
      const struct = type.kind === "error" ? plain : type.name;
      const fieldType = this.#structField(struct, { at: field.at, field: field.name }) ?? errorType;
      const given = this.#unwrapped(value, field.optional);
      if (!this.#goes(fieldType, given)) {
        this.#issues.report(
          field.at,
          `expected type of field '${field.name}' is '${formatType(fieldType)}' but provided type is '${formatType(given)}'`,
        );
      }
      return { ...field, value };
    });
    return this.#typed({ ...expr, typeName: plain, fields }, type);
  }

  #structType({ at, typeName }: Struct, found: Found | undefined): CelType {
    if (found === undefined) return this.#canMake(typeName) ? objectOf(typeName) : errorType;
    if (found.reference.is !== "type") {
      this.#issues.report(at, `'${formatType(found.type)}' is not a type`);
      return errorType;
    }
    const { type } = found.reference;
    if (type.kind === "struct") return type;
    this.#issues.report(at, `'${type.name}' is not a message type`);
    return errorType;
  }

  #canMake(name: string): boolean {
    const { structs } = this.#declared;
    return structs.has(name) && structs.canMake?.(name) !== false;
  }

  #checkComprehension(expr: Comprehension): Expr {
    const range = this.#check(expr.range);
    const accuInit = this.#check(expr.accuInit);
    const rangeType = substitute(this.#mapping, this.#typeOf(range));
    const accuType = this.#typeOf(accuInit);
    const outer = this.#scope;
    const withAccu: Scope = { variables: new Map([[expr.accuVar, accuType]]), outer };
    const [first, second] = this.#variableTypes(expr, { at: range.at, rangeType });
    const variables = new Map([[expr.iterVar, first]]);
    if (expr.iterVar2 !== undefined) variables.set(expr.iterVar2, second);
    this.#scope = { variables, outer: withAccu };
    const condition = this.#check(expr.condition);
    this.#assertType(condition, boolType);
    const step = this.#check(expr.step);
    this.#assertType(step, accuType);
    this.#scope = withAccu;
    const result = this.#check(expr.result);
    this.#scope = outer;
    const whole: Comprehension = { ...expr, range, accuInit, condition, step, result };
    return this.#typed(whole, substitute(this.#mapping, this.#typeOf(result)));
  }

  /** The types of the variables of a loop over a range. */
  #variableTypes(
    { iterVar2 }: Comprehension,
    { at, rangeType }: { readonly at: number; readonly rangeType: CelType },
  ): readonly [CelType, CelType] {
    const [first = dynType, second = dynType] = rangeType.parameters;
    const { kind } = rangeType;
    if (kind === "list") return iterVar2 === undefined ? [first, first] : [intType, first];
    if (kind === "map") return [first, second];
    if (kind === "dyn" || kind === "error" || kind === "typeParam") {
      this.#goes(dynType, rangeType);
      return [dynType, dynType];
    }
    this.#issues.report(
      at,
      `expression of type '${formatType(rangeType)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    );
    return [errorType, errorType];
  }

  #assertType(expr: Expr, type: CelType): void {
    const actual = this.#typeOf(expr);
    if (!this.#goes(type, actual)) this.#mismatch(expr, [type, actual]);
  }
}
