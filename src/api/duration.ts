/** Durations as every command prints them. */

/** `41 ms`, `1.3 s`, `119 s`, `5 m`, `4 m 12 s`, `2 h 3 m`: what was measured here, to the millisecond. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
  const seconds = ms / 1000;
  return seconds < 120 ? `${Number(seconds.toFixed(1))} s` : fromMinutes(seconds);
}

/** `0 s`, `40 s`, `4 m 12 s`, `3 h 5 m`: between times of the API, which are whole seconds; never below 0. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 120 ? `${seconds} s` : fromMinutes(seconds);
}

function fromMinutes(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} m${rest(Math.floor(seconds % 60), "s")}`;
  return `${Math.floor(minutes / 60)} h${rest(minutes % 60, "m")}`;
}

function rest(count: number, unit: string): string {
  return count === 0 ? "" : ` ${count} ${unit}`;
}
