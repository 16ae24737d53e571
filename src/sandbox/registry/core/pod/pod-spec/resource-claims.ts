/** Resource claims of a pod. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validatePodResourceClaims. */
import { duplicate, invalid, notAllowed, required, type FieldError } from "../../../../meta/field-errors.ts";
import { fieldsIn, textOf, type Fields } from "../../../../meta/object.ts";
import { eachErrors, labelNameErrors, subdomainErrors } from "../../../../validation/checks.ts";
import { mirrorAnnotation } from "../profiles/profile-annotations.ts";
import type { PartErrors } from "./scope.ts";

/** The names of a pod's claims. */
export const claimNames = (claims: unknown): ReadonlySet<string> =>
  new Set(
    fieldsIn(claims)
      .map(({ name }) => textOf(name))
      .filter((name) => name !== ""),
  );

function sourceErrors({ name, resourceClaimName, resourceClaimTemplateName }: Fields, field: string): FieldError[] {
  // Printed like the real server's type.
  const shown = {
    Name: textOf(name),
    ResourceClaimName: resourceClaimName ?? null,
    ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
  };
  const count = [resourceClaimName, resourceClaimTemplateName].filter((one) => one !== undefined).length;
  if (count === 1) return [];
  const why =
    count === 0
      ? "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
      : "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
  return [invalid(field, shown, why)];
}

/** Validates the resource claims of a pod. */
export const podClaimErrors: PartErrors = (claims, field, { meta }) => {
  const taken = new Set<string>();
  const nameErrors = (name: string, here: string): FieldError[] => {
    if (name === "") return [required(here)];
    if (taken.has(name)) return [duplicate(here, name)];
    taken.add(name);
    return labelNameErrors(name, here);
  };
  return eachErrors(fieldsIn(claims), field, (claim, here) => {
    if (meta?.annotations?.[mirrorAnnotation] !== undefined)
      return [notAllowed("[]", "static pods do not support resource claims")];
    return [
      ...nameErrors(textOf(claim["name"]), `${here}.name`),
      ...sourceErrors(claim, here),
      ...["resourceClaimName", "resourceClaimTemplateName"].flatMap((key) =>
        claim[key] === undefined ? [] : subdomainErrors(claim[key], `${here}.${key}`),
      ),
    ];
  });
};
