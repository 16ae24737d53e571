/** ResourceClaims. Source: kubernetes v1.36 pkg/apis/resource/validation/validation.go. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObjectMeta, validateObjectMetaUpdate } from "../strategy/validation-steps.ts";
import { fixed } from "../../validation/spec-checks.ts";
import { claimStatusStrategy } from "./claim-status.ts";
import { claimErrors, adminErrors } from "./device-requests.ts";

/** ResourceClaims: their spec never changes. */
export const claimStrategy: RESTStrategy = restStrategy({
  status: claimStatusStrategy,
  updateSteps: [validateObjectMeta, validateObjectMetaUpdate, validateChange],
  returnsDeletedObject: true,
  validateCreate: ({ spec = {} }, _version, context) => [...adminErrors(spec, context), ...claimErrors(spec, "spec")],
  validateUpdate: ({ spec }, old) => fixed(spec, old.spec, "spec"),
});
