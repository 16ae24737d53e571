/** The only place where errors become text: one clear line, then what to do next. */
import { StatusError } from "../../src/api/status-error.ts";
import { TransportError } from "../../src/api/transport.ts";
import { KubeconfigError } from "../../src/client/config/kubeconfig-types.ts";
import type { Io } from "./io.ts";
import { shownLength, styleOf, wrapWords } from "./style.ts";
import { UserError } from "./user-error.ts";

/** Prints the error to standard error. @returns the exit code. */
export function reportError(error: unknown, io: Io): number {
  const { colour, columns } = styleOf(io.err);
  const { message, next } = inWords(error);
  // Neither is a mistake of the program or its user.
  const own = ["refused:", "stopped:"].find((each) => message.startsWith(`${each} `));
  const [label, text] = own === undefined ? ["error:", message] : [own, message.slice(own.length + 1)];
  const lines = [`${label} ${text.replace(/^Cannot /, "cannot ")}`, ...next].flatMap((line) => fitted(line, columns));
  const [first = "", ...rest] = lines;
  io.err.line(`${colour.red(label)}${first.slice(label.length)}`);
  for (const line of rest) io.err.line(line);
  return 2;
}

function inWords(error: unknown): { readonly message: string; readonly next: readonly string[] } {
  if (error instanceof UserError) return error;
  if (error instanceof KubeconfigError)
    return { message: error.message, next: error.next === undefined ? [] : [error.next] };
  if (error instanceof StatusError) {
    const plain = error.message.includes("HTTP request to an HTTPS server");
    return {
      message: responseText(error),
      next: plain ? ["the address of the server should begin with https://"] : [],
    };
  }
  if (error instanceof TransportError) return { message: error.message, next: [] };
  // The library rejects an argument with a RangeError, whose message is meant for the user.
  if (error instanceof RangeError) return { message: error.message, next: [] };
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    message: "internal error; please report it with this stack trace",
    next: stack.split("\n"),
  };
}

/** A response that is not a Status already names the server in its text. */
function responseText({ code, message }: StatusError): string {
  return message.startsWith("the server answered") ? message : `the API server answered ${code}: ${message}`;
}

/** Wrapped at words if it is wider than the terminal. */
function fitted(line: string, columns: number | undefined): readonly string[] {
  return shownLength(line) <= (columns ?? Infinity) ? [line] : wrapWords(line.split(" "), columns);
}
