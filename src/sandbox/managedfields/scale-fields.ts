/**
 * The managed fields of an object that is scaled. The real server tracks them on the Scale, where the only field is the number
 * of replicas, and brings the result back: source apimachinery v0.36 util/managedfields/scalehandler.go.
 */
import type { ApiObject, Fields } from "../meta/object.ts";
import type { RequestScope } from "../context/server.ts";
import { distinct, inOrder, managerOf } from "./managed-fields.ts";

/**
 * Sets the managed fields of `object`, which is `old` with `asked` replicas instead of `before`. Whoever manages the replicas has
 * an entry of its own for them afterwards, without a time. A Scale leaves a zero out: after a scale to it nobody manages the
 * replicas, and then nobody comes to by a scale either.
 */
export function manageScale(
  scope: RequestScope,
  old: ApiObject,
  object: ApiObject,
  replicas: { before: number; asked: number },
): void {
  const parts = distinct(old.metadata.managedFields ?? []).map(split);
  const managers = parts.filter(({ managesReplicas }) => managesReplicas).map(({ entry }) => managerOnly(entry));
  const entries = [...parts.flatMap(({ others }) => others), ...managersAfter(scope, managers, replicas)].sort(inOrder);
  if (entries.length === 0) delete object.metadata.managedFields;
  else object.metadata.managedFields = entries;
}

interface Part {
  readonly entry: Fields;
  readonly managesReplicas: boolean;
  /** The entry without the replicas, unless that is nothing. */
  readonly others: readonly Fields[];
}

function split(entry: Fields): Part {
  const { "f:spec": spec, ...rest } = entry["fieldsV1"] as Fields;
  const { "f:replicas": managed, ...specRest } = (spec ?? {}) as Fields;
  if (managed === undefined) return { entry, managesReplicas: false, others: [entry] };
  const left = { ...rest, ...(Object.keys(specRest).length === 0 ? {} : { "f:spec": specRest }) };
  return { entry, managesReplicas: true, others: Object.keys(left).length === 0 ? [] : [{ ...entry, fieldsV1: left }] };
}

/** The managed fields of the Scale of an object with these: its replicas, and since when they are managed. */
export function scaleManagers(entries: readonly Fields[]): Fields[] {
  return distinct(entries)
    .map(split)
    .filter(({ managesReplicas }) => managesReplicas)
    .map(({ entry: { time, ...entry } }) => ({
      ...managerOnly(entry),
      apiVersion: "autoscaling/v1",
      ...(time === undefined ? {} : { time }),
    }));
}

function managerOnly({ manager, operation, apiVersion, subresource }: Fields): Fields {
  return {
    manager,
    operation,
    apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": { "f:replicas": {} } },
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/** The managers of the replicas after a scale. If there were none before, none are tracked. */
function managersAfter(
  scope: RequestScope,
  managers: readonly Fields[],
  { before, asked }: { before: number; asked: number },
): readonly Fields[] {
  if (before === asked || managers.length === 0) return managers;
  if (asked === 0) return [];
  const { apiVersion } = scope.served;
  return [managerOnly({ manager: managerOf(scope), operation: "Update", apiVersion, subresource: "scale" })];
}
