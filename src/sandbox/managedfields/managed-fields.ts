/**
 * `metadata.managedFields` of created, updated and applied objects.
 * Source: apimachinery v0.36 util/managedfields/internal/fieldmanager.go, skipnonapplied.go, apiserver v0.36 endpoints/handlers/create.go.
 */
import { formatTime } from "../../api/time.ts";
import { StatusError } from "../../api/status-error.ts";
import { unprintableIn } from "../../api/go-text.ts";
import type { ApiObject, Fields } from "../meta/object.ts";
import type { Steps } from "../meta/steps.ts";
import { param } from "../options/list-options.ts";
import { withConversions } from "../context/conversion.ts";
import type { RequestScope } from "../context/server.ts";
import { type FieldManager, fieldManagerOf, managersAfterUpdate } from "./field-manager.ts";
import { type Managers, readManagers, writeManagers } from "./managers.ts";
import { newFields } from "./new-fields.ts";
import { unownedOnCreate } from "./reset-fields.ts";
import { ItemProblem } from "./types.ts";
import type { TypedObject } from "./updater.ts";

/** The maximum length of a manager's name from a user agent, in bytes. */
const longestManager = 128;

/** The fieldManager parameter, or the user agent up to the slash. */
export function managerOf(scope: RequestScope): string {
  const fieldManager = param(scope.query, "fieldManager");
  if (fieldManager !== undefined && fieldManager !== "") return fieldManager;
  const agent = (scope.headers["user-agent"] ?? "").split("/")[0] ?? "";
  return agent.length <= longestManager && unprintableIn(agent).length === 0 ? agent : shortened(agent);
}

function shortened(agent: string): string {
  let name = "";
  for (const character of agent) {
    if (unprintableIn(character).length > 0) continue;
    if (Buffer.byteLength(name + character) > longestManager) break;
    name += character;
  }
  return name;
}

/** No managers. */
const nobody: Managers = new Map();

function readable(entries: readonly Fields[] | undefined): Managers {
  try {
    return readManagers(entries ?? []);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return nobody;
  }
}

/** True if the client clears the managed fields, with an empty list or one empty entry. */
function isReset(sent: readonly Fields[]): boolean {
  const [only] = sent;
  return (
    only === undefined || (sent.length === 1 && Object.values(only).every((value) => value === "" || value === null))
  );
}

/**
 * The managers before a write: those that the client sent, which lets it change them; the live ones if it sent none, if they are invalid,
 * and for subresources.
 */
function managersBefore({ scope, sent }: ManagedWrite, live?: ApiObject): Managers {
  if (sent !== undefined && scope.subresource === "") {
    if (isReset(sent)) return nobody;
    const managers = readable(sent);
    if (managers.size > 0) return managers;
  }
  return readable(live?.metadata.managedFields);
}

/** A write that sets managed fields. */
export interface ManagedWrite {
  readonly scope: RequestScope;
  /** The object whose managed fields are set. */
  readonly object: ApiObject;
  /** The managed fields that the client sent. */
  readonly sent: readonly Fields[] | undefined;
}

/** An update of `live`. */
export interface ManagedUpdate extends ManagedWrite {
  readonly live: ApiObject;
}

function setManagers(object: ApiObject, managers: Managers): void {
  const entries = writeManagers(managers);
  if (entries === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = entries;
}

/**
 * Sets managed fields by calling `set`. If a webhook cannot convert the object to a manager's version, the object has none afterwards.
 * Source: apimachinery v0.36 util/managedfields/internal/fieldmanager.go UpdateNoErrors.
 */
export function* managing<W extends ManagedWrite>(set: (write: W) => void, write: W): Steps<void> {
  if (write.scope.served.form?.conversionWebhook === undefined) {
    set(write);
    return;
  }
  try {
    yield* withConversions(write.scope, (scope) => set({ ...write, scope }));
  } catch (cause) {
    if (!(cause instanceof StatusError)) throw cause;
    delete write.object.metadata.managedFields;
  }
}

/** The managed fields of a new object: `object` is as the client sent it, with defaults, canonical, before admission. */
export function manageCreate(write: ManagedWrite): void {
  const { scope, object } = write;
  delete object.metadata.managedFields;
  if (!scope.server.managesFields) return;
  const managers = managersBefore(write);
  const fields = fieldManagerOf(scope);
  withoutProblems(() => {
    if (managers.size === 0) manageNew(fields, object);
    else setManagers(object, afterUpdate(fields, { live: fields.empty(), object, managers }));
  });
}

/** Gives all fields of a new object to its creator. */
function manageNew({ scope, empty, typed }: FieldManager, object: ApiObject): void {
  const { served, server, subresource } = scope;
  const { value, type } = empty();
  const fieldsV1 = newFields({ empty: value, now: typed(object).value, type }, unownedOnCreate(scope));
  if (Object.keys(fieldsV1).length === 0) return;
  object.metadata.managedFields = [
    {
      manager: managerOf(scope) || "unknown",
      operation: "Update",
      apiVersion: served.apiVersion,
      time: formatTime(server.timeline.now()),
      fieldsType: "FieldsV1",
      fieldsV1,
      ...(subresource === "" ? {} : { subresource }),
    },
  ];
}

/** The managed fields after an update. An object without them does not get any. */
export function manageUpdate(update: ManagedUpdate): void {
  const { scope, live, object } = update;
  delete object.metadata.managedFields;
  const managers = managersBefore(update, live);
  if (managers.size === 0) return;
  const fields = fieldManagerOf(scope);
  withoutProblems(() => setManagers(object, afterUpdate(fields, { live: fields.typed(live), object, managers })));
}

interface Update {
  readonly live: TypedObject;
  readonly object: ApiObject;
  readonly managers: Managers;
}

function afterUpdate(fields: FieldManager, { live, object, managers }: Update): Managers {
  return managersAfterUpdate(fields, {
    live,
    object: fields.typed(object),
    managers,
    manager: managerOf(fields.scope),
  });
}

/** An object with list items without keys loses its managed fields. */
function withoutProblems(manage: () => void): void {
  try {
    manage();
  } catch (cause) {
    if (!(cause instanceof ItemProblem)) throw cause;
  }
}

/** An object before and after a write by the server itself. */
export interface StatusWrite {
  readonly live: ApiObject;
  readonly object: ApiObject;
}

/** The managed fields after the server itself writes the status of an object of another kind. */
export function manageOwnStatus(
  scope: RequestScope,
  resource: RequestScope["resource"],
  { live, object }: StatusWrite,
): void {
  const query = [["fieldManager", "kube-apiserver"]] as const;
  manageUpdate({
    scope: { ...scope, resource, served: resource, query, subresource: "status" },
    live,
    object,
    sent: undefined,
  });
}
