/**
 * What the checks of parts of a pod's spec know about the whole. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go
 * ValidatePodSpec.
 */
import type { FieldError } from "../../../../meta/field-errors.ts";
import { at, fieldsIn, type Fields, type Meta } from "../../../../meta/object.ts";

/** A pod's spec, or that of a template, under validation. */
export interface PodScope {
  readonly spec: Fields;
  /** The path of the spec. */
  readonly field: string;
  /** The pod's metadata; undefined for a template. */
  readonly meta: Meta | undefined;
  /** The mountable volumes, by name; a volume with errors is not mountable. */
  readonly volumes: ReadonlyMap<string, Fields>;
  /** The names of the pod's resource claims. */
  readonly claims: ReadonlySet<string>;
}

/** Validates one part of a pod; `field` is its path. */
export type PartErrors = (value: unknown, field: string, scope: PodScope) => FieldError[];

/** The termination grace period, in seconds. */
export function gracePeriodOf({ spec }: PodScope): number | undefined {
  const period = spec["terminationGracePeriodSeconds"];
  return typeof period === "number" ? period : undefined;
}

/** True unless the pod has its own user namespace. */
export const hasHostUsers = ({ spec }: PodScope): boolean => spec["hostUsers"] !== false;

/** The pod's operating system; empty if unspecified. */
export const osOf = ({ spec }: PodScope): unknown => at(spec, "os", "name");

/** All containers of a pod with their paths, in the order of the real server's errors. */
export function allContainers({
  spec,
  field,
}: Pick<PodScope, "spec" | "field">): { readonly container: Fields; readonly field: string }[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((key) =>
    fieldsIn(spec[key]).map((container, index) => ({ container, field: `${field}.${key}[${index}]` })),
  );
}
