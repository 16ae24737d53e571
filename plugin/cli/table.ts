import Table from "cli-table3";
import { oneLine } from "../../src/platform/visible-text.ts";

/** A table as in kubectl: no rules, three spaces between columns, headings in capitals. */
export function plainTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const none = Object.fromEntries(
    ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"]
      .concat(["left", "left-mid", "mid", "mid-mid", "right", "right-mid"])
      .map((part) => [part, ""]),
  );
  const table = new Table({
    chars: { ...none, middle: "   " },
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
    head: [...head],
  });
  for (const row of rows) table.push(row.map(oneLine));
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}
