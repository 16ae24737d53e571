/**
 * Warnings about pods and templates that are valid but probably not what was meant.
 * Source: kubernetes v1.36 pkg/api/pod/warnings.go.
 */
import { at, fieldsIn, isFields, textOf, textsIn, type ApiObject, type Fields } from "../../../../meta/object.ts";
import { podSeccomp } from "../profiles/profile-annotations.ts";
import { addressWarnings, listedWarnings } from "../../../../validation/address-warnings.ts";
import { nodeTermWarnings, oldLabels } from "../../../../validation/node-label-warnings.ts";
import { labelProblems } from "../../../../validation/names.ts";
import { containerWarnings } from "./containers.ts";
import { fractionWarnings, repeated } from "./fields.ts";
import { volumeWarnings } from "./volumes.ts";

const oldAnnotations: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
};

const matchesNothing = "a null labelSelector results in matching no pod";

/** `field` is the path of the spec. */
function nodeWarnings(spec: Fields, field: string): string[] {
  const selector = isFields(spec["nodeSelector"]) ? Object.keys(spec["nodeSelector"]).sort() : [];
  const affinity = at(spec, "affinity", "nodeAffinity");
  const here = `${field}.affinity.nodeAffinity`;
  const required = fieldsIn(at(affinity, "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"));
  const preferred = fieldsIn(at(affinity, "preferredDuringSchedulingIgnoredDuringExecution"));
  return [
    ...selector.flatMap((key) =>
      oldLabels[key] === undefined ? [] : `${field}.nodeSelector[${key}]: ${oldLabels[key]}`,
    ),
    ...required.flatMap((term, index) =>
      nodeTermWarnings(term, {
        field: `${here}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${index}]`,
        looksAtValues: false,
      }),
    ),
    ...preferred.flatMap(({ preference }, index) =>
      nodeTermWarnings(preference, {
        field: `${here}.preferredDuringSchedulingIgnoredDuringExecution[${index}].preference`,
        looksAtValues: true,
      }),
    ),
  ];
}

function spreadWarnings(spec: Fields, field: string): string[] {
  return fieldsIn(spec["topologySpreadConstraints"]).flatMap(({ topologyKey, labelSelector }, index) => {
    const here = `${field}.topologySpreadConstraints[${index}]`;
    const message = oldLabels[textOf(topologyKey)];
    return [
      ...(message === undefined ? [] : [`${here}.topologyKey: ${textOf(topologyKey)} is ${message}`]),
      ...(isFields(labelSelector) ? [] : [`${here}.labelSelector: ${matchesNothing}`]),
    ];
  });
}

function affinityWarnings(spec: Fields, field: string): string[] {
  return ["podAffinity", "podAntiAffinity"].flatMap((key) => {
    const affinity = at(spec, "affinity", key);
    return ["required", "preferred"].flatMap((kind) => {
      const list = `${kind}DuringSchedulingIgnoredDuringExecution`;
      return fieldsIn(at(affinity, list)).flatMap((term, index) => {
        const [inner, path] = kind === "required" ? [term, ""] : [term["podAffinityTerm"], ".podAffinityTerm"];
        if (isFields(at(inner, "labelSelector"))) return [];
        return [`${field}.affinity.${key}.${list}[${index}]${path}.labelSelector: ${matchesNothing}`];
      });
    });
  });
}

/** Warns about addresses that are not in canonical form. */
function hostWarnings(spec: Fields, field: string): string[] {
  const servers = textsIn(at(spec, "dnsConfig", "nameservers"));
  return [
    ...servers.flatMap((server, index) => addressWarnings(server, `${field}.dnsConfig.nameservers[${index}]`)),
    ...listedWarnings(spec["hostAliases"], (index) => `${field}.hostAliases[${index}].ip`),
  ];
}

/** Warns about names that are duplicate or empty. */
function nameWarnings(spec: Fields, field: string): string[] {
  const secrets = fieldsIn(spec["imagePullSecrets"]).map(({ name }) => textOf(name));
  const twice = (list: readonly string[], key: string, what: string): string[] =>
    repeated(list).map(
      (index) => `${field}.${key}[${index}].${what}: duplicate ${what} ${JSON.stringify(list[index])}`,
    );
  return [
    ...twice(
      fieldsIn(spec["hostAliases"]).map(({ ip }) => textOf(ip)),
      "hostAliases",
      "ip",
    ),
    ...twice(secrets, "imagePullSecrets", "name"),
    ...secrets.flatMap((name, index) =>
      name === "" ? [`${field}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
    ),
  ];
}

interface Holder {
  readonly metadata?: unknown;
  readonly spec?: unknown;
}

/** The warnings for a pod, if `path` is empty, or for the template at `path`. */
function warningsOf(pod: Holder, path: string): string[] {
  const spec = isFields(pod.spec) ? pod.spec : {};
  const annotations = at(pod, "metadata", "annotations");
  const noted: Fields = isFields(annotations) ? annotations : {};
  const prefix = path === "" ? "" : `${path}.`;
  const [field, notes] = [`${prefix}spec`, `${prefix}metadata.annotations`];
  const grace = spec["terminationGracePeriodSeconds"];
  // Most pods have none of these fields. The order is the real server's.
  const has = (key: string): boolean => spec[key] !== undefined;
  const isSeccompOld = noted[podSeccomp] !== undefined && !isFields(at(spec, "securityContext", "seccompProfile"));
  return [
    ...(has("nodeSelector") || has("affinity") ? nodeWarnings(spec, field) : []),
    ...(has("topologySpreadConstraints") ? spreadWarnings(spec, field) : []),
    ...Object.keys(oldAnnotations).flatMap((key) =>
      noted[key] === undefined ? [] : [`${notes}[${key}]: ${oldAnnotations[key]}`],
    ),
    ...(has("volumes") ? volumeWarnings(spec, field) : []),
    ...(has("hostAliases") || has("imagePullSecrets") ? nameWarnings(spec, field) : []),
    ...(has("overhead") ? fractionWarnings(spec["overhead"], `${field}.overhead`) : []),
    ...(isSeccompOld
      ? [`${notes}[${podSeccomp}]: non-functional in v1.27+; use the "seccompProfile" field instead`]
      : []),
    ...containerWarnings(spec, { field, notes, noted, isTemplate: path !== "" }),
    ...(typeof grace === "number" && grace < 0
      ? [`${field}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...(has("affinity") ? affinityWarnings(spec, field) : []),
    ...(has("dnsConfig") || has("hostAliases") ? hostWarnings(spec, field) : []),
  ];
}

/** The warnings for a new pod, except those about its name. */
export function podWarnings(pod: ApiObject): string[] {
  return warningsOf(pod, "");
}

/** The warnings for the template at `path`, in a new object or one whose generation changes. */
export function templateWarnings(
  object: ApiObject,
  old: ApiObject | undefined,
  path: readonly string[] = ["spec", "template"],
): string[] {
  if (old !== undefined && old.metadata.generation === object.metadata.generation) return [];
  const template = at(object, ...path);
  return isFields(template) ? warningsOf(template, path.join(".")) : [];
}

/** The warning for a name that is not a DNS label: pods and their hostnames are derived from it. */
export function hostnameWarnings({ metadata: { name = "" } }: ApiObject, what = "Pod names and hostnames"): string[] {
  const problems = labelProblems(name);
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in ${what}, which can result in surprising behavior; a DNS label is recommended: [${problems.join(" ")}]`,
  ];
}
