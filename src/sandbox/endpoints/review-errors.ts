/** Validation of reviews. Source: kubernetes v1.36 pkg/apis/authorization/validation/validation.go, pkg/registry/{authorization,authentication}. */
import { invalid, invalidObject, required, type FieldError } from "../meta/field-errors.ts";
import { at, fieldsIn, isFields, textOf, type ApiObject, type Fields } from "../meta/object.ts";
import { badRequest } from "../meta/refusal.ts";

const reviews = { group: "authorization.k8s.io", name: "" };

/** Non-resource attributes as Go prints them. */
const printed = (attributes: unknown): unknown =>
  isFields(attributes) ? { Path: textOf(attributes["path"]), Verb: textOf(attributes["verb"]) } : null;

/** Exactly one of the two forms of a selector. */
function selectorErrors(selector: unknown, field: string): FieldError[] {
  if (!isFields(selector)) return [];
  const raw = textOf(selector["rawSelector"]);
  const requirements = fieldsIn(selector["requirements"]);
  if (raw !== "" && requirements.length > 0)
    return [invalid(`${field}.rawSelector`, raw, "may not specified at the same time as requirements")];
  if (raw === "" && requirements.length === 0) {
    const why = `when ${field} is specified, requirements or rawSelector is required`;
    return [required(`${field}.requirements`, why)];
  }
  return requirements.flatMap((requirement, index) =>
    requirementErrors(requirement, `${field}.requirements[${index}]`),
  );
}

function requirementErrors({ key, operator, values }: Fields, field: string): FieldError[] {
  const count = Array.isArray(values) ? values.length : 0;
  const errors: FieldError[] = [];
  if (operator === "In" || operator === "NotIn") {
    if (count === 0) errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if ((operator === "Exists" || operator === "DoesNotExist") && count > 0) {
    const message = "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    errors.push({ reason: "FieldValueForbidden", field: `${field}.values`, message });
  }
  return textOf(key) === "" ? [...errors, required(`${field}.key`, "must be specified")] : errors;
}

/** Validates the attributes of a review and, unless it is about the caller, its subject. */
function specErrors(spec: Fields, isOwn: boolean): FieldError[] {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec as Record<string, unknown>;
  const errors: FieldError[] = [];
  if (isFields(resource) && isFields(path)) {
    const why = "cannot be specified in combination with resourceAttributes";
    errors.push(invalid("spec.nonResourceAttributes", printed(path), why));
  }
  if (!isFields(resource) && !isFields(path)) {
    const why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    errors.push(invalid("spec.resourceAttributes", null, why));
  }
  const groups = Array.isArray(spec["groups"]) ? spec["groups"].length : 0;
  if (!isOwn && textOf(spec["user"]) === "" && groups === 0)
    errors.push(invalid("spec.user", "", "at least one of user or group must be specified"));
  for (const key of ["fieldSelector", "labelSelector"])
    errors.push(...selectorErrors(at(resource, key), `spec.resourceAttributes.${key}`));
  return errors;
}

/** The fields of metadata as Go writes them. */
const metadataFields =
  "name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds labels annotations ownerReferences finalizers managedFields".split(
    " ",
  );

/** A review is not stored: it has no name or other object metadata. */
function metadataErrors({ metadata }: ApiObject, namespaced: boolean): FieldError[] {
  const { managedFields: _managed, namespace, ...rest } = metadata;
  const own = namespaced || namespace === undefined || namespace === "" ? rest : { ...rest, namespace };
  if (Object.keys(own).length === 0) return [];
  const shown = Object.fromEntries(metadataFields.flatMap((key) => (key in metadata ? [[key, metadata[key]]] : [])));
  return [invalid("metadata", shown, namespaced ? "must be empty except for namespace" : "must be empty")];
}

function localErrors(review: ApiObject): FieldError[] {
  const { resourceAttributes: resource, nonResourceAttributes: path } = (review.spec ?? {}) as Record<string, unknown>;
  const namespace = textOf(at(resource, "namespace"));
  const errors: FieldError[] = [];
  if (isFields(resource) && namespace !== textOf(review.metadata.namespace))
    errors.push(invalid("spec.resourceAttributes.namespace", namespace, "must match metadata.namespace"));
  if (isFields(path))
    errors.push(invalid("spec.nonResourceAttributes", printed(path), "disallowed on this kind of request"));
  return errors;
}

/** @throws StatusError 400 or 422 for a review that names nothing to check, or too much. */
export function checkReview(review: ApiObject): void {
  const { spec = {} } = review;
  switch (review.kind) {
    case "TokenReview":
      if (textOf(spec["token"]) === "") throw badRequest("token is required for TokenReview in authentication");
      return;
    case "SelfSubjectRulesReview":
      if (textOf(spec["namespace"]) === "") throw badRequest("no namespace on request");
      return;
    case "SelfSubjectAccessReview":
      return refuse([...specErrors(spec, true), ...metadataErrors(review, false)]);
    case "SubjectAccessReview":
      return refuse([...specErrors(spec, false), ...metadataErrors(review, false)]);
    case "LocalSubjectAccessReview":
      return refuse([...specErrors(spec, false), ...metadataErrors(review, true), ...localErrors(review)]);
    default:
  }
}

function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject(reviews, "", errors);
}
