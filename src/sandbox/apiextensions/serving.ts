/** Serves the kinds of established definitions. Source: apiextensions-apiserver v0.36 pkg/apiserver/customresource_handler.go. */
import { deepEqual } from "../../api/field-changes.ts";
import type { Server } from "../context/server.ts";
import type { ApiObject } from "../meta/object.ts";
import { isFields } from "../meta/object.ts";
import { isTrue } from "../meta/conditions.ts";
import { machinery } from "../registry/apiextensions/loading.ts";
import { subresourcesOf, type Resource } from "../registry/resource.ts";
import { decodeFields, TypeProblem } from "../serialization/decode.ts";
import { Entry } from "../storage/entry.ts";

type ServedKind = ReturnType<ReturnType<typeof machinery>["servedKindOf"]>;

/** The input of a kind: it is recreated when this changes. */
interface Made {
  readonly spec: unknown;
  readonly acceptedNames: unknown;
  readonly isTerminating: boolean;
}

/** The served kinds that come from definitions. */
export interface ServedDefinitions {
  /** Processes a definition that has just been stored. */
  follow(name: string, definition: ApiObject): void;
  /** Removes the kind of a deleted definition, and ends the watches of its objects. */
  end(name: string): void;
}

/** Serves kinds on a server. */
export function servedDefinitions(server: Server): ServedDefinitions {
  const made = new Map<string, Made>();
  return {
    follow(name, definition) {
      if (!isTrue(definition, "Established")) return;
      const { spec, status } = definition;
      const now = { spec, acceptedNames: status?.["acceptedNames"], isTerminating: isTrue(definition, "Terminating") };
      const before = made.get(name);
      if (before !== undefined && deepEqual(before, now)) return;
      made.set(name, now);
      const kind = machinery().servedKindOf(definition, metadataReader(server));
      const resources = resourcesOf(name, kind);
      server.registry.add(name, {
        group: kind.group,
        versions: resources,
        entries: new Map(kind.versions.map(({ apiVersion, entries }) => [apiVersion, entries])),
        structs: kind.structs,
      });
      const isSame = deepEqual({ ...before, isTerminating: false }, { ...now, isTerminating: false });
      if (!isSame) restart(server, { name, kind });
    },
    end(name) {
      if (!made.delete(name)) return;
      server.registry.withdraw(name);
      endWatches(server, name);
    },
  };
}

const allVerbs: ReadonlySet<string> = new Set([
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "create",
  "update",
  "watch",
]);

function resourcesOf(storage: string, kind: ServedKind): Resource[] {
  const { group, names, namespaced, strategy } = kind;
  return kind.versions.map(({ name, apiVersion, form, struct, entries }) => {
    const [data] = entries;
    return {
      group,
      version: name,
      apiVersion,
      kind: names.kind,
      plural: names.plural,
      namespaced,
      // While a definition is terminating, discovery lists fewer; creates are then rejected with the reason.
      verbs: allVerbs,
      data,
      subresources: subresourcesOf(data, entries),
      struct,
      storage,
      strategy,
      form,
      asResource: { group, name: names.plural },
      asKind: { group, name: names.kind },
    };
  });
}

/** Applies a changed schema: stored objects are reread with it, and watches must restart. */
function restart(server: Server, { name, kind }: { readonly name: string; readonly kind: ServedKind }): void {
  const collection = server.store.collection(name, kind.namespaced);
  const entries = [...collection.range({})];
  for (const entry of entries) {
    const read = kind.reread(entry.object);
    if (deepEqual(read, entry.object)) continue;
    // The next no-op update is persisted.
    collection.set(new Entry(read, entry.revision, true));
  }
  endWatches(server, name);
}

/** Ends watches; none can resume from before. */
function endWatches(server: Server, name: string): void {
  const { store, watches } = server;
  const collection = store.existing(name);
  if (collection === undefined) return;
  for (const watch of watches) if (watch.collection === collection) watch.end();
  collection.restart(store.revision);
}

/** Reads metadata like that of any object. */
function metadataReader({ registry: { schema } }: Server) {
  const struct = schema.struct("meta.v1.ObjectMeta");
  return (metadata: unknown): ReturnType<Parameters<ReturnType<typeof machinery>["servedKindOf"]>[1]> => {
    if (metadata === null) return { value: {}, unknown: [] };
    if (!isFields(metadata)) {
      const type = Array.isArray(metadata) ? "array" : typeof metadata === "boolean" ? "bool" : typeof metadata;
      return { problem: `json: cannot unmarshal ${type} into Go value of type v1.ObjectMeta` };
    }
    try {
      const { value, strict } = decodeFields(metadata, struct, schema);
      return { value, unknown: strict.map((text) => text.replace(/^unknown field "(.*)"$/, "$1")) };
    } catch (cause) {
      if (!(cause instanceof TypeProblem)) throw cause;
      return { problem: cause.message };
    }
  };
}
