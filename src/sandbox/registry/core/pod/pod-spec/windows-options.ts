/**
 * Windows options of security contexts. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go
 * validateWindowsSecurityContextOptions.
 */
import { invalid, type FieldError } from "../../../../meta/field-errors.ts";
import { isFields, textOf } from "../../../../meta/object.ts";
import { subdomainErrors } from "../../../../validation/checks.ts";

const credentialBytes = 64 * 1024;
const longestDomain = 255;
const longestUser = 104;
const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsLabel = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const dnsName = new RegExp(`^${dnsLabel}(?:\\.${dnsLabel})*$`);

/** Why a string is not a valid `DOMAIN\user`; the domain is optional. */
function userNameProblems(name: string): string[] {
  if (name === "") return ["runAsUserName cannot be an empty string"];
  // oxlint-disable-next-line no-control-regex -- these are the characters to find
  if (/[\x00-\x1f\x7f]/.test(name)) return ["runAsUserName cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const [domain, user = ""] = parts.length === 2 ? parts : [undefined, parts[0]];
  const problems: string[] = [];
  if ((domain ?? "").length > longestDomain)
    problems.push("runAsUserName's Domain length must be under 256 characters");
  if (domain !== undefined && !netBios.test(domain) && !dnsName.test(domain))
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  if (user === "") problems.push("runAsUserName's User cannot be empty");
  else if (user.length > longestUser)
    problems.push(`runAsUserName's User length must not be longer than ${longestUser} characters`);
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user))
    problems.push(`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  return problems;
}

function credentialErrors(credential: unknown, field: string): FieldError[] {
  if (credential === undefined) return [];
  const text = textOf(credential);
  if (text === "") return [invalid(field, text, "gmsaCredentialSpec cannot be an empty string")];
  return text.length > credentialBytes ? [invalid(field, text, "gmsaCredentialSpec size must be under 64 KiB")] : [];
}

/** Validates the Windows options of a security context. */
export function windowsOptionErrors(options: unknown, field: string): FieldError[] {
  if (!isFields(options)) return [];
  const { gmsaCredentialSpecName: name, runAsUserName: user } = options as Record<string, unknown>;
  return [
    ...(name === undefined ? [] : subdomainErrors(name, `${field}.gmsaCredentialSpecName`)),
    ...credentialErrors(options["gmsaCredentialSpec"], `${field}.gmsaCredentialSpec`),
    ...(user === undefined
      ? []
      : userNameProblems(textOf(user)).map((why) => invalid(`${field}.runAsUserName`, user, why))),
  ];
}
