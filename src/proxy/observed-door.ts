/** A door that reports its traffic on a trace bus. Composes the parts of this folder. */
import { loadApiData, loadFieldNumbers } from "../api/wire/load.ts";
import type { TraceBus } from "../trace/bus.ts";
import { openDoor, type Door, type DoorOptions } from "./door.ts";
import { Backlog } from "./observer/backlog.ts";
import { BodyReader } from "./observer/bodies.ts";
import { KindNames } from "./observer/kind-names.ts";
import { Knowledge } from "./observer/knowledge.ts";
import { observeInto } from "./observer/observer.ts";

/** Options of `openObservedDoor`. */
export interface ObservedDoorOptions extends Omit<DoorOptions, "observe"> {
  readonly bus: TraceBus;
  /** How many bytes may wait to be parsed; what exceeds this passes unread. Default 256 MB. */
  readonly maxBytes?: number;
}

/** A running door that reports on a bus. */
export interface ObservedDoor extends Door {
  /** Parses and reports everything that has passed so far. */
  catchUp(): void;
}

/** Starts the proxy on 127.0.0.1. @throws Error if the port is in use. */
export async function openObservedDoor({ bus, maxBytes, ...options }: ObservedDoorOptions): Promise<ObservedDoor> {
  const { timeline } = options;
  const [data, numbers] = await Promise.all([loadApiData(), loadFieldNumbers()]);
  const backlog = new Backlog({ timeline, ...(maxBytes !== undefined && { maxBytes }) });
  const bodies = new BodyReader(data, numbers);
  const knowledge = new Knowledge(new KindNames(data), bus);
  const door = await openDoor({ ...options, observe: observeInto({ bus, timeline, backlog, bodies, knowledge }) });
  return { ...door, catchUp: () => backlog.drain() };
}
