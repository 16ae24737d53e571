/** ControllerRevisions. Source: kubernetes v1.36 pkg/apis/apps/validation/validation.go. */
import { invalid, required } from "../../meta/field-errors.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObjectMeta, validateObjectMetaUpdate } from "../strategy/validation-steps.ts";
import { isFields } from "../../meta/object.ts";
import { isEqual, nonNegativeErrors } from "../../validation/checks.ts";

const noObject = "data must be a valid JSON object";

/** ControllerRevisions: their data never changes. */
export const controllerRevisionStrategy: RESTStrategy = restStrategy({
  updateSteps: [validateObjectMetaUpdate, validateObjectMeta, validateChange],
  validate({ data, revision }) {
    return [
      ...nonNegativeErrors(revision, "revision"),
      ...(isFields(data)
        ? []
        : [required("data", data === undefined || data === null ? "data is mandatory" : noObject)]),
    ];
  },
  validateUpdate: ({ data, revision }, old) => [
    ...nonNegativeErrors(revision, "revision"),
    ...(isEqual(data, old["data"]) ? [] : [invalid("data", data ?? null, "field is immutable")]),
  ],
});
