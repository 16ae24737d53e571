/** Endpoints. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidateEndpoints. */
import { required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, textOf, type ApiObject, type Fields } from "../../meta/object.ts";
import {
  eachErrors,
  isEqual,
  labelNameErrors,
  neededChoiceErrors,
  portNumberErrors,
  qualifiedNameErrors,
  subdomainErrors,
} from "../../validation/checks.ts";
import { listedWarnings } from "../../validation/address-warnings.ts";
import { addressErrors, endpointAddressErrors, withoutOwnAddress } from "../../validation/cidr.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObjectMeta, validateObjectMetaUpdate } from "../strategy/validation-steps.ts";

const protocols = ["SCTP", "TCP", "UDP"];

function oneAddressErrors({ ip, hostname, nodeName }: Fields, field: string): FieldError[] {
  return [
    ...addressErrors(textOf(ip), `${field}.ip`),
    ...(textOf(hostname) === "" ? [] : labelNameErrors(hostname, `${field}.hostname`)),
    ...(nodeName === undefined ? [] : subdomainErrors(nodeName, `${field}.nodeName`)),
    ...endpointAddressErrors(textOf(ip), `${field}.ip`),
  ];
}

function portErrors({ name, port, protocol, appProtocol }: Fields, field: string, several: boolean): FieldError[] {
  const isNamed = textOf(name) !== "";
  return [
    ...(isNamed ? labelNameErrors(name, `${field}.name`) : several ? [required(`${field}.name`)] : []),
    ...portNumberErrors(port, `${field}.port`),
    ...neededChoiceErrors(protocol, `${field}.protocol`, protocols),
    ...(appProtocol === undefined ? [] : qualifiedNameErrors(appProtocol, `${field}.appProtocol`)),
  ];
}

function subsetErrors(endpoints: ApiObject): FieldError[] {
  const errors = eachErrors(fieldsIn(endpoints["subsets"]), "subsets", (subset, field) => {
    const [ready, notReady, ports] = ["addresses", "notReadyAddresses", "ports"].map((key) =>
      fieldsIn(subset[key]),
    ) as [Fields[], Fields[], Fields[]];
    return [
      ...(ready.length + notReady.length === 0
        ? [required(field, "must specify `addresses` or `notReadyAddresses`")]
        : []),
      ...eachErrors(ready, `${field}.addresses`, oneAddressErrors),
      ...eachErrors(notReady, `${field}.notReadyAddresses`, oneAddressErrors),
      ...eachErrors(ports, `${field}.ports`, (port, here) => portErrors(port, here, ports.length > 1)),
    ];
  });
  return withoutOwnAddress(endpoints, errors);
}

const managedBy = "endpoints.kubernetes.io/managed-by";

/** Warnings about addresses, which the controller writes in canonical form. Source: kubernetes v1.36 pkg/registry/core/endpoint/strategy.go. */
function warnings(endpoints: ApiObject): string[] {
  if (endpoints.metadata.labels?.[managedBy] === "endpoint-controller") return [];
  return fieldsIn(endpoints["subsets"]).flatMap((subset, index) =>
    ["addresses", "notReadyAddresses"].flatMap((key) =>
      listedWarnings(subset[key], (at) => `subsets[${index}].${key}[${at}].ip`),
    ),
  );
}

/** Endpoints. */
export const endpointsStrategy: RESTStrategy = restStrategy({
  allowCreateOnUpdate: true,
  updateSteps: [validateObjectMetaUpdate, validateObjectMeta, validateChange],
  validate: subsetErrors,
  warningsOnCreate: warnings,
  warningsOnUpdate: warnings,
  // What an older server accepted may stay.
  validateUpdate: (endpoints, old) => (isEqual(endpoints["subsets"], old["subsets"]) ? [] : subsetErrors(endpoints)),
});
