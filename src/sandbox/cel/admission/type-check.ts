/**
 * Checks the expressions of a policy against the schemas of matched kinds, while admission itself is dynamically typed: finds fields that
 * no object has, or a number compared with a string. Source: apiserver v0.36 pkg/admission/plugin/policy/validating/typechecking.go.
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

/** The kinds that a policy is checked against. */
export interface PolicyTypes {
  readonly object: TypedKind;
  /** The kind of its parameters; `unknown` without a known schema, undefined for a policy without parameters. */
  readonly params: TypedKind | "unknown" | undefined;
  readonly variables: readonly Variable[];
}

/**
 * Returns a type checker for expressions on objects of one kind; it returns cel-go's message, or undefined if there are no errors. The
 * policy's variables are compiled once; one that fails has type `dyn` for later expressions.
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
  // Upstream's type check lacks it.
  variables.delete("authorizer.requestResource");
  const own = typesOf(object, object.kind);
  variables.set("object", own.type).set("oldObject", own.type);
  const all = [own.structs];
  if (params !== undefined && params !== "unknown") {
    // Types with the same name would be one type.
    const theirs = typesOf(params, params.kind === object.kind ? `${params.kind}2` : params.kind);
    variables.set("params", theirs.type);
    all.push(theirs.structs);
  }
  return { variables, structs: beside(admissionStructs(declared), all) };
}

/**
 * Upstream's type names for kinds end in a timestamp, `Deployment123456789`: expressions cannot know them, so cannot construct these types.
 */
function beside(plain: StructTypes, kinds: readonly StructTypes[]): StructTypes {
  const all = [plain, ...kinds];
  return {
    has: (name) => all.some((each) => each.has(name)),
    canMake: (name) => plain.has(name),
    fieldOf: (name, field) => all.find((each) => each.has(name))?.fieldOf(name, field),
  };
}

/** Nothing is known of a schema that is not an object. */
function typesOf({ schema }: TypedKind, name: string): { readonly type: CelType; readonly structs: StructTypes } {
  const type = declTypeOf(schema, true);
  if (type === undefined) return { type: dynType, structs: { has: () => false, fieldOf: () => undefined } };
  const { root, structs } = named(type, name);
  return { type: root.type, structs };
}
