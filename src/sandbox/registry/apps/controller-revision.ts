/** ControllerRevisions. Source: kubernetes v1.36 pkg/apis/apps/validation/validation.go. */
import { invalid, required } from "../../meta/field-errors.ts";
import type { KindRules } from "../strategy/kind-rules.ts";
import { isEqual, nonNegativeErrors } from "../../validation/checks.ts";

export const controllerRevisionRules: KindRules = {
  validate({ data, revision }) {
    return [
      ...nonNegativeErrors(revision, "revision"),
      ...(data === undefined || data === null ? [required("data", "data is mandatory")] : []),
    ];
  },
  wholeUpdate: true,
  validateUpdate: ({ data, revision }, old) => [
    ...nonNegativeErrors(revision, "revision"),
    ...(isEqual(data, old["data"]) ? [] : [invalid("data", data ?? null, "field is immutable")]),
  ],
};
