/** ResourceClaimTemplates. Source: kubernetes v1.36 pkg/apis/resource/validation/validation.go. */
import { notAllowed } from "../../meta/field-errors.ts";
import { isFields } from "../../meta/object.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import {
  validateChange,
  validateNewObject,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../strategy/validation-steps.ts";
import { labelErrors } from "../../validation/metadata.ts";
import { fixed } from "../../validation/spec-checks.ts";
import { claimErrors, adminErrors } from "./device-requests.ts";

/** What an object's metadata has and that of a template has not, as messages name it. */
const ownFields: readonly (readonly [key: string, shown: string])[] = [
  "name",
  "generateName",
  "namespace",
  "selfLink",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "ownerReferences",
  "finalizers",
  "managedFields",
].map((key) => [key, key === "uid" ? "uID" : key]);

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || value === 0 || (Array.isArray(value) && value.length === 0);

/** ResourceClaimTemplates: their spec never changes. */
export const claimTemplateStrategy: RESTStrategy = restStrategy({
  createSteps: [validateObjectMeta, validateNewObject, validateObject],
  updateSteps: [validateObjectMeta, validateObject, validateObjectMetaUpdate, validateChange],
  returnsDeletedObject: true,
  validateCreate: ({ spec = {} }, _version, context) =>
    adminErrors(isFields(spec["spec"]) ? spec["spec"] : {}, context),
  validate({ spec = {} }) {
    const metadata = isFields(spec["metadata"]) ? spec["metadata"] : {};
    return [
      ...labelErrors(metadata["labels"], "spec.metadata.labels"),
      ...ownFields.flatMap(([key, shown]) =>
        isEmpty(metadata[key]) ? [] : [notAllowed(`spec.metadata.${shown}`, "cannot be set")],
      ),
      ...claimErrors(isFields(spec["spec"]) ? spec["spec"] : {}, "spec.spec"),
    ];
  },
  validateUpdate: ({ spec }, old) => fixed(spec, old.spec, "spec"),
});
