/** Validates device requests and their configuration. Source: kubernetes v1.36 pkg/apis/resource/validation/validation.go. */
import {
  duplicate,
  type FieldError,
  internalError,
  invalid,
  notAllowed,
  notSupported,
  required,
  tooLong,
} from "../../meta/field-errors.ts";
import { at, fieldsIn, isFields, textOf, textsIn, type Fields } from "../../meta/object.ts";
import {
  driverNameErrors,
  eachErrors,
  isNumber,
  neededErrors,
  labelNameErrors,
  seenBefore,
  subdomainErrors,
} from "../../validation/checks.ts";
import type { StrategyContext } from "../strategy/rest-strategy.ts";
import { labelKeyProblems, labelValueProblems } from "../../../api/label-names.ts";
import { manyErrors, namedErrors } from "./lists.ts";
import { selectors as compiler } from "./loading.ts";
import { fullDeviceNameErrors } from "./qualified-names.ts";

/** The limit of most lists in these kinds. */
export const mostItems = 32;

const mostAlternatives = 8;

const modes = ["All", "ExactCount"];

const effects = ["NoSchedule", "NoExecute", "None"];

const operators = ["Equal", "Exists"];

/** In bytes. */
const longestSelector = 10 * 1024;

/** Validates device selectors. */
export function selectorErrors(selectors: readonly Fields[], field: string): FieldError[] {
  return [
    ...manyErrors(selectors, field, mostItems),
    ...eachErrors(selectors, field, ({ cel }, here) =>
      isFields(cel) ? expressionErrors(textOf(cel["expression"]), `${here}.cel.expression`) : [required(`${here}.cel`)],
    ),
  ];
}

function expressionErrors(expression: string, field: string): FieldError[] {
  if (new TextEncoder().encode(expression).length > longestSelector) return [tooLong(field, longestSelector)];
  const selector = compiler().compileSelector(expression);
  if (selector.is === "program") return [];
  const { because, problem } = selector;
  switch (because) {
    case "invalid":
      return [invalid(field, expression, problem)];
    case "internal":
      return [internalError(field, problem)];
    case "too complex":
      return [notAllowed(field, problem)];
  }
}

function countErrors({ allocationMode: mode, count }: Fields, field: string): FieldError[] {
  const number = isNumber(count) ? count : 0;
  const here = `${field}.count`;
  if (mode === "All")
    return number === 0 ? [] : [invalid(here, number, "must not be specified when allocationMode is 'All'")];
  if (mode === "ExactCount") return number > 0 ? [] : [invalid(here, number, "must be greater than zero")];
  return [notSupported(`${field}.allocationMode`, mode ?? "", modes)];
}

function tolerationErrors({ key, operator, value, effect }: Fields, field: string): FieldError[] {
  const [name, text] = [textOf(key), textOf(value)];
  const errors = name === "" ? [] : labelKeyProblems(name).map((problem) => invalid(`${field}.key`, name, problem));
  switch (operator) {
    case "Exists":
      if (text !== "") errors.push(invalid(`${field}.value`, text, "must be empty for operator `Exists`"));
      break;
    case "Equal":
      errors.push(...labelValueProblems(text).map((problem) => invalid(`${field}.value`, text, problem)));
      break;
    case "":
    case undefined:
      errors.push(required(`${field}.operator`));
      break;
    default:
      errors.push(notSupported(`${field}.operator`, operator, operators));
  }
  if (textOf(effect) !== "" && !effects.includes(textOf(effect)))
    errors.push(notSupported(`${field}.effect`, effect, effects));
  return errors;
}

function wantedErrors(wanted: Fields, field: string): FieldError[] {
  return [
    ...neededErrors(wanted["deviceClassName"], `${field}.deviceClassName`, subdomainErrors),
    ...selectorErrors(fieldsIn(wanted["selectors"]), `${field}.selectors`),
    ...countErrors(wanted, field),
    ...eachErrors(fieldsIn(wanted["tolerations"]), `${field}.tolerations`, tolerationErrors),
  ];
}

function requestErrors(request: Fields, field: string): FieldError[] {
  const named = labelNameErrors(request["name"], `${field}.name`);
  const alternatives = fieldsIn(request["firstAvailable"]);
  const { exactly } = request as { exactly?: unknown };
  const one = "exactly one of `exactly` or `firstAvailable` is required";
  if (alternatives.length === 0 && !isFields(exactly)) return [...named, required(field, one)];
  if (alternatives.length > 0 && isFields(exactly))
    return [...named, invalid(field, null, `${one}, but multiple fields are set`)];
  if (isFields(exactly)) return [...named, ...wantedErrors(exactly, `${field}.exactly`)];
  return [
    ...named,
    ...namedErrors(alternatives, {
      field: `${field}.firstAvailable`,
      most: mostAlternatives,
      errors: (item, here) => [...labelNameErrors(item["name"], `${here}.name`), ...wantedErrors(item, here)],
    }),
  ];
}

/** The requests by name, each with its alternatives. */
export type Requests = ReadonlyMap<string, ReadonlySet<string>>;

