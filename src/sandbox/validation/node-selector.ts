/** Validates node selectors. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidateNodeSelector. */
import { invalid, notAllowed, required, type FieldError } from "../meta/field-errors.ts";
import { fieldsIn, textOf, textsIn, type Fields } from "../meta/object.ts";
import { eachErrors } from "./checks.ts";
import { labelKeyProblems, labelValueProblems, subdomainProblems } from "../../api/label-names.ts";

const noOperator = "not a valid selector operator";

function requirementErrors({ key, operator, values }: Fields, field: string, anyValues: boolean): FieldError[] {
  const list = textsIn(values);
  const errors: FieldError[] = [];
  switch (operator) {
    case "In":
    case "NotIn":
      if (list.length === 0)
        errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case "Exists":
    case "DoesNotExist":
      if (list.length > 0)
        errors.push(
          notAllowed(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
        );
      break;
    case "Gt":
    case "Lt":
      if (list.length !== 1)
        errors.push(required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      break;
    default:
      errors.push(invalid(`${field}.operator`, operator ?? "", noOperator));
  }
  const name = textOf(key);
  return [
    ...errors,
    ...labelKeyProblems(name).map((problem) => invalid(`${field}.key`, name, problem)),
    ...(anyValues ? [] : list).flatMap((value, index) =>
      labelValueProblems(value).map((problem) => invalid(`${field}.values[${index}]`, value, problem)),
    ),
  ];
}

function fieldErrors({ key, operator, values }: Fields, field: string): FieldError[] {
  const list = textsIn(values);
  const errors: FieldError[] = [];
  if (operator !== "In" && operator !== "NotIn") errors.push(invalid(`${field}.operator`, operator ?? "", noOperator));
  else if (list.length !== 1) {
    const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(`${field}.values`, why));
  }
  if (key !== "metadata.name") return [...errors, invalid(`${field}.key`, key ?? "", "not a valid field selector key")];
  return [
    ...errors,
    ...list.flatMap((value, index) =>
      subdomainProblems(value).map((problem) => invalid(`${field}.values[${index}]`, value, problem)),
    ),
  ];
}

/** Validates one term; `anyValues`: preferred terms may have values that no label can have. */
export function nodeSelectorTermErrors(
  term: Fields,
  field: string,
  { anyValues }: { readonly anyValues: boolean },
): FieldError[] {
  return [
    ...eachErrors(fieldsIn(term["matchExpressions"]), `${field}.matchExpressions`, (requirement, here) =>
      requirementErrors(requirement, here, anyValues),
    ),
    ...eachErrors(fieldsIn(term["matchFields"]), `${field}.matchFields`, fieldErrors),
  ];
}

/** Validates a required node selector. */
export function nodeSelectorErrors(selector: Fields, field: string): FieldError[] {
  const terms = fieldsIn(selector["nodeSelectorTerms"]);
  const here = `${field}.nodeSelectorTerms`;
  if (terms.length === 0) return [required(here, "must have at least one node selector term")];
  return eachErrors(terms, here, (term, at) => nodeSelectorTermErrors(term, at, { anyValues: false }));
}
