/** The default strategy, and how kinds override it. */
import { randomSuffix } from "../../../platform/random.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { RESTStrategy, UpdateStrategy } from "./rest-strategy.ts";
import {
  validateChange,
  validateNewObject,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "./validation-steps.ts";

/** Five of 63 characters are the random suffix. Source: apiserver v0.36 storage/names/generate.go. */
const maxGeneratedNameBase = 58;

/** How the status is updated, unless a kind overrides it. */
const statusStrategy: UpdateStrategy = { updateSteps: [validateObjectMetaUpdate, validateChange] };

/** Reset fields for a status subresource that does not write metadata. */
export const allButStatus = [["metadata"], ["spec"]] as const;

/** For status subresources that change no metadata except managed fields: names and UIDs in the request are not even compared. */
export function keepMetadata(object: ApiObject, old: ApiObject): void {
  const { managedFields } = object.metadata;
  const { managedFields: _before, ...metadata } = old.metadata;
  object.metadata = { ...metadata, ...(managedFields === undefined ? {} : { managedFields }) };
}

/** Validates metadata and stores everything else as it is. */
export const defaultStrategy: RESTStrategy = {
  nameRule: "subdomain",
  generation: "none",
  generateName: (base, random) => base.slice(0, maxGeneratedNameBase) + randomSuffix(random),
  keepsStatusOnCreate: false,
  createSteps: [validateObjectMeta, validateObject, validateNewObject],
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  updateSteps: [validateObjectMetaUpdate, validateObject, validateChange],
  subresources: { status: statusStrategy },
  defaultGarbageCollectionPolicy: "delete dependents",
  returnsDeletedObject: false,
};

/** What a kind overrides. */
export interface OwnStrategy extends Partial<RESTStrategy> {
  /** Overrides for the status subresource. */
  readonly status?: Partial<UpdateStrategy>;
}

/** A kind's strategy: its overrides on top of the default. */
export function restStrategy({ status, subresources, ...own }: OwnStrategy): RESTStrategy {
  return { ...defaultStrategy, ...own, subresources: { status: { ...statusStrategy, ...status }, ...subresources } };
}
