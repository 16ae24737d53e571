/** ServiceAccounts. Source: kubernetes v1.36 pkg/registry/core/serviceaccount/strategy.go. */
import { fieldsIn, type ApiObject } from "../../meta/object.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import {
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../strategy/validation-steps.ts";

/** Keeps only the names of secrets. */
function onlyNames(account: ApiObject): void {
  if (!Array.isArray(account["secrets"])) return;
  account["secrets"] = fieldsIn(account["secrets"]).map(({ name }) => (name === undefined ? {} : { name }));
}

const mountable = "kubernetes.io/enforce-mountable-secrets";

/** A warning when the annotation is new. */
function annotationWarnings({ metadata }: ApiObject, old?: ApiObject): string[] {
  if (metadata.annotations?.[mountable] === undefined || old?.metadata.annotations?.[mountable] !== undefined)
    return [];
  const why = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets";
  return [`metadata.annotations[${mountable}]: ${why}`];
}

/** ServiceAccounts: only the names of their secrets are kept. */
export const serviceAccountStrategy: RESTStrategy = restStrategy({
  updateSteps: [validateObjectMetaUpdate, validateObjectMeta, validateObject, validateChange],
  returnsDeletedObject: true,
  prepareForCreate: onlyNames,
  prepareForUpdate: onlyNames,
  warningsOnCreate: (account) => annotationWarnings(account),
  warningsOnUpdate: annotationWarnings,
});
