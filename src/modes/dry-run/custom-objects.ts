/**
 * Objects of kinds that the sandbox does not serve, mostly custom resources. They are kept as plain JSON: changes are
 * merged as `kubectl apply` merges them and get the defaults of the kind's schema, if that could be read; validation
 * and conversion do not take place.
 */
import { apiVersionOf, type Kind, resourceOf } from "../../api/kind.ts";
import { type ObjectKey, objectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import { mergePatch } from "../../api/patch.ts";
import { isForbidden, StatusError } from "../../api/status-error.ts";
import { formatTime } from "../../api/time.ts";
import { assumedKind } from "../../client/api/discovered.ts";
import { type ApiRequest, type ApiResponse, jsonResponse, type Transport } from "../../api/transport.ts";
import { type Random, randomUuid } from "../../platform/random.ts";
import { notFound } from "../../sandbox/meta/refusal.ts";
import { entryName, kindNameOf, type StateEntry } from "../../views/state.ts";
import { readSchemas, versionedKindName, type Schemas, withDefaults } from "./schema-defaults.ts";
import { readObject } from "./read-list.ts";

/** What is known about such objects when a dry run starts. */
export interface CustomResources {
  /** Other kinds are assumed to be namespaced (`assumedKind`). */
  readonly kinds: readonly Kind[];
  /** With `apiVersion` and `kind`. */
  readonly objects: readonly StoredObject[];
  /** Why an object could not be read, by `entryName`. Objects in neither do not exist. */
  readonly unread: ReadonlyMap<string, string>;
  /** Kinds (`widgets.example.com`) with a status subresource: the server ignores the status in manifests. */
  readonly withStatus: ReadonlySet<string>;
  readonly schemas: Schemas;
}

/** For a cluster without custom resources, or where none were read. */
export const noCustomResources: CustomResources = {
  kinds: [],
  objects: [],
  unread: new Map(),
  withStatus: new Set(),
  schemas: new Map(),
};

/** An object to be compared. */
export interface CustomTarget {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  /** Whether its manifest has a status. */
  readonly hasStatus: boolean;
}

/** Reads these objects from the cluster. @throws TransportError. */
export async function readCustomResources(
  transport: Transport,
  targets: readonly CustomTarget[],
): Promise<CustomResources> {
  const objects: StoredObject[] = [];
  const unread = new Map<string, string>();
  const withStatus = new Set<string>();
  const read = async ({ kind, namespace, name, hasStatus }: CustomTarget): Promise<void> => {
    try {
      const object = await readObject(transport, kind, { namespace, name });
      if (object === undefined) return;
      objects.push(object);
      const apart = hasStatus
        ? await readObject(transport, kind, { namespace, name, subresource: "status" })
        : undefined;
      if (apart !== undefined) withStatus.add(resourceOf(kind));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const why = isForbidden(error) ? `not allowed to get ${resourceOf(kind)}` : error.message;
      unread.set(entryName(kind, objectKey(namespace, name)), why);
    }
  };
  await Promise.all(targets.map(read));
  const kinds = [...new Set(targets.map(({ kind }) => kind))];
  const schemas = await readSchemas(transport, kinds);
  return { kinds, objects, unread, withStatus, schemas };
}

/** What custom objects start from. */
export interface CustomObjectsOptions {
  readonly known: CustomResources;
  readonly random: Random;
  readonly now: () => number;
}

const decoder = new TextDecoder();

/** Whether a text is the value of a field, at any depth. */
function hasValue(value: unknown, text: string): boolean {
  if (typeof value !== "object" || value === null) return value === text;
  return Object.values(value).some((each) => hasValue(each, text));
}

/** The objects as they change in a dry run. */
export class CustomObjects {
  #options: CustomObjectsOptions;
  #objects = new Map<string, StateEntry>();
  #assumed = new Map<string, Kind>();

  constructor(options: CustomObjectsOptions) {
    this.#options = options;
    for (const object of options.known.objects) this.#put(object);
  }

  /** The kind that a manifest names; if it is unknown, the plural is a guess. */
  kindOf(apiVersion: string, kind: string): Kind {
    const isIt = (each: Kind): boolean => each.kind === kind && apiVersionOf(each) === apiVersion;
    const name = `${apiVersion} ${kind}`;
    const known = this.#options.known.kinds.find(isIt) ?? this.#assumed.get(name);
    if (known !== undefined) return known;
    const assumed = assumedKind(apiVersion, kind);
    this.#assumed.set(name, assumed);
    return assumed;
  }

  /** Why the object could not be read; undefined if it could, or does not exist. */
  whyUnread(kind: Kind, key: ObjectKey): string | undefined {
    return this.#options.known.unread.get(entryName(kind, key));
  }

  /** The kinds requested so far. */
  get kinds(): readonly Kind[] {
    return [...this.#options.known.kinds, ...this.#assumed.values()];
  }

  /** Whether the defaults of its objects are known. */
  hasSchema(kind: Kind): boolean {
    return this.#options.known.schemas.has(versionedKindName(kind));
  }

  /** The object of a namespace whose spec has a name as a value, as `Certificate web`; undefined if there is none. */
  naming(namespace: string, name: string): string | undefined {
    for (const { of, object } of this.#objects.values()) {
      const { metadata } = object;
      const isNaming = "spec" in object && hasValue(object.spec, name);
      if (isNaming && metadata.namespace === namespace) return `${of.kind} ${metadata.name}`;
    }
    return undefined;
  }

  /** As a part of the cluster's state. */
  entries(): Iterable<readonly [string, StateEntry]> {
    return this.#objects;
  }

  /** A transport that handles requests for these kinds, and passes on the others. */
  before(transport: Transport): Transport {
    return {
      send: (request) => {
        const place = this.#placeOf(request.path);
        return place === undefined ? transport.send(request) : Promise.resolve(this.#respond(request, place));
      },
    };
  }

  #placeOf(path: string): Place | undefined {
    const [, group = "", version = "", namespace = "", plural = "", name = ""] =
      /^\/apis\/([^/]+)\/([^/]+)\/(?:namespaces\/([^/]+)\/)?([^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
    const kind = this.kinds.find((each) => each.plural === plural && each.group === group && each.version === version);
    return kind === undefined ? undefined : { kind, namespace, name: decodeURIComponent(name) };
  }

  #respond({ method, body }: ApiRequest, { kind, namespace, name }: Place): ApiResponse {
    const value =
      body === undefined || body.length === 0 ? undefined : (JSON.parse(decoder.decode(body)) as StoredObject);
    const entry = entryName(kind, objectKey(namespace, name));
    const there = this.#objects.get(entry)?.object;
    if (method === "POST" && value !== undefined) return jsonResponse(201, this.#create(kind, namespace, value));
    if (there === undefined) return jsonResponse(404, notFound({ group: kind.group, name: kind.plural }, name).status);
    if (method === "PATCH")
      return jsonResponse(200, this.#change(kind, there, mergePatch(there, value) as StoredObject));
    if (method === "DELETE") return jsonResponse(200, this.#delete(entry, kind, there));
    return jsonResponse(200, there);
  }

  #create(kind: Kind, namespace: string, object: StoredObject): StoredObject {
    const { random, now } = this.#options;
    const { generateName = "" } = object.metadata;
    const metadata = {
      ...object.metadata,
      name: object.metadata.name || `${generateName}…`,
      ...(namespace !== "" && { namespace }),
      uid: randomUuid(random),
      resourceVersion: "0",
      generation: 1,
      creationTimestamp: formatTime(now()),
    };
    return this.#put({ ...this.#accepted(kind, object, undefined), metadata });
  }

  /** Its resourceVersion differs from any that a server assigns. */
  #change(kind: Kind, before: StoredObject, wanted: StoredObject): StoredObject {
    const metadata = { ...wanted.metadata, resourceVersion: `${before.metadata.resourceVersion}+1` };
    return this.#put({ ...this.#accepted(kind, wanted, before), metadata });
  }

  /** The body of a write, without fields that the server ignores and with the defaults of its kind. */
  #accepted(kind: Kind, sent: StoredObject, before: StoredObject | undefined): StoredObject {
    const object = withDefaults(sent, this.#options.known.schemas.get(versionedKindName(kind))) as StoredObject;
    if (!this.#options.known.withStatus.has(resourceOf(kind))) return object;
    const { status: _status, ...rest } = object as StoredObject & { readonly status?: unknown };
    const { status } = (before ?? {}) as { readonly status?: unknown };
    return { ...rest, ...(status !== undefined && { status }) };
  }

  /** An object with finalizers is not removed: the controllers that would remove them do not run here. */
  #delete(entry: string, kind: Kind, object: StoredObject): StoredObject {
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (finalizers.length === 0) this.#objects.delete(entry);
    else if (deletionTimestamp === undefined) {
      const metadata = { ...object.metadata, deletionTimestamp: formatTime(this.#options.now()) };
      return this.#change(kind, object, { ...object, metadata });
    }
    return object;
  }

  #put(object: StoredObject): StoredObject {
    const of = kindNameOf(object.apiVersion ?? "", object.kind ?? "");
    const key = objectKey(object.metadata.namespace, object.metadata.name);
    this.#objects.set(entryName(of, key), { of, key, object });
    return object;
  }
}

interface Place {
  readonly kind: Kind;
  readonly namespace: string;
  /** Empty for the collection. */
  readonly name: string;
}
