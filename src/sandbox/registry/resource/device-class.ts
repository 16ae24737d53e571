/** DeviceClasses. Source: kubernetes v1.36 pkg/apis/resource/validation/validation.go. */
import { invalid } from "../../meta/field-errors.ts";
import { fieldsIn, textOf } from "../../meta/object.ts";
import { eachErrors } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateObject, validateObjectMeta, validateObjectMetaUpdate } from "../strategy/validation-steps.ts";
import { labelKeyProblems } from "../../../api/label-names.ts";
import { mostItems, selectorErrors, configErrors } from "./device-requests.ts";
import { manyErrors } from "./lists.ts";

/** DeviceClasses. */
export const deviceClassStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  generateNameRule: "segment",
  updateSteps: [validateObjectMeta, validateObjectMetaUpdate, validateObject],
  returnsDeletedObject: true,
  validate({ spec = {} }) {
    const [configs, name] = [fieldsIn(spec["config"]), spec["extendedResourceName"]];
    return [
      ...selectorErrors(fieldsIn(spec["selectors"]), "spec.selectors"),
      ...manyErrors(configs, "spec.config", mostItems),
      ...eachErrors(configs, "spec.config", configErrors),
      ...(name === undefined || isExtended(textOf(name))
        ? []
        : [invalid("spec.extendedResourceName", name, "must be a valid extended resource name")]),
    ];
  },
});

/** `vendor.example.com/thing`, outside of Kubernetes' own domains. */
function isExtended(name: string): boolean {
  if (!name.includes("/") || name.startsWith("requests.")) return false;
  const domain = name.split("/")[0] ?? "";
  const own = domain === "kubernetes.io" || domain.endsWith(".kubernetes.io");
  return !own && labelKeyProblems(`requests.${name}`).length === 0;
}
