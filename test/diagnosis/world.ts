/** A world for tests: the readings of a diagnosis are a complete list of objects. */
import { apiVersionOf, type Kind, kindOf, resourceOf } from "../../src/api/kind.ts";
import { Events } from "../../src/api/kinds.ts";
import { matches } from "../../src/api/labels.ts";
import { parseSelector } from "../../src/api/selector-parser.ts";
import type { StoredObject } from "../../src/api/object.ts";
import type { Event } from "../../src/api/types.ts";
import { type Answer, answerFrom } from "../../src/diagnosis/answer.ts";
import type { Item } from "../../src/diagnosis/diagnosis.ts";
import type { Got, Reconciler, Want, WouldDo, Readings } from "../../src/diagnosis/look.ts";

/** 2026-11-21T10:00:00Z */
export const now: number = Date.UTC(2026, 10, 21, 10);
export const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString().replace(".000", "");

export type Json = Readonly<Record<string, unknown>>;

export const Widgets: Kind = kindOf({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
});

/** An object in the namespace `shop`; its uid is derived from its name. */
export function objectOf(name: string, { meta = {}, ...rest }: Json & { readonly meta?: Json } = {}): StoredObject {
  const metadata = { namespace: "shop", uid: `uid-${name}`, resourceVersion: "1", creationTimestamp: ago(60) };
  return { metadata: { name, ...metadata, ...meta }, ...rest };
}

export const ownedBy = (owner: string, kind: Kind): Json => ({
  ownerReferences: [
    {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      name: owner,
      uid: `uid-${owner}`,
      controller: true,
      blockOwnerDeletion: true,
    },
  ],
});

export interface WorldParts {
  readonly items?: readonly Item[];
  readonly events?: readonly Event[];
  readonly would?: readonly WouldDo[];
  readonly reconciler?: Reconciler;
  /** Kinds that the user has no permission to read. */
  readonly forbidden?: readonly Kind[];
}

/** Readings of a cluster that has only these items, and the namespace, which is Active. */
export function worldOf({ items = [], events = [], would = [], reconciler, forbidden = [] }: WorldParts): Readings {
  const all: readonly Item[] = [...items, ...events.map((object) => ({ kind: Events, object }))];
  const unseen: Got = { is: "unseen", why: "no right to list" };
  const isForbidden = (kind: Kind): boolean => forbidden.some((each) => resourceOf(each) === resourceOf(kind));
  const find = (test: (item: Item) => boolean): Got => {
    const found = all.filter(test);
    return found.length === 0 ? { is: "missing" } : { is: "objects", items: found, unseen: [] };
  };
  const got = (want: Want): Got => {
    switch (want.is) {
      case "get":
        if (isForbidden(want.kind)) return { is: "unseen", why: "no right to get" };
        if (want.kind.kind === "Namespace" && !all.some(({ kind }) => kind.kind === "Namespace")) {
          return { is: "objects", items: [{ kind: want.kind, object: objectOf(want.name) }], unseen: [] };
        }
        return find(
          ({ kind, object }) => resourceOf(kind) === resourceOf(want.kind) && object.metadata.name === want.name,
        );
      case "list": {
        if (isForbidden(want.kind)) return unseen;
        const selector = parseSelector(want.selector);
        const chosen = all.filter(
          ({ kind, object }) => resourceOf(kind) === resourceOf(want.kind) && matches(selector, object.metadata.labels),
        );
        return { is: "objects", items: chosen, unseen: [] };
      }
      case "owner":
        return find(({ object }) => object.metadata.uid === want.reference.uid);
      case "everything": {
        const seen = all.filter(({ kind }) => !isForbidden(kind) && kind.namespaced && kind.kind !== "Event");
        const missing = forbidden.map((kind) => ({
          what: resourceOf(kind),
          why: "no right to list",
          isDecisive: true,
        }));
        return { is: "objects", items: seen, unseen: missing };
      }
      case "events":
        return isForbidden(Events)
          ? unseen
          : { is: "objects", items: all.filter(({ kind }) => kind === Events), unseen: [] };
      case "would":
        return { is: "would", would, unseen: [] };
      case "reconciler":
        return { is: "reconciler", reconciler };
    }
  };
  return { now, got };
}

/** The diagnosis of an object in a world with that object and the given parts. */
export function diagnose(kind: Kind, object: StoredObject, parts: WorldParts = {}): Answer {
  const item = { kind, object };
  return answerFrom(worldOf({ ...parts, items: [item, ...(parts.items ?? [])] }), item).answer;
}
