/** The interfaces for reading an exchange. */
import type { StoredObject } from "../../api/object.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { TraceBus } from "../../trace/bus.ts";
import type { RequestEvent } from "../../trace/events.ts";
import type { ExchangeEnd, RequestHead } from "./exchange.ts";
import type { Backlog } from "./backlog.ts";
import type { BodyReader, Encoding } from "./bodies.ts";
import type { Knowledge } from "./knowledge.ts";
import type { RequestInfo } from "./request-info.ts";

/** Dependencies of an observer. */
export interface ObserverOptions {
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  readonly backlog: Backlog;
  readonly bodies: BodyReader;
  readonly knowledge: Knowledge;
}

/** The end of a response. */
export interface ResponseEnd {
  /** Empty if the chunks were read as they came. */
  readonly body: Uint8Array;
  readonly how: ExchangeEnd;
  readonly at: number;
}

/** Fields of the request event that were found by reading the response. */
export type ResponseDetails = Partial<RequestEvent>;

/** Reads a response, either chunk by chunk or as a whole at its end. Long work yields. */
export interface ResponseReader {
  piece?(bytes: Uint8Array, at: number): Generator<void>;
  end(ended: ResponseEnd): ResponseDetails | Generator<void, ResponseDetails>;
}

/** An exchange, as known when the response starts. */
export interface ExchangeContext {
  readonly request: RequestHead;
  readonly meaning: RequestInfo;
  readonly agent: string;
  readonly status: number;
  readonly encoding: Encoding;
  /** When the head of the response came, in ms since 1970. */
  readonly at: number;
  /** The states in which the process may have known the object when it sent the request. */
  readonly known: readonly StoredObject[];
}
