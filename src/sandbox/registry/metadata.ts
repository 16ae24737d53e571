/** What every object's metadata must be. Source: apimachinery v0.36 api/validation/objectmeta.go, util/validation/validation.go. */
import { invalid, notAllowed, required, tooLong, type FieldError } from "../field-errors.ts";
import type { ApiObject, Meta } from "../object.ts";
import type { Behaviour } from "./behaviour.ts";

const label1123 = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label1123}(\\.${label1123})*`;
const qualifiedPart = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

const expressions = {
  label: new RegExp(`^${label1123}$`),
  subdomain: new RegExp(`^${subdomain}$`),
  label1035: /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
  qualifiedPart: new RegExp(`^${qualifiedPart}$`),
  labelValue: new RegExp(`^(${qualifiedPart})?$`),
};

const texts = {
  label: `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${label1123}')`,
  subdomain: `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomain}')`,
  label1035: `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
  qualifiedPart: `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualifiedPart}')`,
  labelValue: `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${qualifiedPart})?')`,
};

const moreThan = (characters: number): string => `must be no more than ${characters} bytes`;

/** What is wrong with a DNS label of RFC 1123. */
export function labelProblems(value: string): string[] {
  const problems = value.length > 63 ? [moreThan(63)] : [];
  if (!expressions.label.test(value))
    problems.push(expressions.subdomain.test(value) ? "must not contain dots" : texts.label);
  return problems;
}

/** What is wrong with a DNS subdomain of RFC 1123. */
export function subdomainProblems(value: string): string[] {
  const problems = value.length > 253 ? [moreThan(253)] : [];
  if (!expressions.subdomain.test(value)) problems.push(texts.subdomain);
  return problems;
}

function label1035Problems(value: string): string[] {
  const problems = value.length > 63 ? [moreThan(63)] : [];
  if (!expressions.label1035.test(value)) problems.push(texts.label1035);
  return problems;
}

function segmentProblems(value: string): string[] {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return ["/", "%"].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}

const nameRules = {
  subdomain: subdomainProblems,
  label: labelProblems,
  "label-1035": label1035Problems,
  segment: segmentProblems,
} as const;

/** What is wrong with the key of a label or an annotation, or with a finalizer. */
export function qualifiedNameProblems(value: string): string[] {
  const parts = value.split("/");
  const problems: string[] = [];
  let name = value;
  if (parts.length === 2) {
    const prefix = parts[0] as string;
    name = parts[1] as string;
    if (prefix === "") problems.push("prefix part must be non-empty");
    else problems.push(...subdomainProblems(prefix).map((problem) => `prefix part ${problem}`));
  } else if (parts.length > 2) {
    return [
      `a qualified name ${texts.qualifiedPart.replace("')", "'")}) with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`.replace(
        "'))",
        "')",
      ),
    ];
  }
  if (name === "") problems.push("name part must be non-empty");
  else if (name.length > 63) problems.push(`name part ${moreThan(63)}`);
  if (!expressions.qualifiedPart.test(name)) problems.push(`name part ${texts.qualifiedPart}`);
  return problems;
}

/** What is wrong with a label's value. */
export function labelValueProblems(value: string): string[] {
  const problems = value.length > 63 ? [moreThan(63)] : [];
  if (!expressions.labelValue.test(value)) problems.push(texts.labelValue);
  return problems;
}

/** Labels anywhere: of an object or of a template. */
export function labelErrors(labels: unknown, field: string): FieldError[] {
  if (typeof labels !== "object" || labels === null) return [];
  return Object.entries(labels as Record<string, string>)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, value]) => [
      ...qualifiedNameProblems(key).map((problem) => invalid(field, key, problem)),
      ...labelValueProblems(value).map((problem) => invalid(`${field}[${key}]`.replace(/\[.*$/, ""), value, problem)),
    ]);
}

const annotationBytes = 256 * 1024;

function annotationErrors(annotations: Readonly<Record<string, string>> | undefined): FieldError[] {
  if (annotations === undefined) return [];
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    size += key.length + value.length;
    // Keys may be in upper case.
    errors.push(...qualifiedNameProblems(key.toLowerCase()).map((p) => invalid("metadata.annotations", key, p)));
  }
  if (size > annotationBytes) errors.push(tooLong("metadata.annotations", annotationBytes));
  return errors;
}