/** The names of a claim's requests, each with its alternatives. */
export function requestNames(devices: Fields): Requests {
  return new Map(
    fieldsIn(devices["requests"]).map((request) => [
      textOf(request["name"]),
      new Set(fieldsIn(request["firstAvailable"]).map(({ name }) => textOf(name))),
    ]),
  );
}

/** Names must be those of a request or of one of its alternatives. */
export function referenceErrors(names: readonly string[], field: string, requests: Requests): FieldError[] {
  const isRepeated = seenBefore();
  const why = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  return [
    ...manyErrors(names, field, mostItems),
    ...eachErrors(names, field, (name, here) => {
      const segments = name.split("/");
      const again = isRepeated(name) ? [duplicate(here, name)] : [];
      if (segments.length > 2) return [invalid(here, name, why), ...again];
      const [request = "", alternative] = segments;
      const there = requests.get(request);
      const known = there !== undefined && (alternative === undefined || there.has(alternative));
      return [
        ...segments.flatMap((segment) => labelNameErrors(segment, here)),
        ...(known ? [] : [invalid(here, name, why)]),
        ...again,
      ];
    }),
  ];
}

function constraintErrors(constraint: Fields, field: string, requests: Requests): FieldError[] {
  const { matchAttribute: match, distinctAttribute: distinct } = constraint as Record<string, unknown>;
  const one = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
  return [
    ...referenceErrors(textsIn(constraint["requests"]), `${field}.requests`, requests),
    ...(match !== undefined
      ? fullDeviceNameErrors(match, `${field}.matchAttribute`)
      : distinct !== undefined
        ? fullDeviceNameErrors(distinct, `${field}.distinctAttribute`)
        : [required(field, one)]),
  ];
}

/** Opaque parameters of a driver. */
export function configErrors({ opaque }: Fields, field: string): FieldError[] {
  if (!isFields(opaque)) return [required(`${field}.opaque`)];
  const parameters = opaque["parameters"];
  return [
    ...driverNameErrors(opaque["driver"], `${field}.opaque.driver`),
    ...parameterErrors(parameters, `${field}.opaque.parameters`),
  ];
}

/** Parameters of a driver: a JSON object. */
export function parameterErrors(parameters: unknown, field: string): FieldError[] {
  if (parameters === undefined || parameters === null) return [required(field)];
  return isFields(parameters) ? [] : [invalid(field, "<value omitted>", "must be a valid JSON object")];
}

/** Validates the spec of a claim or of a claim template. */
export function claimErrors(spec: Fields, field: string): FieldError[] {
  const devices = isFields(spec["devices"]) ? spec["devices"] : {};
  const requests = requestNames(devices);
  const [constraints, configs] = ["constraints", "config"].map((key) => fieldsIn(devices[key])) as [Fields[], Fields[]];
  const here = `${field}.devices`;
  return [
    ...namedErrors(fieldsIn(devices["requests"]), {
      field: `${here}.requests`,
      most: mostItems,
      errors: requestErrors,
    }),
    ...manyErrors(constraints, `${here}.constraints`, mostItems),
    ...eachErrors(constraints, `${here}.constraints`, (item, at) => constraintErrors(item, at, requests)),
    ...manyErrors(configs, `${here}.config`, mostItems),
    ...eachErrors(configs, `${here}.config`, (item, at) => [
      ...referenceErrors(textsIn(item["requests"]), `${at}.requests`, requests),
      ...configErrors(item, at),
    ]),
  ];
}

const adminLabel = "resource.kubernetes.io/admin-access";

/** Admin access is only for namespaces that are labeled for it; the real server names the first such request, but not the field. */
export function adminErrors(spec: Fields, context: StrategyContext): FieldError[] {
  const requests = fieldsIn(at(spec, "devices", "requests"));
  const index = requests.findIndex((request) => at(request, "exactly", "adminAccess") === true);
  return index < 0 ? [] : adminAccessErrors(`spec.devices.requests[${index}]`, context);
}

/** A status, and how it was before. */
export interface ChangedStatus {
  readonly now: Fields;
  readonly before: Fields;
  readonly context: StrategyContext;
}

/** The same for allocated devices; an allocation that has admin access keeps it. */
export function adminResultErrors({ now, before, context }: ChangedStatus): FieldError[] {
  const firstOf = (each: Fields): number =>
    fieldsIn(at(each, "allocation", "devices", "results")).findIndex(({ adminAccess }) => adminAccess === true);
  const index = firstOf(before) < 0 ? firstOf(now) : -1;
  return index < 0 ? [] : adminAccessErrors(`status.allocation.devices.results[${index}]`, context);
}

function adminAccessErrors(field: string, { namespaceLabels }: StrategyContext): FieldError[] {
  if (namespaceLabels()[adminLabel] === "true") return [];
  const why = `admin access to devices requires the \`${adminLabel}: true\` label on the containing namespace`;
  return [notAllowed(`${field}.adminAccess`, why)];
}
