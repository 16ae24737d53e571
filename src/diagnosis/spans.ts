/** Times in the words of an answer. */

/** `40 s`, `4 m 12 s`, `3 h 5 m`. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? `${minutes} m ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}

/** `1 pod`, `2 pods`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** `2 of 3 pods are available`. */
export function ofAll(count: number, all: number, noun: string, rest: string): string {
  return `${count} of ${counted(all, noun)} ${all === 1 ? "is" : "are"} ${rest}`;
}

/** `1m30s`, as the kubelet prints it, in ms; undefined for anything else. */
export function readSpan(text: string): number | undefined {
  if (!/^(\d+h)?(\d+m)?(\d+(\.\d+)?s)?$/.test(text) || text === "") return undefined;
  const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };
  let ms = 0;
  for (const [, number, unit] of text.matchAll(/([\d.]+)([hms])/g)) ms += Number(number) * (units[unit ?? ""] ?? 0);
  return ms;
}
