import type { Random } from "../platform/random.ts";

const initialMs = 800;
const maxMs = 30_000;
const factor = 2;
const resetMs = 120_000;

/** A sequence of delays. */
export interface Backoff {
  /** The delay after the current failure, in ms. */
  nextMs(): number;
}

/**
 * The backoff of a reflector: 800 ms · 2ⁿ up to 30 s, with jitter of up to the same again, so that the clients of one server do not return
 * together: 0.8–1.6 s, 1.6–3.2 s, … 25.6–51.2 s, then 30–60 s. Resets after 2 minutes without a failure.
 *
 * Source: client-go v0.36 tools/cache/reflector.go, apimachinery v0.36 util/wait/backoff.go; differs: upstream resets every 2 minutes,
 * even during a series of failures.
 */
export function reflectorBackoff(options: { readonly now: () => number; readonly random: Random }): Backoff {
  let baseMs = initialMs;
  let lastFailureAt = options.now();
  return {
    nextMs() {
      const now = options.now();
      if (now - lastFailureAt > resetMs) baseMs = initialMs;
      lastFailureAt = now;
      const delayMs = baseMs * (1 + options.random.next());
      baseMs = Math.min(baseMs * factor, maxMs);
      return delayMs;
    },
  };
}
