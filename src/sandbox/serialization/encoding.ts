/** Encodes objects: single ones, lists, and watch events. Each piece of JSON is created once and shared. */
import { isFields, type ApiObject, type Fields } from "../meta/object.ts";
import { Entry } from "../storage/entry.ts";
import type { Change } from "../storage/watch-cache.ts";
import type { Resource } from "../registry/resource.ts";
import type { Schema } from "../../api/wire/schema.ts";
import { atVersion } from "../registry/conversion/versions.ts";

const encoder = new TextEncoder();

/** UTF-8. */
export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}

/** How objects are presented to a client: whole, at another version, or only their metadata. */
export interface Format {
  /** Identifies the format; frames are shared by all watches with the same name. */
  readonly name: string;
  /** The JSON of an object. */
  text(entry: Entry): string;
  /** The same as a value; it may be shared, and must not be modified. */
  value(entry: Entry): unknown;
  /** The length of `{"kind":…,"apiVersion":…` at the start of `text`, which list items omit; 0 if they keep it. */
  readonly headLength: number;
  /** The format of a watch's first event, if it differs. */
  readonly first?: Format;
  /** Encodes a watch event, if it is not a line of JSON. */
  frame?(type: FrameType, value: Fields): Uint8Array;
}

/** Objects of a kind at one version: as stored, unless they were stored at another. */
export function wholeFormat({ apiVersion, kind, struct, form }: Resource, schema: Schema): Format {
  // Stored objects begin with `kind` and `apiVersion`: `itemText` cuts these off.
  const head = JSON.stringify({ kind, apiVersion }).slice(0, -1);
  const converted = ({ object }: Entry): ApiObject =>
    form === undefined ? atVersion(object, apiVersion, struct, schema) : form.convert(object);
  const isAtVersion = ({ text }: Entry): boolean => text.startsWith(head);
  return {
    name: apiVersion,
    text: (entry) => (isAtVersion(entry) ? entry.text : JSON.stringify(converted(entry))),
    value: (entry) => (isAtVersion(entry) ? entry.object : converted(entry)),
    // Objects described by a schema keep their kind in lists.
    headLength: form === undefined ? head.length : 0,
  };
}

/** `meta.k8s.io` PartialObjectMetadata. */
export function partialFormat(version: string): Format {
  return {
    name: `partial meta.k8s.io/${version}`,
    text: ({ object }) => JSON.stringify(partialOf(object, version)),
    value: ({ object }) => partialOf(object, version),
    headLength: 0,
  };
}

/** An object reduced to its metadata. */
export function partialOf(object: ApiObject, version: string): ApiObject {
  const { metadata } = withoutGeneration(object);
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata };
}

const templateGeneration = "deprecated.daemonset.template.generation";

/** Metadata is that of the server's internal form, where this DaemonSet annotation is a separate number. */
function withoutGeneration(object: ApiObject): ApiObject {
  const { annotations } = object.metadata;
  if (annotations?.[templateGeneration] === undefined) return object;
  const { [templateGeneration]: _generation, ...kept } = annotations;
  const { annotations: _annotations, ...metadata } = object.metadata;
  return { ...object, metadata: Object.keys(kept).length === 0 ? metadata : { ...metadata, annotations: kept } };
}

/** An object as an item in a list of its kind. */
export function itemText(entry: Entry, format: Format): string {
  const text = format.text(entry);
  // The head ends before the comma in front of `metadata`.
  return format.headLength === 0 ? text : `{${text.slice(format.headLength + 1)}`;
}

/** The same as a value. */
export function itemValue(entry: Entry, format: Format): unknown {
  const value = format.value(entry);
  if (format.headLength === 0 || !isFields(value)) return value;
  const { kind: _kind, apiVersion: _apiVersion, ...item } = value;
  return item;
}

/** The event types of a watch. */
export type FrameType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

/** One watch event: a line of JSON, unless the format has its own frames. */
export function frameOf(
  { type, entry }: { readonly type: FrameType; readonly entry: Entry },
  format: Format,
): Uint8Array {
  const value = format.frame === undefined ? undefined : format.value(entry);
  return isFields(value) ? frameOfValue({ type, value }, format) : lineOf(type, format.text(entry));
}

/** An event with an object that is not stored: a bookmark or an error. */
export function frameOfValue(
  { type, value }: { readonly type: FrameType; readonly value: Fields },
  format: Format,
): Uint8Array {
  return format.frame?.(type, value) ?? lineOf(type, JSON.stringify(value));
}

function lineOf(type: FrameType, objectText: string): Uint8Array {
  return bytesOf(`{"type":"${type}","object":${objectText}}\n`);
}

/** The event of a change for watches that see it as `type`; encoded once and shared. */
export function frameOfChange(change: Change, type: "ADDED" | "MODIFIED" | "DELETED", format: Format): Uint8Array {
  // An object that leaves a selection is sent as DELETED, in its previous state, at the resourceVersion of the change.
  const leaves = type === "DELETED" && change.type !== "DELETED";
  const name = `${type}${format.name}`;
  let frame = change.frames?.get(name);
  if (frame === undefined) {
    frame = frameOf({ type, entry: leaves ? leaving(change) : change.entry }, format);
    change.frames?.set(name, frame);
  }
  return frame;
}

function leaving(change: Change): Entry {
  const { object } = change.previous ?? change.entry;
  return new Entry({ ...object, metadata: { ...object.metadata } }, change.revision);
}
