/** POST to a collection. Source: apiserver v0.36 registry/generic/registry/store.go Create, registry/rest/create.go. */
import { dropDisabledFields } from "../registry/core/pod/pod-spec/dropped-fields.ts";
import { formatTime } from "../../api/time.ts";
import { randomSuffix, randomUuid } from "../../platform/random.ts";
import { admitCreate as mutatingAdmission, admitValid } from "../admission/admit.ts";
import { checkLimits } from "../admission/limit-ranger.ts";
import { finished } from "../serialization/decode.ts";
import { admitQuota } from "../admission/quota/admit.ts";
import { strategyContext } from "../context/strategy-context.ts";
import { type FieldError, invalidObject } from "../meta/field-errors.ts";
import type { ApiObject } from "../meta/object.ts";
import { alreadyExists, generatedNameTaken, refusal } from "../meta/refusal.ts";
import { metadataErrors } from "../validation/metadata.ts";
import { uintProblem } from "../meta/numbers.ts";
import { checkWriteOptions } from "../options/write-options.ts";
import { manageCreate } from "../managedfields/managed-fields.ts";
import type { RequestScope } from "../context/server.ts";
import { Entry } from "../storage/entry.ts";
import { matchNamespace, sentObject } from "./body.ts";
import { applyDefaults } from "./defaults.ts";

/** How often a made-up name is tried again when it is taken. */
const nameAttempts = 8;
/** Names made up by the server are at most this long before their suffix. */
const maxGeneratedNameBase = 58;

/** @throws StatusError */
export function create(scope: RequestScope): Entry {
  checkWriteOptions(scope.query, "CreateOptions");
  const { notMade } = scope.resource.behaviour.rules;
  if (notMade !== undefined && !scope.server.storesDefinitions) throw refusal(405, "MethodNotAllowed", notMade, {});
  const object = sentObject(scope);
  return createObject(scope, object, object.metadata.resourceVersion);
}

/**
 * Creates an object that has been decoded; it belongs to the server from now on. `version` is what it said of its version: what is
 * created must have none.
 */
export function createObject(scope: RequestScope, object: ApiObject, version = ""): Entry {
  fillSystemFields(scope, object);
  applyDefaults(scope, object);
  manageCreate(scope, object);
  mutatingAdmission(scope, object);
  const generated = generateName(scope, object);
  // A namespace is labelled with its name, which may have been made up just now.
  if (generated) scope.resource.behaviour.rules.defaults?.(object);
  // Of all that only looks, this plugin alone comes before the checks.
  checkLimits(scope, object);
  const filled = scope.resource.behaviour.rules.filledWhenRead?.(object) === true;
  prepareForCreate(scope, object);
  validateNew(scope, object);
  const charge = validatingAdmission(scope, object);
  checkVersion(version);
  const name = object.metadata.name ?? "";
  if (scope.collection.get(scope.namespace, name) !== undefined) throw taken(scope, name, generated);
  charge();
  return persist(scope, { object, filled });
}

function validateNew(scope: RequestScope, object: ApiObject): void {
  const { resource, served, warnings } = scope;
  const { rules } = resource.behaviour;
  const refuse = (errors: readonly FieldError[]): void => {
    if (errors.length > 0) throw invalidObject(resource.asKind, object.metadata.name ?? "", errors);
  };
  const surroundings = strategyContext(scope);
  refuse(rules.begin?.(object, undefined, surroundings) ?? []);
  const errors = [
    ...(rules.validate?.(object, served.apiVersion) ?? []),
    ...(rules.validateCreate?.(object, served.apiVersion, surroundings) ?? []),
  ];
  if (rules.metadataLast === true) refuse(errors);
  refuse([...metadataErrors(object, resource.namespaced, resource.behaviour), ...errors]);
  warnings.push(...(rules.warnings?.(object) ?? []));
}

/** Answers what charges the quotas that have room for the object. @throws StatusError, mostly 403. */
function validatingAdmission(scope: RequestScope, object: ApiObject): () => void {
  admitValid(scope, object);
  return admitQuota(scope, object);
}

/** `filled`: it is read with more than it is stored with. */
function persist(
  scope: RequestScope,
  { object, filled }: { readonly object: ApiObject; readonly filled: boolean },
): Entry {
  const { resource, server, collection, dryRun } = scope;
  resource.behaviour.rules.allocate?.(object, strategyContext(scope));
  const whole = finished(object, resource.struct, server.registry.schema);
  if (dryRun) return new Entry(whole, Number(whole.metadata.resourceVersion ?? 0) || 0);
  return server.store.put(collection, whole, filled);
}

function fillSystemFields(scope: RequestScope, object: ApiObject): void {
  const { metadata } = object;
  matchNamespace(scope, metadata);
  metadata.creationTimestamp = formatTime(scope.server.timeline.now());
  metadata.uid = randomUuid(scope.server.random);
  // A dry run of an update that creates answers the version that it was sent.
  if (!scope.dryRun) delete metadata.resourceVersion;
  for (const key of ["deletionTimestamp", "deletionGracePeriodSeconds", "generation", "selfLink"] as const) {
    delete metadata[key];
  }
}

function taken(scope: RequestScope, name: string, generated: boolean): Error {
  const { asResource } = scope.resource;
  if (generated) return generatedNameTaken(asResource, name);
  const going = scope.collection.get(scope.namespace, name)?.object.metadata.deletionTimestamp !== undefined;
  return alreadyExists(asResource, name, going);
}

/** A version that cannot be read is none. */
function checkVersion(version: string): void {
  if (uintProblem(version) !== undefined || Number(version) === 0) return;
  throw refusal(500, "", "resourceVersion should not be set on objects to be created");
}

/** Makes up a name where only the stem of one is given; says whether it did. */
function generateName(scope: RequestScope, { metadata }: ApiObject): boolean {
  const { generateName } = metadata;
  if ((metadata.name ?? "") !== "" || generateName === undefined || generateName === "") return false;
  for (let attempt = 0; attempt < nameAttempts; attempt++) {
    metadata.name = generateName.slice(0, maxGeneratedNameBase) + randomSuffix(scope.server.random);
    if (scope.collection.get(scope.namespace, metadata.name) === undefined) break;
  }
  return true;
}

function prepareForCreate(scope: RequestScope, object: ApiObject): void {
  const { resource } = scope;
  if (resource.subresources.has("status") && !resource.behaviour.keepsNewStatus) delete object.status;
  if (resource.behaviour.generation) object.metadata.generation = 1;
  dropDisabledFields(object, resource.storage);
  resource.behaviour.rules.prepareCreate?.(object, strategyContext(scope));
}
