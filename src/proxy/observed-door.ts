/** A door that reports what passes on a trace bus: the composition of this room. */
import { loadApiData, loadFieldNumbers } from "../api/wire/load.ts";
import type { TraceBus } from "../trace/bus.ts";
import { openDoor, type Door, type DoorOptions } from "./door.ts";
import { Backlog } from "./observer/backlog.ts";
import { BodyReader } from "./observer/bodies.ts";
import { KindNames } from "./observer/kind-names.ts";
import { Knowledge } from "./observer/knowledge.ts";
import { observeInto } from "./observer/observer.ts";

/** What a door opens to, and where it reports. */
export interface ObservedDoorOptions extends Omit<DoorOptions, "observe"> {
  readonly bus: TraceBus;
  /** How many bytes may wait to be read; what comes beyond passes unread. Default 256 MB. */
  readonly mostBytes?: number;
}

/** A door whose reports can be waited for. */
export interface ObservedDoor extends Door {
  /** Reads what has passed and is not read yet: afterwards all of it has been reported. */
  catchUp(): void;
}

/** Opens a door on 127.0.0.1. @throws Error where the port is taken. */
export async function openObservedDoor({ bus, mostBytes, ...options }: ObservedDoorOptions): Promise<ObservedDoor> {
  const { timeline } = options;
  const [data, numbers] = await Promise.all([loadApiData(), loadFieldNumbers()]);
  const backlog = new Backlog({ timeline, ...(mostBytes !== undefined && { mostBytes }) });
  const bodies = new BodyReader(data, numbers);
  const knowledge = new Knowledge(new KindNames(data), bus);
  const door = await openDoor({ ...options, observe: observeInto({ bus, timeline, backlog, bodies, knowledge }) });
  return { ...door, catchUp: () => backlog.drain() };
}
