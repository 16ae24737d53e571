/** Warnings of a pod's containers. Source: kubernetes v1.36 pkg/api/pod/warnings.go. */
import { deepEqual } from "../../../../../api/field-changes.ts";
import { at, fieldsIn, isFields, textOf, type Fields } from "../../../../meta/object.ts";
import { appArmorOfAnnotation } from "../profiles/app-armor.ts";
import { appArmorPrefix, seccompPrefix } from "../profiles/profile-annotations.ts";
import { fractionWarnings } from "./fields.ts";

/** The location of the containers. */
export interface Place {
  /** The paths of the pod's spec and of its annotations. */
  readonly field: string;
  readonly notes: string;
  /** The annotations. */
  readonly noted: Fields;
  readonly isTemplate: boolean;
}

interface Placed {
  readonly container: Fields;
  readonly field: string;
}

function placed(spec: Fields, field: string): Placed[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((key) =>
    fieldsIn(spec[key]).map((container, index) => ({ container, field: `${field}.${key}[${index}]` })),
  );
}

/** In the real server's order: first each container alone, then all together. */
export function containerWarnings(spec: Fields, place: Place): string[] {
  const containers = placed(spec, place.field);
  return [
    ...containers.flatMap(({ container, field }) => [
      ...profileWarnings(spec, container, place),
      ...amountWarnings(container, field),
      ...(container["env"] === undefined ? [] : envWarnings(container, field)),
    ]),
    ...portWarnings(containers),
    ...portNameWarnings(containers),
  ];
}

function amountWarnings({ resources }: Fields, field: string): string[] {
  const given = ["limits", "requests"].filter((list) => isFields(at(resources, list)));
  if (given.length === 0) return [];
  return ["memory", "ephemeral-storage"].flatMap((name) =>
    given.flatMap((list) => fractionWarnings(at(resources, list), `${field}.resources.${list}`, [name])),
  );
}

/** Warns about annotations that have become fields. */
function profileWarnings(spec: Fields, container: Fields, { notes, noted, isTemplate }: Place): string[] {
  const name = textOf(container["name"]);
  const warnings: string[] = [];
  if (!isFields(at(container, "securityContext", "seccompProfile")) && noted[seccompPrefix + name] !== undefined) {
    warnings.push(
      `${notes}[${seccompPrefix}${name}]: non-functional in v1.27+; use the "seccompProfile" field instead`,
    );
  }
  // For a pod, the warning is issued when the annotation is copied to the field.
  const annotation = noted[appArmorPrefix + name];
  if (!isTemplate || annotation === undefined || isFields(at(container, "securityContext", "appArmorProfile"))) {
    return warnings;
  }
  const ofPod = at(spec, "securityContext", "appArmorProfile");
  if (!isFields(ofPod) || !deepEqual(ofPod, appArmorOfAnnotation(textOf(annotation)))) {
    warnings.push(
      `${notes}[${appArmorPrefix}${name}]: deprecated since v1.30; use the "appArmorProfile" field instead`,
    );
  }
  return warnings;
}

/** Warns about variables that are set twice without using the first value. */
function envWarnings(container: Fields, field: string): string[] {
  const seen = new Set<string>();
  return fieldsIn(container["env"]).flatMap((variable, index) => {
    const name = textOf(variable["name"]);
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const value = textOf(variable["value"]);
    const buildsOn = value.includes(`$(${name})`) && value !== `$(${name})`;
    if (buildsOn && !isFields(variable["valueFrom"])) return [];
    return [
      `${field}.env[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
  });
}

interface Port {
  readonly field: string;
  readonly name: string;
  readonly number: number;
  readonly protocol: string;
  readonly hostPort: number;
  readonly hostIP: string;
}

const portsOf = ({ container, field }: Placed): Port[] =>
  fieldsIn(container["ports"]).map((port, index) => ({
    field: `${field}.ports[${index}]`,
    name: textOf(port["name"]),
    number: Number(port["containerPort"] ?? 0),
    protocol: textOf(port["protocol"]),
    hostPort: Number(port["hostPort"] ?? 0),
    hostIP: textOf(port["hostIP"]),
  }));

/** How two ports with the same number and protocol conflict; undefined if they do not. */
function clash(a: Port, b: Port): string | undefined {
  if (a.hostIP === b.hostIP && a.hostPort === b.hostPort) return "duplicate";
  if (a.hostPort === 0 || b.hostPort === 0) return "overlapping";
  const oneOfThem = (a.hostIP === "") !== (b.hostIP === "");
  return a.hostPort === b.hostPort && oneOfThem ? "dangerously ambiguous" : undefined;
}

function portWarnings(containers: readonly Placed[]): string[] {
  const before: Port[] = [];
  return containers.flatMap(portsOf).flatMap((port) => {
    const others = before.filter(({ number, protocol }) => number === port.number && protocol === port.protocol);
    before.push(port);
    const shown = `{Name:${port.name} HostPort:0 ContainerPort:${port.number} Protocol:${port.protocol} HostIP:${port.hostIP}}`;
    return [
      ...(port.hostIP !== "" && port.hostPort === 0 ? [`${port.field}: hostIP set without hostPort: ${shown}`] : []),
      ...others.flatMap((other) => {
        const how = clash(port, other);
        return how === undefined ? [] : [`${port.field}: ${how} port definition with ${other.field}`];
      }),
    ];
  });
}

function portNameWarnings(containers: readonly Placed[]): string[] {
  const first = new Map<string, string>();
  return containers.flatMap(portsOf).flatMap(({ name, field }) => {
    const other = first.get(name);
    if (name === "") return [];
    if (other !== undefined) {
      return [
        `${field}: duplicate port name ${JSON.stringify(name)} with ${other}, services and probes that select ports by name will use ${other}`,
      ];
    }
    first.set(name, field);
    return [];
  });
}
