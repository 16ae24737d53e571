/** Validation of what is about to be stored. Source: apiserver v0.36 registry/rest/create.go BeforeCreate, update.go BeforeUpdate. */
import type { RequestScope } from "../context/server.ts";
import { type FieldError, invalidObject } from "../meta/field-errors.ts";
import type { ApiObject } from "../meta/object.ts";
import type { StrategyContext, UpdateStrategy } from "../registry/strategy/rest-strategy.ts";
import { errorsOf, validateObjectMeta } from "../registry/strategy/validation-steps.ts";
import { metadataErrors, metadataUpdateErrors } from "../validation/metadata.ts";

function throwInvalid({ resource }: RequestScope, name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject(resource.asKind, name, errors);
}

/** Validates a new object and collects the kind's warnings. @throws StatusError 422. */
export function validateCreate(scope: RequestScope, object: ApiObject, context: StrategyContext): void {
  const { resource, served, warnings } = scope;
  const { namespaced, strategy } = resource;
  const name = object.metadata.name ?? "";
  throwInvalid(scope, name, strategy.begin?.(object, undefined, context) ?? []);
  const write = { object, version: served.apiVersion, namespaced, strategy, context };
  throwInvalid(
    scope,
    name,
    strategy.createSteps.flatMap((step) => step(write)),
  );
  // The generic check of metadata: the kinds that have it among their steps have passed it already.
  if (!strategy.createSteps.includes(validateObjectMeta)) throwInvalid(scope, name, validateObjectMeta(write));
  warnings.push(...(strategy.warningsOnCreate?.(object) ?? []));
}

/** An update of `old` to `object`, and the strategy of the path that it came by. */
export interface ObjectUpdate {
  readonly scope: RequestScope;
  readonly object: ApiObject;
  readonly old: ApiObject;
  readonly strategy: UpdateStrategy;
  readonly context: StrategyContext;
}

/** Validates an update and collects the kind's warnings. @throws StatusError 422. */
export function validateUpdate({ scope, object, old, strategy: update, context }: ObjectUpdate): void {
  const { resource, served, name, warnings } = scope;
  const { namespaced, strategy } = resource;
  throwInvalid(scope, name, update.begin?.(object, old, context) ?? []);
  const write = { object, old, version: served.apiVersion, namespaced, strategy, update, context };
  throwInvalid(scope, name, [
    // The generic checks of metadata; most kinds make them again, with the rules for their own names.
    ...metadataErrors(object, namespaced, { nameRule: "segment" }),
    ...metadataUpdateErrors(object, old),
    ...errorsOf(update.updateSteps, write),
  ]);
  warnings.push(...(update.warningsOnUpdate?.(object, old) ?? []));
}
