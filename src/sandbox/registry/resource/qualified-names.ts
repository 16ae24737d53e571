/** Names of devices' attributes and capacities: `vendor.example.com/model`. Source: kubernetes v1.36 pkg/apis/resource/validation/validation.go validateQualifiedName. */
import { invalid, required, tooLong, type FieldError } from "../../meta/field-errors.ts";
import { textOf } from "../../meta/object.ts";
import { driverNameErrors } from "../../validation/checks.ts";

const longestId = 32;
const notIdentifier =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

function identifierErrors(id: string, field: string): FieldError[] {
  return [
    ...(id.length > longestId ? [tooLong(field, longestId)] : []),
    ...(/^[A-Za-z_][A-Za-z0-9_]*$/.test(id) ? [] : [invalid(field, id, notIdentifier)]),
  ];
}

/** A name, optionally with a domain before a slash; the real server does not validate names with more slashes. */
export function deviceNameErrors(name: string, field: string): FieldError[] {
  const [first = "", second, more] = name.split("/");
  if (more !== undefined) return [];
  if (second === undefined) return identifierErrors(first, field);
  return [
    ...(first === "" ? [invalid(field, "", "the domain must not be empty")] : driverNameErrors(first, field)),
    ...(second === "" ? [invalid(field, "", "the name must not be empty")] : identifierErrors(second, field)),
  ];
}

/** A name with its domain. */
export function fullDeviceNameErrors(value: unknown, field: string): FieldError[] {
  const name = textOf(value);
  if (name === "") return [required(field)];
  const why = "a fully qualified name must be a domain and a name separated by a slash";
  return [...deviceNameErrors(name, field), ...(name.includes("/") ? [] : [invalid(field, name, why)])];
}
