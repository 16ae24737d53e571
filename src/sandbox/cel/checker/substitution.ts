/** Substitution of type parameters, and type compatibility. Source: cel-go v0.26 checker/types.go, mapping.go. */
import { CelType, dynType, isAssignableType, isDyn, isExactType, listOf, mapOf, typeOfType } from "../values/types.ts";

/** Type parameters by name, and their types. */
export type Substitution = ReadonlyMap<string, CelType>;
type Mapping = Map<string, CelType>;

const isError = ({ kind }: CelType): boolean => kind === "error";

/** True for optionals. */
export const isOptional = ({ kind, name }: CelType): boolean => kind === "opaque" && name === "optional_type";

/** The type inside an optional; undefined for other types. */
export const heldBy = (type: CelType): CelType | undefined =>
  isOptional(type) ? (type.parameters[0] ?? dynType) : undefined;

/** True for types that are compatible with any other. */
export const isDynOrError = (type: CelType): boolean => isDyn(type) || isError(type);

/** The mapping, extended to make `from` assignable to `to`; undefined if it is not. */
export function assign(mapping: Substitution, [to, from]: readonly [CelType, CelType]): Substitution | undefined {
  const extended = new Map(mapping);
  return goes(extended, [to, from]) ? extended : undefined;
}

/** As `assign`, for all pairs of two lists. */
export function assignAll(
  mapping: Substitution,
  [to, from]: readonly [readonly CelType[], readonly CelType[]],
): Substitution | undefined {
  const extended = new Map(mapping);
  return allGo(extended, [to, from]) ? extended : undefined;
}

const allGo = (mapping: Mapping, [one, other]: readonly [readonly CelType[], readonly CelType[]]): boolean =>
  one.length === other.length && one.every((type, n) => goes(mapping, [type, other[n] ?? dynType]));

function goes(mapping: Mapping, [one, other]: readonly [CelType, CelType]): boolean {
  if (other.kind === "typeParam") {
    const { isValid, hasSubstitute } = substitutes(mapping, [one, other]);
    if (isValid) return true;
    if (hasSubstitute) return false;
  }
  if (one.kind === "typeParam") return substitutes(mapping, [other, one]).isValid;
  if (isDynOrError(one) || isDynOrError(other)) return true;
  if (one.kind === "null") return takesNull(other);
  if (other.kind === "null") return takesNull(one);
  if (one.kind === "type") return other.kind === "type";
  if (!holders.has(one.kind)) return isAssignableType(other, one);
  return one.kind === other.kind && one.name === other.name && allGo(mapping, [one.parameters, other.parameters]);
}

/** Kinds of types with type parameters. */
const holders: ReadonlySet<string> = new Set(["opaque", "list", "map"]);

/** Types whose values may be null. */
const takesNull = ({ kind }: CelType): boolean =>
  kind === "null" ||
  kind === "opaque" ||
  kind === "struct" ||
  kind === "any" ||
  kind === "duration" ||
  kind === "timestamp";

interface Validity {
  readonly isValid: boolean;
  readonly hasSubstitute: boolean;
}

/** Binds a type parameter to a type, if possible. */
function substitutes(mapping: Mapping, [type, parameter]: readonly [CelType, CelType]): Validity {
  if (isExactType(type, parameter)) return { isValid: true, hasSubstitute: true };
  const known = mapping.get(parameter.name);
  if (known !== undefined) {
    if (isExactType(type, known)) return { isValid: true, hasSubstitute: true };
    if (!goes(mapping, [type, known])) return { isValid: false, hasSubstitute: true };
    const general = mostGeneral(type, known);
    if (isFreeOf(mapping, [parameter, general])) mapping.set(parameter.name, general);
    return { isValid: true, hasSubstitute: true };
  }
  if (!isFreeOf(mapping, [parameter, type])) return { isValid: false, hasSubstitute: false };
  mapping.set(parameter.name, type);
  return { isValid: true, hasSubstitute: false };
}

/** True if a type does not refer to a parameter. */
function isFreeOf(mapping: Mapping, [parameter, within]: readonly [CelType, CelType]): boolean {
  if (isExactType(parameter, within)) return false;
  if (within.kind === "typeParam") {
    const known = mapping.get(within.name);
    return known === undefined || isFreeOf(mapping, [parameter, known]);
  }
  return within.parameters.every((one) => isFreeOf(mapping, [parameter, one]));
}

/** The less specific of two compatible types. */
export const mostGeneral = (one: CelType, other: CelType): CelType => (isLessSpecific(one, other) ? one : other);

function isLessSpecific(one: CelType, other: CelType): boolean {
  if (isDyn(one) || one.kind === "typeParam") return true;
  if (isDyn(other) || other.kind === "typeParam" || one.kind !== other.kind) return false;
  if (one.kind === "type") return true;
  if (!holders.has(one.kind)) return isExactType(one, other);
  return (
    one.name === other.name &&
    one.parameters.length === other.parameters.length &&
    one.parameters.every((parameter, n) => isLessSpecific(parameter, other.parameters[n] ?? dynType))
  );
}

/** A type with its parameters replaced; unbound ones stay. */
export const substitute = (mapping: Substitution, type: CelType): CelType =>
  replaced(type, (parameter) => {
    const known = mapping.get(parameter.name);
    return known === undefined ? parameter : substitute(mapping, known);
  });

/** As `substitute`, but unbound parameters become `dyn`. */
export const settled = (mapping: Substitution, type: CelType): CelType =>
  replaced(type, (parameter) => {
    const known = mapping.get(parameter.name);
    return known === undefined ? dynType : settled(mapping, known);
  });

function replaced(type: CelType, instead: (parameter: CelType) => CelType): CelType {
  if (type.kind === "typeParam") return instead(type);
  if (type.parameters.length === 0) return type;
  const parameters = type.parameters.map((one) => replaced(one, instead));
  const [first = dynType, second = dynType] = parameters;
  if (type.kind === "list") return listOf(first);
  if (type.kind === "map") return mapOf(first, second);
  return type.kind === "type" ? typeOfType(first) : new CelType(type, parameters);
}
