/** The options of lists and watches, parsed from a query and validated. Source: apimachinery v0.36 meta/internalversion/validation. */
import { fieldSelectorOf } from "./field-selectors.ts";
import { invalidObject, notAllowed, type FieldError } from "../meta/field-errors.ts";
import { parseSelector, SelectorError } from "../../api/selector-parser.ts";
import type { Selector } from "../../api/labels.ts";
import { intProblem, uintProblem } from "../meta/numbers.ts";
import { badRequest, refusal } from "../meta/refusal.ts";
import type { Resource } from "../registry/resource.ts";
import type { Selection } from "./selection.ts";

/** The query of a request, in order; names may repeat. */
export type Query = readonly (readonly [name: string, value: string])[];

/** The first value of a parameter; undefined if it is not set. */
export function param(query: Query, name: string): string | undefined {
  return query.find(([key]) => key === name)?.[1];
}

/** A numeric query parameter. @throws StatusError 400 in Go's words. */
export function numberParam(query: Query, name: string): number | undefined {
  const text = param(query, name);
  if (text === undefined) return undefined;
  const problem = intProblem(text);
  if (problem !== undefined) throw badRequest(problem);
  return Number(text);
}

/** A boolean query parameter, as Go reads it: anything except `false` and `0` is true, also without a value. */
export function flagParam(query: Query, name: string): boolean {
  const text = param(query, name);
  return text !== undefined && text.toLowerCase() !== "false" && text !== "0";
}

/** The options of a list, a watch or a deletion of a collection. */
export interface ListOptions {
  readonly selection: Selection;
  readonly limit: number;
  readonly continueToken: string;
  /** `""` if not set. */
  readonly resourceVersion: string;
  readonly match: string;
  readonly watch: boolean;
  readonly bookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly timeoutSeconds: number | undefined;
}

/**
 * A revision parameter; 0 if there is none. @throws StatusError 400 for lists, 500 for watches and single objects, as the real server does.
 */
export function revisionOf(text: string, isList: boolean): number {
  if (text === "") return 0;
  const why = uintProblem(text);
  if (why === undefined) return Number(text);
  const problem = `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${why}`;
  throw isList ? badRequest(`invalid resource version: ${problem}`) : refusal(500, "", problem);
}

/** @throws StatusError 400 if an option cannot be parsed, 422 if options conflict. */
export function listOptionsOf(query: Query, resource: Resource, namespace: string | undefined): ListOptions {
  const field = param(query, "fieldSelector");
  const sendInitial = param(query, "sendInitialEvents");
  const limit = numberParam(query, "limit") ?? 0;
  const timeoutSeconds = numberParam(query, "timeoutSeconds");
  const labels = labelSelectorOf(param(query, "labelSelector") ?? "");
  const options: Omit<ListOptions, "selection"> = {
    limit,
    continueToken: param(query, "continue") ?? "",
    resourceVersion: param(query, "resourceVersion") ?? "",
    match: param(query, "resourceVersionMatch") ?? "",
    watch: flagParam(query, "watch"),
    bookmarks: flagParam(query, "allowWatchBookmarks"),
    sendInitialEvents: sendInitial === undefined ? undefined : flagParam(query, "sendInitialEvents"),
    timeoutSeconds,
  };
  check(options);
  return { ...options, selection: { namespace, labels, fields: fieldSelectorOf(field, resource) } };
}

function check(options: Omit<ListOptions, "selection">): void {
  const errors = options.watch ? watchErrors(options) : listErrors(options);
  if (errors.length > 0) throw invalidObject({ group: "meta.k8s.io", name: "ListOptions" }, "", errors);
}

/** Rejects a parameter that lists and reads no longer support. @throws StatusError 400. */
export function refuseExport(query: Query): void {
  if (!flagParam(query, "export")) return;
  throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
}

function watchErrors({
  match,
  sendInitialEvents,
  continueToken,
  resourceVersion,
}: Omit<ListOptions, "selection">): FieldError[] {
  const errors: FieldError[] = [];
  const forbidden = (why: string): number => errors.push(notAllowed("resourceVersionMatch", why));
  if (sendInitialEvents !== undefined && match !== "NotOlderThan")
    forbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  if (match !== "" && sendInitialEvents === undefined)
    forbidden("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  if (match !== "" && match !== "NotOlderThan") errors.push(unsupportedMatch(match, ["NotOlderThan"]));
  // A watch without a start requests the initial state, as if it were explicit.
  const requestsState = sendInitialEvents === undefined && (resourceVersion === "" || resourceVersion === "0");
  if (continueToken !== "" && (match !== "" || requestsState))
    forbidden("resourceVersionMatch is forbidden when continue is provided");
  return errors;
}

function listErrors({
  match,
  resourceVersion,
  continueToken,
  sendInitialEvents,
}: Omit<ListOptions, "selection">): FieldError[] {
  const errors: FieldError[] = [];
  if (match !== "") {
    if (resourceVersion === "") {
      errors.push(
        notAllowed("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided"),
      );
    }
    if (continueToken !== "") {
      errors.push(notAllowed("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"));
    }
    if (match !== "Exact" && match !== "NotOlderThan")
      errors.push(unsupportedMatch(match, ["Exact", "NotOlderThan", ""]));
    if (match === "Exact" && resourceVersion === "0") {
      errors.push(
        notAllowed("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
      );
    }
  }
  if (sendInitialEvents !== undefined)
    errors.push(notAllowed("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  return errors;
}

function unsupportedMatch(match: string, valid: readonly string[]): FieldError {
  return {
    reason: "FieldValueNotSupported",
    field: "resourceVersionMatch",
    message: `Unsupported value: ${JSON.stringify(match)}: supported values: ${valid.map((v) => JSON.stringify(v)).join(", ")}`,
  };
}

/** @throws StatusError 400. */
function labelSelectorOf(text: string): Selector {
  try {
    return parseSelector(text);
  } catch (error) {
    throw error instanceof SelectorError ? badRequest(error.problem) : error;
  }
}
