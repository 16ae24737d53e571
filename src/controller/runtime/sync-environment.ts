/** The extension point for modes that decide but do not act: it replaces the caches, client and expectations of each sync. */
import type { ObjectKey } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Lister } from "../../cache/lister.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { Consistency } from "../api/consistency.ts";
import type { ControllerDefinition } from "../api/definition.ts";
import type { Expectations } from "../api/expectations.ts";

/** Replaces the controller's own caches and client for one sync. */
export interface SyncSession {
  cache<T extends StoredObject>(kind: Kind<T>): Lister<T>;
  readonly client: Client;
  readonly expectations: Expectations;
  readonly consistency: Consistency;
  /** Called once when the sync has ended, before its outcome is reported. */
  end(failed: boolean): void;
}

/** A controller that runs in an environment, with its own caches. */
export interface ShadowedController {
  readonly definition: ControllerDefinition;
  /** The kinds that it watches through `dynamicWatches`. */
  readonly discovered: { has(kind: Kind): boolean } | undefined;
  cache<T extends StoredObject>(kind: Kind<T>): Lister<T>;
}

/** The environment of a run's syncs: a mode that does not act passes one to the `ControllerManager`. */
export interface SyncEnvironment {
  /** The expectations that handlers update; each sync has its own. */
  readonly expectations: Expectations;
  readonly consistency: Consistency;
  /** Called when a sync starts. */
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

/** Never holds back a key. */
export const noConsistency: Consistency = {
  wrote: () => undefined,
  ensureReady: () => undefined,
  forget: () => undefined,
};
