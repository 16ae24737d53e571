/** ServiceCIDRs. Source: kubernetes v1.36 pkg/apis/networking/validation/validation.go. */
import { invalid, required, type FieldError } from "../../meta/field-errors.ts";
import { textsIn, type Fields } from "../../meta/object.ts";
import { eachErrors } from "../../validation/checks.ts";
import { cidrErrors, cidrOf } from "../../validation/cidr.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { allButStatus, restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObjectMetaUpdate } from "../strategy/validation-steps.ts";

const mostRanges = 2;

function rangeErrors(spec: Fields): FieldError[] {
  const field = "spec.cidrs";
  const ranges = textsIn(spec["cidrs"]);
  if (ranges.length === 0) return [required(field, "at least one CIDR required")];
  if (ranges.length > mostRanges)
    return [invalid(field, { CIDRs: ranges }, `may only hold up to ${mostRanges} values`)];
  const errors = eachErrors(ranges, field, cidrErrors);
  const [first, second] = ranges.map((range) => cidrOf(range)?.bits);
  if (ranges.length === 2 && first !== undefined && first === second) {
    const why = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
    errors.push(invalid(field, ranges, why));
  }
  return errors;
}

const immutable = "field is immutable";

/** ServiceCIDRs: a second range may be added, but none changed. */
export const serviceRangeStrategy: RESTStrategy = restStrategy({
  status: { resetFields: allButStatus },
  updateSteps: [validateObjectMetaUpdate, validateChange],
  validate: ({ spec = {} }) => rangeErrors(spec),
  validateUpdate({ spec = {} }, { spec: old = {} }) {
    const [ranges, before] = [textsIn(spec["cidrs"]), textsIn(old["cidrs"])];
    const changed = before.flatMap((range, index) =>
      index < ranges.length && ranges[index] !== range
        ? [invalid(`spec.cidrs[${index}]`, ranges[index], immutable)]
        : [],
    );
    if (ranges.length === before.length) return changed;
    if (before.length === 1 && ranges.length === 2) return [...changed, ...rangeErrors(spec)];
    return [invalid("spec.cidrs", ranges, immutable)];
  },
});
