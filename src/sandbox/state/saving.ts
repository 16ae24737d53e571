/** Saves the current state of a server. */
import type { Server } from "../context/server.ts";
import { stateText } from "./document.ts";

/** A saved state, and its size. */
export interface SavedState {
  readonly objects: number;
  readonly revision: number;
  /** The text in pieces, created on demand: always of the moment of saving, whatever is written meanwhile. */
  readonly text: Iterable<string>;
}

/** Saves everything that is stored, by resource, then by namespace and name. */
export function saveState({ store, tokens }: Server): SavedState {
  const collections = [...store.collections].sort(([a], [b]) => (a < b ? -1 : 1));
  const entries = collections.flatMap(([, collection]) => [...collection.range({})]);
  const { revision } = store;
  return { objects: entries.length, revision, text: stateText({ revision, keys: tokens.keysInUse() }, entries) };
}
