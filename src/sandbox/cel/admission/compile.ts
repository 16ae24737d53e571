/**
 * Compiles admission expressions: conditions, validations, messages, variables, annotations and mutations, each with the variables that it
 * may see.
 * Source: apiserver v0.36 pkg/admission/plugin/cel/compile.go, composition.go, pkg/admission/plugin/policy/validating/interface.go.
 */
import { functionTable } from "../library/function.ts";
import { jsonPatchFunctions } from "../library/json-patch.ts";
import { kubernetesFunctions } from "../library/kubernetes.ts";
import { compile, type Environment, type Program } from "../program/compile.ts";
import {
  boolType,
  type CelType,
  dynType,
  isExactType,
  listOf,
  nullType,
  stringType,
  typeText,
} from "../values/types.ts";
import { jsonPatchType, newPatchValue, objectType, patchStructs } from "./patch-values.ts";
import { admissionStructs, composedType, type DeclaredVariables, variableTypes } from "./types.ts";

/** What an expression is for, which determines its result type. */
export type ExpressionUse = "condition" | "message" | "annotation" | "variable" | "json patch" | "apply configuration";

const results: Readonly<Record<ExpressionUse, readonly CelType[]>> = {
  condition: [boolType],
  message: [stringType],
  annotation: [stringType, nullType],
  // Any type is allowed.
  variable: [],
  "json patch": [listOf(jsonPatchType)],
  "apply configuration": [objectType],
};

/** A compiled expression, or why it cannot be evaluated. */
export type CompiledExpression =
  | { readonly is: "program"; readonly text: string; readonly program: Program }
  | {
      readonly is: "refused";
      readonly text: string;
      /** `internal`: a constant part of it fails. */
      readonly because: "invalid" | "internal";
      readonly problem: string;
    };

let functions: Environment["functions"];

function patchEnvironment(environment: Environment): Environment {
  functions ??= functionTable([...kubernetesFunctions.values(), ...jsonPatchFunctions]);
  const { variables, structs } = environment;
  return {
    variables,
    functions,
    newStruct: newPatchValue,
    ...(structs === undefined ? {} : { structs: patchStructs(structs) }),
  };
}

/** How an expression is compiled. */
export interface Compiling extends DeclaredVariables {
  readonly use: ExpressionUse;
}

/** Compiles one expression. */
export function compileExpression(text: string, { use, ...declared }: Compiling): CompiledExpression {
  const plain: Environment = { variables: variableTypes(declared), structs: admissionStructs(declared) };
  const isPatch = use === "json patch" || use === "apply configuration";
  const compiled = compile(text, isPatch ? patchEnvironment(plain) : plain);
  const refused = (problem: string, because: "invalid" | "internal" = "invalid"): CompiledExpression => ({
    is: "refused",
    text,
    because,
    problem,
  });
  if (compiled.is === "refused") return refused(`compilation failed: ${compiled.issues}`);
  const { program } = compiled;
  const wanted = results[use];
  if (wanted.length > 0 && !wanted.some((type) => isExactType(program.type, type))) {
    const [only] = wanted;
    const names =
      wanted.length === 1 && only !== undefined ? typeText(only) : `one of [${wanted.map(typeText).join(" ")}]`;
    return refused(`must evaluate to ${names} but got ${typeText(program.type)}`);
  }
  const { problem } = program;
  return problem === undefined
    ? { is: "program", text, program }
    : refused(`program instantiation failed: ${problem}`, "internal");
}

/** A variable of a policy. */
export interface Variable {
  readonly name: string;
  readonly expression: string;
}

/** The variables of a policy; each sees those before it. */
export class Composition {
  readonly compiled: Map<string, CompiledExpression> = new Map();
  readonly types: Map<string, CelType> = new Map();

  /** Compiles a variable; later ones can refer to it even if that fails. */
  add({ name, expression }: Variable, { hasParams }: { readonly hasParams: boolean }): CompiledExpression {
    const compiled = compileExpression(expression, {
      use: "variable",
      hasParams,
      hasAuthorizer: true,
      composed: this.types,
    });
    this.compiled.set(name, compiled);
    this.types.set(name, compiled.is === "program" ? composedType(compiled.program.type) : dynType);
    return compiled;
  }
}
