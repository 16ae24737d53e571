/** Loads existing objects into a server: those of a saved state, or of a snapshot of a cluster. */
import { formatTime } from "../../api/time.ts";
import { randomUuid } from "../../platform/random.ts";
import type { Server } from "../context/server.ts";
import { atStoredVersion } from "../registry/conversion/versions.ts";
import { copyOf, isFields, textOf, type ApiObject } from "../meta/object.ts";
import { ordered } from "../serialization/decode.ts";
import { type SandboxState, StateProblem } from "./document.ts";

/**
 * Fills a server that has written nothing yet. It continues at the state's revision, and earlier watches have expired, as after a
 * compaction.
 * @throws StateProblem for an object that cannot be stored here, or is a duplicate.
 */
export function loadState(server: Server, { revision, items }: SandboxState): void {
  server.store.beginAt(revision);
  const places = placesFor(server, items);
  const seen = new Set<string>();
  items.forEach((item, index) => {
    const { namespace = "", name = "" } = item.metadata;
    const place = places(item);
    const problemOf = (problem: string): StateProblem =>
      new StateProblem(`items[${index}], ${item.kind} ${namespace === "" ? name : `${namespace}/${name}`}, ${problem}`);
    if (place === undefined)
      throw problemOf(
        `cannot be loaded: ${item.apiVersion} is not served, and no CustomResourceDefinition here defines it`,
      );
    if (place.namespaced !== (namespace !== ""))
      throw problemOf(place.namespaced ? "has no namespace" : "has a namespace, which its kind has not");
    const key = `${place.storage} ${namespace}/${name}`;
    if (seen.has(key)) throw problemOf("is there twice");
    seen.add(key);
    server.store.load(server.store.collection(place.storage, place.namespaced), whole(server, item), revision);
  });
}

/**
 * Adds objects of a snapshot with all their fields: uid, status, resourceVersion, deletionTimestamp. The revision continues at
 * `snapshotRevision`, if that is the newest.
 * @throws RangeError for a kind that is not served.
 */
export function loadObjects(server: Server, objects: readonly unknown[], snapshotRevision: number | undefined): void {
  const all = objects.map((object) => whole(server, object));
  const newest = all.reduce((most, { metadata }) => Math.max(most, Number(metadata.resourceVersion ?? 0) || 0), 0);
  const revision = Math.max(snapshotRevision ?? 0, newest, server.store.revision);
  const places = placesFor(server, []);
  for (const object of all) {
    const place = places(object);
    if (place === undefined)
      throw new RangeError(`Cannot load ${object.kind} of ${object.apiVersion}: it is not served`);
    server.store.load(server.store.collection(place.storage, place.namespaced), object, revision);
  }
}

/** Where objects of a kind are stored. */
interface Place {
  readonly storage: string;
  readonly namespaced: boolean;
}

/** Finds the storage of kinds that are served, or defined by definitions among the objects: these are served later. */
function placesFor({ registry }: Server, items: readonly ApiObject[]): (object: ApiObject) => Place | undefined {
  const defined = new Map(items.flatMap(definedBy));
  return ({ apiVersion, kind }) => {
    const [group = ""] = apiVersion.split("/");
    return registry.ofKind(apiVersion, kind) ?? defined.get(kindKey(group, kind));
  };
}

const kindKey = (group: string, kind: string): string => `${group} ${kind}`;

function definedBy({ apiVersion, kind, metadata, spec, status }: ApiObject): [string, Place][] {
  if (kind !== "CustomResourceDefinition" || apiVersion !== "apiextensions.k8s.io/v1") return [];
  const names = status?.["acceptedNames"];
  const own = isFields(names) ? textOf(names["kind"]) : "";
  const place = { storage: metadata.name ?? "", namespaced: spec?.["scope"] === "Namespaced" };
  // Until its names are accepted, it has no objects.
  return own === "" ? [] : [[kindKey(textOf(spec?.["group"]), own), place]];
}

/** A foreign object in its stored form, with a uid and a creation time. @throws RangeError without kind and apiVersion. */
export function whole(server: Server, object: unknown): ApiObject {
  if (!isFields(object) || typeof object["kind"] !== "string" || typeof object["apiVersion"] !== "string") {
    throw new RangeError("Cannot load an object without kind and apiVersion");
  }
  const copy = ordered(atStoredVersion(copyOf(object) as ApiObject));
  copy.metadata.uid ??= randomUuid(server.random);
  copy.metadata.creationTimestamp ??= formatTime(server.timeline.now());
  return copy;
}
