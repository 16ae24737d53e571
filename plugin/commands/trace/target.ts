/** The target of a trace. Open it, listen to its bus, then start it, so that no event is missed. */
import type { Kind } from "../../../src/api/kind.ts";
import type { ControllerManager } from "../../../src/controller/runtime/controller-manager.ts";
import type { TraceBus } from "../../../src/trace/bus.ts";
import type { FindObject } from "../../../src/views/chains.ts";

/** What the screen needs to know about a target. */
export interface TracePlace {
  readonly mode: "sandbox" | "shadow";
  /** The namespace of `TYPE/NAME`. */
  readonly namespace: string;
  /** Hide syncs of objects in other namespaces. */
  readonly only: boolean;
  /** Kinds for `TYPE`, in addition to those that the controllers watch. */
  readonly kinds: readonly Kind[];
}

/** A set of controllers to trace, and their cluster. */
export interface TraceTarget {
  readonly bus: TraceBus;
  readonly place: TracePlace;
  /** Looks up an object in the caches of the controllers, which are empty before `start`. */
  readonly find: FindObject;
  /** Starts the controllers. @throws UserError, StatusError, TransportError; the reason of the session's signal. */
  start(): Promise<void>;
  /** Whether nothing is left to do. */
  isIdle(): boolean;
  /** The names of the controllers with which nothing is compared, since nothing else is known to run them. None in a sandbox. */
  withoutOwner(): readonly string[];
  /** Stops the controllers and closes the connection. A second call has no effect. */
  stop(): Promise<void>;
}

/** Looks up an object in the first cache of its kind among the controllers of a manager. */
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
