/** A queue of keys for controllers inside the server: each key once, in its own turn. */
import type { Timeline } from "../../platform/timeline.ts";

/** Calls `sync` for each added key, once for all adds until then. */
export interface KeyedQueue {
  add(key: string): void;
  /** Adds the key again after `ms`. */
  addAfter(key: string, ms: number): void;
}

/** A queue whose hops are named by the controller. */
export function keyedQueue(
  timeline: Timeline,
  { name, sync }: { readonly name: string; readonly sync: (key: string) => void },
): KeyedQueue {
  const waiting = new Set<string>();
  const add = (key: string): void => {
    if (waiting.has(key)) return;
    waiting.add(key);
    timeline.after(0, `${name} ${key}`, () => {
      waiting.delete(key);
      sync(key);
    });
  };
  return { add, addAfter: (key, ms) => void timeline.after(ms, `${name} ${key} later`, () => add(key)) };
}
