/** Types of expressions. Source: cel-go v0.26 common/types/types.go, checker/format.go, checker/types.go. */

/** What a type is, apart from its name and parameters. */
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

/** A type; as a value it is what `type(x)` gives. Two types are compared with `isExactType`, never by identity. */
export class CelType {
  readonly kind: TypeKind;
  /** The name at run time: `int`, `google.protobuf.Duration`, `kubernetes.URL`. */
  readonly name: string;
  readonly parameters: readonly CelType[];

  constructor({ kind, name }: { readonly kind: TypeKind; readonly name: string }, parameters: readonly CelType[] = []) {
    this.kind = kind;
    this.name = name;
    this.parameters = parameters;
  }
}

/** Any value that a proto message can hold; here it is another word for `dyn`. */
export const anyType: CelType = new CelType({ kind: "any", name: "google.protobuf.Any" });
/** `true` or `false`. */
export const boolType: CelType = new CelType({ kind: "bool", name: "bool" });
/** Bytes. */
export const bytesType: CelType = new CelType({ kind: "bytes", name: "bytes" });
/** Numbers of 64 bits with a point. */
export const doubleType: CelType = new CelType({ kind: "double", name: "double" });
/** Lengths of time. */
export const durationType: CelType = new CelType({ kind: "duration", name: "google.protobuf.Duration" });
/** Any value; checked when the expression runs. */
export const dynType: CelType = new CelType({ kind: "dyn", name: "dyn" });
/** What an expression with an error has for a type. */
export const errorType: CelType = new CelType({ kind: "error", name: "error" });
/** Whole numbers of 64 bits with a sign. */
export const intType: CelType = new CelType({ kind: "int", name: "int" });
/** `null`. */
export const nullType: CelType = new CelType({ kind: "null", name: "null_type" });
/** Texts. */
export const stringType: CelType = new CelType({ kind: "string", name: "string" });
/** Points in time. */
export const timestampType: CelType = new CelType({ kind: "timestamp", name: "google.protobuf.Timestamp" });
/** Types, without saying of what. */
export const typeType: CelType = new CelType({ kind: "type", name: "type" });
/** Whole numbers of 64 bits without a sign. */
export const uintType: CelType = new CelType({ kind: "uint", name: "uint" });
/** What values kept by x-kubernetes-preserve-unknown-fields are at run time. */
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
/** A parameter of a generic function. */
export const typeParam = (name: string): CelType => new CelType({ kind: "typeParam", name });

/** Lists of anything, as `type([])` says. */
export const listType: CelType = listOf(dynType);
/** Maps of anything, as `type({})` says. */
export const mapType: CelType = mapOf(dynType, dynType);
/** An optional without saying of what. */
export const optionalType: CelType = new CelType({ kind: "opaque", name: "optional_type" });

/** True for types that are checked at run time alone. */
export const isDyn = ({ kind }: CelType): boolean => kind === "dyn" || kind === "any";

/** True if two types are the same; type parameters count by their names. */
export const isExactType = (one: CelType, other: CelType): boolean => isSame([one, other], true);

/** True if two types are the same, whatever their type parameters are called. */
export const isEquivalentType = (one: CelType, other: CelType): boolean => isSame([one, other], false);

function isSame([one, other]: readonly [CelType, CelType], namesCount: boolean): boolean {
  if (one === other) return true;
  if (one.kind !== other.kind || one.parameters.length !== other.parameters.length) return false;
  if ((namesCount || one.kind !== "typeParam") && one.name !== other.name) return false;
  return one.parameters.every((parameter, n) => isSame([parameter, other.parameters[n] ?? dynType], namesCount));
}

/** True if a value of type `from` may stand where `to` is asked for. */
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

/** A type as messages name it: `list(int)`, `timestamp`, `(int, string) -> bool`. */
export function formatType(type: CelType): string {
  const short = shortNames[type.kind];
  if (short !== undefined) return short;
  if (type.kind === "typeParam" || type.parameters.length === 0) return type.name;
  return `${type.name}(${type.parameters.map(formatType).join(", ")})`;
}

/** A type by its names at run time: `list(int)`, `google.protobuf.Timestamp`. */
export function typeText({ name, parameters }: CelType): string {
  return parameters.length === 0 ? name : `${name}(${parameters.map(typeText).join(", ")})`;
}

/** The arguments of a call as messages name them: `(int, string)`, `string.(int)`. */
export function formatCall(args: readonly CelType[], isMember: boolean): string {
  const names = args.map(formatType);
  return isMember ? `${names[0] ?? ""}.(${names.slice(1).join(", ")})` : `(${names.join(", ")})`;
}

/** Reads `map(string, list(A))`; names of one capital letter are type parameters, the rest of the names are looked up. */
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

/** Takes `int, list(A)` apart at the commas outside of parentheses. */
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
