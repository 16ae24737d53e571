/** CertificateSigningRequests. Source: kubernetes v1.36 pkg/apis/certificates/validation/validation.go, pkg/registry/certificates. */
import { duplicate, invalid, notSupported, required, type FieldError } from "../../meta/field-errors.ts";
import { textOf, textsIn, type ApiObject } from "../../meta/object.ts";
import { eachErrors, isNumber, seenBefore } from "../../validation/checks.ts";
import type { RESTStrategy, UpdateStep, UpdateStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { subdomainProblems } from "../../../api/label-names.ts";
import { pemBlocks } from "../../../api/pem.ts";
import { readCertificateRequest } from "../../../platform/certificate-request.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../strategy/validation-steps.ts";
import {
  certificateErrors,
  conditionErrors,
  fillTimes,
  keepDecisions,
  statusChangeErrors,
  type StatusRights,
} from "./conditions.ts";

const usages = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];

/** Validates the request itself: its PEM block, its content, its signature. */
function requestErrors(value: unknown): FieldError[] {
  const [block] = pemBlocks(Buffer.from(textOf(value), "base64").toString("latin1"));
  const problem =
    block?.type === "CERTIFICATE REQUEST" ? problemOf(block.bytes) : "PEM block type must be CERTIFICATE REQUEST";
  return problem === undefined ? [] : [invalid("spec.request", value ?? null, problem)];
}

function problemOf(der: Uint8Array): string | undefined {
  try {
    return readCertificateRequest(der).signatureProblem;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return cause.message;
  }
}

const legacySigner = "kubernetes.io/legacy-unknown";
const longestDomain = 253;

function signerErrors(value: unknown): FieldError[] {
  const field = "spec.signerName";
  const name = textOf(value);
  if (name === "") return [required(field)];
  if (name === legacySigner) return [invalid(field, name, "the legacy signerName is not allowed via this API version")];
  const [domain = "", path = "", more] = name.split("/");
  if (!name.includes("/") || more !== undefined) {
    const why = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalid(field, name, why)];
  }
  const errors = subdomainProblems(domain).map((problem) =>
    invalid(field, domain, `validating label "${domain}": ${problem}`),
  );
  if (domain.length > longestDomain) errors.push(invalid(field, domain, `must be no more than ${longestDomain} bytes`));
  if (domain.split(".").length < 2)
    errors.push(invalid(field, domain, "should be a domain with at least two segments separated by dots"));
  for (const label of path.split("."))
    errors.push(
      ...subdomainProblems(label).map((problem) => invalid(field, path, `validating label "${label}": ${problem}`)),
    );
  return errors;
}

/** An existing request may keep values that are rejected now. */
function usageErrors(value: unknown, old: unknown): FieldError[] {
  const [requested, had] = [textsIn(value), textsIn(old)];
  const [knowsAll, repeatsNone] = [had.every((usage) => usages.includes(usage)), new Set(had).size === had.length];
  const isRepeated = seenBefore();
  return [
    ...(requested.length === 0 ? [required("spec.usages")] : []),
    ...eachErrors(requested, "spec.usages", (usage, field) =>
      usages.includes(usage) || !knowsAll ? [] : [notSupported(field, usage, usages)],
    ),
    ...eachErrors(requested, "spec.usages", (usage, field) =>
      isRepeated(usage) && repeatsNone ? [duplicate(field, usage)] : [],
    ),
  ];
}

const shortestSeconds = 600;

function requestSpecErrors({ spec = {} }: ApiObject, old: ApiObject | undefined): FieldError[] {
  const seconds = spec["expirationSeconds"];
  const { signerName } = spec;
  return [
    ...requestErrors(spec["request"]),
    ...usageErrors(spec["usages"], old?.spec?.["usages"]),
    ...(signerName === legacySigner && old?.spec?.["signerName"] === legacySigner ? [] : signerErrors(signerName)),
    ...(isNumber(seconds) && seconds < shortestSeconds
      ? [invalid("spec.expirationSeconds", seconds, "may not specify a duration less than 600 seconds (10 minutes)")]
      : []),
  ];
}

const requestErrorsOf = (request: ApiObject, old: ApiObject | undefined): FieldError[] => [
  ...requestSpecErrors(request, old),
  ...conditionErrors(request, old),
  ...certificateErrors(request, old),
];

/** Update of a path with rights to parts of the status; metadata is compared last. */
const updateStepsWith = (rights: StatusRights): readonly UpdateStep[] => [
  validateObjectMeta,
  ({ object, old }) => requestErrorsOf(object, old),
  (change) => statusChangeErrors(change, rights),
  validateObjectMetaUpdate,
];

const keepSpec = (request: ApiObject, old: ApiObject): void => {
  if (old.spec !== undefined) request.spec = old.spec;
};

/** `approval`: writes the conditions, including decisions, and nothing else of the status. */
const approval: UpdateStrategy = {
  writesStatus: true,
  resetFields: [["spec"], ["status", "certificate"]],
  prepareForUpdate(request, old, { now }) {
    fillTimes({ object: request, old }, now);
    keepSpec(request, old);
    const conditions = request.status?.["conditions"];
    const { conditions: _before, ...rest } = old.status ?? {};
    request.status = conditions === undefined ? rest : { ...rest, conditions };
  },
  updateSteps: updateStepsWith({ decides: true, issues: false }),
};

/** CertificateSigningRequests: the requesting user is recorded in the spec. */
export const signingRequestStrategy: RESTStrategy = restStrategy({
  nameRule: "segment",
  resetFields: [["spec"], ["status"]],
  status: {
    resetFields: [["spec"], ["status", "conditions"]],
    prepareForUpdate(request, old, { now }) {
      keepDecisions(request, old);
      fillTimes({ object: request, old }, now);
    },
    updateSteps: updateStepsWith({ decides: false, issues: true }),
  },
  subresources: { approval },
  prepareForCreate(request, { user }) {
    const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...rest } = request.spec ?? {};
    // The requester fields are set from the authenticated user, not from the client.
    request.spec = {
      ...rest,
      username: user.name,
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      groups: [...user.groups],
      ...(user.extra === undefined || Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
    };
  },
  prepareForUpdate: keepSpec,
  validate: (request) => requestErrorsOf(request, undefined),
  updateSteps: updateStepsWith({ decides: false, issues: false }),
});
