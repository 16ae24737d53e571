/** Validates a pod's spec, in pods and templates. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidatePodSpec. */
import { duplicate, invalid, notAllowed, required, type FieldError } from "../../../../meta/field-errors.ts";
import { at, fieldsIn, isFields, textOf, type ApiObject, type Fields, type Meta } from "../../../../meta/object.ts";
import {
  choiceErrors,
  eachErrors,
  isNumber,
  labelNameErrors,
  neededChoiceErrors,
  qualifiedNameErrors,
  seenBefore,
  subdomainErrors,
} from "../../../../validation/checks.ts";
import { annotationErrors, labelErrors } from "../../../../validation/metadata.ts";
import { affinityErrors } from "./affinity.ts";
import { podAnnotationErrors, profileMatchErrors } from "./annotations.ts";
import { dnsPolicies, preemptionPolicies, restartPolicies } from "./choices.ts";
import { containersErrors, initContainersErrors } from "./containers.ts";
import { dnsConfigErrors } from "./dns.ts";
import { fileVolumeErrors } from "./env.ts";
import { ephemeralContainersErrors } from "./ephemeral-containers.ts";
import { hostAliasErrors, hostnameOverrideErrors, hostUsersErrors } from "./host.ts";
import { imageSpaceErrors } from "./image-space.ts";
import { hostProcessErrors, osErrors } from "./os.ts";
import { hostNetworkErrors } from "./ports.ts";
import { claimNames, podClaimErrors } from "./resource-claims.ts";
import { overheadErrors, podResourcesErrors } from "./resources.ts";
import type { PartErrors, PodScope } from "./scope.ts";
import { podSecurityErrors } from "./security-context.ts";
import { tolerationErrors } from "./tolerations.ts";
import { spreadErrors } from "./topology-spread.ts";
import { usableVolumes, volumesErrors } from "./volumes.ts";

type SpecCheck = (scope: PodScope) => FieldError[];

/** A check of one field. */
const of =
  (key: string, errors: PartErrors): SpecCheck =>
  (scope) =>
    errors(scope.spec[key], `${scope.field}.${key}`, scope);

/** The same for a field that is skipped if it is unset or an empty string. */
const given = (key: string, errors: PartErrors): SpecCheck =>
  of(key, (value, field, scope) => (textOf(value) === "" ? [] : errors(value, field, scope)));

/** The same for a field that is skipped only if it is unset. */
const set = (key: string, errors: PartErrors): SpecCheck =>
  of(key, (value, field, scope) => (value === undefined ? [] : errors(value, field, scope)));

const longestDeadline = 2 ** 31 - 1;

const deadlineErrors: PartErrors = (deadline, field) =>
  isNumber(deadline) && (deadline < 1 || deadline > longestDeadline)
    ? [invalid(field, deadline, `must be between 1 and ${longestDeadline}, inclusive`)]
    : [];

const readinessGateErrors: PartErrors = (gates, field) =>
  eachErrors(fieldsIn(gates), field, (gate, here) =>
    qualifiedNameErrors(gate["conditionType"], `${here}.conditionType`),
  );

const schedulingGateErrors: PartErrors = (gates, field) => {
  const isRepeated = seenBefore();
  return eachErrors(fieldsIn(gates), field, ({ name = "" }, here) => [
    ...qualifiedNameErrors(name, here),
    ...(isRepeated(name) ? [duplicate(here, name)] : []),
  ]);
};

