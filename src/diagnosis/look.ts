/**
 * How a diagnosis looks at a cluster without reading it: it requests what it needs, and what has not been read yet is
 * noted. The reader reads that and runs the diagnosis again, until nothing is missing. So each kind's file states in
 * one place what it looks at and what follows, and what has not been read is "not seen" by construction.
 */
import type { OwnerReference, StoredObject } from "../api/object.ts";
import { apiVersionOf, type Kind, resourceOf } from "../api/kind.ts";
import { type Selector, formatSelector, matches } from "../api/labels.ts";
import { readTime } from "../api/time.ts";
import type { Event } from "../api/types.ts";
import type { Unseen } from "../verdict/verdict.ts";
import type { Diagnosis, Item, Ref } from "./diagnosis.ts";

/** Something to be read. */
export type Want =
  | {
      readonly is: "get";
      readonly kind: Kind;
      readonly namespace: string;
      readonly name: string;
      readonly metadata: boolean;
    }
  | { readonly is: "list"; readonly kind: Kind; readonly namespace: string; readonly selector: string }
  /** The kind and object of an owner reference. */
  | { readonly is: "owner"; readonly reference: OwnerReference; readonly namespace: string }
  /** The metadata of all objects of all kinds in a namespace, or in the cluster if it is empty. */
  | { readonly is: "everything"; readonly namespace: string }
  | { readonly is: "events"; readonly namespace: string }
  /** What our controllers, in shadow, would do with the object now. */
  | { readonly is: "would"; readonly ref: Ref }
  /** Who reconciles objects of the kind here. */
  | { readonly is: "reconciler"; readonly kind: Kind; readonly namespace: string };

/** The result of reading. */
export type Got =
  | { readonly is: "objects"; readonly items: readonly Item[]; readonly unseen: readonly Unseen[] }
  | { readonly is: "would"; readonly would: readonly WouldDo[]; readonly unseen: readonly Unseen[] }
  | { readonly is: "reconciler"; readonly reconciler: Reconciler | undefined }
  | { readonly is: "missing" }
  /** It could not be read: `no right to list`. `isServed` is false if the server has no such kind, so that there is nothing to read. */
  | { readonly is: "unseen"; readonly why: string; readonly isServed?: false };

/** What one of our controllers, in shadow, would do now. */
export interface WouldDo {
  readonly controller: string;
  readonly sentence: string;
}

/** The process that reconciles a kind, and whether it is running. */
export interface Reconciler {
  readonly who: string;
  readonly isActive: boolean;
}

/** Everything that has been read so far. */
export interface Readings {
  /** Milliseconds since 1970, by the server's clock. */
  readonly now: number;
  /** Undefined if it has not been read yet. */
  got(want: Want): Got | undefined;
}

/** The identity of a want: equal for equal wants. */
export function wantId(want: Want): string {
  switch (want.is) {
    case "get":
      return `get ${resourceOf(want.kind)} ${want.namespace}/${want.name}${want.metadata ? " metadata" : ""}`;
    case "list":
      return `list ${resourceOf(want.kind)} ${want.namespace} ${want.selector}`.trimEnd();
    case "owner":
      return `owner ${want.reference.apiVersion} ${want.reference.kind} ${want.namespace}/${want.reference.name}`;
    case "everything":
    case "events":
      return `${want.is} ${want.namespace}`.trimEnd();
    case "would":
      return `would ${resourceOf(want.ref.kind)} ${want.ref.namespace}/${want.ref.name}`;
    case "reconciler":
      return `reconciler ${resourceOf(want.kind)} ${want.namespace}`;
  }
}

/** The result of looking up an object. */
export type Found<T> =
  | { readonly is: "found"; readonly object: T }
  | { readonly is: "missing" }
  | { readonly is: "unseen"; readonly unseen: Unseen };

/** The result of listing objects. */
export interface Listed<T> {
  readonly objects: readonly T[];
  readonly unseen: readonly Unseen[];
}

/** Why a want is unseen that the reader has not met yet. */
const notRead = "not read";

/** How deep dependents and references are followed. */
const deepest = 8;

