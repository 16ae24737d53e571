/** Times as Go parses them, and its parse errors. Source: Go time/format.go parse, format_rfc3339.go. */

/** The parts of RFC 3339 in order: their names in Go's layout, and their patterns. */
const parts: readonly {
  readonly layout: string;
  readonly pattern: RegExp;
  readonly most?: number;
  readonly name?: string;
}[] = [
  { layout: "2006", pattern: /^\d{4}/ },
  { layout: "-", pattern: /^-/ },
  { layout: "01", pattern: /^\d\d/, most: 12, name: "month" },
  { layout: "-", pattern: /^-/ },
  { layout: "02", pattern: /^\d\d/, most: 31, name: "day" },
  { layout: "T", pattern: /^T/ },
  { layout: "15", pattern: /^\d\d/, most: 23, name: "hour" },
  { layout: ":", pattern: /^:/ },
  { layout: "04", pattern: /^\d\d/, most: 59, name: "minute" },
  { layout: ":", pattern: /^:/ },
  { layout: "05", pattern: /^\d\d/, most: 59, name: "second" },
];

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Obviously valid times: on one of the first 28 days of a month. */
const plain = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{6,})?(Z|[+-]\d\d:\d\d)$/;

/** Go's error for a text that is not a time of this layout; undefined if it is. */
export function timeProblem(text: string, layout: string): string | undefined {
  const hasFraction = layout.includes(".");
  if (plain.test(text) && text.includes(".") === hasFraction) return undefined;
  const failed = (rest: string, part: string): string =>
    `parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(part)}`;
  const outOfRange = (name: string): string => `parsing time ${JSON.stringify(text)}: ${name} out of range`;
  let rest = text;
  for (const { layout: part, pattern, most, name = "" } of parts) {
    const found = pattern.exec(rest)?.[0];
    if (found === undefined) return failed(rest, part);
    if (most !== undefined && (Number(found) > most || (Number(found) === 0 && (name === "month" || name === "day"))))
      return outOfRange(name);
    rest = rest.slice(found.length);
  }
  if (hasFraction && !/^\.\d{6}/.test(rest)) return failed(rest, ".000000");
  rest = rest.replace(/^\.\d+/, "");
  if (!/^(Z|[+-]\d\d:\d\d)/.test(rest)) return failed(rest, "Z07:00");
  const left = rest.replace(/^(Z|[+-]\d\d:\d\d)/, "");
  if (left !== "") return `parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(left)}`;
  const [year = 0, month = 1, day = 1] = text.slice(0, 10).split("-").map(Number);
  return day > daysIn(year, month) ? outOfRange("day") : undefined;
}
