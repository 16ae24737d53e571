/**
 * Tracks managers through updates and applies: identifies the writer, sets times, strips metadata, limits the number of managers.
 * Source: apimachinery v0.36 util/managedfields/internal/fieldmanager.go and what it calls.
 */
import { formatTime } from "../../api/time.ts";
import { canonicalize } from "../meta/canonical.ts";
import { copyOf, isFields, isList, type ApiObject, type Fields } from "../meta/object.ts";
import { conversionOf } from "../context/conversion.ts";
import type { RequestScope } from "../context/server.ts";
import { atStoredVersion, atVersion } from "../registry/conversion/versions.ts";
import { noFields, isEmptySet, union } from "./field-set.ts";
import { capped, identityOf, type Manager, type Managers } from "./managers.ts";
import { ownable, resetFieldsOf } from "./reset-fields.ts";
import { typeOf } from "./types.ts";
import { apply, type Applied, type TypedObject, update, type Updater, type Writer } from "./updater.ts";

/** Manages the fields of objects in a request. */
export interface FieldManager extends Updater {
  readonly scope: RequestScope;
  /** A stored or sent object, at the version of the request. */
  readonly typed: (object: ApiObject) => TypedObject;
  /** An object of the kind with nothing set. */
  readonly empty: () => TypedObject;
}

/** The field manager of a request. */
export function fieldManagerOf(scope: RequestScope): FieldManager {
  const { served, server } = scope;
  const { schema } = server.registry;
  const { apiVersion, kind, struct } = served;
  const type = typeOf(struct, schema);
  return {
    scope,
    resetFields: resetFieldsOf(scope),
    typed: (object) => ({
      value: served.form?.convert(object) ?? atVersion(object, apiVersion, struct, schema),
      apiVersion,
      type,
    }),
    empty() {
      const value: Fields = { kind, apiVersion, metadata: {} };
      if (struct !== undefined) canonicalize(value, struct, schema);
      return { value, apiVersion, type };
    },
    convert: (object, version) => (object.apiVersion === version ? object : converted(scope, object, version)),
  };
}

/** The object at another version of its kind, by way of its storage version; a webhook converts directly. Other groups do not count. */
function converted(scope: RequestScope, object: TypedObject, version: string): TypedObject | undefined {
  const { served, resource, server } = scope;
  const { registry } = server;
  const { schema } = registry;
  const [from, to] = [registry.ofKind(object.apiVersion, served.kind), registry.ofKind(version, served.kind)];
  if (to === undefined || to.group !== served.group || from?.struct === undefined) return undefined;
  const { metadata, ...whole } = withoutNulls(object.value);
  const shown: ApiObject = {
    ...whole,
    kind: served.kind,
    apiVersion: object.apiVersion,
    metadata: isFields(metadata) ? metadata : {},
  };
  canonicalize(shown, from.struct, schema);
  const stored = atStoredVersion(shown);
  if (resource.struct !== undefined && stored.apiVersion !== object.apiVersion)
    canonicalize(stored, resource.struct, schema);
  const { form } = to;
  const value =
    form?.conversionWebhook === undefined
      ? (form?.convert(stored) ?? atVersion(stored, version, to.struct, schema))
      : conversionOf(scope, { form, object: withoutManagers(stored), apiVersion: version });
  return { value, apiVersion: version, type: typeOf(to.struct, schema) };
}

/** The object as webhooks see it. */
function withoutManagers(object: ApiObject): ApiObject {
  const { managedFields: _managers, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** A copy of a merged object without nulls, which a merge may leave in place of lists and maps. */
function withoutNulls(fields: Fields): Fields {
  const kept: Fields = {};
  for (const [key, value] of Object.entries(fields)) {
    if (value === null) continue;
    const copy = isFields(value) ? withoutNulls(value) : isList(value) ? value.map(copyWithoutNulls) : value;
    Object.defineProperty(kept, key, { value: copy, enumerable: true, configurable: true, writable: true });
  }
  return kept;
}

const copyWithoutNulls = (item: unknown): unknown => (isFields(item) ? withoutNulls(item) : copyOf(item));

function writerOf({ scope }: FieldManager, { manager, operation }: Pick<Manager, "manager" | "operation">): Writer {
  const name = manager === "" ? "unknown" : manager;
  const owner = { manager: name, operation, apiVersion: scope.served.apiVersion, subresource: scope.subresource };
  return { identity: identityOf(owner), owner };
}

const timeOf = ({ scope }: FieldManager): string => formatTime(scope.server.timeline.now());

/** An object before and after an update, at the version of the request. */
interface Updated {
  readonly live: TypedObject;
  readonly object: TypedObject;
  readonly managers: Managers;
  /** The name of the writing manager. */
  readonly manager: string;
}

/**
 * The managers after an update. The writer's time is that of its last change of a value: a write that only removes does not change it.
 * @throws ItemProblem
 */
export function managersAfterUpdate(fields: FieldManager, updated: Updated): Managers {
  return capped(uncapped(fields, updated));
}

function uncapped(fields: FieldManager, { live, object, managers, manager }: Updated): Managers {
  const { managers: others, changed } = update(fields, { live, object, managers });
  const set = ownable(changed);
  if (isEmptySet(set)) return others;
  const { identity, owner } = writerOf(fields, { manager, operation: "Update" });
  const before = others.get(identity)?.set ?? noFields;
  return new Map(others).set(identity, { ...owner, set: union(set, before), time: timeOf(fields) });
}

/** An applied configuration. */
export interface TypedApplication {
  readonly live: TypedObject;
  readonly configuration: TypedObject;
  readonly managers: Managers;
  /** The name of the applying manager. */
  readonly manager: string;
  readonly force: boolean;
}

/** The manager of all fields that an object without managers had before its first apply. */
const beforeFirstApply = "before-first-apply";

/** Applies a configuration. @throws ConflictError, ItemProblem */
export function applied(
  fields: FieldManager,
  { live, configuration, managers, manager, force }: TypedApplication,
): Applied {
  const first = { live: fields.empty(), object: live, managers, manager: beforeFirstApply };
  const known = managers.size > 0 ? managers : managersAfterUpdate(fields, first);
  const writer = writerOf(fields, { manager, operation: "Apply" });
  const result = apply(fields, { live, object: configuration, managers: known, writer, force });
  const left = new Map(result.managers);
  const own = left.get(writer.identity);
  if (own !== undefined) {
    const set = ownable(own.set);
    const time = result.object === undefined ? own.time : timeOf(fields);
    if (isEmptySet(set)) left.delete(writer.identity);
    else left.set(writer.identity, { ...own, set, time });
  }
  return { object: result.object, managers: left };
}
