/** Ages in kubectl's format. Source: apimachinery v0.36 util/duration/duration.go HumanDuration. */
import { parseTime } from "../../api/time.ts";

/** `5s`, `3m12s`, `4d`: the time since then; `<unknown>` if it is not set. `now` is in milliseconds since 1970. */
export function ageOf(time: unknown, now: number): string {
  return typeof time === "string" && time !== "" ? humanDuration(now - parseTime(time)) : "<unknown>";
}

/** A duration in milliseconds, with a second unit if it is short (`3m20s`); `<invalid>` if it is negative by more than a second. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return "<invalid>";
  const [minutes, hours, days] = [Math.floor(seconds / 60), Math.floor(seconds / 3600), Math.floor(seconds / 86_400)];
  const two = (a: number, aUnit: string, b: number, bUnit: string): string =>
    b === 0 ? `${a}${aUnit}` : `${a}${aUnit}${b}${bUnit}`;
  if (seconds < 120) return `${Math.max(0, seconds)}s`;
  if (minutes < 10) return two(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  if (days < 8) return two(days, "d", hours % 24, "h");
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return days < 2920 ? two(years, "y", days % 365, "d") : `${years}y`;
}
