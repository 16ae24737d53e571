/** EndpointSlices. Source: kubernetes v1.36 pkg/apis/discovery/validation/validation.go. */
import { addressOf } from "../../../api/ip-address.ts";
import { duplicate, invalid, required, tooMany, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, isFields, textOf, textsIn, type ApiObject, type Fields } from "../../meta/object.ts";
import {
  choiceErrors,
  eachErrors,
  isEqual,
  labelNameErrors,
  neededChoiceErrors,
  qualifiedNameErrors,
  seenBefore,
  subdomainErrors,
} from "../../validation/checks.ts";
import { canonicalAddressErrors, endpointAddressErrors, withoutOwnAddress } from "../../validation/cidr.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObjectMeta } from "../strategy/validation-steps.ts";
import { labelErrors } from "../../validation/metadata.ts";
import { labelValueProblems, subdomainProblems } from "../../../api/label-names.ts";
import { fixed } from "../../validation/spec-checks.ts";

const types = ["FQDN", "IPv4", "IPv6"];
const protocols = ["SCTP", "TCP", "UDP"];
const mostPorts = 20_000;
const mostEndpoints = 1000;
const mostAddresses = 100;
const mostHints = 8;
const mostLabels = 16;

function portErrors(ports: readonly Fields[]): FieldError[] {
  if (ports.length > mostPorts) return [tooMany("ports", ports.length, mostPorts)];
  const isRepeated = seenBefore();
  return eachErrors(ports, "ports", ({ name, protocol, appProtocol }, field) => [
    ...(textOf(name) === "" ? [] : labelNameErrors(name, `${field}.name`)),
    ...(isRepeated(textOf(name)) ? [duplicate(`${field}.name`, textOf(name))] : []),
    ...(protocol === undefined
      ? [required(`${field}.protocol`)]
      : choiceErrors(protocol, `${field}.protocol`, protocols)),
    ...(appProtocol === undefined ? [] : qualifiedNameErrors(appProtocol, `${field}.appProtocol`)),
  ]);
}

function domainErrors(name: string, field: string): FieldError[] {
  if (name === "") return [required(field)];
  const problems = subdomainProblems(name.replace(/\.$/, ""));
  if (problems.length > 0) return problems.map((problem) => invalid(field, name.replace(/\.$/, ""), problem));
  return name.split(".").length < 2
    ? [invalid(field, name, "should be a domain with at least two segments separated by dots")]
    : [];
}

function addressesErrors(addresses: readonly string[], type: string, field: string): FieldError[] {
  return eachErrors(addresses, field, (address, here) => {
    if (type === "FQDN") return domainErrors(address, here);
    if (type !== "IPv4" && type !== "IPv6") return [];
    const errors = canonicalAddressErrors(address, here);
    if (errors.length > 0) return errors;
    const bits = type === "IPv4" ? 32 : 128;
    const other = addressOf(address)?.bits === bits ? [] : [invalid(field, address, `must be an ${type} address`)];
    return [...other, ...endpointAddressErrors(address, here)];
  });
}

function hintErrors(hints: Fields, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, problems] of [
    ["forZones", labelValueProblems],
    ["forNodes", subdomainProblems],
  ] as const) {
    const list = fieldsIn(hints[key]);
    if (list.length > mostHints) return [...errors, tooMany(`${field}.${key}`, list.length, mostHints)];
    const isRepeated = seenBefore();
    errors.push(
      ...eachErrors(list, `${field}.${key}`, (hint, here) => {
        const name = textOf(hint["name"]);
        return [
          ...(isRepeated(name) ? [duplicate(`${here}.name`, name)] : []),
          ...problems(name).map((problem) => invalid(`${here}.name`, name, problem)),
        ];
      }),
    );
  }
  return errors;
}

function endpointErrors(endpoint: Fields, type: string, field: string): FieldError[] {
  const addresses = textsIn(endpoint["addresses"]);
  const { nodeName, hostname, hints, deprecatedTopology: topology } = endpoint as Record<string, unknown>;
  const here = `${field}.addresses`;
  const labels = isFields(topology) ? Object.keys(topology).length : 0;
  return [
    ...(addresses.length === 0 ? [required(here, "must contain at least 1 address")] : []),
    ...(addresses.length > mostAddresses ? [tooMany(here, addresses.length, mostAddresses)] : []),
    ...addressesErrors(addresses, type, here),
    ...(nodeName === undefined ? [] : subdomainErrors(nodeName, `${field}.nodeName`)),
    ...(labels > mostLabels ? [tooMany(`${field}.deprecatedTopology`, labels, mostLabels)] : []),
    ...labelErrors(topology, `${field}.deprecatedTopology`),
    ...(hostname === undefined ? [] : labelNameErrors(hostname, `${field}.hostname`)),
    ...(isFields(hints) ? hintErrors(hints, `${field}.hints`) : []),
  ];
}

function endpointsErrors(slice: ApiObject): FieldError[] {
  const endpoints = fieldsIn(slice["endpoints"]);
  if (endpoints.length > mostEndpoints) return [tooMany("endpoints", endpoints.length, mostEndpoints)];
  const type = textOf(slice["addressType"]);
  const errors = eachErrors(endpoints, "endpoints", (endpoint, field) => endpointErrors(endpoint, type, field));
  return withoutOwnAddress(slice, errors);
}

const beforeEndpoints = (slice: ApiObject): FieldError[] => [
  ...neededChoiceErrors(slice["addressType"], "addressType", types),
  ...portErrors(fieldsIn(slice["ports"])),
];

/** A field that only the old API version could set; it stays if nothing else changes. */
function dropTopology(slice: ApiObject, old?: ApiObject): void {
  if (old !== undefined && isEqual(slice["endpoints"], old["endpoints"])) return;
  for (const endpoint of fieldsIn(slice["endpoints"])) delete endpoint["deprecatedTopology"];
}

/** A warning about a deprecated type. Source: kubernetes v1.36 pkg/registry/discovery/endpointslice/strategy.go. */
const warnings = ({ addressType }: ApiObject): string[] =>
  addressType === "FQDN" ? ["spec.addressType: FQDN endpoints are deprecated"] : [];

/** EndpointSlices: their address type never changes. */
export const endpointSliceStrategy: RESTStrategy = restStrategy({
  generation: "spec and labels",
  updateSteps: [validateObjectMeta, validateChange],
  prepareForCreate: (slice) => dropTopology(slice),
  prepareForUpdate: dropTopology,
  warningsOnCreate: warnings,
  validate: (slice) => [...beforeEndpoints(slice), ...endpointsErrors(slice)],
  validateUpdate: (slice, old) => [
    ...beforeEndpoints(slice),
    // What an older server accepted may stay.
    ...(isEqual(slice["endpoints"], old["endpoints"]) ? [] : endpointsErrors(slice)),
    ...fixed(slice["addressType"], old["addressType"], "addressType"),
  ],
});
