/**
 * The storage for a queue's waiting items, which decides their order. An item is in it from `push` to `shift`, and never twice; keys in
 * process are not in it.
 *
 * Source: client-go v0.36 util/workqueue/queue.go Queue; differs: `shift` for Pop, `peek` for the age of the next item, and no
 * Touch.
 */
export interface QueueStorage<T> {
  /** The number of waiting items. */
  readonly length: number;
  push(item: T): void;
  /** Removes and returns the next item; undefined if there is none. */
  shift(): T | undefined;
  /** The next item, without removing it; undefined if there is none. */
  peek(): T | undefined;
}
