/** POST to a collection. Source: apiserver v0.36 registry/generic/registry/store.go Create, registry/rest/create.go. */
import { dropDisabledFields } from "../registry/core/pod/pod-spec/dropped-fields.ts";
import { formatTime } from "../../api/time.ts";
import { randomUuid } from "../../platform/random.ts";
import { mutatingAdmission, validatingAdmission } from "../admission/admit.ts";
import { authorize } from "../access/authorize.ts";
import { checkEscalation } from "../access/escalation.ts";
import { storableObject } from "../context/conversion.ts";
import { strategyContext } from "../context/strategy-context.ts";
import type { ApiObject } from "../meta/object.ts";
import { alreadyExists, forbidden, generatedNameTaken, refusal } from "../meta/refusal.ts";
import { uintProblem } from "../meta/numbers.ts";
import type { Steps } from "../meta/steps.ts";
import { checkWriteOptions } from "../options/write-options.ts";
import { manageCreate, managing, type ManagedWrite } from "../managedfields/managed-fields.ts";
import type { RequestScope } from "../context/server.ts";
import type { Entry } from "../storage/entry.ts";
import { matchNamespace, sentObject } from "./body.ts";
import { commit, storedForm } from "./commit.ts";
import { applyDefaults } from "../context/defaults.ts";
import { dedupOwnerReferences } from "./owner-references.ts";
import { checkNotOutrun } from "./retry.ts";
import { type ObjectWrite, validateCreate } from "./validation.ts";

/** How many generated names are tried. */
const nameAttempts = 8;

/** @throws StatusError */
export function* create(scope: RequestScope): Steps<Entry> {
  checkWriteOptions(scope.query, "CreateOptions");
  refuseCreate(scope);
  const object = sentObject(scope);
  dedupOwnerReferences({ scope, object }, "");
  return yield* createObject(scope, object, { version: object.metadata.resourceVersion });
}

/** @throws StatusError 405 for a kind whose objects cannot be created here. */
export function refuseCreate({ resource }: RequestScope): void {
  const { refusesCreate } = resource.strategy;
  if (refusesCreate !== undefined) throw refusal(405, "MethodNotAllowed", refusesCreate, {});
}

/** The origin of a created object. */
export interface CreateOptions {
  /** The resourceVersion in the request: a new object must not have one. */
  readonly version?: string | undefined;
  /** Sets its managed fields. */
  readonly manage?: ((write: ManagedWrite) => void) | undefined;
  /** True for an update or an apply that creates: the permission to create has not been checked yet. */
  readonly byUpdate?: boolean;
}

/** Creates a decoded object, which the server takes over. @throws StatusError */
export function* createObject(
  scope: RequestScope,
  object: ApiObject,
  { version = "", manage = manageCreate, byUpdate = false }: CreateOptions = {},
): Steps<Entry> {
  const { strategy } = scope.resource;
  const write: ObjectWrite = { scope, object, context: strategyContext(scope) };
  matchNamespace(scope, object.metadata);
  for (const key of systemFields) delete object.metadata[key];
  const uid = randomUuid(scope.server.random);
  const { managedFields: sent } = object.metadata;
  applyDefaults(scope, object);
  yield* managing(manage, { scope, object, sent });
  const ended = scope.served.form?.refusesCreate;
  if (ended !== undefined) throw forbidden(scope.resource.asResource, object.metadata.name ?? "", ended);
  yield* mutatingAdmission(write);
  dedupOwnerReferences(write, " after mutating admission happens");
  fillSystemFields(write, uid);
  checkEscalation(write);
  const isNameGenerated = generateName(scope, object);
  const isDefaultedOnRead = strategy.isDefaultedOnRead?.(object) === true;
  prepareForCreate(write);
  validateCreate(write);
  if (byUpdate) authorizeCreate(scope);
  strategy.allocate?.(object, write.context);
  const { revision } = scope.server.store;
  const stored = yield* storableObject(scope, object);
  const charge = yield* validatingAdmission(write);
  // A dry run checks only the name in the store. Source: generic/registry/dryrun.go Create.
  if (!scope.dryRun) checkVersion(version);
  checkNotStored(write, isNameGenerated);
  checkNotOutrun(scope, { object, revision });
  charge();
  const whole = storedForm(scope, stored);
  return commit(scope, { object: whole, dryRunRevision: "as sent", isDefaultedOnRead });
}

/** Source: apiserver v0.36 endpoints/handlers/update.go withAuthorization. @throws StatusError 403. */
function authorizeCreate({ server, user, served, namespace, name }: RequestScope): void {
  const { group, plural: resource } = served;
  const attributes = { is: "resource", verb: "create", group, resource, subresource: "", namespace, name } as const;
  authorize(server.authorizer, { user, attributes });
}

/** Fields that a client cannot set. Source: apiserver v0.36 registry/rest/meta.go WipeObjectMetaSystemFields. */
const systemFields = [
  "creationTimestamp",
  "uid",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "selfLink",
] as const;

/** Sets system fields: mutating admission sees the object without them. */
function fillSystemFields({ scope, object: { metadata } }: ObjectWrite, uid: string): void {
  metadata.creationTimestamp = formatTime(scope.server.timeline.now());
  metadata.uid = uid;
  // A dry run returns the resourceVersion of the request.
  if (!scope.dryRun) delete metadata.resourceVersion;
}

/** @throws StatusError 409 */
function checkNotStored({ scope, object }: ObjectWrite, isNameGenerated: boolean): void {
  const { resource, collection, namespace } = scope;
  const name = object.metadata.name ?? "";
  const stored = collection.get(namespace, name);
  if (stored === undefined) return;
  if (isNameGenerated) throw generatedNameTaken(resource.asResource, name);
  throw alreadyExists(resource.asResource, name, stored.object.metadata.deletionTimestamp !== undefined);
}

/** A resourceVersion that cannot be parsed counts as unset. @throws StatusError 500. */
function checkVersion(version: string): void {
  if (uintProblem(version) !== undefined || Number(version) === 0) return;
  throw refusal(500, "", "resourceVersion should not be set on objects to be created");
}

/** Generates a name if the object has only `generateName`; true if it did. */
function generateName({ server, collection, namespace, resource }: RequestScope, object: ApiObject): boolean {
  const { metadata } = object;
  const { generateName: base = "" } = metadata;
  if ((metadata.name ?? "") !== "" || base === "") return false;
  for (let attempt = 0; attempt < nameAttempts; attempt++) {
    metadata.name = resource.strategy.generateName(base, server.random);
    if (collection.get(namespace, metadata.name) === undefined) break;
  }
  // A namespace is labeled with its name.
  resource.strategy.setDefaults?.(object);
  return true;
}

function prepareForCreate({ scope, object, context }: ObjectWrite): void {
  const { strategy, storage, subresources } = scope.resource;
  if (subresources.has("status") && !strategy.keepsStatusOnCreate) delete object.status;
  if (strategy.generation !== "none") object.metadata.generation = 1;
  dropDisabledFields(object, storage);
  strategy.prepareForCreate?.(object, context);
}
