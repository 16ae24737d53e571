/** Validates the form of validation rules; their expressions are not compiled here. Source: as schema-checks.ts. */
import { normalizedFieldPath } from "../../../cel/schema/field-path.ts";
import { invalid, notSupported, required, type FieldError } from "../../../meta/field-errors.ts";
import { ruleSchemaOf } from "../schema/rule-schema.ts";
import type { ValidationRule } from "../../../cel/schema/schema.ts";
import type { JSONSchemaProps } from "../schema/structural.ts";
import { unsupportedIn } from "./unsupported.ts";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

const hasBreaks = (text: string): boolean => /[\n\r]/.test(text);

/** Validates the rules of a schema, except for their expressions. */
export function rulesErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const rules = schema["x-kubernetes-validations"] ?? [];
  return rules.flatMap((rule, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    return [...ruleErrors(rule, at), ...fieldPathErrors(rule, { schema, at })];
  });
}

function fieldPathErrors(
  { fieldPath = "" }: ValidationRule,
  { schema, at }: { readonly schema: JSONSchemaProps; readonly at: string },
): FieldError[] {
  if (fieldPath === "" || unsupportedIn(schema) !== undefined) return [];
  const isValid = normalizedFieldPath(fieldPath, ruleSchemaOf(schema)) !== undefined;
  return isValid ? [] : [invalid(`${at}.fieldPath`, fieldPath, "must be a valid path")];
}

function ruleErrors(rule: ValidationRule, path: string): FieldError[] {
  const { message = "", messageExpression = "", reason, fieldPath = "" } = rule;
  const errors = textErrors({ rule: rule.rule, message }, path);
  if (messageExpression !== "" && messageExpression.trim() === "")
    errors.push(required(`${path}.messageExpression`, "messageExpression must be non-empty if specified"));
  if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(`${path}.reason`, reason, reasons));
  if (fieldPath !== "" && fieldPath.trim() === "")
    errors.push(invalid(`${path}.fieldPath`, fieldPath, "must be non-empty if specified"));
  if (hasBreaks(fieldPath)) errors.push(invalid(`${path}.fieldPath`, fieldPath, "must not contain line breaks"));
  return errors;
}

function textErrors(
  { rule, message }: { readonly rule: string; readonly message: string },
  path: string,
): FieldError[] {
  const [rules, text] = [rule.trim(), message.trim()];
  if (rules === "") return [required(`${path}.rule`, "rule is not specified")];
  if (message !== "" && text === "") return [invalid(`${path}.message`, message, "must be non-empty if specified")];
  if (hasBreaks(text)) return [invalid(`${path}.message`, message, "must not contain line breaks")];
  return hasBreaks(rules) && text === ""
    ? [required(`${path}.message`, "message must be specified if rule contains line breaks")]
    : [];
}
