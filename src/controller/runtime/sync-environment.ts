/** The seam for modes in which syncs decide and do not act: what stands in for the world that a sync sees and writes to. */
import type { ObjectKey } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Lister } from "../../cache/lister.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { Consistency } from "../api/consistency.ts";
import type { ControllerDefinition } from "../api/definition.ts";
import type { Expectations } from "../api/expectations.ts";

/** What a sync reads and writes, in place of the controller's own. */
export interface SyncSession {
  cache<T extends StoredObject>(kind: Kind<T>): Lister<T>;
  readonly client: Client;
  readonly expectations: Expectations;
  readonly consistency: Consistency;
  /** The sync has ended; called once, before its outcome is told. */
  end(failed: boolean): void;
}

/** The controller whose sync it is, with its own caches. */
export interface ShadowedController {
  readonly definition: ControllerDefinition;
  /** The kinds whose metadata it watches, if it discovers any. */
  readonly discovered: { has(kind: Kind): boolean } | undefined;
  cache<T extends StoredObject>(kind: Kind<T>): Lister<T>;
}

export interface SyncEnvironment {
  /** What handlers tell of deltas; syncs have their own. */
  readonly expectations: Expectations;
  readonly consistency: Consistency;
  /** A sync begins. */
  begin(running: ShadowedController, key: ObjectKey, sync: number): SyncSession;
}

/** Nothing is ever expected. */
export const noExpectations: Expectations = {
  satisfied: () => true,
  expectCreations: () => undefined,
  expectDeletions: () => undefined,
  creationObserved: () => undefined,
  deletionObserved: () => undefined,
  forget: () => undefined,
  of: () => undefined,
};

/** No write is ever waited for. */
export const noConsistency: Consistency = {
  wrote: () => undefined,
  ensureReady: () => undefined,
  forget: () => undefined,
};
