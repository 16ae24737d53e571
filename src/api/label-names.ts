/**
 * Label keys, label values, DNS subdomains and DNS labels, with the messages of the API server. Source: apimachinery v0.36
 * util/validation/validation.go IsQualifiedName, IsValidLabelValue, IsDNS1123Subdomain, IsDNS1123Label, IsDNS1035Label.
 */

const label1123 = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label1123}(\\.${label1123})*`;
const qualifiedPart = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

const expressions = {
  label: new RegExp(`^${label1123}$`),
  subdomain: new RegExp(`^${subdomain}$`),
  qualifiedPart: new RegExp(`^${qualifiedPart}$`),
  labelValue: new RegExp(`^(${qualifiedPart})?$`),
};

const texts = {
  subdomain: `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomain}')`,
  qualifiedPart: `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualifiedPart}')`,
  labelValue: `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${qualifiedPart})?')`,
};

/** Names are counted in characters, the parts of labels in bytes. */
const moreThan = (most: number, unit = "characters"): string => `must be no more than ${most} ${unit}`;

/** True for a DNS subdomain of RFC 1123 of any length. */
export function isSubdomain(value: string): boolean {
  return expressions.subdomain.test(value);
}

/** What is wrong with a DNS subdomain of RFC 1123. */
export function subdomainProblems(value: string): string[] {
  const problems = value.length > 253 ? [moreThan(253)] : [];
  if (!expressions.subdomain.test(value)) problems.push(texts.subdomain);
  return problems;
}

const notALabel = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${label1123}')`;

/** What is wrong with a DNS label of RFC 1123. */
export function labelProblems(value: string): string[] {
  const problems = value.length > 63 ? [moreThan(63)] : [];
  if (!expressions.label.test(value)) problems.push(isSubdomain(value) ? "must not contain dots" : notALabel);
  return problems;
}

/** What is wrong with a DNS label of RFC 1035: it begins with a letter. */
export function dns1035Problems(value: string): string[] {
  const problems = value.length > 63 ? [moreThan(63)] : [];
  if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(value)) {
    problems.push(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    );
  }
  return problems;
}

/** What is wrong with the key of a label or an annotation, or with a finalizer. */
export function labelKeyProblems(value: string): string[] {
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
      `a valid label key ${texts.qualifiedPart} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  if (name === "") problems.push("name part must be non-empty");
  else if (name.length > 63) problems.push(`name part ${moreThan(63, "bytes")}`);
  if (!expressions.qualifiedPart.test(name)) problems.push(`name part ${texts.qualifiedPart}`);
  return problems;
}

/** What is wrong with a label's value. */
export function labelValueProblems(value: string): string[] {
  const problems = value.length > 63 ? [moreThan(63, "bytes")] : [];
  if (!expressions.labelValue.test(value)) problems.push(texts.labelValue);
  return problems;
}
