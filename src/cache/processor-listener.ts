import type { Timeline } from "../platform/timeline.ts";
import type { TraceBus } from "../trace/bus.ts";
import type { KindName } from "../trace/events.ts";
import { Fifo } from "../workqueue/fifo.ts";
import type { EventHandler, Notification } from "./handler.ts";
import { Turns } from "./turns.ts";

/** Told of what a handler threw. */
export type HandlerErrorListener = (error: unknown, handler: string, key: string) => void;

/** What a listener is created with; times in milliseconds. */
export interface ProcessorListenerOptions<T> {
  readonly handler: EventHandler<T>;
  readonly of: KindName;
  readonly timeline: Timeline;
  readonly bus: TraceBus;
  readonly resyncMs: number;
  readonly onHandlerError?: HandlerErrorListener;
}

/**
 * Brings notifications to one handler, in order, through a buffer of its own that grows as needed: a handler that is behind holds
 * up nobody else. A handler that throws gets the next notification all the same.
 *
 * Source: client-go v0.36 tools/cache/shared_informer.go processorListener; differs: no pause after a handler that failed.
 */
export class ProcessorListener<T> {
  readonly handler: EventHandler<T>;
  readonly resyncMs: number;
  /** When the next resync is due; Infinity for never. */
  nextResyncAt: number;
  /** Gets what tells nothing new: resyncs, and objects that a list brought unchanged. Decided anew at each resync. */
  syncing = true;
  #options: ProcessorListenerOptions<T>;
  #pending: Fifo<Notification<T>> = new Fifo();
  #initialPending = 0;
  #stopped = false;
  #turns: Turns;

  constructor(options: ProcessorListenerOptions<T>) {
    const { handler, timeline, of, resyncMs } = options;
    this.#options = options;
    this.handler = handler;
    this.resyncMs = resyncMs;
    this.nextResyncAt = resyncMs > 0 ? timeline.now() + resyncMs : Infinity;
    const actor = `${of.kind} listener ${handler.name}`;
    this.#turns = new Turns({ timeline, actor, step: () => this.#deliver() });
  }

  get backlog(): number {
    return this.#pending.length;
  }

  /** Whether no notification of the first list waits here. */
  get initialDelivered(): boolean {
    return this.#initialPending === 0;
  }

  /** Takes a notification; it is delivered in a later turn. */
  add(notification: Notification<T>): void {
    if (this.#stopped) return;
    if (notification.initial) this.#initialPending++;
    this.#pending.push(notification);
    this.#turns.wake();
  }

  /** Whether a resync is due; if so the time of the next one is set. */
  takeResync(now: number): boolean {
    this.syncing = now >= this.nextResyncAt;
    if (this.syncing) this.nextResyncAt = now + this.resyncMs;
    return this.syncing;
  }

  stop(): void {
    this.#stopped = true;
    this.#turns.stop();
    this.#pending.clear();
  }

  #deliver(): boolean {
    const notification = this.#pending.shift();
    if (notification === undefined) return false;
    if (this.#options.bus.hears("notify")) this.#report(notification);
    try {
      this.#call(notification);
    } catch (error) {
      this.#failed(notification, error);
    }
    if (notification.initial) this.#initialPending--;
    return true;
  }

  #call(notification: Notification<T>): void {
    const { handler } = this;
    const { object, delta } = notification;
    switch (notification.type) {
      case "added":
        handler.added?.(object, notification.initial, delta);
        break;
      case "updated":
        handler.updated?.(notification.before as T, object, delta);
        break;
      case "deleted":
        handler.deleted?.(object, notification.tombstone, delta);
        break;
    }
  }

  #report({ delta, queuedAt }: Notification<T>, error?: string): void {
    const { bus, timeline, of } = this.#options;
    bus.emit({
      stage: "notify",
      of,
      key: delta.key,
      delta: delta.seq,
      handler: this.handler.name,
      waitedMs: queuedAt === 0 ? 0 : timeline.now() - queuedAt,
      backlog: this.#pending.length,
      ...(error !== undefined && { error }),
    });
  }

  #failed(notification: Notification<T>, error: unknown): void {
    const { bus, onHandlerError } = this.#options;
    if (bus.hears("notify")) this.#report(notification, error instanceof Error ? error.message : String(error));
    onHandlerError?.(error, this.handler.name, notification.delta.key);
  }
}
