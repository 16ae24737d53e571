/** Namespaces: their finalizer `kubernetes` stands in the spec. Source: kubernetes v1.36 pkg/registry/core/namespace. */
import { invalid } from "../../meta/field-errors.ts";
import { child, type ApiObject } from "../../meta/object.ts";
import type { KindRules } from "../strategy/kind-rules.ts";
import { finalizerNameErrors } from "../../validation/metadata.ts";

/** The finalizers in `spec.finalizers`, which keep a namespace until `namespaces/finalize` takes them away. */
export function specFinalizers(namespace: ApiObject): readonly unknown[] {
  const finalizers = namespace.spec?.["finalizers"];
  return Array.isArray(finalizers) ? finalizers : [];
}

export const namespaceRules: KindRules = {
  defaults(object) {
    const { metadata } = object;
    if (metadata.name === undefined) return;
    metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
  },
  prepareCreate(object) {
    object.status = { phase: "Active" };
    const spec = child(object, "spec");
    const finalizers = specFinalizers(object);
    spec["finalizers"] = finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"];
  },
  validate: (namespace) =>
    specFinalizers(namespace).flatMap((finalizer) => finalizerNameErrors(String(finalizer), "spec.finalizers")),
  prepareUpdate(object, old) {
    // Only `finalize` changes these.
    const spec = { ...object.spec };
    delete spec["finalizers"];
    if (old.spec?.["finalizers"] !== undefined) spec["finalizers"] = old.spec["finalizers"];
    object.spec = spec;
  },
  prepareStatus(object, old) {
    object.spec = old.spec ?? {};
  },
  validateStatus({ metadata, status }) {
    const going = metadata.deletionTimestamp !== undefined;
    const [phase, when] = going ? ["Terminating", "not empty"] : ["Active", "empty"];
    if (status?.["phase"] === phase) return [];
    const problem = `may only be '${phase}' if \`deletionTimestamp\` is ${when}`;
    return [invalid("status.Phase", status?.["phase"] ?? "", problem)];
  },
};
