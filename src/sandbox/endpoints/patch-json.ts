/** JSON patches and merge patches: they change an object's JSON, which is then decoded again. */
import { jsonPatch, mergePatch, PatchError, unescapedStep } from "../../api/patch.ts";
import { decodeFields, TypeProblem } from "../serialization/decode.ts";
import { goNumber, jsonNameOf, type JsonRead, type Literals } from "../meta/json.ts";
import { copyOf, isFields, textOf, type ApiObject, type Fields } from "../meta/object.ts";
import { badRequest, refusal } from "../meta/refusal.ts";
import type { RequestScope } from "../context/server.ts";
import { noVersionAndKind } from "./body.ts";
import { decoded, patchJson, refusedPatch, reportStrict, unchecked } from "./patch-decoding.ts";

const maxOperations = 10_000;
/** The maximum that all copy operations of a JSON patch may copy. Source: apiserver v0.36 server/config.go JSONPatchMaxCopyBytes. */
const maxCopyBytes = 3 * 1024 * 1024;

const notThat = (json: unknown, type: string): Error =>
  badRequest(`error decoding patch: json: cannot unmarshal ${jsonNameOf(json)} into Go value of type ${type}`);

/** The object after a patch of either type. @throws StatusError 400, 413, 422. */
export function patchedJson(scope: RequestScope, shown: ApiObject, is: "JSON patch" | "merge patch"): ApiObject {
  const strict: string[] = [];
  const { value, literals } = patchJson(scope, (problem) => `error decoding patch: ${problem}`, strict);
  const result =
    is === "JSON patch" ? jsonPatched(scope, shown, { value, literals }, strict) : mergePatched(scope, shown, value);
  const own = is === "JSON patch" ? literalsOfOperations(value, literals) : literals;
  return decodedAgain(scope, result, { applied: strict, literals: own });
}

/** The operation that contains a number, and the number's path within its value. */
function operationOf(path: string): readonly [index: number, inside: string] | undefined {
  const [, index, inside = ""] = /^\[(\d+)\]\.value(.*)$/.exec(path) ?? [];
  return index === undefined ? undefined : [Number(index), inside];
}

