/** The strategy of a kind that says nothing else, and how kinds deviate from it. */
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

/** Of 63 characters, five are the random suffix. Source: apiserver v0.36 storage/names/generate.go. */
const maxGeneratedNameBase = 58;

/** How the status is updated, unless a kind says otherwise. */
const statusStrategy: UpdateStrategy = { updateSteps: [validateObjectMetaUpdate, validateChange] };

/** The reset fields of a status whose metadata is the object's alone. */
export const allButStatus = [["metadata"], ["spec"]] as const;

/** For a status whose write changes none of the metadata but who manages what: names and UIDs that are sent are not even compared. */
export function keepMetadata(object: ApiObject, old: ApiObject): void {
  const { managedFields } = object.metadata;
  const { managedFields: _before, ...metadata } = old.metadata;
  object.metadata = { ...metadata, ...(managedFields === undefined ? {} : { managedFields }) };
}

/** Metadata is validated, everything else is stored as it is. */
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

/** What a kind says of itself. */
export interface OwnStrategy extends Partial<RESTStrategy> {
  /** How its status is updated, where that differs. */
  readonly status?: Partial<UpdateStrategy>;
}

/** A kind's strategy: its own, and the default for the rest. */
export function restStrategy({ status, subresources, ...own }: OwnStrategy): RESTStrategy {
  return { ...defaultStrategy, ...own, subresources: { status: { ...statusStrategy, ...status }, ...subresources } };
}
