/** How a webhook is called. Source: apiserver v0.36 pkg/util/webhook/validation.go. */
import { subdomainProblems } from "../../api/label-names.ts";
import { invalid, required, type FieldError } from "../meta/field-errors.ts";
import { isFields, textOf, type Fields } from "../meta/object.ts";
import { isNumber } from "./checks.ts";

const form = "; desired format: https://host[/path]";

function urlErrors(value: string, field: string): FieldError[] {
  const parts =
    /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/(?:([^@/?#]*)@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/.exec(value);
  const [, scheme = "", user, host = "", , query = "", fragment = ""] = parts ?? [];
  return [
    ...(scheme === "https" ? [] : [invalid(field, scheme, `'https' is the only allowed URL scheme${form}`)]),
    ...(host === "" ? [invalid(field, host, `host must be specified${form}`)] : []),
    ...(user === undefined ? [] : [invalid(field, user, "user information is not permitted in the URL")]),
    ...(fragment === "" ? [] : [invalid(field, fragment, "fragments are not permitted in the URL")]),
    ...(query === "" ? [] : [invalid(field, query, "query parameters are not permitted in the URL")]),
  ];
}

function pathErrors(path: string, field: string): FieldError[] {
  if (path === "" || path === "/") return [];
  if (path === "//") return [invalid(field, path, "segment[0] may not be empty")];
  const errors = path.startsWith("/") ? [] : [invalid(field, path, "must start with a '/'")];
  const steps = path.slice(1).replace(/\/$/, "").split("/");
  for (const [index, step] of steps.entries()) {
    if (step === "") errors.push(invalid(field, path, `segment[${index}] may not be empty`));
    else
      errors.push(...subdomainProblems(step).map((problem) => invalid(field, path, `segment[${index}]: ${problem}`)));
  }
  return errors;
}

function serviceErrors(service: Fields, field: string): FieldError[] {
  const port = isNumber(service["port"]) ? service["port"] : 0;
  const range = "port is not valid: must be between 1 and 65535, inclusive";
  return [
    // The real server mixes up the two fields.
    ...(textOf(service["namespace"]) === "" ? [required(`${field}.name`)] : []),
    ...(textOf(service["name"]) === "" ? [required(`${field}.namespace`)] : []),
    ...(port < 1 || port > 65_535 ? [invalid(`${field}.port`, port, range)] : []),
    ...pathErrors(textOf(service["path"]), `${field}.path`),
  ];
}

/** What is wrong with how a webhook is called: by a URL, or through a Service. */
export function webhookClientErrors(client: Fields, field: string): FieldError[] {
  const { url, service } = client as { url?: unknown; service?: unknown };
  if ((url === undefined) === !isFields(service)) return [required(field, "exactly one of url or service is required")];
  return isFields(service) ? serviceErrors(service, `${field}.service`) : urlErrors(textOf(url), `${field}.url`);
}
