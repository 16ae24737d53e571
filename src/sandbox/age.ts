/** How old things are, in the words of kubectl. Source: apimachinery v0.36 util/duration/duration.go. */
import { parseTime } from "../api/time.ts";

/** `5s`, `3m12s`, `4d`: how old something is, with two parts where they tell more. */
export function ageOf(time: unknown, now: number): string {
  if (typeof time !== "string") return "<unknown>";
  const seconds = Math.max(0, Math.floor((now - parseTime(time)) / 1000));
  const [minutes, hours, days] = [Math.floor(seconds / 60), Math.floor(seconds / 3600), Math.floor(seconds / 86_400)];
  const two = (a: number, aUnit: string, b: number, bUnit: string): string =>
    b === 0 ? `${a}${aUnit}` : `${a}${aUnit}${b}${bUnit}`;
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return two(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  if (days < 8) return two(days, "d", hours % 24, "h");
  return `${days}d`;
}