/** The numbers that operations write, by their target paths. */
function literalsOfOperations(operations: unknown, literals: Literals): Literals {
  if (literals.size === 0 || !Array.isArray(operations)) return literals;
  const placed = new Map<string, string>();
  for (const [path, literal] of literals) {
    const [index = -1, inside] = operationOf(path) ?? [];
    const operation: unknown = operations[index];
    if (!isFields(operation) || operation["op"] === "test") continue;
    const steps = textOf(operation["path"]).split("/").slice(1);
    const place = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${unescapedStep(step)}`)).join("");
    placed.set(`${place}${inside}`.replace(/^\./, ""), literal);
  }
  return placed;
}

/** Numbers are compared as text: a test for `1.0` fails for `1`. */
function testsAsWritten(operations: readonly unknown[], literals: Literals): readonly unknown[] {
  const unequal = new Set<number>();
  for (const [path, literal] of literals) {
    const [index] = operationOf(path) ?? [];
    if (index !== undefined && goNumber(Number(literal)) !== literal) unequal.add(index);
  }
  if (unequal.size === 0) return operations;
  return operations.map((operation, index) =>
    unequal.has(index) && isFields(operation) && operation["op"] === "test"
      ? { ...operation, value: Number.NaN }
      : operation,
  );
}

type Patch = Pick<JsonRead, "value" | "literals">;

function jsonPatched(
  scope: RequestScope,
  shown: ApiObject,
  { value: json, literals }: Patch,
  strict: string[],
): unknown {
  if (json === null) return shown;
  if (!unchecked(scope)) checkOperations(json, strict);
  if (!Array.isArray(json))
    throw badRequest(`json: cannot unmarshal ${jsonNameOf(json)} into Go value of type jsonpatch.Patch`);
  if (json.length > maxOperations) {
    throw refusal(
      413,
      "RequestEntityTooLarge",
      `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${json.length}`,
    );
  }
  try {
    return jsonPatch(shown, testsAsWritten(json, literals), { maxCopyBytes });
  } catch (cause) {
    if (!(cause instanceof PatchError)) throw cause;
    if (cause.problem === "malformed") throw badRequest(cause.message);
    throw refusal(422, "Invalid", "the server rejected our request due to an error in our request", {});
  }
}

const operationFields: ReadonlySet<string> = new Set(["op", "path", "from", "value"]);

/** Checks that each operation has the required fields, as strings. @throws StatusError 400. */
function checkOperations(json: unknown, strict: string[]): void {
  if (!Array.isArray(json)) throw notThat(json, "[]handlers.jsonPatchOp");
  strict.splice(0, strict.length, ...strict.map((problem) => `json patch ${problem}`));
  for (const [index, operation] of (json as unknown[]).entries()) {
    if (operation === null) continue;
    if (!isFields(operation)) throw notThat(operation, "handlers.jsonPatchOp");
    for (const key of Object.keys(operation)) {
      const value = operation[key];
      if (!operationFields.has(key)) strict.push(`json patch unknown field "[${index}].${key}"`);
      else if (key !== "value" && value !== null && typeof value !== "string") {
        throw badRequest(
          `error decoding patch: json: cannot unmarshal ${jsonNameOf(value)} into Go struct field jsonPatchOp.${key} of type string`,
        );
      }
    }
  }
}

function mergePatched(scope: RequestScope, shown: ApiObject, json: unknown): unknown {
  if (json !== null && !isFields(json) && !unchecked(scope)) throw notThat(json, "map[string]interface {}");
  if (json === null || typeof json !== "object") throw badRequest("Invalid JSON Patch");
  return mergePatch(copyOf(shown), json);
}

/** Facts about a patch besides its result: strict decoding errors, and how its numbers are written. */
interface Applied {
  readonly applied: readonly string[];
  readonly literals: Literals;
}

/** Decodes the result of a JSON patch as an object of the kind it names, or else of the original kind. @throws StatusError 422. */
function decodedAgain(scope: RequestScope, result: unknown, { applied, literals }: Applied): ApiObject {
  const shown = JSON.stringify(result);
  if (!isFields(result)) throw refusedPatch(shown, noVersionAndKind(result));
  for (const key of ["kind", "apiVersion"]) {
    const value = result[key];
    if (value === undefined || value === null || typeof value === "string") continue;
    throw refusedPatch(
      shown,
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonNameOf(value)} into Go struct field .${key} of type string`,
    );
  }
  const { kind, apiVersion } = scope.served;
  const own = { kind: textOf(result["kind"]), apiVersion: textOf(result["apiVersion"]) };
  // Go reads a slash as an empty version. Without a version, it is the server's internal form of the kind, which has none of these fields.
  if (own.apiVersion === "" || own.apiVersion === "/") {
    if (own.kind !== "" && own.kind !== kind) throw refusedPatch(shown, noInternalKind(scope, own.kind));
    const unknown = Object.keys(result).filter((key) => key !== "kind" && key !== "apiVersion");
    reportStrict(scope, () => shown, [...applied, ...unknown.sort().map((key) => `unknown field "${key}"`)]);
    return { kind, apiVersion, metadata: {} };
  }
  if ((own.kind !== "" && own.kind !== kind) || (own.apiVersion !== "" && own.apiVersion !== apiVersion)) {
    throw refusedPatch(shown, whyOther(scope, result, own.kind === "" ? kind : own.kind, own.apiVersion));
  }
  return decoded(scope, result, { shown: () => shown, applied, patched: "JSON", literals });
}

function noInternalKind({ served }: RequestScope, kind: string): string {
  const version = `the internal version of group ${JSON.stringify(served.group)}`;
  return `no kind ${JSON.stringify(kind)} is registered for ${version} in scheme "pkg/runtime/scheme.go:111"`;
}

/** Why a patch's result cannot have another kind: decoding errors as that kind, or else that this kind cannot be converted to it. */
function whyOther(scope: RequestScope, result: Fields, kind: string, apiVersion: string): string {
  const { registry } = scope.server;
  const other = registry.ofKind(apiVersion, kind);
  const version = apiVersion.split("/").at(-1) ?? "";
  if (other === undefined)
    return `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`;
  try {
    if (other.struct !== undefined) decodeFields(result, other.struct, registry.schema);
  } catch (cause) {
    if (!(cause instanceof TypeProblem)) throw cause;
    return cause.message;
  }
  const group = scope.served.group === "" ? "core" : (scope.served.group.split(".")[0] ?? "");
  return `converting (${version}.${kind}) to (${group}.${scope.served.kind}): unknown conversion`;
}
