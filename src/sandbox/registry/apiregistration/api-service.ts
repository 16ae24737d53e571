/** APIServices. Source: kube-aggregator v0.36 pkg/apis/apiregistration/validation/validation.go. */
import { formatTime } from "../../../api/time.ts";
import { invalid, required, type FieldError } from "../../meta/field-errors.ts";
import { isFields, textOf, type ApiObject, type Fields } from "../../meta/object.ts";
import { isNumber, nameErrors, portNumberErrors, subdomainErrors } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { allButStatus, restStrategy } from "../strategy/default-strategy.ts";
import { validateObject, validateObjectMeta, validateObjectMetaUpdate } from "../strategy/validation-steps.ts";
import { dns1035Problems } from "../../validation/names.ts";

function nameOfErrors({ metadata, spec = {} }: ApiObject): FieldError[] {
  const wanted = `${textOf(spec["version"])}.${textOf(spec["group"])}`;
  const why = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`;
  return (["generateName", "name"] as const).flatMap((key) => {
    const name = textOf(metadata[key]);
    return name === "" || name === wanted ? [] : [invalid(`metadata.${key}`, name, why)];
  });
}

function priorityErrors(spec: Fields, key: string, most: number): FieldError[] {
  const value = isNumber(spec[key]) ? spec[key] : 0;
  return value > 0 && value <= most ? [] : [invalid(`spec.${key}`, value, `must be positive and less than ${most}`)];
}

function serviceErrors(spec: Fields): FieldError[] {
  const { service, caBundle, insecureSkipTLSVerify: insecure } = spec as Record<string, unknown>;
  const bundle = textOf(caBundle);
  const field = "spec.insecureSkipTLSVerify";
  if (!isFields(service)) {
    const bytes = `${Buffer.from(bundle, "base64").length} bytes`;
    return [
      ...(bundle === "" ? [] : [invalid("spec.caBundle", bytes, "local APIServices may not have a caBundle")]),
      ...(insecure === true ? [invalid(field, true, "local APIServices may not have insecureSkipTLSVerify")] : []),
    ];
  }
  return [
    ...["namespace", "name"].flatMap((key) => (textOf(service[key]) === "" ? [required(`spec.service.${key}`)] : [])),
    ...portNumberErrors(service["port"], "spec.service.port").map(() =>
      invalid("spec.service.port", service["port"] ?? 0, "port is not valid: must be between 1 and 65535, inclusive"),
    ),
    ...(insecure === true && bundle !== "" ? [invalid(field, true, "may not be true if caBundle is present")] : []),
  ];
}

const available = (now: number): Fields => ({
  type: "Available",
  status: "True",
  lastTransitionTime: formatTime(now),
  reason: "Local",
  message: "Local APIServices are always available",
});

/** APIServices: stored and validated; requests are not proxied. */
export const apiServiceStrategy: RESTStrategy = restStrategy({
  nameRule: "segment",
  createSteps: [({ object }) => nameOfErrors(object), validateObjectMeta, validateObject],
  updateSteps: [validateObjectMetaUpdate, ({ object }) => nameOfErrors(object), validateObjectMeta, validateObject],
  takesAnyFinalizer: true,
  status: { resetFields: allButStatus },
  allowUnconditionalUpdate: false,
  prepareForCreate(apiService, { now }) {
    delete apiService.status;
    // An APIService without a service is served by this server.
    if (!isFields(apiService.spec?.["service"])) apiService.status = { conditions: [available(now)] };
  },
  validate({ spec = {} }) {
    const group = textOf(spec["group"]);
    const legacy = "only v1 may have an empty group and it better be legacy kube";
    return [
      ...(group === "" && spec["version"] !== "v1" ? [required("spec.group", legacy)] : []),
      ...(group === "" ? [] : subdomainErrors(group, "spec.group")),
      ...nameErrors(textOf(spec["version"]), "spec.version", dns1035Problems),
      ...priorityErrors(spec, "groupPriorityMinimum", 20_000),
      ...priorityErrors(spec, "versionPriority", 1000),
      ...serviceErrors(spec),
    ];
  },
});
