/** What `why` looks at, and what it answers. */
import type { OwnerReference, StoredObject } from "../api/object.ts";
import type { Event, Namespace } from "../api/types.ts";
import type { LastWrite } from "./last-writes.ts";

/** An object that belongs to the one asked about. */
export interface Related {
  readonly kind: string;
  readonly object: StoredObject;
}

/** What a controller of ours would do now, in shadow. */
export interface WouldDo {
  readonly controller: string;
  readonly sentence: string;
}

/** Everything that is looked at, read at one time. */
export interface Snapshot {
  /** Milliseconds since 1970, by the server's clock. */
  readonly now: number;
  readonly kind: string;
  /** With managedFields. */
  readonly object: StoredObject;
  /** The object's namespace; undefined where it has none, or it may not be read. */
  readonly namespace: Namespace | undefined;
  /** What owns it; `unknown` where that cannot be read, undefined where it is gone. */
  readonly owners: readonly {
    readonly reference: OwnerReference;
    readonly owner: StoredObject | "unknown" | undefined;
  }[];
  /** What it owns, and what that owns, of the kinds that were read. */
  readonly owned: readonly Related[];
  /** About the object and what it owns, oldest first. */
  readonly events: readonly Event[];
  readonly wouldDo: readonly WouldDo[];
  /** Who reconciles objects of the kind here, as far as it is known. */
  readonly reconciler: { readonly who: string; readonly isActive: boolean } | undefined;
}

/** One thing that is waited for. */
export interface Wait {
  /** `Pod web-6d5f4c-x7k2p`; empty for the object itself. */
  readonly about: string;
  readonly why: string;
  /** Since when, in ms since 1970. */
  readonly since?: number;
}

/** Whether an object is as it should be, and if not what it waits for. */
export interface State {
  readonly is: "as desired" | "waiting" | "failed" | "being deleted";
  /** The first line's second half: `2 of 3 pods of ReplicaSet web-6d5f4c are available`. */
  readonly says: string;
  readonly waits: readonly Wait[];
  /** What comes next and when. */
  readonly next: readonly string[];
}

export interface Answer extends State {
  /** `Deployment web` */
  readonly title: string;
  readonly lastWrites: readonly LastWrite[];
  /** The latest warnings that say more than the waits do. */
  readonly warnings: readonly {
    readonly about: string;
    readonly text: string;
    readonly at: number;
    readonly count: number;
  }[];
}

/** A wait's `since`, where it is known. */
export function since(ms: number | undefined): { readonly since?: number } {
  return ms === undefined ? {} : { since: ms };
}

/** The owned objects of a kind whose controller the given one is. */
export function controlledBy(
  owned: readonly Related[],
  kind: string,
  { metadata: { uid } }: StoredObject,
): readonly StoredObject[] {
  return owned
    .filter((each) => each.kind === kind)
    .map(({ object }) => object)
    .filter(({ metadata }) => metadata.ownerReferences?.some((each) => each.controller === true && each.uid === uid));
}
