/**
 * The options of a DELETE, from its body or its query.
 * Source: apiserver v0.36 pkg/endpoints/handlers/delete.go, apimachinery pkg/apis/meta/v1/validation ValidateDeleteOptions.
 */
import { protobufType } from "../../api/wire/envelope.ts";
import type { RequestScope } from "../context/server.ts";
import { type FieldError, invalid, invalidObject } from "../meta/field-errors.ts";
import { jsonNameOf, readJson } from "../meta/json.ts";
import { at, type Fields, isFields } from "../meta/object.ts";
import { badRequest, unsupportedMediaType } from "../meta/refusal.ts";
import { numberParam, param } from "../options/list-options.ts";
import { dryRunErrors } from "../options/write-options.ts";
import { yamlType } from "../serialization/yaml/codec.ts";
import { mediaTypeOf, yamlJson } from "./body.ts";

/** The options of a deletion, from the body or the query. */
export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: string | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly dryRun: boolean;
}

/** The name of the options in the audit log. */
const optionsKind = { kind: "DeleteOptions", apiVersion: "meta.k8s.io/__internal" };

/** @throws StatusError 400, 415, 422. */
export function deleteOptionsOf(scope: RequestScope): DeleteOptions {
  const body = optionsBody(scope);
  if (scope.body.length > 0) scope.audit?.sentBody(() => JSON.stringify({ ...optionsKind, ...body, ...optionsKind }));
  // Options in the body replace those in the query.
  const fromQuery = (name: string): string | undefined =>
    scope.body.length > 0 ? undefined : param(scope.query, name);
  const preconditions = body["preconditions"];
  if (preconditions !== undefined && !isFields(preconditions)) {
    throw badRequest(
      `json: cannot unmarshal ${jsonNameOf(preconditions)} into Go struct field DeleteOptions.preconditions of type v1.Preconditions`,
    );
  }
  const orphan = body["orphanDependents"] ?? fromQuery("orphanDependents");
  const grace =
    body["gracePeriodSeconds"] ?? (scope.body.length > 0 ? undefined : numberParam(scope.query, "gracePeriodSeconds"));
  if (grace !== undefined && (typeof grace !== "number" || !Number.isInteger(grace))) {
    throw badRequest(
      `json: cannot unmarshal ${typeof grace} into Go struct field DeleteOptions.gracePeriodSeconds of type int64`,
    );
  }
  const dryRun = body["dryRun"];
  const propagation = body["propagationPolicy"] ?? fromQuery("propagationPolicy");
  const policy = typeof propagation === "string" ? propagation : undefined;
  const options: DeleteOptions = {
    gracePeriodSeconds: grace === undefined ? undefined : grace < 0 ? 1 : grace,
    propagationPolicy: policy,
    orphanDependents: orphan === undefined ? undefined : orphan === true || orphan === "true" || orphan === "1",
    uid: given(at(body, "preconditions", "uid")),
    resourceVersion: given(at(body, "preconditions", "resourceVersion")),
    dryRun: scope.body.length > 0 ? Array.isArray(dryRun) && dryRun.includes("All") : scope.dryRun,
  };
  checkOptions(options, dryRunProblems(scope, dryRun));
  return options;
}

const given = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Those in a body replace those in the query. */
function dryRunProblems({ body, query }: RequestScope, dryRun: unknown): FieldError[] {
  if (body.length === 0) return dryRunErrors(query);
  return dryRunErrors(Array.isArray(dryRun) ? dryRun.map((value) => ["dryRun", String(value)] as const) : []);
}

function optionsBody(scope: RequestScope): Fields {
  if (scope.body.length === 0) return {};
  const media = mediaTypeOf(scope);
  const expected = { kind: "DeleteOptions", apiVersion: "v1" };
  if (media === protobufType) return checkedOptions(scope.server.readProtobuf(scope.body, expected));
  if (media === yamlType) return checkedOptions(yamlJson(scope, (problem) => problem));
  if (media !== "application/json") throw unsupportedMediaType(["application/json", "application/yaml", protobufType]);
  const { value, literals } = readJson(
    scope.body,
    (problem) => `couldn't get version/kind; json parse error: ${problem}`,
  );
  const grace = literals.get("gracePeriodSeconds");
  if (grace !== undefined) {
    const field = "Go struct field DeleteOptions.gracePeriodSeconds of type int64";
    throw badRequest(`json: cannot unmarshal number ${grace} into ${field}`);
  }
  return checkedOptions(value);
}

function checkedOptions(json: unknown): Fields {
  json ??= {};
  if (!isFields(json)) throw badRequest("couldn't get version/kind; json parse error");
  const { kind = "", apiVersion = "meta.k8s.io/v1" } = json as { kind?: unknown; apiVersion?: unknown };
  if (kind !== "DeleteOptions" && kind !== "") {
    throw badRequest(
      `no kind "${String(kind)}" is registered for version "${String(apiVersion)}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const clean: Fields = {};
  for (const [key, value] of Object.entries(json)) if (value !== null) clean[key] = value;
  return clean;
}

/** @throws StatusError 422 */
export function checkOptions(
  { propagationPolicy, orphanDependents }: DeleteOptions,
  dryRun: readonly FieldError[] = [],
): void {
  const errors: FieldError[] = [];
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    const why = "orphanDependents and deletionPropagation cannot be both set";
    errors.push(invalid("propagationPolicy", propagationPolicy, why));
  }
  const policies = ["Foreground", "Background", "Orphan", "nil"];
  if (propagationPolicy !== undefined && !policies.slice(0, 3).includes(propagationPolicy)) {
    const listed = policies.map((policy) => JSON.stringify(policy)).join(", ");
    const message = `Unsupported value: ${JSON.stringify(propagationPolicy)}: supported values: ${listed}`;
    errors.push({ reason: "FieldValueNotSupported", field: "propagationPolicy", message });
  }
  errors.push(...dryRun);
  if (errors.length > 0) throw invalidObject({ group: "meta.k8s.io", name: "DeleteOptions" }, "", errors);
}

/** The options as a DeleteOptions object. */
export function fieldsOf(options: DeleteOptions): Fields {
  const { gracePeriodSeconds, uid, resourceVersion, orphanDependents, propagationPolicy, dryRun } = options;
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  return {
    kind: "DeleteOptions",
    apiVersion: "meta.k8s.io/v1",
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(dryRun ? { dryRun: ["All"] } : {}),
  };
}
