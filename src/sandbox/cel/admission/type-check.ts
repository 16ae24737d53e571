/**
 * Expressions of a policy held against the types of what it is about, where admission itself takes objects as they come: a field that
 * no object has, a number compared with a text. Source: apiserver v0.36 pkg/admission/plugin/policy/validating/typechecking.go.
 */
import { compile, type Environment, type StructTypes } from "../program/compile.ts";
import { declTypeOf, named } from "../schema/decl-type.ts";
import type { JsonSchema } from "../schema/schema.ts";
import { type CelType, dynType } from "../values/types.ts";
import type { Variable } from "./compile.ts";
import { admissionStructs, composedType, variableTypes } from "./types.ts";

/** A kind and its schema, without references. */
export interface TypedKind {
  readonly kind: string;
  readonly schema: JsonSchema;
}

/** What a policy is about. */
export interface PolicyTypes {
  readonly object: TypedKind;
  /** Of its parameters; `unknown` where nothing is known of their kind, undefined for a policy without. */
  readonly params: TypedKind | "unknown" | undefined;
  readonly variables: readonly Variable[];
}

/**
 * What is wrong with an expression for objects of one kind, in cel-go's words; undefined if nothing is. The variables of the policy are
 * compiled once; one that fails is of any type for those that use it.
 */
export function typeChecker({ object, params, variables }: PolicyTypes): (expression: string) => string | undefined {
  const composed = new Map<string, CelType>();
  const environment = environmentOf({ object, params }, composed);
  for (const { name, expression } of variables) {
    const compiled = compile(expression, environment);
    composed.set(name, compiled.is === "program" ? composedType(compiled.program.type) : dynType);
  }
  return (expression) => {
    const compiled = compile(expression, environment);
    return compiled.is === "refused" ? compiled.issues : undefined;
  };
}

/** `composed` grows with the variables of the policy. */
function environmentOf(
  { object, params }: Pick<PolicyTypes, "object" | "params">,
  composed: ReadonlyMap<string, CelType>,
): Environment {
  const declared = { hasParams: params !== undefined, hasAuthorizer: true, composed };
  const variables = variableTypes(declared);
  // Upstream's type check does not know it.
  variables.delete("authorizer.requestResource");
  const own = typesOf(object, object.kind);
  variables.set("object", own.type).set("oldObject", own.type);
  const all = [own.structs];
  if (params !== undefined && params !== "unknown") {
    // Types of one name would be one type.
    const theirs = typesOf(params, params.kind === object.kind ? `${params.kind}2` : params.kind);
    variables.set("params", theirs.type);
    all.push(theirs.structs);
  }
  return { variables, structs: beside(admissionStructs(declared), all) };
}

/** Upstream's names of the types of kinds end in a time, `Deployment123456789`: no expression can know them, and make an object by its type. */
function beside(plain: StructTypes, kinds: readonly StructTypes[]): StructTypes {
  const all = [plain, ...kinds];
  return {
    has: (name) => all.some((each) => each.has(name)),
    canMake: (name) => plain.has(name),
    fieldOf: (name, field) => all.find((each) => each.has(name))?.fieldOf(name, field),
  };
}

/** Of a schema that is no object nothing is known. */
function typesOf({ schema }: TypedKind, name: string): { readonly type: CelType; readonly structs: StructTypes } {
  const type = declTypeOf(schema, true);
  if (type === undefined) return { type: dynType, structs: { has: () => false, fieldOf: () => undefined } };
  const { root, structs } = named(type, name);
  return { type: root.type, structs };
}
