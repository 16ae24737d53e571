/** Validation before storing. Source: apiserver v0.36 registry/rest/create.go BeforeCreate, update.go BeforeUpdate. */
import type { RequestScope } from "../context/server.ts";
import { type FieldError, invalidObject } from "../meta/field-errors.ts";
import type { ApiObject } from "../meta/object.ts";
import type { StrategyContext, UpdateStrategy } from "../registry/strategy/rest-strategy.ts";
import { errorsOf, validateObjectMeta } from "../registry/strategy/validation-steps.ts";
import { metadataErrors, metadataUpdateErrors } from "../validation/metadata.ts";

/** A new object before it is stored. */
export interface ObjectWrite {
  readonly scope: RequestScope;
  readonly object: ApiObject;
  readonly context: StrategyContext;
}

/** An update of `old` to `object`, with the strategy of the written path. */
export interface ObjectUpdate extends ObjectWrite {
  readonly old: ApiObject;
  readonly strategy: UpdateStrategy;
}

function refuseInvalid({ scope, object }: ObjectWrite, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject(scope.resource.asKind, object.metadata.name ?? "", errors);
}

/** Validates a new object and collects the kind's warnings. @throws StatusError 422. */
export function validateCreate(write: ObjectWrite): void {
  const { scope, object, context } = write;
  const { namespaced, strategy } = scope.resource;
  refuseInvalid(write, strategy.begin?.(object, undefined, context) ?? []);
  const created = { object, version: scope.served.apiVersion, namespaced, strategy, context };
  const errors = strategy.createSteps.flatMap((step) => step(created));
  refuseInvalid(write, errors);
  // The generic metadata check: kinds that have it among their steps have already passed it.
  if (!strategy.createSteps.includes(validateObjectMeta))
    refuseInvalid(write, metadataErrors(object, namespaced, { nameRule: "segment", takesAnyFinalizer: true }));
  scope.warnings.push(...(strategy.warningsOnCreate?.(object) ?? []));
}

/** Validates an update and collects the kind's warnings. @throws StatusError 422. */
export function validateUpdate(write: ObjectUpdate): void {
  const { scope, object, old, strategy: update, context } = write;
  const { namespaced, strategy } = scope.resource;
  refuseInvalid(write, update.begin?.(object, old, context) ?? []);
  const changed = { object, old, version: scope.served.apiVersion, namespaced, strategy, update, context };
  refuseInvalid(write, [
    // Generic metadata checks; most kinds repeat them, with their own name rules.
    ...metadataErrors(object, namespaced, { nameRule: "segment", takesAnyFinalizer: true }),
    ...metadataUpdateErrors(object, old),
    ...errorsOf(update.updateSteps, changed),
  ]);
  scope.warnings.push(...(update.warningsOnUpdate?.(object, old) ?? []));
}
