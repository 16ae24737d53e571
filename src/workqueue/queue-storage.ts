/**
 * What a queue keeps its waiting items in; it decides their order. Storage knows nothing of keys that are processed: an item is in it
 * from `push` to `shift`, and never twice.
 *
 * Source: client-go v0.36 util/workqueue/queue.go Queue; differs: `shift` for Pop, `peek` for the age of the next item, and no
 * Touch.
 */
export interface QueueStorage<T> {
  /** How many items wait. */
  readonly length: number;
  push(item: T): void;
  /** Takes the next item off; undefined when there is none. */
  shift(): T | undefined;
  /** The next item, left where it is; undefined when there is none. */
  peek(): T | undefined;
}
