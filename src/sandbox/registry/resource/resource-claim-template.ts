/** ResourceClaimTemplates. Source: kubernetes v1.36 pkg/apis/resource/validation/validation.go. */
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
import { templateMetadataErrors } from "../../validation/metadata.ts";
import { fixed } from "../../validation/spec-checks.ts";
import { claimErrors, adminErrors } from "./device-requests.ts";

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
      ...templateMetadataErrors(metadata, "spec.metadata"),
      ...claimErrors(isFields(spec["spec"]) ? spec["spec"] : {}, "spec.spec"),
    ];
  },
  validateUpdate: ({ spec }, old) => fixed(spec, old.spec, "spec"),
});
