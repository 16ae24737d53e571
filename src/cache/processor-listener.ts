import { messageOf } from "../api/error-message.ts";
import type { Timeline } from "../platform/timeline.ts";
import type { TraceBus } from "../trace/bus.ts";
import type { KindName } from "../trace/events.ts";
import { Fifo } from "../workqueue/fifo.ts";
import { BatchRunner } from "./batch-runner.ts";
import type { EventHandler, Notification } from "./handler.ts";

/** A notification waiting for its handlers. */
export type QueuedNotification<T> = Notification<T> & {
  /** When it was created, in ms since 1970; 0 if there is no listener for `notify` events. */
  readonly queuedAt: number;
};

/** Called with the error that a handler threw, the handler's name and the key of the object. */
export type HandlerErrorListener = (error: unknown, handler: string, key: string) => void;

/** Options of a `ProcessorListener`. */
export interface ProcessorListenerOptions<T> {
  readonly handler: EventHandler<T>;
  readonly of: KindName;
  readonly timeline: Timeline;
  readonly bus: TraceBus;
  /** The resync period of the handler, in ms; 0 for never. */
  readonly resyncMs: number;
  readonly onHandlerError?: HandlerErrorListener;
}

/**
 * Delivers notifications to one handler, in order, from its own unbounded buffer, so that a slow handler does not delay others. A handler
 * that throws still receives the next notification.
 *
 * Source: client-go v0.36 tools/cache/shared_informer.go processorListener; differs: no pause after a handler has failed.
 */
export class ProcessorListener<T> {
  readonly handler: EventHandler<T>;
  readonly resyncMs: number;
  /** When the next resync is due; Infinity for never. */
  nextResyncAt: number;
  /** Whether this listener takes part in the current resync. If not, it is not notified of unchanged objects, from a resync or a list. */
  syncing = true;
  #options: ProcessorListenerOptions<T>;
  #pending: Fifo<QueuedNotification<T>> = new Fifo();
  #initialPending = 0;
  #stopped = false;
  #batches: BatchRunner;

  constructor(options: ProcessorListenerOptions<T>) {
    const { handler, timeline, of, resyncMs } = options;
    this.#options = options;
    this.handler = handler;
    this.resyncMs = resyncMs;
    this.nextResyncAt = resyncMs > 0 ? timeline.now() + resyncMs : Infinity;
    const actor = `${of.kind} listener ${handler.name}`;
    this.#batches = new BatchRunner({ timeline, actor, step: () => this.#deliver() });
  }

  /** The number of waiting notifications. */
  get backlog(): number {
    return this.#pending.length;
  }

  /** Whether all notifications of the initial list have been delivered. */
  get initialDelivered(): boolean {
    return this.#initialPending === 0;
  }

  /** Queues a notification, to be delivered in a later turn. */
  add(notification: QueuedNotification<T>): void {
    if (this.#stopped) return;
    if (isInitial(notification)) this.#initialPending++;
    this.#pending.push(notification);
    this.#batches.wake();
  }

  /** Returns whether a resync is due at `now`. Sets `syncing` accordingly, and the time of the next resync. */
  takeResync(now: number): boolean {
    this.syncing = now >= this.nextResyncAt;
    if (this.syncing) this.nextResyncAt = now + this.resyncMs;
    return this.syncing;
  }

  /** Stops calling the handler, and drops waiting notifications. */
  stop(): void {
    this.#stopped = true;
    this.#batches.stop();
    this.#pending.clear();
  }

  #deliver(): boolean {
    const notification = this.#pending.shift();
    if (notification === undefined) return false;
    if (this.#options.bus.hears("notify")) this.#report(notification);
    try {
      this.handler.on(notification);
    } catch (error) {
      this.#failed(notification, error);
    }
    if (isInitial(notification)) this.#initialPending--;
    return true;
  }

  #report({ delta, queuedAt }: QueuedNotification<T>, error?: string): void {
    const { bus, timeline, of } = this.#options;
    bus.emit({
      stage: "notify",
      of,
      key: delta.key,
      delta: delta.delta,
      handler: this.handler.name,
      waitedMs: queuedAt === 0 ? 0 : timeline.now() - queuedAt,
      backlog: this.#pending.length,
      ...(error !== undefined && { error }),
    });
  }

  #failed(notification: QueuedNotification<T>, error: unknown): void {
    const { bus, onHandlerError } = this.#options;
    if (bus.hears("notify")) this.#report(notification, messageOf(error));
    onHandlerError?.(error, this.handler.name, notification.delta.key);
  }
}

function isInitial(notification: Notification<unknown>): boolean {
  return notification.type === "added" && notification.initial;
}
