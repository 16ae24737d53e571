/**
 * Applies a configuration to an object: checks and merges it, and converts conflicts to errors.
 * Source: apimachinery v0.36 util/managedfields/internal/structuredmerge.go, versioncheck.go.
 */
import { at, isFields, textOf, type ApiObject, type Fields } from "../meta/object.ts";
import { badRequest, refusal } from "../meta/refusal.ts";
import { flagParam, param } from "../options/list-options.ts";
import type { RequestScope } from "../context/server.ts";
import { ConflictError, conflictRefusal } from "./conflicts.ts";
import { fieldManagerOf, type TypedApplication } from "./field-manager.ts";
import { appliedWithAnnotation } from "./last-applied.ts";
import { type Managers, readManagers, writeManagers } from "./managers.ts";
import { ItemProblem } from "./types.ts";
import type { Applied, TypedObject } from "./updater.ts";
import { problemsText, typeProblems } from "./validate.ts";

/** The result of an apply. */
export interface AppliedObject {
  /** At the version of the request, as merged: not decoded yet. Undefined if nothing changes. */
  readonly object: Fields | undefined;
  /** The new managed fields; undefined if there are none. */
  readonly managedFields: Fields[] | undefined;
}

/** The version and kind of a configuration; both empty for an invalid version. */
function kindOf(configuration: Fields): { readonly apiVersion: string; readonly kind: string } {
  const [apiVersion, kind] = [textOf(configuration["apiVersion"]), textOf(configuration["kind"])];
  return apiVersion.split("/").length > 2 ? { apiVersion: "", kind: "" } : { apiVersion, kind };
}

/** `apps/v1, Kind=Deployment`. */
export function kindText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes("/") || apiVersion === "" ? apiVersion : `/${apiVersion}`}${apiVersion === "" ? "/" : ""}, Kind=${kind}`;
}

/** The name of a configuration in messages: `default/web; apps/v1, Kind=Deployment`. */
export function configurationText(configuration: Fields): string {
  const [namespace, name] = ["namespace", "name"].map((key) => textOf(at(configuration, "metadata", key)));
  const { apiVersion, kind } = kindOf(configuration);
  return `${namespace}/${name}; ${kindText(apiVersion, kind)}`;
}

/** A configuration, and the object that it is applied to; undefined if there is none yet. */
export interface Application {
  readonly live: ApiObject | undefined;
  readonly configuration: Fields;
}

const failed = (message: string): Error => refusal(500, "", message);

/**
 * Applies a configuration to `live`, or to nothing. The result is undecoded JSON.
 * @throws StatusError 400 for an invalid configuration of the kind, 409 for conflicts, 500, as in the real server, for type errors.
 */
export function applyConfiguration(scope: RequestScope, { live, configuration }: Application): AppliedObject {
  const fields = fieldManagerOf(scope);
  const managers = managersOf(live);
  checkConfiguration(scope, configuration);
  const before = live === undefined ? fields.empty() : fields.typed(live);
  const typed: TypedObject = { ...before, value: configuration };
  const problems = typeProblems(typed);
  if (problems.length > 0) {
    const why = problemsText(problems);
    throw failed(`failed to create typed patch object (${configurationText(configuration)}): ${why}`);
  }
  const manager = param(scope.query, "fieldManager") ?? "";
  const force = flagParam(scope.query, "force");
  const application = { live: before, configuration: typed, managers, manager, force };
  const result = refusing(application, () => appliedWithAnnotation(fields, application));
  return { object: result.object?.value, managedFields: writeManagers(result.managers) };
}

function managersOf(live: ApiObject | undefined): Managers {
  try {
    return readManagers(live?.metadata.managedFields ?? []);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw failed(`failed to decode managed fields: ${cause.message}`);
  }
}

function checkConfiguration({ served }: RequestScope, configuration: Fields): void {
  const { apiVersion, kind } = kindOf(configuration);
  if (apiVersion !== served.apiVersion || kind !== served.kind)
    throw badRequest(`invalid object type: ${kindText(apiVersion, kind)}`);
  const sent = at(configuration, "metadata", "managedFields");
  if (Array.isArray(sent) && sent.every(isFields)) throw badRequest("metadata.managedFields must be nil");
}

/** Runs an apply; converts conflicts and items without keys to errors. @throws StatusError 409, 500. */
function refusing({ live, managers }: TypedApplication, apply: () => Applied): Applied {
  try {
    return apply();
  } catch (cause) {
    if (cause instanceof ConflictError) throw conflictRefusal(cause);
    if (!(cause instanceof ItemProblem)) throw cause;
    const why = problemsText(typeProblems(live, { duplicates: true }));
    const named = configurationText(live.value);
    throw failed(
      managers.size > 0
        ? `failed to create typed live object (${named}): ${why}`
        : `failed to create manager for existing fields: failed to convert new object (${named}) to smd typed: ${why}`,
    );
  }
}
