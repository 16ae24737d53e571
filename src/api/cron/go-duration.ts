/** Durations as Go writes them. Source: Go time.ParseDuration. */

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** About 292 years: the longest duration in Go. */
const longestMs = 2 ** 63 / 1e6;

/** Milliseconds of `1h30m`, `1.5s`, `-2ms`. @throws RangeError for any other string, in Go's words. */
export function parseGoDuration(text: string): number {
  const quoted = JSON.stringify(text);
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  let rest = text.slice(sign.length);
  if (rest === "0") return 0;
  if (rest === "") throw new RangeError(`time: invalid duration ${quoted}`);
  let ms = 0;
  while (rest !== "") {
    const [number, digits = "", fraction = ""] = /^(\d*)(\.\d*)?/.exec(rest) ?? [""];
    if (digits === "" && fraction.length < 2) throw new RangeError(`time: invalid duration ${quoted}`);
    const unit = /^[^.\d]*/.exec(rest.slice(number.length))?.[0] ?? "";
    if (unit === "") throw new RangeError(`time: missing unit in duration ${quoted}`);
    const each = unitMs[unit];
    if (each === undefined) throw new RangeError(`time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`);
    ms += Number(`${digits === "" ? "0" : digits}${fraction === "." ? "" : fraction}`) * each;
    rest = rest.slice(number.length + unit.length);
  }
  if (ms >= longestMs) throw new RangeError(`time: invalid duration ${quoted}`);
  return sign === "-" ? -ms : ms;
}
