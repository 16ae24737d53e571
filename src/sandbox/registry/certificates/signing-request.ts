/** CertificateSigningRequests. Source: kubernetes v1.36 pkg/apis/certificates/validation/validation.go, pkg/registry/certificates. */
import { duplicate, invalid, notSupported, required, type FieldError } from "../../meta/field-errors.ts";
import { textOf, type ApiObject } from "../../meta/object.ts";
import { eachErrors, isNumber, seenBefore, textsIn } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { subdomainProblems } from "../../../api/label-names.ts";
import { labelProblems } from "../../validation/names.ts";

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

const pemBlock = /-----BEGIN ([^-]*)-----\s[^-]*-----END \1-----/;

/** Looks at the envelope only: what is signed is not read here. */
function requestErrors(value: unknown): FieldError[] {
  const decoded = Buffer.from(textOf(value), "base64").toString("latin1");
  if (pemBlock.exec(decoded)?.[1] === "CERTIFICATE REQUEST") return [];
  return [invalid("spec.request", value ?? null, "PEM block type must be CERTIFICATE REQUEST")];
}

const longestDomain = 253;

function signerErrors(value: unknown): FieldError[] {
  const field = "spec.signerName";
  const name = textOf(value);
  if (name === "") return [required(field)];
  if (name === "kubernetes.io/legacy-unknown")
    return [invalid(field, name, "the legacy signerName is not allowed via this API version")];
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
      ...labelProblems(label).map((problem) => invalid(field, path, `validating label "${label}": ${problem}`)),
    );
  return errors;
}

function usageErrors(value: unknown): FieldError[] {
  const asked = textsIn(value);
  const isRepeated = seenBefore();
  return [
    ...(asked.length === 0 ? [required("spec.usages")] : []),
    ...eachErrors(asked, "spec.usages", (usage, field) =>
      usages.includes(usage) ? [] : [notSupported(field, usage, usages)],
    ),
    ...eachErrors(asked, "spec.usages", (usage, field) => (isRepeated(usage) ? [duplicate(field, usage)] : [])),
  ];
}

const shortestSeconds = 600;

/** CertificateSigningRequests: the requesting user is recorded in the spec. */
export const signingRequestStrategy: RESTStrategy = restStrategy({
  resetFields: [["spec"], ["status"]],
  status: { resetFields: [["spec"], ["status", "conditions"]] },
  prepareForCreate(request, { user }) {
    const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...rest } = request.spec ?? {};
    // What is said of who asks is what the server knows of them.
    request.spec = {
      ...rest,
      username: user.name,
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      groups: [...user.groups],
    };
  },
  prepareForUpdate(request, old) {
    if (old.spec !== undefined) request.spec = old.spec;
  },
  validate({ spec = {} }: ApiObject) {
    const seconds = spec["expirationSeconds"];
    return [
      ...requestErrors(spec["request"]),
      ...usageErrors(spec["usages"]),
      ...signerErrors(spec["signerName"]),
      ...(isNumber(seconds) && seconds < shortestSeconds
        ? [invalid("spec.expirationSeconds", seconds, "may not specify a duration less than 600 seconds (10 minutes)")]
        : []),
    ];
  },
});
