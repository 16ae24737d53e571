/** The seam for modes in which syncs decide and do not act: other caches, another client and other expectations for each sync. */
import type { ObjectKey } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Lister } from "../../cache/lister.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { Consistency } from "../api/consistency.ts";
import type { ControllerDefinition } from "../api/definition.ts";
import type { Expectations } from "../api/expectations.ts";

/** What one sync reads and writes, instead of the controller's own caches and client. */
export interface SyncSession {
  cache<T extends StoredObject>(kind: Kind<T>): Lister<T>;
  readonly client: Client;
  readonly expectations: Expectations;
  readonly consistency: Consistency;
  /** Called once when the sync has ended, before its outcome is reported. */
  end(failed: boolean): void;
}

/** The controller that runs in an environment, with its own caches. */
export interface ShadowedController {
  readonly definition: ControllerDefinition;
  /** The kinds that it watches by `dynamicWatches`. */
  readonly discovered: { has(kind: Kind): boolean } | undefined;
  cache<T extends StoredObject>(kind: Kind<T>): Lister<T>;
}

/** Where the syncs of a run take place: a mode that does not act gives one to the `ControllerManager`. */
export interface SyncEnvironment {
  /** The expectations that handlers settle; each sync has its own. */
  readonly expectations: Expectations;
  readonly consistency: Consistency;
  /** Called when a sync begins. */
  begin(running: ShadowedController, key: ObjectKey, sync: number): SyncSession;
}

/** Expects nothing: every key is satisfied. */
export const noExpectations: Expectations = {
  satisfied: () => true,
  expectCreations: () => undefined,
  expectDeletions: () => undefined,
  expect: () => undefined,
  creationObserved: () => undefined,
  deletionObserved: () => undefined,
  expectUpdates: () => undefined,
  updateObserved: () => undefined,
  updatesOf: () => new Set(),
  forget: () => undefined,
  of: () => undefined,
};

/** Waits for no write. */
export const noConsistency: Consistency = {
  wrote: () => undefined,
  ensureReady: () => undefined,
  forget: () => undefined,
};
