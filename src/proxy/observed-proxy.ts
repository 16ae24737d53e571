/** A proxy that reports its traffic on a trace bus. Composes the parts of this folder. */
import { loadApiData, loadFieldNumbers } from "../api/wire/load.ts";
import type { TraceBus } from "../trace/bus.ts";
import { openProxy, type ProxyServer, type ProxyOptions } from "./proxy-server.ts";
import { Backlog } from "./observer/backlog.ts";
import { BodyReader } from "./observer/bodies.ts";
import { KindNames } from "./observer/kind-names.ts";
import { Knowledge } from "./observer/knowledge.ts";
import { observeInto } from "./observer/observer.ts";

/** Options of `openObservedProxy`. */
export interface ObservedProxyOptions extends Omit<ProxyOptions, "observe"> {
  readonly bus: TraceBus;
  /** How many bytes may wait to be parsed; what exceeds this passes unread. Default 256 MB. */
  readonly maxBytes?: number;
}

/** A running proxy that reports on a bus. */
export interface ObservedProxy extends ProxyServer {
  /** Parses and reports everything that has passed so far. */
  catchUp(): void;
}

/** Starts the proxy on 127.0.0.1. @throws Error if the port is in use. */
export async function openObservedProxy({ bus, maxBytes, ...options }: ObservedProxyOptions): Promise<ObservedProxy> {
  const { timeline } = options;
  const [data, numbers] = await Promise.all([loadApiData(), loadFieldNumbers()]);
  const backlog = new Backlog({ timeline, ...(maxBytes !== undefined && { maxBytes }) });
  const bodies = new BodyReader(data, numbers);
  const knowledge = new Knowledge(new KindNames(data), bus);
  const proxy = await openProxy({ ...options, observe: observeInto({ bus, timeline, backlog, bodies, knowledge }) });
  return { ...proxy, catchUp: () => backlog.drain() };
}
