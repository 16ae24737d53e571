/** The bus that carries stage events from where they happen to whoever listens. */
import type { EventHead, StageEvent, StageEventBody } from "./events.ts";

/** Must only append or count: it is called in the middle of atomic regions. One that throws is removed. */
export type Listener = (event: StageEvent) => void;

export interface TraceBusOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Told once of each listener that threw and was removed. */
  readonly onListenerError?: (error: unknown) => void;
}

/**
 * Emitting is synchronous and in order. An event that a listener emits while it handles another is delivered after that one
 * has reached every listener, so that all see the same order.
 *
 * `on` is false while nobody listens: emit sites read `if (bus.on) bus.emit({…})` with the literal inside the guard, and then
 * cost the reading of one field.
 */
export class TraceBus {
  on = false;
  #listeners: Listener[] = [];
  #seq = 0;
  #now: () => number;
  #onListenerError: (error: unknown) => void;
  #pending: StageEvent[] = [];
  #delivering = false;

  constructor(options: TraceBusOptions) {
    this.#now = options.now;
    this.#onListenerError = options.onListenerError ?? (() => undefined);
  }

  /** The end of the subscription is the function returned. */
  listen(listener: Listener): () => void {
    this.#listeners = [...this.#listeners, listener];
    this.on = true;
    return () => this.#remove(listener);
  }

  #remove(listener: Listener): void {
    this.#listeners = this.#listeners.filter((other) => other !== listener);
    this.on = this.#listeners.length > 0;
  }

  /** Numbers the event and hands it to every listener; returns its `seq`, or 0 when nobody listens. Atomic. */
  emit(body: StageEventBody): number {
    if (!this.on) return 0;
    const seq = ++this.#seq;
    // The head comes first, so that JSON lines begin with it.
    const head: EventHead = { v: 1, seq, at: this.#now() };
    this.#pending.push(Object.assign(head, body));
    if (this.#delivering) return seq;
    this.#delivering = true;
    try {
      for (let event = this.#pending.shift(); event !== undefined; event = this.#pending.shift()) this.#deliver(event);
    } finally {
      this.#delivering = false;
    }
    return seq;
  }

  #deliver(event: StageEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#remove(listener);
        this.#onListenerError(error);
      }
    }
  }
}
