/**
 * Field selectors: their text form, and the selectable fields of each resource.
 * Source: apimachinery v0.36 fields/selector.go; kubernetes v1.36 pkg/apis/…/v1/conversion.go (AddFieldLabelConversionsFor…).
 */
import { at, type ApiObject } from "../meta/object.ts";
import { badRequest } from "../meta/refusal.ts";
import type { Resource } from "../registry/resource.ts";

/** One requirement: `field=value` or, with `equal` false, `field!=value`. */
export interface FieldTerm {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

/** A field selector: all of its terms must match. */
export interface FieldSelector {
  readonly terms: readonly FieldTerm[];
  matches(object: ApiObject): boolean;
}

/** The selector that matches every object. */
const everyField: FieldSelector = { terms: [], matches: () => true };

const involved = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

/** Kinds that list all their selectable fields themselves, without the namespace. */
const withoutNamespace: ReadonlySet<string> = new Set([
  "Node",
  "Namespace",
  "ResourceSlice",
  "CertificateSigningRequest",
]);

/** The fields beyond metadata.name and metadata.namespace, by resource. */
const selectable: Readonly<Record<string, readonly string[]>> = {
  pods: [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
  ],
  nodes: ["spec.unschedulable"],
  replicationcontrollers: ["status.replicas"],
  "jobs.batch": ["status.successful"],
  events: [...involved.map((f) => `involvedObject.${f}`), "reason", "reportingComponent", "source", "type"],
  "events.events.k8s.io": [...involved.map((f) => `regarding.${f}`), "reason", "reportingController", "type"],
  namespaces: ["status.phase"],
  secrets: ["type"],
  services: ["spec.clusterIP", "spec.type"],
  "certificatesigningrequests.certificates.k8s.io": ["spec.signerName"],
  "resourceslices.resource.k8s.io": ["spec.nodeName", "spec.driver"],
};

/** Fields that are not at the path of their name, or have a default. */
const readers: Readonly<Record<string, (object: ApiObject) => unknown>> = {
  "spec.hostNetwork": (object) => at(object, "spec", "hostNetwork") ?? false,
  "spec.unschedulable": (object) => at(object, "spec", "unschedulable") ?? false,
  "status.replicas": (object) => at(object, "status", "replicas") ?? 0,
  "status.successful": (object) => at(object, "status", "succeeded") ?? 0,
  source: (object) => at(object, "source", "component") ?? at(object, "reportingComponent"),
  "metadata.name": (object) => object.metadata.name,
  "metadata.namespace": (object) => object.metadata.namespace,
};

/** Fields that have another name in `events.k8s.io/v1` than in the stored Event. */
const storedNames: Readonly<Record<string, string>> = {
  reportingController: "reportingComponent",
  ...Object.fromEntries(involved.map((field) => [`regarding.${field}`, `involvedObject.${field}`])),
};

function valueOf(object: ApiObject, field: string): string {
  const read = readers[field];
  const value = read === undefined ? at(object, ...(storedNames[field] ?? field).split(".")) : read(object);
  return typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
}

/** Unescapes `\\`, `\,` and `\=`. @throws StatusError 400. */
function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(/\\(.?)/g, (whole, next: string) => {
    if (next === "\\" || next === "," || next === "=") return next;
    throw badRequest(`invalid field selector: invalid escape sequence: ${whole}`);
  });
}

/** Parses one term. @throws StatusError 400. */
function termOf(part: string): FieldTerm {
  for (let index = 0; index < part.length; index++) {
    if (part[index] === "\\") {
      index++;
      continue;
    }
    const operator = ["!=", "==", "="].find((candidate) => part.startsWith(candidate, index));
    if (operator === undefined) continue;
    return {
      field: part.slice(0, index),
      equal: operator !== "!=",
      value: unescaped(part.slice(index + operator.length)),
    };
  }
  throw badRequest(`invalid selector: '${part}'; can't understand '${part}'`);
}

/**
 * Parses a field selector for a resource.
 * @throws StatusError 400 if it is invalid, or uses a field that is not selectable.
 */
export function fieldSelectorOf(text: string | undefined, { group, plural, kind, form }: Resource): FieldSelector {
  if (text === undefined || text === "") return everyField;
  const own = form?.selectableFields ?? selectable[group === "" ? plural : `${plural}.${group}`];
  const terms = text
    .split(/(?<!\\),/)
    .filter((part) => part !== "")
    .map(termOf);
  for (const { field } of terms) {
    if (field === "metadata.name" || (field === "metadata.namespace" && !withoutNamespace.has(kind))) continue;
    if (own?.includes(field) === true) continue;
    throw badRequest(refusedField(field, own, kind));
  }
  return {
    terms,
    matches: (object) => terms.every(({ field, equal, value }) => (valueOf(object, field) === value) === equal),
  };
}

function refusedField(field: string, own: readonly string[] | undefined, kind: string): string {
  if (own === undefined) {
    return `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
  }
  if (kind === "Job") return `field label "${field}" not supported for Job`;
  if (kind === "ResourceSlice") return `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`;
  return `field label not supported: ${field}`;
}
