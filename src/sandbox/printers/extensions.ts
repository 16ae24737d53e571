/** Tables of cluster extensions: webhooks and policies, APIServices, drivers, devices, certificates. Source: as workloads.ts. */
import { goSelector } from "../../api/go-selector.ts";
import { at, fieldsIn, isFields, type ApiObject } from "../meta/object.ts";
import { humanDuration } from "./age.ts";
import { age, type Cells, numberAt, textAt } from "./cells.ts";

/** The object's name, other cells, and its age. */
const withAge =
  (...between: readonly ((object: ApiObject) => unknown)[]): Cells =>
  (object, now) => [object.metadata.name, ...between.map((cell) => cell(object)), age(object, now)];

const text =
  (...path: readonly string[]) =>
  (object: ApiObject): string =>
    textAt(object, path, "");

const countOf =
  (...path: readonly string[]) =>
  (object: ApiObject): number =>
    fieldsIn(at(object, ...path)).length;

const flag =
  (field: string, otherwise: boolean) =>
  ({ spec = {} }: ApiObject): boolean =>
    typeof spec[field] === "boolean" ? spec[field] : otherwise;

const conditionsOf = (object: ApiObject): ReturnType<typeof fieldsIn> => fieldsIn(object.status?.["conditions"]);

function paramKind({ spec = {} }: ApiObject): string {
  if (spec["paramKind"] === undefined) return "<unset>";
  return `${textAt(spec, ["paramKind", "apiVersion"], "")}/${textAt(spec, ["paramKind", "kind"], "")}`;
}

/** A parameter without a namespace may be cluster-scoped, or in the namespace of each object: the binding alone does not show which. */
function paramRef(object: ApiObject): string {
  const name = textAt(object, ["spec", "paramRef", "name"], "");
  if (name !== "") return `${textAt(object, ["spec", "paramRef", "namespace"], "*")}/${name}`;
  const selector = at(object, "spec", "paramRef", "selector");
  return isFields(selector) ? goSelector(selector) : "<unset>";
}

function requestState(object: ApiObject): string {
  const types = new Set(conditionsOf(object).map(({ type }) => type));
  const decided = types.has("Denied") ? "Denied" : types.has("Approved") ? "Approved" : "Pending";
  const isIssued = textAt(object, ["status", "certificate"], "") !== "";
  return `${decided}${types.has("Failed") ? ",Failed" : ""}${isIssued ? ",Issued" : ""}`;
}

const certificateRequest: Cells = (object, now) => {
  // At least 600 if set.
  const seconds = numberAt(object, "spec", "expirationSeconds");
  return [
    object.metadata.name,
    age(object, now),
    textAt(object, ["spec", "signerName"], "<none>"),
    textAt(object, ["spec", "username"], ""),
    seconds === 0 ? "<none>" : humanDuration(seconds * 1000),
    requestState(object),
  ];
};

function serviceOf({ spec = {} }: ApiObject): string {
  if (spec["service"] === undefined) return "Local";
  return `${textAt(spec, ["service", "namespace"], "")}/${textAt(spec, ["service", "name"], "")}`;
}

function availability(object: ApiObject): string {
  const available = conditionsOf(object).find(({ type }) => type === "Available");
  const status = textAt(available, ["status"], "Unknown");
  const reason = textAt(available, ["reason"], "");
  return status === "True" || reason === "" ? status : `${status} (${reason})`;
}

/** `services/default/kubernetes`; a group follows its resource: `gateways.gateway.networking.k8s.io/default/web`. */
function parentRef(object: ApiObject): string {
  const of = (field: string): string => textAt(object, ["spec", "parentRef", field], "");
  if (at(object, "spec", "parentRef") === undefined) return "<none>";
  const resource = [of("resource"), of("group")].filter((part) => part !== "").join(".");
  return [resource.toLowerCase(), of("namespace"), of("name")].filter((part) => part !== "").join("/");
}

function lifecycleModes({ spec = {} }: ApiObject): string {
  const modes = spec["volumeLifecycleModes"];
  return (Array.isArray(modes) ? modes.join(",") : "") || "<none>";
}

function audiences({ spec = {} }: ApiObject): string {
  const requests = spec["tokenRequests"];
  if (requests === undefined) return "<unset>";
  return fieldsIn(requests)
    .map((request) => textAt(request, ["audience"], ""))
    .join(",");
}

function claimState({ metadata, status = {} }: ApiObject): string {
  const deleted = metadata.deletionTimestamp === undefined ? [] : ["deleted"];
  if (status["allocation"] === undefined) return deleted[0] ?? "pending";
  const reserved = fieldsIn(status["reservedFor"]).length === 0 ? [] : ["reserved"];
  return [...deleted, "allocated", ...reserved].join(",");
}

const webhooks = withAge(countOf("webhooks"));
const policyBinding = withAge(text("spec", "policyName"), paramRef);

/** By storage name. */
export const extensionTables: Readonly<Record<string, Cells>> = {
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": webhooks,
  "validatingwebhookconfigurations.admissionregistration.k8s.io": webhooks,
  "validatingadmissionpolicies.admissionregistration.k8s.io": withAge(countOf("spec", "validations"), paramKind),
  "mutatingadmissionpolicies.admissionregistration.k8s.io": withAge(countOf("spec", "mutations"), paramKind),
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": policyBinding,
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": policyBinding,
  "certificatesigningrequests.certificates.k8s.io": certificateRequest,
  "apiservices.apiregistration.k8s.io": withAge(serviceOf, availability),
  "ipaddresses.networking.k8s.io": withAge(parentRef),
  "csidrivers.storage.k8s.io": withAge(
    flag("attachRequired", true),
    flag("podInfoOnMount", false),
    flag("storageCapacity", false),
    audiences,
    flag("requiresRepublish", false),
    lifecycleModes,
  ),
  "csinodes.storage.k8s.io": withAge(countOf("spec", "drivers")),
  "volumeattachments.storage.k8s.io": withAge(
    text("spec", "attacher"),
    text("spec", "source", "persistentVolumeName"),
    text("spec", "nodeName"),
    (object) => object.status?.["attached"] === true,
  ),
  "volumeattributesclasses.storage.k8s.io": withAge(text("driverName")),
  "resourceclaims.resource.k8s.io": withAge(claimState),
  "resourceslices.resource.k8s.io": withAge(
    text("spec", "nodeName"),
    text("spec", "driver"),
    text("spec", "pool", "name"),
  ),
};
