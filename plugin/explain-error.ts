/** Errors become text here and nowhere else: one clear line, then what to do next. */
import { StatusError } from "../src/api/status-error.ts";
import { TransportError } from "../src/api/transport.ts";
import { KubeconfigError } from "../src/client/kubeconfig-types.ts";
import type { Io } from "./io.ts";
import { styleOf } from "./render/style.ts";
import { UserError } from "./user-error.ts";

/** Prints the error to standard error. @returns the exit code. */
export function explain(error: unknown, io: Io): number {
  const { colour } = styleOf(io.err);
  const { message, next } = inWords(error);
  io.err.write(`${colour.red("error:")} ${message}\n${next.map((line) => `${line}\n`).join("")}`);
  return 2;
}

function inWords(error: unknown): { readonly message: string; readonly next: readonly string[] } {
  if (error instanceof UserError) return error;
  if (error instanceof KubeconfigError)
    return { message: error.message, next: error.next === undefined ? [] : [error.next] };
  if (error instanceof StatusError)
    return { message: `the API server answered ${error.code}: ${error.message}`, next: [] };
  if (error instanceof TransportError) return { message: error.message, next: [] };
  // A RangeError is how the stack refuses an argument: its message is meant for the user.
  if (error instanceof RangeError) return { message: error.message, next: [] };
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message: "something went wrong that should not have: please report it with these lines", next: [stack] };
}
