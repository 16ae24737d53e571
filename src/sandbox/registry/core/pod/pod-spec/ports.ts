/** The ports of containers. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateContainerPorts. */
import { duplicate, invalid, required, type FieldError } from "../../../../meta/field-errors.ts";
import { fieldsIn, textOf, type Fields } from "../../../../meta/object.ts";
import {
  eachErrors,
  isNumber,
  neededChoiceErrors,
  portNumberErrors,
  seenBefore,
} from "../../../../validation/checks.ts";
import { portNameProblems } from "../../../../validation/names.ts";
import { portProtocols } from "./choices.ts";
import type { PodScope } from "./scope.ts";

const isNone = (port: unknown): boolean => port === undefined || port === 0;

/** Validates the ports of a container. */
export function portErrors(ports: unknown, field: string): FieldError[] {
  const isTaken = seenBefore();
  const nameErrors = (name: string, here: string): FieldError[] => {
    if (name === "") return [];
    const problems = portNameProblems(name);
    if (problems.length > 0) return problems.map((problem) => invalid(here, name, problem));
    return isTaken(name) ? [duplicate(here, name)] : [];
  };
  return eachErrors(fieldsIn(ports), field, (port, here) => [
    ...nameErrors(textOf(port["name"]), `${here}.name`),
    ...(isNone(port["containerPort"])
      ? [required(`${here}.containerPort`)]
      : portNumberErrors(port["containerPort"], `${here}.containerPort`)),
    ...(isNone(port["hostPort"]) ? [] : portNumberErrors(port["hostPort"], `${here}.hostPort`)),
    ...neededChoiceErrors(port["protocol"], `${here}.protocol`, portProtocols),
  ]);
}

/** A port, by its number or by its name in a container. */
export function portReferenceErrors(port: unknown, field: string): FieldError[] {
  if (typeof port !== "string") return portNumberErrors(port, field);
  return portNameProblems(port).map((problem) => invalid(field, port, problem));
}

/** Host ports must be unique. */
export function hostPortErrors(containers: readonly Fields[], field: string): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    fieldsIn(container["ports"]).flatMap(({ hostPort, hostIP, protocol }, at) => {
      if (!isNumber(hostPort) || hostPort === 0) return [];
      const port = `${textOf(protocol)}/${textOf(hostIP)}/${hostPort}`;
      if (taken.has(port)) return [duplicate(`${field}[${index}].ports[${at}].hostPort`, port)];
      taken.add(port);
      return [];
    }),
  );
}

/** In the host network, host port and container port must be equal. Templates may leave that to pod defaulting. */
export function hostNetworkErrors({ spec, field, meta }: PodScope): FieldError[] {
  if (spec["hostNetwork"] !== true) return [];
  return eachErrors(fieldsIn(spec["containers"]), `${field}.containers`, ({ ports }, container) =>
    eachErrors(fieldsIn(ports), `${container}.ports`, ({ hostPort = 0, containerPort = 0 }, here) =>
      (meta !== undefined || hostPort !== 0) && hostPort !== containerPort
        ? [invalid(`${here}.hostPort`, hostPort, "must match `containerPort` when `hostNetwork` is true")]
        : [],
    ),
  );
}
