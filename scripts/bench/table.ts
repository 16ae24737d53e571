import { isFigure, type Result } from "./figures.ts";

/** The figures as text: what could not be measured is listed in place, with the reason; `notes` follow below. */
export function table(results: readonly Result[], rounds: number, notes: readonly string[] = []): string {
  const rows = results.map((result) =>
    isFigure(result)
      ? [
          result.name,
          amount(result.ours, result.unit),
          amount(result.peer, result.unit),
          result.ratio.toFixed(result.ratio < 0.1 ? 4 : 2),
          result.goal,
          result.met ? "met" : "MISSED",
        ]
      : [result.name, "", "", "", "", `not measured: ${result.why}`],
  );
  const all = [["figure", "ours", "peer", "ratio", "goal", ""], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const lines = all.map((row) =>
    row
      .map((cell, column) =>
        column === 0 || column === 5 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  const output = [...lines, `medians of ${rounds} rounds, the sides taking turns`, ...notes];
  return output.map((line) => `${line}\n`).join("");
}

function amount(value: number, unit: string): string {
  const digits = value >= 100 ? 0 : value >= 1 ? 1 : 2;
  return `${value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits })} ${unit}`;
}
