/** Probes and hooks of containers. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateProbe, validateLifecycle. */
import { invalid, notAllowed, required, type FieldError } from "../../../../meta/field-errors.ts";
import { fieldsIn, isFields, textOf, type Fields } from "../../../../meta/object.ts";
import { choiceErrors, isNumber, nameErrors, nonNegativeErrors } from "../../../../validation/checks.ts";
import { headerNameProblems } from "../../../../validation/names.ts";
import { portReferenceErrors } from "./ports.ts";
import { gracePeriodOf, type PodScope } from "./scope.ts";

type HandlerErrors = (handler: Fields, field: string, scope: PodScope) => FieldError[];

const exec: HandlerErrors = ({ command }, field) =>
  Array.isArray(command) && command.length > 0 ? [] : [required(`${field}.command`)];

const httpGet: HandlerErrors = ({ path, port, scheme, httpHeaders }, field) => [
  ...(textOf(path) === "" ? [required(`${field}.path`)] : []),
  ...portReferenceErrors(port, `${field}.port`),
  ...choiceErrors(scheme, `${field}.scheme`, ["HTTP", "HTTPS"]),
  ...fieldsIn(httpHeaders).flatMap(({ name }) => nameErrors(textOf(name), `${field}.httpHeaders`, headerNameProblems)),
];

const portOnly: HandlerErrors = ({ port }, field) => portReferenceErrors(port, `${field}.port`);

const sleep: HandlerErrors = ({ seconds = 0 }, field, scope) => {
  const most = gracePeriodOf(scope);
  if (most === undefined || !isNumber(seconds) || (seconds >= 0 && seconds <= most)) return [];
  return [invalid(field, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${most})`)];
};

/** In the order in which the real server checks them. */
const ofProbes: Readonly<Record<string, HandlerErrors>> = { exec, httpGet, tcpSocket: portOnly, grpc: portOnly };
const ofHooks: Readonly<Record<string, HandlerErrors>> = { exec, httpGet, tcpSocket: portOnly, sleep };

function handlerErrors(
  of: Fields,
  field: string,
  scope: PodScope,
  handlers: Readonly<Record<string, HandlerErrors>>,
): FieldError[] {
  const there = Object.entries(handlers).filter(([key]) => isFields(of[key]));
  if (there.length === 0) return [required(field, "must specify a handler type")];
  return there.flatMap(([key, errors], index) =>
    index === 0
      ? errors(of[key] as Fields, `${field}.${key}`, scope)
      : [notAllowed(`${field}.${key}`, "may not specify more than 1 handler type")],
  );
}

const numbers = ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"];

function anyProbeErrors(probe: Fields, field: string, scope: PodScope): FieldError[] {
  const grace = probe["terminationGracePeriodSeconds"];
  const here = `${field}.terminationGracePeriodSeconds`;
  return [
    ...handlerErrors(probe, field, scope, ofProbes),
    ...numbers.flatMap((key) => nonNegativeErrors(probe[key], `${field}.${key}`)),
    ...(isNumber(grace) && grace <= 0 ? [invalid(here, grace, "must be greater than 0")] : []),
  ];
}

/** A probe that kills the container: its success threshold must be 1. */
function killingProbeErrors(probe: unknown, field: string, scope: PodScope): FieldError[] {
  if (!isFields(probe)) return [];
  const once = probe["successThreshold"] ?? 0;
  return [
    ...anyProbeErrors(probe, field, scope),
    ...(once === 1 ? [] : [invalid(`${field}.successThreshold`, once, "must be 1")]),
  ];
}

/** A probe that restarts nothing. */
function readinessErrors(probe: unknown, field: string, scope: PodScope): FieldError[] {
  if (!isFields(probe)) return [];
  const grace = probe["terminationGracePeriodSeconds"];
  const errors = anyProbeErrors(probe, field, scope);
  if (grace === undefined) return errors;
  const why = "must not be set for readinessProbes";
  return [...errors, invalid(`${field}.terminationGracePeriodSeconds`, grace, why)];
}

/** Hooks and probes of a container: hooks first, then probes. */
export function lifeErrors(container: Fields, field: string, scope: PodScope): FieldError[] {
  const lifecycle = isFields(container["lifecycle"]) ? container["lifecycle"] : {};
  const hooks = ["postStart", "preStop"].filter((key) => isFields(lifecycle[key]));
  return [
    ...hooks.flatMap((key) => handlerErrors(lifecycle[key] as Fields, `${field}.lifecycle.${key}`, scope, ofHooks)),
    ...killingProbeErrors(container["livenessProbe"], `${field}.livenessProbe`, scope),
    ...readinessErrors(container["readinessProbe"], `${field}.readinessProbe`, scope),
    ...killingProbeErrors(container["startupProbe"], `${field}.startupProbe`, scope),
  ];
}
