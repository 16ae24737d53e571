/** NetworkPolicies. Source: kubernetes v1.36 pkg/apis/networking/validation/validation.go. */
import { invalid, notAllowed, notSupported, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, isFields, textOf, type ApiObject, type Fields } from "../../meta/object.ts";
import { rangeWarnings } from "../../validation/address-warnings.ts";
import { cidrErrors, cidrOf, isStrictPart } from "../../validation/cidr.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObjectMetaUpdate } from "../strategy/validation-steps.ts";
import { portNameProblems } from "../../validation/names.ts";
import { selectorErrors } from "../../validation/spec-checks.ts";

const range = "must be between 1 and 65535, inclusive";
const isPort = (value: number): boolean => value >= 1 && value <= 65535;
const protocols = ["TCP", "UDP", "SCTP"];

function portErrors({ protocol, port, endPort: end }: Fields, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (protocol !== undefined && !protocols.includes(textOf(protocol))) {
    errors.push(notSupported(`${field}.protocol`, protocol, protocols));
  }
  const there = `${field}.endPort`;
  if (port === undefined) {
    if (end !== undefined) errors.push(invalid(there, end, "may not be specified when `port` is not specified"));
  } else if (typeof port === "number") {
    if (!isPort(port)) errors.push(invalid(`${field}.port`, port, range));
    if (typeof end !== "number") return errors;
    // The real server reports the first port here.
    if (end < port) errors.push(invalid(there, port, "must be greater than or equal to `port`"));
    if (!isPort(end)) errors.push(invalid(there, end, range));
  } else {
    if (end !== undefined) errors.push(invalid(there, end, "may not be specified when `port` is non-numeric"));
    errors.push(...portNameProblems(textOf(port)).map((problem) => invalid(`${field}.port`, port, problem)));
  }
  return errors;
}

/** The path of a check, and the old ranges: these may stay as they are. */
interface Place {
  readonly field: string;
  readonly known: ReadonlySet<string>;
}

function exceptOf(block: Fields): readonly string[] {
  return Array.isArray(block["except"]) ? block["except"].map(textOf) : [];
}

function blockErrors(block: Fields, { field, known }: Place): FieldError[] {
  const text = textOf(block["cidr"]);
  if (text === "") return [required(`${field}.cidr`)];
  const rangeErrors = (range: string, here: string): FieldError[] => (known.has(range) ? [] : cidrErrors(range, here));
  const whole = cidrOf(text);
  const errors = rangeErrors(text, `${field}.cidr`);
  if (whole === undefined) return errors;
  const parts = exceptOf(block).flatMap((part, index) => {
    const here = `${field}.except[${index}]`;
    const inner = cidrOf(part);
    const isOutside = inner !== undefined && !isStrictPart(inner, whole);
    return [
      ...rangeErrors(part, here),
      ...(isOutside ? [invalid(here, part, "must be a strict subset of `cidr`")] : []),
    ];
  });
  return [...errors, ...parts];
}

function peerErrors({ podSelector, namespaceSelector, ipBlock }: Fields, { field, known }: Place): FieldError[] {
  const errors = [
    ...(isFields(podSelector) ? selectorErrors(podSelector, `${field}.podSelector`) : []),
    ...(isFields(namespaceSelector) ? selectorErrors(namespaceSelector, `${field}.namespaceSelector`) : []),
    ...(isFields(ipBlock) ? blockErrors(ipBlock, { field: `${field}.ipBlock`, known }) : []),
  ];
  const given = [podSelector, namespaceSelector, ipBlock].filter(isFields).length;
  if (given === 0) errors.push(required(field, "must specify a peer"));
  else if (given > 1 && isFields(ipBlock))
    errors.push(notAllowed(field, "may not specify both ipBlock and another peer"));
  return errors;
}

const directions = [
  ["ingress", "from"],
  ["egress", "to"],
] as const;
const types = ["Ingress", "Egress"];

function rangesIn({ spec = {} }: ApiObject): ReadonlySet<string> {
  const ranges = directions.flatMap(([direction, peers]) =>
    fieldsIn(spec[direction])
      .flatMap((rule) => fieldsIn(rule[peers]))
      .flatMap(({ ipBlock }) => (isFields(ipBlock) ? [textOf(ipBlock["cidr"]), ...exceptOf(ipBlock)] : [])),
  );
  return new Set(ranges);
}

function validate({ spec = {} }: ApiObject, known: ReadonlySet<string>): FieldError[] {
  const errors = isFields(spec["podSelector"]) ? selectorErrors(spec["podSelector"], "spec.podSelector") : [];
  for (const [direction, peers] of directions) {
    for (const [index, rule] of fieldsIn(spec[direction]).entries()) {
      const here = `spec.${direction}[${index}]`;
      errors.push(
        ...fieldsIn(rule["ports"]).flatMap((port, at) => portErrors(port, `${here}.ports[${at}]`)),
        ...fieldsIn(rule[peers]).flatMap((peer, at) => peerErrors(peer, { field: `${here}.${peers}[${at}]`, known })),
      );
    }
  }
  const policyTypes = Array.isArray(spec["policyTypes"]) ? spec["policyTypes"].map(textOf) : [];
  if (policyTypes.length > types.length) {
    return [...errors, invalid("spec.policyTypes", policyTypes, "may not specify more than two policyTypes")];
  }
  const wrong = policyTypes.flatMap((type, index) =>
    types.includes(type) ? [] : [notSupported(`spec.policyTypes[${index}]`, type, types)],
  );
  return [...errors, ...wrong];
}

/** Warnings about ranges. Source: kubernetes v1.36 pkg/registry/networking/networkpolicy/strategy.go networkPolicyWarnings. */
function warnings({ spec = {} }: ApiObject): string[] {
  return directions.flatMap(([direction, peers]) =>
    fieldsIn(spec[direction]).flatMap((rule, index) =>
      fieldsIn(rule[peers]).flatMap(({ ipBlock }, at) => {
        if (!isFields(ipBlock)) return [];
        const field = `spec.${direction}[${index}].${peers}[${at}].ipBlock`;
        const parts = exceptOf(ipBlock).flatMap((part, n) => rangeWarnings(part, `${field}.except[${n}]`));
        return [...rangeWarnings(textOf(ipBlock["cidr"]), `${field}.cidr`), ...parts];
      }),
    ),
  );
}

/** NetworkPolicies. */
export const networkPolicyStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  updateSteps: [validateObjectMetaUpdate, validateChange],
  warningsOnCreate: warnings,
  warningsOnUpdate: warnings,
  validate: (policy) => validate(policy, new Set()),
  validateUpdate: (policy, old) => validate(policy, rangesIn(old)),
});
