import { readFileSync } from "node:fs";

/**
 * The state in a file `stat` of a process or a thread: `S` sleeps, `R` runs or waits for a processor, `T` is suspended.
 * Source: proc(5). @throws Error if it has ended.
 */
export function stateIn(path: string): string {
  const stat = readFileSync(path, "utf8");
  // The format is PID (NAME) STATE …, and a name can contain brackets.
  return stat.slice(stat.lastIndexOf(")") + 2)[0] ?? "";
}
