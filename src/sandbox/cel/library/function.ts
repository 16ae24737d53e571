/** Declarations of functions, with overloads and implementations. Source: cel-go v0.26 common/decls/decls.go. */
import { type CelType, readType, splitTypes, type TypeKind } from "../values/types.ts";
import {
  CelError,
  CelList,
  CelMap,
  Duration,
  noSuchOverload,
  Optional,
  Timestamp,
  typeOf,
  Uint,
  type Value,
} from "../values/value.ts";

/** The implementation of a function; the target of a call is the first operand. */
export type Run = (...operands: readonly Value[]) => Value;

/** One signature of a function. */
export interface Overload {
  readonly id: string;
  /** True if it is called on a target. */
  readonly isMember: boolean;
  /** The types of the operands, the target first. */
  readonly operands: readonly CelType[];
  readonly result: CelType;
  /** The names of the type parameters. */
  readonly parameters: readonly string[];
  /** Undefined if all overloads share a binding, or the interpreter implements the function. */
  readonly run: Run | undefined;
}

/** An implementation for all overloads of a function. */
export interface Binding {
  readonly run: Run;
  /** The allowed types of the first operand. */
  readonly kinds?: ReadonlySet<TypeKind>;
}

/** A function. */
export interface FunctionDecl {
  readonly name: string;
  readonly overloads: readonly Overload[];
  readonly binding?: Binding;
  /** Bindings check their operands themselves. */
  readonly isUnguarded?: boolean;
}

/** Overloads by ID: `(int, int) bool` is called with two arguments, `string.(int) string` on a target. */
export type Signatures = Readonly<Record<string, string | readonly [signature: string, run: Run]>>;

/** Types that signatures may refer to. */
export type NamedTypes = Readonly<Record<string, CelType>>;

/** Declares functions by name; `named` are types of the library. */
export function declare(functions: Readonly<Record<string, Signatures>>, named: NamedTypes = {}): FunctionDecl[] {
  return Object.entries(functions).map(([name, signatures]) => ({ name, overloads: overloadsOf(signatures, named) }));
}

/** The overloads of a function. */
export function overloadsOf(signatures: Signatures, named: NamedTypes = {}): Overload[] {
  return Object.entries(signatures).map(([id, entry]) => {
    const [signature, run] = typeof entry === "string" ? [entry, undefined] : entry;
    return readSignature(signature, { id, run, named });
  });
}

function readSignature(
  signature: string,
  { id, run, named }: { readonly id: string; readonly run: Run | undefined; readonly named: NamedTypes },
): Overload {
  const member = signature.indexOf(".(");
  // The target's type may contain parentheses: `list(A).(A) int`.
  const isMember = member >= 0 && !signature.startsWith("(");
  const rest = isMember ? signature.slice(member + 1) : signature;
  const close = closingOf(rest);
  const args = splitTypes(rest.slice(1, close));
  const texts = isMember ? [signature.slice(0, member), ...args] : args;
  const operands = texts.map((text) => readType(text, named));
  const result = readType(rest.slice(close + 1).trim(), named);
  const parameters = new Set<string>();
  for (const type of [...operands, result]) collectParameters(type, parameters);
  return { id, isMember, operands, result, parameters: [...parameters], run };
}

function closingOf(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "(") depth++;
    else if (text[at] === ")" && --depth === 0) return at;
  }
  return text.length;
}

function collectParameters(type: CelType, found: Set<string>): void {
  if (type.kind === "typeParam") found.add(type.name);
  for (const parameter of type.parameters) collectParameters(parameter, found);
}

/** Combines functions into one table; those with the same name are merged. */
export function functionTable(functions: readonly FunctionDecl[]): ReadonlyMap<string, FunctionDecl> {
  const table = new Map<string, FunctionDecl>();
  for (const one of functions) {
    const known = table.get(one.name);
    if (known === undefined) {
      table.set(one.name, one);
      continue;
    }
    const binding = one.binding ?? known.binding;
    table.set(one.name, {
      name: one.name,
      overloads: [...known.overloads, ...one.overloads],
      ...(binding === undefined ? {} : { binding }),
      isUnguarded: known.isUnguarded === true && one.isUnguarded === true,
    });
  }
  return table;
}

/** True if a runtime value matches an operand type; for lists and maps, only the first entry is checked. */
function matchesType(type: CelType, value: Value): boolean {
  if (type.kind === "dyn" || type.kind === "any" || type.kind === "typeParam") return true;
  const actual = typeOf(value);
  if (type.name !== actual.name) return false;
  const [first, second] = type.parameters;
  if (value instanceof CelList && first !== undefined) return value.size === 0 || matchesType(first, value.get(0));
  if (value instanceof CelMap && first !== undefined && second !== undefined) {
    const [key] = value.size === 0 ? [] : value.keys();
    return key === undefined || (matchesType(first, key) && matchesType(second, value.find(key) ?? null));
  }
  return true;
}

/** True if runtime values match the operands of an overload. */
export const matchesOverload = ({ operands }: Overload, values: readonly Value[]): boolean =>
  operands.length === values.length &&
  operands.every((type, n) => {
    const value = values[n];
    return value !== undefined && matchesType(type, value);
  });

/** The error for operands without an overload; if an operand is an error, that one. */
export function noOverloadFor(name: string, values: readonly Value[]): CelError {
  const failed = values.find((value) => value instanceof CelError);
  if (failed !== undefined) return failed;
  return new CelError(`no such overload: ${name}(${values.map((value) => typeOf(value).name).join(", ")})`);
}

/** Checks whether a value is of one kind. */
export type Guard<T extends Value> = (value: Value | undefined) => value is T;

/** The guards of the basic types. */
export const guards: {
  readonly any: Guard<Value>;
  readonly bool: Guard<boolean>;
  readonly bytes: Guard<Uint8Array>;
  readonly double: Guard<number>;
  readonly duration: Guard<Duration>;
  readonly int: Guard<bigint>;
  readonly list: Guard<CelList>;
  readonly map: Guard<CelMap>;
  readonly optional: Guard<Optional>;
  readonly string: Guard<string>;
  readonly timestamp: Guard<Timestamp>;
  readonly uint: Guard<Uint>;
} = {
  any: (value) => value !== undefined,
  bool: (value) => typeof value === "boolean",
  bytes: (value) => value instanceof Uint8Array,
  double: (value) => typeof value === "number",
  duration: (value) => value instanceof Duration,
  int: (value) => typeof value === "bigint",
  list: (value) => value instanceof CelList,
  map: (value) => value instanceof CelMap,
  optional: (value) => value instanceof Optional,
  string: (value) => typeof value === "string",
  timestamp: (value) => value instanceof Timestamp,
  uint: (value) => value instanceof Uint,
};

/** A binding that checks its operands and receives them typed. */
export function bind<T extends readonly Value[]>(
  kinds: { readonly [K in keyof T]: Guard<Extract<T[K], Value>> },
  run: (...operands: T) => Value,
): Run {
  return (...operands) => {
    const isRight = kinds.every((guard, n) => guard(operands[n]));
    if (!isRight) return operands.find((operand) => operand instanceof CelError) ?? noSuchOverload();
    // Every operand has passed the guard of its type.
    return run(...(operands as T));
  };
}