/** All checks, in this order. */
const inOrder: readonly SpecCheck[] = [
  of("terminationGracePeriodSeconds", (period, field) => (period === undefined ? [required(field)] : [])),
  of("volumes", volumesErrors),
  of("resourceClaims", podClaimErrors),
  of("containers", containersErrors),
  of("initContainers", initContainersErrors),
  of("ephemeralContainers", ephemeralContainersErrors),
  of("resources", podResourcesErrors),
  hostNetworkErrors,
  of("restartPolicy", (policy, field) => neededChoiceErrors(policy, field, restartPolicies)),
  of("dnsPolicy", (policy, field) => neededChoiceErrors(policy, field, dnsPolicies)),
  of("nodeSelector", labelErrors),
  of("securityContext", podSecurityErrors),
  of("affinity", affinityErrors),
  of("dnsConfig", dnsConfigErrors),
  of("readinessGates", readinessGateErrors),
  of("schedulingGates", schedulingGateErrors),
  of("topologySpreadConstraints", spreadErrors),
  hostProcessErrors,
  hostUsersErrors,
  of("hostnameOverride", hostnameOverrideErrors),
  given("serviceAccountName", subdomainErrors),
  given("nodeName", subdomainErrors),
  of("activeDeadlineSeconds", deadlineErrors),
  given("hostname", labelNameErrors),
  given("subdomain", labelNameErrors),
  of("tolerations", tolerationErrors),
  of("hostAliases", hostAliasErrors),
  given("priorityClassName", subdomainErrors),
  set("runtimeClassName", subdomainErrors),
  set("preemptionPolicy", (policy, field) =>
    policy === "" ? [required(field)] : choiceErrors(policy, field, preemptionPolicies),
  ),
  of("overhead", overheadErrors),
  of("os", osErrors),
  fileVolumeErrors,
];

function specErrors(spec: Fields, field: string, meta: Meta | undefined): FieldError[] {
  const scope: PodScope = {
    spec,
    field,
    meta,
    volumes: usableVolumes(spec["volumes"], meta),
    claims: claimNames(spec["resourceClaims"]),
  };
  return inOrder.flatMap((errors) => errors(scope));
}

/** Token volumes need a ServiceAccount. */
function tokenErrors(spec: Fields): FieldError[] {
  if (textOf(spec["serviceAccountName"]) !== "") return [];
  const why = "must not be specified when serviceAccountName is not set";
  return eachErrors(fieldsIn(spec["volumes"]), "spec.volumes", (volume, here) =>
    eachErrors(fieldsIn(at(volume, "projected", "sources")), `${here}.projected.sources`, (source, place) =>
      isFields(source["serviceAccountToken"]) ? [notAllowed(`${place}.serviceAccountToken`, why)] : [],
    ),
  );
}

/** Validates a pod's annotations and spec, on create and on update. */
export function podErrors({ metadata, spec = {} }: ApiObject): FieldError[] {
  return [
    ...podAnnotationErrors(metadata.annotations, spec, "metadata.annotations"),
    ...specErrors(spec, "spec", metadata),
    ...tokenErrors(spec),
    ...["containers", "initContainers"].flatMap((key) =>
      eachErrors(fieldsIn(spec[key]), `spec.${key}`, imageSpaceErrors),
    ),
  ];
}

/** Validates the labels and annotations of a template; `field` is its path. */
export function templateMetadataErrors({ metadata, spec }: Fields, field: string): FieldError[] {
  const annotations = at(metadata, "annotations");
  return [
    ...labelErrors(at(metadata, "labels"), `${field}.labels`),
    ...annotationErrors(annotations, `${field}.annotations`),
    ...podAnnotationErrors(annotations, isFields(spec) ? spec : {}, `${field}.annotations`),
  ];
}

/** Validates a template, except that the selector matches its labels. */
export function templateErrors(template: Fields, field: string): FieldError[] {
  const spec = isFields(template["spec"]) ? template["spec"] : {};
  const here = `${field}.spec`;
  const why = "ephemeral containers not allowed in pod template";
  return [
    ...templateMetadataErrors(template, field),
    ...specErrors(spec, here, undefined),
    ...profileMatchErrors(at(template, "metadata", "annotations"), { spec, field: here }),
    ...(fieldsIn(spec["ephemeralContainers"]).length === 0 ? [] : [notAllowed(`${here}.ephemeralContainers`, why)]),
  ];
}
