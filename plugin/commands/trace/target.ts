/** Where controllers are traced: opened first, then listened to, then started, so that no event is missed. */
import type { Kind } from "../../../src/api/kind.ts";
import type { ControllerManager } from "../../../src/controller/runtime/controller-manager.ts";
import type { TraceBus } from "../../../src/trace/bus.ts";
import type { FindObject } from "../../../src/views/chains.ts";

/** What a target is, for those who show it. */
export interface TracePlace {
  readonly mode: "sandbox" | "shadow";
  /** Where `TYPE/NAME` is. */
  readonly namespace: string;
  /** Syncs of objects in other namespaces are not shown. */
  readonly only: boolean;
  /** What `TYPE` may mean, beyond the kinds that the controllers watch. */
  readonly kinds: readonly Kind[];
}

/** A cluster in which controllers are traced. */
export interface TraceTarget {
  readonly bus: TraceBus;
  readonly place: TracePlace;
  /** Looks into the caches of the controllers; before `start` nothing is found. */
  readonly find: FindObject;
  /** Starts the controllers. @throws UserError, StatusError, TransportError; the reason of the session's signal. */
  start(): Promise<void>;
  /** Whether nothing is left to do. */
  isIdle(): boolean;
  /** Ends what `start` began and closes the connection; again: nothing. */
  stop(): Promise<void>;
}

/** Looks an object up in the first cache of its kind that a controller of the manager has. */
export function findIn(manager: ControllerManager | undefined): FindObject {
  return ({ kind, key }) => {
    for (const running of manager?.controllers ?? []) {
      const named = running.definition.watches.map((watch) => watch.kind);
      const all: readonly Kind[] = [...named, ...(running.discovered?.kinds ?? [])];
      const watched = all.find((each) => each.kind === kind);
      if (watched !== undefined) return running.cache(watched).get(key);
    }
    return undefined;
  };
}
