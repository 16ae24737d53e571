/** What is wrong with a CronJob's schedule, as the real server says it. Source: robfig/cron v3 parser.go. */

const names = (list: string, first: number): ReadonlyMap<string, number> =>
  new Map(list.split(" ").map((name, index) => [name, index + first]));

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: ReadonlyMap<string, number>;
}

/** Minute, hour, day of the month, month, day of the week. */
const bounds: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: names("jan feb mar apr may jun jul aug sep oct nov dec", 1) },
  { min: 0, max: 6, names: names("sun mon tue wed thu fri sat", 0) },
];

const descriptors = new Set(["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]);

function numberOf(text: string, known?: ReadonlyMap<string, number>): number | string {
  const named = known?.get(text.toLowerCase());
  if (named !== undefined) return named;
  if (!/^[+-]?\d+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  const value = Number(text);
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}

/** The first and last value of `1-5` or `*`; a problem as text. */
function endsOf(part: string, { min, max, names: known }: Bounds, whole: string): [number, number] | string {
  const ends = part.split("-");
  if (ends[0] === "*" || ends[0] === "?") return [min, max];
  const start = numberOf(ends[0] ?? "", known);
  if (typeof start === "string") return start;
  if (ends.length === 1) return [start, start];
  if (ends.length > 2) return `too many hyphens: ${whole}`;
  const end = numberOf(ends[1] ?? "", known);
  return typeof end === "string" ? end : [start, end];
}

function rangeProblem(whole: string, bound: Bounds): string | undefined {
  const [part = "", step, ...more] = whole.split("/");
  const ends = endsOf(part, bound, whole);
  if (typeof ends === "string") return ends;
  const [start, last] = ends;
  if (more.length > 0) return `too many slashes: ${whole}`;
  const stride = step === undefined ? 1 : numberOf(step);
  if (typeof stride === "string") return stride;
  const end = step !== undefined && !part.includes("-") ? bound.max : last;
  if (start < bound.min) return `beginning of range (${start}) below minimum (${bound.min}): ${whole}`;
  if (end > bound.max) return `end of range (${end}) above maximum (${bound.max}): ${whole}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${whole}`;
  return stride === 0 ? `step of range should be a positive number: ${whole}` : undefined;
}

/** Undefined for a schedule that is one. */
export function scheduleProblem(schedule: string): string | undefined {
  const zoned = /^(?:CRON_)?TZ=(\S*) +(.*)$/.exec(schedule);
  const spec = zoned === null ? schedule : (zoned[2] ?? "").trim();
  if (zoned !== null && !isTimeZone(zoned[1] ?? "")) {
    return `provided bad location ${zoned[1]}: unknown time zone ${zoned[1]}`;
  }
  if (spec.startsWith("@")) {
    if (descriptors.has(spec) || /^@every (\d+(\.\d+)?(ns|us|ms|s|m|h))+$/.test(spec)) return undefined;
    if (spec.startsWith("@every ")) {
      return `failed to parse duration ${spec}: time: invalid duration ${JSON.stringify(spec.slice("@every ".length))}`;
    }
    return `unrecognized descriptor: ${spec}`;
  }
  const fields = spec.split(/\s+/).filter((field) => field !== "");
  if (fields.length !== 5) return `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`;
  for (const [index, field] of fields.entries()) {
    for (const range of field.split(",").filter((part) => part !== "")) {
      const problem = rangeProblem(range, bounds[index] as Bounds);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

/** True if a time zone of this name is known here. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
