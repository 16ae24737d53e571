/** Durations and counts in words. */
import { pluralize } from "../api/pluralize.ts";

/** `2 of 3 pods are available`. */
export function ofAll(count: number, all: number, noun: string, rest: string): string {
  return `${count} of ${pluralize(all, noun)} ${all === 1 ? "is" : "are"} ${rest}`;
}

/** `1m30s`, as the kubelet prints it, in ms; undefined for anything else. */
export function readSpan(text: string): number | undefined {
  if (!/^(\d+h)?(\d+m)?(\d+(\.\d+)?s)?$/.test(text) || text === "") return undefined;
  const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };
  let ms = 0;
  for (const [, number, unit] of text.matchAll(/([\d.]+)([hms])/g)) ms += Number(number) * (units[unit ?? ""] ?? 0);
  return ms;
}

/** How many names are listed. */
const maxNamed = 3;

/** The first names, and how many more there are: `a, b, c, 2 more`. */
export function someOf(names: readonly string[], separator: string): string {
  const shown = names.slice(0, maxNamed);
  const more = names.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(separator);
}
