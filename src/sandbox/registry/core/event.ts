/** Events. Source: kubernetes v1.36 pkg/apis/core/validation/events.go. */
import { invalid, required, type FieldError } from "../../meta/field-errors.ts";
import { textOf, at, isFields, type ApiObject, type Fields } from "../../meta/object.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateNewObject, validateObject } from "../strategy/validation-steps.ts";
import { metadataErrors, metadataUpdateErrors, unqualifiedFinalizerErrors } from "../../validation/metadata.ts";
import { labelKeyProblems } from "../../../api/label-names.ts";
import { fixed } from "../../validation/spec-checks.ts";

const longest = { instance: 128, action: 128, reason: 128, note: 1024 };
const doesNotMatch = "does not match event.namespace";
const tooLong = (field: string, most: number): FieldError => invalid(field, "", `can have at most ${most} characters`);
const unset = (field: string): FieldError => invalid(field, "", "needs to be unset");

/** Checks for Events of both groups. */
function eitherErrors(event: ApiObject, version: string): FieldError[] {
  const about = textOf(at(event, "involvedObject", "namespace"));
  const own = event.metadata.namespace ?? "";
  const field = "involvedObject.namespace";
  if (event["eventTime"] === undefined || event["eventTime"] === null) {
    const fits = about === "" ? own === "default" : about === own;
    return fits ? [] : [invalid(field, about, doesNotMatch)];
  }
  const errors: FieldError[] = [];
  if (about === "" && own !== "default" && own !== "kube-system") errors.push(invalid(field, about, doesNotMatch));
  const controller = version === "v1" ? "reportingComponent" : "reportingController";
  const name = textOf(event["reportingComponent"]);
  if (name === "") errors.push(required(controller));
  errors.push(...labelKeyProblems(name).map((problem) => invalid(controller, name, problem)));
  for (const [key, most] of [
    ["reportingInstance", longest.instance],
    ["action", longest.action],
    ["reason", longest.reason],
  ] as const) {
    if (textOf(event[key]) === "") errors.push(required(key));
    if (textOf(event[key]).length > most) errors.push(tooLong(key, most));
  }
  if (textOf(event["message"]).length > longest.note) errors.push(tooLong("message", longest.note));
  return errors;
}

function seriesErrors({ series }: ApiObject): FieldError[] {
  if (!isFields(series)) return [];
  const errors: FieldError[] = [];
  const { count } = series;
  if (typeof count !== "number" || count < 2) errors.push(invalid("series.count", "", "should be at least 2"));
  if ((series["lastObservedTime"] ?? null) === null) errors.push(required("series.lastObservedTime"));
  return errors;
}

/** The stricter checks of new `events.k8s.io/v1` Events. */
function strictErrors(event: ApiObject): FieldError[] {
  const errors = [...metadataErrors(event, true, { nameRule: "subdomain" }), ...seriesErrors(event)];
  if ((event["eventTime"] ?? null) === null) errors.push(required("eventTime"));
  const type = textOf(event["type"]);
  if (type !== "Normal" && type !== "Warning") errors.push(invalid("type", "", `has invalid value: ${type}`));
  for (const key of ["firstTimestamp", "lastTimestamp"]) if ((event[key] ?? null) !== null) errors.push(unset(key));
  if ((event["count"] ?? 0) !== 0) errors.push(unset("count"));
  if (isFields(event["source"]) && Object.keys(event["source"]).length > 0) errors.push(unset("source"));
  return errors;
}

/** A field's value, as Go prints it. */
function shownAs(key: string, value: unknown): unknown {
  const of = (...names: readonly (readonly [go: string, json: string])[]): Fields =>
    Object.fromEntries(names.map(([go, json]) => [go, (isFields(value) ? value[json] : undefined) ?? ""]));
  switch (key) {
    case "count":
      return value ?? 0;
    case "source":
      return of(["Component", "component"], ["Host", "host"]);
    case "involvedObject":
      return of(
        ["Kind", "kind"],
        ["Namespace", "namespace"],
        ["Name", "name"],
        ["UID", "uid"],
        ["APIVersion", "apiVersion"],
        ["ResourceVersion", "resourceVersion"],
        ["FieldPath", "fieldPath"],
      );
    case "firstTimestamp":
    case "lastTimestamp":
    case "eventTime":
    case "related":
      return value ?? null;
    default:
      return value ?? "";
  }
}

/** Only the series of an Event may change; fields in the order in which the real server checks them. */
const fixedFields: readonly (readonly [key: string, field?: string])[] = [
  ["involvedObject"],
  ["reason"],
  ["message"],
  ["source"],
  ["firstTimestamp"],
  ["lastTimestamp"],
  ["count"],
  ["reason"],
  ["type"],
  ["eventTime"],
  ["action"],
  ["related"],
  ["reportingComponent", "reportingController"],
  ["reportingInstance"],
];

/** Events of both groups; checks for `events.k8s.io/v1` are stricter. */
export const eventStrategy: RESTStrategy = restStrategy({
  takesAnyFinalizer: true,
  allowCreateOnUpdate: true,
  // Metadata is validated only if nothing else is wrong, by the generic check after these steps.
  createSteps: [validateObject, validateNewObject],
  updateSteps: [validateChange],
  defaultGarbageCollectionPolicy: "unsupported",
  validate: (event, version) => [...eitherErrors(event, version), ...(version === "v1" ? [] : strictErrors(event))],
  validateUpdate(event, old, version) {
    const errors = eitherErrors(event, version);
    if (version === "v1") return errors;
    errors.push(...metadataUpdateErrors(event, old), ...unqualifiedFinalizerErrors(event));
    if (JSON.stringify(event["series"]) !== JSON.stringify(old["series"])) errors.push(...seriesErrors(event));
    return [
      ...errors,
      ...fixedFields.flatMap(([key, field]) => fixed(shownAs(key, event[key]), shownAs(key, old[key]), field ?? key)),
    ];
  },
});