function ownerErrors(meta: Meta): FieldError[] {
  const errors: FieldError[] = [];
  const controllers: string[] = [];
  for (const [index, owner] of (meta.ownerReferences ?? []).entries()) {
    const field = `metadata.ownerReferences[${index}]`;
    if (!owner.apiVersion)
      errors.push(invalid(`${field}.apiVersion`, owner.apiVersion ?? "", "version must not be empty"));
    if (!owner.kind) errors.push(invalid(`${field}.kind`, owner.kind ?? "", "must not be empty"));
    if (!owner.name) errors.push(invalid(`${field}.name`, owner.name ?? "", "must not be empty"));
    if (!owner.uid) errors.push(invalid(`${field}.uid`, owner.uid ?? "", "must not be empty"));
    if (owner.kind === "Event" && owner.apiVersion === "v1") {
      errors.push(invalid(field, owner, "/v1, Kind=Event is disallowed from being an owner"));
    }
    if (owner.controller !== true) continue;
    controllers.push(owner.kind);
    if (controllers.length < 2) continue;
    errors.push(
      invalid(
        "metadata.ownerReferences",
        meta.ownerReferences,
        `Only one reference can have Controller set to true. Found "true" in references for ${controllers[0]} and ${controllers[1]}`,
      ),
    );
  }
  return errors;
}

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

function finalizerErrors(meta: Meta): FieldError[] {
  const finalizers = meta.finalizers ?? [];
  const errors = finalizers.flatMap((finalizer) => {
    const problems = qualifiedNameProblems(finalizer).map((p) => invalid("metadata.finalizers", finalizer, p));
    if (problems.length > 0 || finalizer.includes("/") || standardFinalizers.has(finalizer)) return problems;
    return [];
  });
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.push(
      invalid("metadata.finalizers", finalizers, "finalizer orphan and foregroundDeletion cannot be both set"),
    );
  }
  return errors;
}

/** All that is wrong with an object's metadata. */
export function metadataErrors(object: ApiObject, namespaced: boolean, behaviour: Behaviour): FieldError[] {
  const { metadata } = object;
  const errors: FieldError[] = [];
  if (metadata.generateName !== undefined) {
    const stem = metadata.generateName.replace(/-$/, "a");
    const rule = nameRules[behaviour.nameRule];
    errors.push(...rule(stem).map((problem) => invalid("metadata.generateName", metadata.generateName, problem)));
  }
  if (metadata.name === undefined || metadata.name === "") {
    errors.push(required("metadata.name", "name or generateName is required"));
  } else {
    errors.push(...nameRules[behaviour.nameRule](metadata.name).map((p) => invalid("metadata.name", metadata.name, p)));
  }
  if (!namespaced && metadata.namespace !== undefined && metadata.namespace !== "") {
    errors.push(notAllowed("metadata.namespace", "not allowed on this type"));
  }
  return [
    ...errors,
    ...labelErrors(metadata.labels, "metadata.labels"),
    ...annotationErrors(metadata.annotations),
    ...ownerErrors(metadata),
    ...finalizerErrors(metadata),
  ];
}

const immutable = "field is immutable";

/** What an update may not change. */
export function metadataUpdateErrors(object: ApiObject, old: ApiObject): FieldError[] {
  const { metadata } = object;
  const errors: FieldError[] = [];
  if (old.metadata.deletionTimestamp !== undefined) {
    const added = (metadata.finalizers ?? []).filter(
      (finalizer) => !(old.metadata.finalizers ?? []).includes(finalizer),
    );
    if (added.length > 0) {
      errors.push(
        notAllowed(
          "metadata.finalizers",
          `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((f) => JSON.stringify(f)).join(", ")}}`,
        ),
      );
    }
  }
  for (const field of ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp"] as const) {
    if (metadata[field] !== old.metadata[field])
      errors.push(invalid(`metadata.${field}`, metadata[field] ?? null, immutable));
  }
  if (metadata.deletionGracePeriodSeconds !== old.metadata.deletionGracePeriodSeconds) {
    errors.push(invalid("metadata.deletionGracePeriodSeconds", metadata.deletionGracePeriodSeconds ?? null, immutable));
  }
  return errors;
}
