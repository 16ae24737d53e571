/**
 * Compiles and evaluates mutating policies. Source: apiserver v0.36 admission/plugin/policy/mutating/compilation.go,
 * patch/{smd,json_patch}.go.
 */
import { jsonPatch, PatchError } from "../../../api/patch.ts";
import { Activation, OutOfBudget } from "../../cel/admission/activation.ts";
import { type CompiledExpression, compileExpression, type Composition } from "../../cel/admission/compile.ts";
import type { MatchConditions } from "../../cel/admission/conditions.ts";
import { JsonPatchValue, misnamedIn, ObjectValue } from "../../cel/admission/patch-values.ts";
import { toJson } from "../../cel/admission/to-json.ts";
import { itemsOf } from "../../cel/values/collections.ts";
import { CelList, type Value } from "../../cel/values/value.ts";
import { merge } from "../../managedfields/merge.ts";
import { typeOf } from "../../managedfields/types.ts";
import { problemsText, typeProblems } from "../../managedfields/validate.ts";
import { derived } from "../../meta/derived.ts";
import { fieldsIn, isFields, textOf, type ApiObject, type Fields } from "../../meta/object.ts";
import { internal } from "../../meta/refusal.ts";
import { decodedAs } from "../matching/patched-object.ts";
import { atomicsIn } from "./atomics.ts";
import { policyExpressions } from "./expressions.ts";
import { inputOf, type Seen } from "./input.ts";

interface Mutation {
  readonly isJsonPatch: boolean;
  readonly expression: CompiledExpression;
}

/** A policy with compiled expressions. */
export interface MutatingEvaluator {
  readonly conditions: MatchConditions;
  readonly composition: Composition;
  readonly mutations: readonly Mutation[];
}

/** A failed mutation. */
export class MutationError extends Error {
  override readonly name = "MutationError";
}

/** The compiled policy; compiled once for each of its versions. */
export const mutatingEvaluator: (policy: ApiObject) => MutatingEvaluator = derived(({ spec }: ApiObject) =>
  compiled(spec ?? {}),
);

function compiled(spec: Fields): MutatingEvaluator {
  const { conditions, composition, declared } = policyExpressions(spec);
  return {
    conditions,
    composition,
    mutations: fieldsIn(spec["mutations"]).map((mutation) => {
      const isJsonPatch = mutation["patchType"] === "JSONPatch";
      const patch = mutation[isJsonPatch ? "jsonPatch" : "applyConfiguration"];
      const text = isFields(patch) ? textOf(patch["expression"]) : "";
      const use = isJsonPatch ? "json patch" : "apply configuration";
      return { isJsonPatch, expression: compileExpression(text, { ...declared, use }) };
    }),
  };
}

/** One mutation of a policy, and its input. */
export interface Mutating {
  readonly index: number;
  readonly seen: Seen;
  readonly object: ApiObject;
  readonly params: ApiObject | null;
}

/** The mutated object, with defaults. @throws MutationError; StatusError 500 */
export function evaluateMutation(
  { composition, mutations }: MutatingEvaluator,
  { index, seen, object, params }: Mutating,
): ApiObject {
  const mutation = mutations[index];
  if (mutation === undefined) return object;
  const { expression, isJsonPatch } = mutation;
  if (expression.is === "refused") throw new MutationError(expression.problem);
  const value = valueOf(new Activation(inputOf({ ...seen, object }, params), { composition }), expression);
  const patched = isJsonPatch ? patchedBy(value, object) : appliedTo(object, { value, seen });
  if (patched === undefined) return object;
  const { object: read, strict } = decodedAs(patched, { scope: seen.attributes.scope, kind: seen.invocation.kind });
  if (isJsonPatch && strict.length > 0) throw internal(`strict decoding error: ${strict.join(", ")}`);
  return read;
}

/** @throws MutationError */
function valueOf(activation: Activation, expression: CompiledExpression): Value {
  try {
    const evaluation = activation.evaluate(expression);
    if (evaluation.is === "error") throw new MutationError(evaluation.message);
    return evaluation.value;
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    throw new MutationError(error.message, { cause: error });
  }
}

function checkNames(value: Value | undefined): void {
  if (!(value instanceof ObjectValue)) return;
  // The outermost value names its type itself.
  const wrong = misnamedIn(value, value.type.name);
  if (wrong.length > 0) throw new MutationError(`type mismatch: ${wrong.join("\n")}`);
}

/** Undefined if a `test` operation of the patch fails: then nothing is changed. @throws MutationError */
function patchedBy(value: Value, object: ApiObject): Fields | undefined {
  const operations = (value instanceof CelList ? itemsOf(value) : []).map(operationOf);
  try {
    const patched = jsonPatch(object, operations);
    if (isFields(patched)) return patched;
    throw new MutationError("JSON Patch: the patched object is no object");
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    if (error.message.startsWith("testing value ")) return undefined;
    throw new MutationError(`JSON Patch: ${error.message}`, { cause: error });
  }
}

function operationOf(value: Value): Fields {
  if (!(value instanceof JsonPatchValue)) {
    const why = "type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch";
    throw new MutationError(why);
  }
  const { op, path, from, value: set } = value;
  checkNames(set);
  return {
    op,
    path,
    ...(from === "" ? {} : { from }),
    ...(set === undefined
      ? {}
      : { value: jsonOf(set, "JSONPath valueExpression evaluated to a type that could not marshal to JSON") }),
  };
}

function jsonOf(value: Value, problem: string): unknown {
  try {
    return toJson(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new MutationError(`${problem}: ${error.message}`, { cause: error });
  }
}

/** Merges an apply configuration into the object, without changing field ownership. @throws MutationError */
function appliedTo(object: ApiObject, { value, seen }: { readonly value: Value; readonly seen: Seen }): Fields {
  checkNames(value);
  const json = jsonOf(value, "invalid return type");
  const { kind, apiVersion } = object;
  const configuration: Fields = { ...(isFields(json) ? json : {}), kind, apiVersion };
  const { registry } = seen.attributes.scope.server;
  const struct = registry.ofKind(apiVersion, kind)?.struct ?? registry.schema.kind(apiVersion, kind);
  const type = typeOf(struct, registry.schema);
  const refused = (why: string): MutationError => new MutationError(`error applying patch: ${why}`);
  if (struct === undefined) {
    const named = `${apiVersion.includes("/") ? "" : "/"}${apiVersion}, Kind=${kind}`;
    throw refused(`failed to convert patch object to typed object: no corresponding type for ${named}`);
  }
  const problems = typeProblems({ value: configuration, type });
  if (problems.length > 0) throw refused(`failed to convert patch object to typed object: ${problemsText(problems)}`);
  const atomics = atomicsIn(configuration, { type, path: "" });
  if (atomics.length > 0) {
    const why = `may not mutate atomic arrays, maps or structs: ${atomics.join(", ")}`;
    throw refused(`invalid ApplyConfiguration: ${why}`);
  }
  return merge({ value: object, type }, configuration);
}
