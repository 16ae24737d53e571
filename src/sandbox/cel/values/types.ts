/** CEL types. Source: cel-go v0.26 common/types/types.go, checker/format.go, checker/types.go. */

/** The kind of a type, without its name and parameters. */
export type TypeKind =
  | "any"
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "dyn"
  | "error"
  | "int"
  | "list"
  | "map"
  | "null"
  | "opaque"
  | "string"
  | "struct"
  | "timestamp"
  | "type"
  | "typeParam"
  | "uint"
  | "unknown";

/** A type; it is also the value of `type(x)`. Compare types with `isExactType`, never by identity. */
export class CelType {
  readonly kind: TypeKind;
  /** The runtime name: `int`, `google.protobuf.Duration`, `kubernetes.URL`. */
  readonly name: string;
  readonly parameters: readonly CelType[];

  constructor({ kind, name }: { readonly kind: TypeKind; readonly name: string }, parameters: readonly CelType[] = []) {
    this.kind = kind;
    this.name = name;
    this.parameters = parameters;
  }
}

/** Any value that a proto message can contain; here it is the same as `dyn`. */
export const anyType: CelType = new CelType({ kind: "any", name: "google.protobuf.Any" });
/** `true` or `false`. */
export const boolType: CelType = new CelType({ kind: "bool", name: "bool" });
/** Bytes. */
export const bytesType: CelType = new CelType({ kind: "bytes", name: "bytes" });
/** 64-bit floating-point numbers. */
export const doubleType: CelType = new CelType({ kind: "double", name: "double" });
/** Durations. */
export const durationType: CelType = new CelType({ kind: "duration", name: "google.protobuf.Duration" });
/** Any value; checked at run time. */
export const dynType: CelType = new CelType({ kind: "dyn", name: "dyn" });
/** The type of an expression with an error. */
export const errorType: CelType = new CelType({ kind: "error", name: "error" });
/** Signed 64-bit integers. */
export const intType: CelType = new CelType({ kind: "int", name: "int" });
/** `null`. */
export const nullType: CelType = new CelType({ kind: "null", name: "null_type" });
/** Strings. */
export const stringType: CelType = new CelType({ kind: "string", name: "string" });
/** Timestamps. */
export const timestampType: CelType = new CelType({ kind: "timestamp", name: "google.protobuf.Timestamp" });
/** Types of any kind. */
export const typeType: CelType = new CelType({ kind: "type", name: "type" });
/** Unsigned 64-bit integers. */
export const uintType: CelType = new CelType({ kind: "uint", name: "uint" });
/** The runtime type of values kept by x-kubernetes-preserve-unknown-fields. */
export const unknownType: CelType = new CelType({ kind: "unknown", name: "unknown" });

/** Lists of a type. */
export const listOf = (element: CelType): CelType => new CelType({ kind: "list", name: "list" }, [element]);
/** Maps from one type to another. */
export const mapOf = (key: CelType, value: CelType): CelType => new CelType({ kind: "map", name: "map" }, [key, value]);
/** Values that may be absent. */
export const optionalOf = (value: CelType): CelType => new CelType({ kind: "opaque", name: "optional_type" }, [value]);
/** The type of a type. */
export const typeOfType = (type: CelType): CelType => new CelType({ kind: "type", name: "type" }, [type]);
/** A type with fields, or one of Kubernetes' own, such as `kubernetes.URL`. */
export const objectOf = (name: string): CelType => new CelType({ kind: "struct", name });
/** A type parameter of a generic function. */
export const typeParam = (name: string): CelType => new CelType({ kind: "typeParam", name });

/** Lists of anything, the type of `type([])`. */
export const listType: CelType = listOf(dynType);
/** Maps of anything, the type of `type({})`. */
export const mapType: CelType = mapOf(dynType, dynType);
/** Optionals of anything. */
export const optionalType: CelType = new CelType({ kind: "opaque", name: "optional_type" });

/** True for types that are checked only at run time. */
export const isDyn = ({ kind }: CelType): boolean => kind === "dyn" || kind === "any";

/** True if two types are the same, including the names of type parameters. */
export const isExactType = (one: CelType, other: CelType): boolean => isSame([one, other], true);

/** True if two types are the same, regardless of the names of type parameters. */
export const isEquivalentType = (one: CelType, other: CelType): boolean => isSame([one, other], false);

function isSame([one, other]: readonly [CelType, CelType], namesCount: boolean): boolean {
  if (one === other) return true;
  if (one.kind !== other.kind || one.parameters.length !== other.parameters.length) return false;
  if ((namesCount || one.kind !== "typeParam") && one.name !== other.name) return false;
  return one.parameters.every((parameter, n) => isSame([parameter, other.parameters[n] ?? dynType], namesCount));
}

/** True if a value of type `from` can be used where `to` is required. */
export function isAssignableType(to: CelType, from: CelType): boolean {
  if (to === from || isDyn(to) || to.kind === "typeParam") return true;
  if (to.kind !== from.kind || to.name !== from.name || to.parameters.length !== from.parameters.length) return false;
  return to.parameters.every((parameter, n) => isAssignableType(parameter, from.parameters[n] ?? dynType));
}

const shortNames: Partial<Record<TypeKind, string>> = {
  any: "any",
  duration: "duration",
  error: "!error!",
  null: "null",
  timestamp: "timestamp",
};

/** A type as named in messages: `list(int)`, `timestamp`, `(int, string) -> bool`. */
export function formatType(type: CelType): string {
  const short = shortNames[type.kind];
  if (short !== undefined) return short;
  if (type.kind === "typeParam" || type.parameters.length === 0) return type.name;
  return `${type.name}(${type.parameters.map(formatType).join(", ")})`;
}

/** A type with its runtime names: `list(int)`, `google.protobuf.Timestamp`. */
export function typeText({ name, parameters }: CelType): string {
  return parameters.length === 0 ? name : `${name}(${parameters.map(typeText).join(", ")})`;
}

/** The arguments of a call as named in messages: `(int, string)`, `string.(int)`. */
export function formatCall(args: readonly CelType[], isMember: boolean): string {
  const names = args.map(formatType);
  return isMember ? `${names[0] ?? ""}.(${names.slice(1).join(", ")})` : `(${names.join(", ")})`;
}

/** Parses `map(string, list(A))`; single capital letters are type parameters, other names are looked up. */
export function readType(text: string, named: Readonly<Record<string, CelType>>): CelType {
  const open = text.indexOf("(");
  if (open < 0) {
    if (/^[A-Z]$/.test(text)) return typeParam(text);
    const type = named[text] ?? simple[text];
    if (type === undefined) throw new TypeError(`Cannot read a type: ${text} is none`);
    return type;
  }
  const inner = splitTypes(text.slice(open + 1, -1)).map((part) => readType(part, named));
  const [first = dynType, second = dynType] = inner;
  switch (text.slice(0, open)) {
    case "list":
      return listOf(first);
    case "map":
      return mapOf(first, second);
    case "optional":
      return optionalOf(first);
    default:
      return typeOfType(first);
  }
}

const simple: Readonly<Record<string, CelType>> = {
  bool: boolType,
  bytes: bytesType,
  double: doubleType,
  duration: durationType,
  dyn: dynType,
  int: intType,
  null: nullType,
  string: stringType,
  timestamp: timestampType,
  type: typeType,
  uint: uintType,
};

/** Splits `int, list(A)` at the commas outside of parentheses. */
export function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const character = text[at];
    if (character === "(") depth++;
    else if (character === ")") depth--;
    else if ((character === "," && depth === 0) || character === undefined) {
      if (at > start) parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return parts;
}
