/**
 * Expressions that select devices, with the variable `device`. Source: dynamic-resource-allocation v0.36 cel/compile.go, with the features
 * that are on in 1.36: DRAConsumableCapacity, not DRAListTypeAttributes.
 */
import { quantityType } from "../library/quantities.ts";
import { compile, type Environment, type Program, type SizeEstimator, type StructTypes } from "../program/compile.ts";
import {
  anyType,
  boolType,
  type CelType,
  isExactType,
  mapOf,
  objectOf,
  stringType,
  typeText,
} from "../values/types.ts";

/** A type with the maximum size of its values: characters, or entries. */
interface Sized {
  readonly type: CelType;
  readonly most: number;
  readonly key?: Sized;
  readonly element?: Sized;
  readonly fields?: ReadonlyMap<string, Sized>;
}

const mostAttributes = 32;

const text = (most: number): Sized => ({ type: stringType, most });
const [domain, id, driver] = [text(63), text(32), text(63)];
const isShared: Sized = { type: boolType, most: 1 };
/** A string, a number, a boolean or a version: only known when it is evaluated. */
const attribute: Sized = { type: anyType, most: 64 };
const quantity: Sized = { type: quantityType, most: 0 };

const mapFrom = (key: Sized, element: Sized): Sized => ({
  type: mapOf(key.type, element.type),
  most: mostAttributes,
  key,
  element,
});

const deviceName = "kubernetes.DRADevice";
const device: Sized = {
  type: objectOf(deviceName),
  most: 0,
  fields: new Map([
    ["driver", driver],
    ["allowMultipleAllocations", isShared],
    ["attributes", mapFrom(domain, mapFrom(id, attribute))],
    ["capacity", mapFrom(domain, mapFrom(id, quantity))],
  ]),
};

const structs: StructTypes = {
  has: (name) => name === deviceName,
  fieldOf: (name, field) => (name === deviceName ? device.fields?.get(field)?.type : undefined),
};

const environment: Environment = {
  variables: new Map([["device", device.type]]),
  structs,
  hasBindings: true,
};

function partOf(whole: Sized, name: string): Sized | undefined {
  switch (name) {
    case "@items":
    case "@values":
      return whole.element;
    case "@keys":
      return whole.key;
    default:
      // All attributes have the same size, whatever their names.
      return whole.fields?.get(name) ?? (whole.element === attribute ? attribute : undefined);
  }
}

const sizeOf: SizeEstimator = ([root, ...names]) => {
  let part = root === "device" ? device : undefined;
  for (const name of names) part = part && partOf(part, name);
  return part && { min: 0n, max: BigInt(part.most) };
};

/** The maximum cost of an evaluation. Source: k8s.io/api v0.36 resource/v1/types.go CELSelectorExpressionMaxCost. */
const mostCost = 1_000_000n;

/** A compiled selector, or why it cannot be used: `internal` if a constant part of it fails. */
export type Selector =
  | { readonly is: "program"; readonly program: Program }
  | { readonly is: "refused"; readonly because: "invalid" | "internal" | "too complex"; readonly problem: string };

/** Compiles a selector. */
export function compileSelector(expression: string): Selector {
  const refused = (because: "invalid" | "internal" | "too complex", problem: string): Selector => ({
    is: "refused",
    because,
    problem,
  });
  const compiled = compile(expression, environment);
  if (compiled.is === "refused") return refused("invalid", `compilation failed: ${compiled.issues}`);
  const { program } = compiled;
  if (![boolType, anyType].some((type) => isExactType(program.type, type)))
    return refused("invalid", `must evaluate to bool or the unknown type, not ${typeText(program.type)}`);
  if (program.problem !== undefined) return refused("internal", `program instantiation failed: ${program.problem}`);
  if (program.estimate(sizeOf).max > mostCost) return refused("too complex", "too complex, exceeds cost limit");
  return { is: "program", program };
}
