/** Services, except for their addresses. Source: kubernetes v1.36 pkg/registry/core/service, pkg/apis/core/validation. */
import { duplicate, invalid, notAllowed, required, type FieldError } from "../../../meta/field-errors.ts";
import { textOf, textsIn, fieldsIn, type ApiObject, type Fields } from "../../../meta/object.ts";
import { eachErrors, neededChoiceErrors, qualifiedNameErrors, seenBefore } from "../../../validation/checks.ts";
import { balancerWarnings } from "../../../validation/balancer.ts";
import { addressErrors, endpointAddressErrors } from "../../../validation/cidr.ts";
import type { RESTStrategy } from "../../strategy/rest-strategy.ts";
import { restStrategy } from "../../strategy/default-strategy.ts";
import { validateChange, validateObject, validateObjectMetaUpdate } from "../../strategy/validation-steps.ts";
import { labelErrors } from "../../../validation/metadata.ts";
import { subdomainProblems } from "../../../../api/label-names.ts";
import { labelProblems } from "../../../validation/names.ts";
import { portProtocols } from "../pod/pod-spec/choices.ts";
import { portReferenceErrors } from "../pod/pod-spec/ports.ts";
import { addressChangeErrors, allocate, isOutrun, keepGiven, listAddress, takenErrors } from "./service-addresses.ts";
import { balancerStatusErrors } from "./balancer-status.ts";
import { beginAddresses } from "./service-families.ts";
import { needsHealthCheck, nodePortOf } from "./service-ports.ts";
import { affinityErrors, balancerClassChangeErrors, reachErrors } from "./service-traffic.ts";
import { serviceWarnings } from "./service-warnings.ts";

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

function portErrors(port: Fields, field: string, several: boolean, names: Set<string>): FieldError[] {
  const errors: FieldError[] = [];
  const name = textOf(port["name"]);
  if (several && name === "") errors.push(required(`${field}.name`));
  if (name !== "") {
    errors.push(...labelProblems(name).map((problem) => invalid(`${field}.name`, name, problem)));
    if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
    names.add(name);
  }
  const number = typeof port["port"] === "number" ? port["port"] : 0;
  if (number < 1 || number > 65535)
    errors.push(invalid(`${field}.port`, number, "must be between 1 and 65535, inclusive"));
  errors.push(...neededChoiceErrors(port["protocol"], `${field}.protocol`, portProtocols));
  const target = port["targetPort"];
  errors.push(...portReferenceErrors(target, `${field}.targetPort`));
  const { appProtocol } = port;
  return appProtocol === undefined ? errors : [...errors, ...qualifiedNameErrors(appProtocol, `${field}.appProtocol`)];
}

/** An ExternalName Service has no addresses. */
function externalErrors(spec: Fields): FieldError[] {
  const errors = ["clusterIPs", "ipFamilies", "ipFamilyPolicy"]
    .filter((key) => spec[key] !== undefined)
    .map((key) => notAllowed(`spec.${key}`, "may not be set for ExternalName services"));
  const name = textOf(spec["externalName"]).replace(/\.$/, "");
  if (name === "") return [...errors, required("spec.externalName")];
  return [...errors, ...subdomainProblems(name).map((problem) => invalid("spec.externalName", name, problem))];
}

function validate(service: ApiObject): FieldError[] {
  const spec = service.spec ?? {};
  const type = textOf(spec["type"]);
  const ports = fieldsIn(spec["ports"]);
  const headless = spec["clusterIP"] === "None";
  const errors: FieldError[] = [];
  if (ports.length === 0 && !headless && type !== "ExternalName") errors.push(required("spec.ports"));
  if (headless && (type === "LoadBalancer" || type === "NodePort")) {
    errors.push(invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`));
  }
  if (type === "ExternalName") errors.push(...externalErrors(spec));
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    errors.push(...portErrors(port, `spec.ports[${index}]`, ports.length > 1, names));
  }
  errors.push(...labelErrors(spec["selector"], "spec.selector"));
  const affinity = textOf(spec["sessionAffinity"]);
  errors.push(...neededChoiceErrors(affinity, "spec.sessionAffinity", ["ClientIP", "None"]));
  if (affinity === "ClientIP") errors.push(...affinityErrors(spec["sessionAffinityConfig"]));
  errors.push(
    ...eachErrors(textsIn(spec["externalIPs"]), "spec.externalIPs", (address, field) => {
      const problems = addressErrors(address, field);
      return problems.length > 0 ? problems : endpointAddressErrors(address, field);
    }),
  );
  errors.push(...neededChoiceErrors(type, "spec.type", types));
  return [...errors, ...sharedPortErrors(ports, type), ...reachErrors(service)];
}

/** Ports must not conflict with each other or with the type. */
function sharedPortErrors(ports: readonly Fields[], type: string): FieldError[] {
  const field = "spec.ports";
  const [isTaken, isRepeated] = [seenBefore(), seenBefore()];
  return [
    ...eachErrors(ports, field, (port, here) =>
      type === "ClusterIP" && nodePortOf(port) !== 0
        ? [notAllowed(`${here}.nodePort`, "may not be used when `type` is 'ClusterIP'")]
        : [],
    ),
    ...eachErrors(ports, field, (port, here) =>
      nodePortOf(port) !== 0 && isTaken(`${textOf(port["protocol"])} ${nodePortOf(port)}`)
        ? [duplicate(`${here}.nodePort`, nodePortOf(port))]
        : [],
    ),
    ...eachErrors(ports, field, ({ protocol, port = 0 }, here) => {
      // Printed like Go's type.
      const shown = { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
      return isRepeated(JSON.stringify(shown)) ? [duplicate(here, shown)] : [];
    }),
  ];
}

/** Services: addresses, node ports and what an update keeps of them. */
export const serviceStrategy: RESTStrategy = restStrategy({
  nameRule: "label",
  allowCreateOnUpdate: true,
  updateSteps: [validateObjectMetaUpdate, validateChange, validateObject],
  returnsDeletedObject: true,
  begin(service, old, context) {
    const errors = beginAddresses(service, { old, own: context.addresses.families });
    return errors.length > 0 ? errors : takenErrors(service, old, context);
  },
  warningsOnCreate: serviceWarnings,
  warningsOnUpdate: serviceWarnings,
  validate,
  validateUpdate: ({ spec = {} }, { spec: before = {} }) => [
    ...addressChangeErrors(spec, before),
    ...balancerClassChangeErrors(spec, before),
    ...(needsHealthCheck(spec) &&
    needsHealthCheck(before) &&
    spec["healthCheckNodePort"] !== before["healthCheckNodePort"]
      ? [notAllowed("spec.healthCheckNodePort", "field is immutable")]
      : []),
  ],
  status: {
    validateUpdate: balancerStatusErrors,
    warningsOnUpdate: balancerWarnings,
  },
  prepareForCreate(service) {
    listAddress(service);
    service.status = { loadBalancer: {} };
  },
  allocate,
  isOutrun,
  prepareForUpdate: keepGiven,
});