/** Looks up what has been read, and notes what is missing. */
export class Look {
  readonly now: number;
  #world: Readings;
  #wants = new Map<string, Want>();
  #diagnose: (look: Look, item: Item) => Diagnosis;
  #diagnosed = new Map<string, Diagnosis>();
  /** By the want: many objects look at the same list, such as each pod at the Leases of nodes. */
  #listed = new Map<string, Listed<StoredObject>>();
  #refused = new Map<string, Unseen>();
  #above: string[] = [];

  constructor(world: Readings, diagnose: (look: Look, item: Item) => Diagnosis) {
    this.#world = world;
    this.now = world.now;
    this.#diagnose = diagnose;
  }

  /** What was needed but has not been read. */
  wants(): readonly Want[] {
    return [...this.#wants.values()];
  }

  /** What could not be read, for this object or for those that it depends on. What the server does not serve is not included. */
  refused(): readonly Unseen[] {
    return [...this.#refused.values()];
  }

  get<T extends StoredObject>(kind: Kind<T>, namespace: string, name: string): Found<T> {
    return this.#found<T>({ is: "get", kind, namespace, name, metadata: false }, `${kind.kind} ${name}`);
  }

  /** Whether it exists, by its metadata; nothing else of a Secret is read. */
  exists(kind: Kind, namespace: string, name: string): Found<StoredObject> {
    return this.#found({ is: "get", kind, namespace, name, metadata: true }, `${kind.kind} ${name}`);
  }

  /** The owner that a reference names; `missing` if the object does not exist or has another uid. */
  owner(reference: OwnerReference, namespace: string): Found<Item> {
    const got = this.#got({ is: "owner", reference, namespace });
    const what = `${reference.kind} ${reference.name}`;
    if (got.is === "missing") return got;
    if (got.is !== "objects") return this.#unseen(what, got);
    const item = got.items.find(({ object }) => object.metadata.uid === reference.uid);
    return item === undefined ? { is: "missing" } : { is: "found", object: item };
  }

  /** The objects of a kind that a selector matches; all without a selector. */
  list<T extends StoredObject>(kind: Kind<T>, namespace: string, selector: Selector = []): Listed<T> {
    if (selector === "nothing") return { objects: [], unseen: [] };
    const want = listOf(kind, namespace, formatSelector(selector));
    const listed = this.#listed.getOrInsertComputed(wantId(want), () => this.#list(want, selector));
    // The kind carries the type of its objects.
    return listed as Listed<T>;
  }

  #list(want: Extract<Want, { readonly is: "list" }>, selector: Exclude<Selector, "nothing">): Listed<StoredObject> {
    const { kind, namespace } = want;
    const got = this.#read(kind, namespace) ?? this.#got(want);
    if (got.is !== "objects") return { objects: [], unseen: [this.#unseen(resourceOf(kind), got).unseen] };
    const objects = got.items
      .map(({ object }) => object)
      .filter(({ metadata }) => matches(selector, metadata.labels) && isIn(namespace, metadata.namespace));
    return { objects, unseen: got.unseen };
  }

  /** A complete list of the namespace or the cluster that was read already. */
  #read(kind: Kind, namespace: string): Got | undefined {
    const inNamespace = this.#world.got(listOf(kind, namespace));
    if (inNamespace?.is === "objects") return inNamespace;
    const everywhere = this.#world.got(listOf(kind, ""));
    return everywhere?.is === "objects" && everywhere.unseen.length === 0 ? everywhere : undefined;
  }

  /** The object's dependents of any kind, as metadata. */
  dependents({ object: { metadata } }: Item): Listed<Item> {
    const { objects, unseen } = this.everything(metadata.namespace ?? "");
    return { objects: objects.filter(({ object }) => isOwnedBy(object, metadata.uid)), unseen };
  }

  /** The metadata of everything in a namespace, or in the cluster if it is empty. */
  everything(namespace: string): Listed<Item> {
    const got = this.#got({ is: "everything", namespace });
    if (got.is === "objects") return { objects: got.items, unseen: got.unseen };
    return { objects: [], unseen: [this.#unseen("what else is there", got).unseen] };
  }

  /** The Events about an object, oldest first. */
  events({ metadata }: StoredObject): Listed<Event> {
    const namespace = metadata.namespace ?? "default";
    const got = this.#got({ is: "events", namespace });
    if (got.is !== "objects") return { objects: [], unseen: aside([this.#unseen("events", got).unseen]) };
    const about = this.eventsIn(namespace).filter(({ involvedObject }) => involvedObject.uid === metadata.uid);
    return { objects: about, unseen: got.unseen };
  }

  /** All Events of a namespace, oldest first. */
  eventsIn(namespace: string): readonly Event[] {
    const got = this.#got({ is: "events", namespace });
    // The want is for the Events of a namespace.
    const events = got.is === "objects" ? got.items.map(({ object }) => object as Event) : [];
    return events.sort((a, b) => eventTime(a) - eventTime(b));
  }

  would(item: Ref): Listed<WouldDo> {
    const got = this.#got({ is: "would", ref: item });
    if (got.is === "would") return { objects: got.would, unseen: got.unseen };
    return { objects: [], unseen: [] };
  }

  reconciler(kind: Kind, namespace: string): Reconciler | undefined {
    const got = this.#got({ is: "reconciler", kind, namespace });
    return got.is === "reconciler" ? got.reconciler : undefined;
  }

  /** The diagnosis of another object, each made once; undefined if it is in progress already, or too deep. */
  diagnose(item: Item): Diagnosis | undefined {
    const { uid } = item.object.metadata;
    const known = this.#diagnosed.get(uid);
    if (known !== undefined) return known;
    if (this.#above.includes(uid) || this.#above.length >= deepest) return undefined;
    this.#above.push(uid);
    const diagnosis = this.#diagnose(this, item);
    this.#above.pop();
    this.#diagnosed.set(uid, diagnosis);
    return diagnosis;
  }

  /** Whether the diagnosis in progress is of the requested object, not of one that it depends on. */
  get isFirst(): boolean {
    return this.#above.length === 1;
  }

  #got(want: Want): Got {
    const got = this.#world.got(want);
    if (got !== undefined) return got;
    this.#wants.set(wantId(want), want);
    return { is: "unseen", why: notRead };
  }

  #unseen(what: string, got: Got): { readonly is: "unseen"; readonly unseen: Unseen } {
    if (got.is !== "unseen") return { is: "unseen", unseen: { what, why: notRead, isDecisive: true } };
    const unseen = { what, why: got.why, isDecisive: true };
    if (got.why !== notRead && got.isServed !== false) this.#refused.set(what, unseen);
    return { is: "unseen", unseen };
  }

  #found<T extends StoredObject>(want: Want, what: string): Found<T> {
    const got = this.#got(want);
    if (got.is === "missing") return got;
    const first = got.is === "objects" ? got.items[0] : undefined;
    if (first === undefined) return this.#unseen(what, got);
    // The kind of the want determines the type.
    return { is: "found", object: first.object as T };
  }
}

function listOf(kind: Kind, namespace: string, selector = ""): Extract<Want, { readonly is: "list" }> {
  return { is: "list", kind, namespace, selector };
}

function isIn(namespace: string, own: string | undefined): boolean {
  return namespace === "" || own === undefined || own === namespace;
}

/** Whether one of the object's owners has this uid. */
export function isOwnedBy({ metadata: { ownerReferences } }: StoredObject, uid: string): boolean {
  return ownerReferences?.some((reference) => reference.uid === uid) === true;
}

/** Whether the other object is this object's controller. */
export function isControlledBy(
  { metadata: { ownerReferences } }: StoredObject,
  { metadata: { uid } }: StoredObject,
): boolean {
  return ownerReferences?.some((each) => each.controller === true && each.uid === uid) === true;
}

/** When an Event was last seen, in ms since 1970. */
export function eventTime({ lastTimestamp, series, eventTime: time, metadata }: Event): number {
  return readTime(lastTimestamp ?? series?.lastObservedTime ?? time ?? metadata.creationTimestamp) ?? 0;
}

/** Whether a reference names an object of the kind, in any version. */
export function refersTo({ apiVersion, kind }: OwnerReference, of: Kind): boolean {
  return kind === of.kind && apiVersion.split("/")[0] === apiVersionOf(of).split("/")[0];
}

/** As not decisive: what was seen without it suffices. */
export function aside(unseen: readonly Unseen[]): readonly Unseen[] {
  return unseen.map((each) => ({ ...each, isDecisive: false }));
}
