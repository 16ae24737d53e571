/** Namespaces; the finalizer `kubernetes` is in the spec. Source: kubernetes v1.36 pkg/registry/core/namespace. */
import { invalid } from "../../meta/field-errors.ts";
import { child, type ApiObject, textOf } from "../../meta/object.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import {
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../strategy/validation-steps.ts";
import { finalizerNameErrors } from "../../validation/metadata.ts";

/** The finalizers in `spec.finalizers`, which keep a namespace until `namespaces/finalize` removes them. */
function specFinalizers(namespace: ApiObject): readonly unknown[] {
  const finalizers = namespace.spec?.["finalizers"];
  return Array.isArray(finalizers) ? finalizers : [];
}

/** Namespaces: labeled with their name; only `finalize` removes finalizers from the spec. */
export const namespaceStrategy: RESTStrategy = restStrategy({
  nameRule: "label",
  updateSteps: [validateObjectMeta, validateObject, validateObjectMetaUpdate, validateChange],
  returnsDeletedObject: true,
  setDefaults(object) {
    const { metadata } = object;
    if (metadata.name === undefined) return;
    metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
  },
  prepareForCreate(object) {
    object.status = { phase: "Active" };
    const spec = child(object, "spec");
    const finalizers = specFinalizers(object);
    spec["finalizers"] = finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"];
  },
  validate: (namespace) =>
    specFinalizers(namespace).flatMap((finalizer) => finalizerNameErrors(String(finalizer), "spec.finalizers")),
  prepareForUpdate(object, old) {
    // Only `finalize` changes these.
    const spec = { ...object.spec };
    delete spec["finalizers"];
    if (old.spec?.["finalizers"] !== undefined) spec["finalizers"] = old.spec["finalizers"];
    object.spec = spec;
  },
  status: {
    prepareForUpdate(object, old) {
      object.spec = old.spec ?? {};
      if (textOf(object.status?.["phase"]) === "") object.status = { ...object.status, phase: "Active" };
    },
    validateUpdate({ metadata, status }) {
      const isTerminating = metadata.deletionTimestamp !== undefined;
      const [phase, when] = isTerminating ? ["Terminating", "not empty"] : ["Active", "empty"];
      if (status?.["phase"] === phase) return [];
      const problem = `may only be '${phase}' if \`deletionTimestamp\` is ${when}`;
      return [invalid("status.Phase", status?.["phase"] ?? "", problem)];
    },
  },
  subresources: {
    finalize: {
      resetFields: [["status"]],
      updateSteps: [validateObjectMetaUpdate, validateChange],
      validateUpdate: (namespace) =>
        specFinalizers(namespace).flatMap((finalizer, index) =>
          finalizerNameErrors(String(finalizer), `spec.finalizers[${index}]`),
        ),
    },
  },
});
