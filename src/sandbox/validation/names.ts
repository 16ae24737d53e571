/** Validates names. Source: apimachinery v0.36 util/validation/validation.go. */
import { goQuoted } from "../../api/go-text.ts";
import { addressProblems } from "./cidr.ts";
import { dns1035Problems, labelProblems, subdomainProblems } from "../../api/label-names.ts";

export { dns1035Problems, labelProblems };

const moreThan = (most: number): string => `must be no more than ${most} characters`;

/** Validates the name of a port. */
export function portNameProblems(value: string): string[] {
  const problems = value.length > 15 ? [moreThan(15)] : [];
  if (!/^[-a-z0-9]+$/.test(value))
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (!/[a-z]/.test(value)) problems.push("must contain at least one letter (a-z)");
  if (value.includes("--")) problems.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) problems.push("must not begin or end with a hyphen");
  return problems;
}

const underscored = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const underscoredDomain = `${underscored}(\\.${underscored})*`;

/** As for a subdomain, but with underscores: for DNS search domains. */
export function searchDomainProblems(value: string): string[] {
  const problems = value.length > 253 ? [moreThan(253)] : [];
  if (!new RegExp(`^${underscoredDomain}$`).test(value)) {
    problems.push(
      `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${underscoredDomain}')`,
    );
  }
  return problems;
}

/** Validates the name of an environment variable, or a prefix of one. */
export function variableNameProblems(value: string): string[] {
  if (value === "") return ["environment variable name must be non-empty"];
  // oxlint-disable-next-line no-control-regex -- what Go's check looks for: printable ASCII without an equals sign
  if (/^[\x20-\x3c\x3e-\x7e]+$/.test(value)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** Validates a key of a ConfigMap or a Secret. */
export function configKeyProblems(value: string): string[] {
  const problems = value.length > 253 ? [moreThan(253)] : [];
  if (!/^[-._a-zA-Z0-9]+$/.test(value)) {
    problems.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  if (value === "." || value === "..") problems.push(`must not be '${value}'`);
  else if (value.startsWith("..")) problems.push("must not start with '..'");
  return problems;
}

/** Validates the name of an HTTP header. */
export function headerNameProblems(value: string): string[] {
  if (/^[-A-Za-z0-9]+$/.test(value)) return [];
  return [
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
  ];
}

function segmentProblems(value: string): string[] {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return ["/", "%"].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}

/** Why an object cannot be looked up by a name, in the words of the API client; undefined for a valid name. */
export function lookupProblem(name: string): string | undefined {
  if (name === "") return "resource name may not be empty";
  const problems = segmentProblems(name);
  return problems.length === 0 ? undefined : `invalid resource name ${goQuoted(name)}: [${problems.join(" ")}]`;
}

/** The rule for names of a kind: a DNS subdomain, a DNS label, any path segment, or an IP address. */
export type NameRule = "subdomain" | "label" | "segment" | "address";

/** The rules for names of objects. */
export const nameRules: Readonly<Record<NameRule, (value: string) => string[]>> = {
  subdomain: subdomainProblems,
  label: labelProblems,
  segment: segmentProblems,
  address: addressProblems,
};
