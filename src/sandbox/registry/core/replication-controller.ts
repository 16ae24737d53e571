/** ReplicationControllers. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go. */
import { selectorOfLabels } from "../../../api/labels.ts";
import { required } from "../../meta/field-errors.ts";
import { isFields } from "../../meta/object.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { countErrors } from "../../validation/replica-counts.ts";
import { negativeErrors } from "../../validation/spec-checks.ts";
import { alwaysErrors, replicatedWarnings, templateErrors } from "./pod/template.ts";
import { templateWarnings } from "./pod/warnings/pod.ts";

/** ReplicationControllers: their dependents are orphaned by default. */
export const replicationControllerStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  generateNameRule: "segment",
  defaultGarbageCollectionPolicy: "orphan dependents",
  // On update, the real server checks the old template.
  warningsOnUpdate: (controller, old) => templateWarnings({ ...controller, spec: old.spec ?? {} }, old),
  warningsOnCreate: replicatedWarnings,
  validate({ spec = {} }) {
    const errors = negativeErrors(spec, "spec", "minReadySeconds");
    const selector = isFields(spec["selector"]) ? (spec["selector"] as Record<string, string>) : {};
    if (Object.keys(selector).length === 0) errors.push(required("spec.selector"));
    errors.push(...negativeErrors(spec, "spec", "replicas"));
    const template = spec["template"];
    if (!isFields(template)) return [...errors, required("spec.template")];
    return [
      ...errors,
      ...templateErrors(template, selectorOfLabels(selector), "spec.template"),
      ...alwaysErrors(template, "spec.template", "ReplicationController"),
    ];
  },
  status: { validateUpdate: countErrors },
});
