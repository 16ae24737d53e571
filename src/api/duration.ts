/** Durations: as commands print them, and as Go writes them on the wire. */

/** `41 ms`, `1.3 s`, `119 s`, `5 m`, `4 m 12 s`, `2 h 3 m`: durations measured here, to the millisecond. */
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

const goUnits: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** In ms: `metav1.Duration`, as `1m0s` or `30.5s`; undefined for any other string. */
export function parseGoDuration(text: string): number | undefined {
  if (text === "0") return 0;
  if (!/^-?(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  let ms = 0;
  for (const [, number, unit = ""] of text.matchAll(/(\d+(?:\.\d*)?)(ns|us|µs|ms|s|m|h)/g))
    ms += Number(number) * (goUnits[unit] ?? 0);
  return text.startsWith("-") ? -ms : ms;
}
