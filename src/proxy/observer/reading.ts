/** The contract of what is read of an exchange. */
import type { StoredObject } from "../../api/object.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { TraceBus } from "../../trace/bus.ts";
import type { RequestEvent } from "../../trace/events.ts";
import type { ExchangeEnd, RequestHead } from "./exchange.ts";
import type { Backlog } from "./backlog.ts";
import type { BodyReader, Encoding } from "./bodies.ts";
import type { Knowledge } from "./knowledge.ts";
import type { Meaning } from "./meaning.ts";

/** What an observer works with. */
export interface ObserverOptions {
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  readonly backlog: Backlog;
  readonly bodies: BodyReader;
  readonly knowledge: Knowledge;
}

/** The end of a response. */
export interface Ended {
  /** Empty where pieces were read. */
  readonly body: Uint8Array;
  readonly how: ExchangeEnd;
  readonly at: number;
}

/** What was found out about a request by reading its response. */
export type Found = Partial<RequestEvent>;

/** What is read of a response: pieces as they come, or all at its end. What takes long yields. */
export interface ResponseReading {
  piece?(bytes: Uint8Array, at: number): Generator<void>;
  end(ended: Ended): Found | Generator<void, Found>;
}

/** What is known of an exchange. */
export interface Passed {
  readonly request: RequestHead;
  readonly meaning: Meaning;
  readonly agent: string;
  readonly status: number;
  readonly encoding: Encoding;
  /** When the head of the response came. */
  readonly at: number;
  /** The states in which the process may have known the object when it sent the request. */
  readonly known: readonly StoredObject[];
}
