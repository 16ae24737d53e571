/** POST to a collection. Source: apiserver v0.36 registry/generic/registry/store.go Create, registry/rest/create.go. */
import { dropDisabledFields } from "../registry/core/pod/pod-spec/dropped-fields.ts";
import { formatTime } from "../../api/time.ts";
import { randomSuffix, randomUuid } from "../../platform/random.ts";
import { admitCreate as mutatingAdmission, admitValid } from "../admission/admit.ts";
import { checkLimits } from "../admission/limit-ranger.ts";
import { finished } from "../serialization/decode.ts";
import { admitQuota } from "../admission/quota/admit.ts";
import { surroundingsOf } from "../context/surroundings.ts";
import { type FieldError, invalidObject } from "../meta/field-errors.ts";
import type { ApiObject } from "../meta/object.ts";
import { alreadyExists, generatedNameTaken, refusal } from "../meta/refusal.ts";
import { metadataErrors } from "../validation/metadata.ts";
import { uintProblem } from "../meta/numbers.ts";
import { checkWriteOptions } from "../options/write-options.ts";
import { manageCreate } from "../managedfields/managed-fields.ts";
import type { Call } from "../context/server.ts";
import { Entry } from "../storage/entry.ts";
import { matchNamespace, sentObject } from "./body.ts";
import { applyDefaults } from "./defaults.ts";

/** How often a made-up name is tried again when it is taken. */
const nameAttempts = 8;
/** Names made up by the server are at most this long before their suffix. */
const longestStem = 58;

/** @throws StatusError */
export function create(call: Call): Entry {
  checkWriteOptions(call.query, "CreateOptions");
  const { notMade } = call.resource.behaviour.rules;
  if (notMade !== undefined && !call.server.storesDefinitions) throw refusal(405, "MethodNotAllowed", notMade, {});
  const object = sentObject(call);
  return createObject(call, object, object.metadata.resourceVersion);
}

/**
 * Creates an object that has been decoded; it belongs to the server from now on. `version` is what it said of its version: what is
 * created must have none.
 */
export function createObject(call: Call, object: ApiObject, version = ""): Entry {
  fillSystemFields(call, object);
  applyDefaults(call, object);
  manageCreate(call, object);
  mutatingAdmission(call, object);
  const generated = generateName(call, object);
  // A namespace is labelled with its name, which may have been made up just now.
  if (generated) call.resource.behaviour.rules.defaults?.(object);
  // Of all that only looks, this plugin alone comes before the checks.
  checkLimits(call, object);
  const filled = call.resource.behaviour.rules.filledWhenRead?.(object) === true;
  prepareForCreate(call, object);
  validateNew(call, object);
  const charge = validatingAdmission(call, object);
  checkVersion(version);
  const name = object.metadata.name ?? "";
  if (call.collection.get(call.namespace, name) !== undefined) throw taken(call, name, generated);
  charge();
  return persist(call, { object, filled });
}

function validateNew(call: Call, object: ApiObject): void {
  const { resource, served, warnings } = call;
  const { rules } = resource.behaviour;
  const refuse = (errors: readonly FieldError[]): void => {
    if (errors.length > 0) throw invalidObject(resource.asKind, object.metadata.name ?? "", errors);
  };
  const surroundings = surroundingsOf(call);
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
function validatingAdmission(call: Call, object: ApiObject): () => void {
  admitValid(call, object);
  return admitQuota(call, object);
}

/** `filled`: it is read with more than it is stored with. */
function persist(call: Call, { object, filled }: { readonly object: ApiObject; readonly filled: boolean }): Entry {
  const { resource, server, collection, dryRun } = call;
  resource.behaviour.rules.allocate?.(object, surroundingsOf(call));
  const whole = finished(object, resource.struct, server.catalogue.schema);
  if (dryRun) return new Entry(whole, Number(whole.metadata.resourceVersion ?? 0) || 0);
  return server.store.put(collection, whole, filled);
}

function fillSystemFields(call: Call, object: ApiObject): void {
  const { metadata } = object;
  matchNamespace(call, metadata);
  metadata.creationTimestamp = formatTime(call.server.timeline.now());
  metadata.uid = randomUuid(call.server.random);
  // A dry run of an update that creates answers the version that it was sent.
  if (!call.dryRun) delete metadata.resourceVersion;
  for (const key of ["deletionTimestamp", "deletionGracePeriodSeconds", "generation", "selfLink"] as const) {
    delete metadata[key];
  }
}

function taken(call: Call, name: string, generated: boolean): Error {
  const { asResource } = call.resource;
  if (generated) return generatedNameTaken(asResource, name);
  const going = call.collection.get(call.namespace, name)?.object.metadata.deletionTimestamp !== undefined;
  return alreadyExists(asResource, name, going);
}

/** A version that cannot be read is none. */
function checkVersion(version: string): void {
  if (uintProblem(version) !== undefined || Number(version) === 0) return;
  throw refusal(500, "", "resourceVersion should not be set on objects to be created");
}

/** Makes up a name where only the stem of one is given; says whether it did. */
function generateName(call: Call, { metadata }: ApiObject): boolean {
  const { generateName } = metadata;
  if ((metadata.name ?? "") !== "" || generateName === undefined || generateName === "") return false;
  for (let attempt = 0; attempt < nameAttempts; attempt++) {
    metadata.name = generateName.slice(0, longestStem) + randomSuffix(call.server.random);
    if (call.collection.get(call.namespace, metadata.name) === undefined) break;
  }
  return true;
}

function prepareForCreate(call: Call, object: ApiObject): void {
  const { resource } = call;
  if (resource.subresources.has("status") && !resource.behaviour.keepsNewStatus) delete object.status;
  if (resource.behaviour.generation) object.metadata.generation = 1;
  dropDisabledFields(object, resource.storage);
  resource.behaviour.rules.prepareCreate?.(object, surroundingsOf(call));
}
