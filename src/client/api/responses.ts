/** Parsing responses: JSON, or the error that a refusal means. */
import { StatusError, type Status } from "../../api/status-error.ts";
import { readAll, TransportError, type ApiResponse } from "../../api/transport.ts";
import { retryAfterMs } from "../http/retries.ts";

const decoder = new TextDecoder();
const maxQuoteLength = 200;

/** The body of a successful response. */
export interface ParsedResponse {
  readonly value: unknown;
  /** Length of the body, decompressed. */
  readonly bytes: number;
}

/**
 * The body of a successful response, parsed as JSON; with `parse`, by that function.
 * @throws StatusError for any other HTTP status; TransportError if the body was truncated or is not JSON.
 */
export async function parseResponse(
  response: ApiResponse,
  parse: (text: string) => unknown = JSON.parse,
): Promise<ParsedResponse> {
  const bytes = await readAll(response.body);
  const text = decoder.decode(bytes);
  if (response.status < 200 || response.status > 206) throw refusalOf(response, text);
  try {
    return { value: parse(text), bytes: bytes.length };
  } catch (error) {
    throw new TransportError(`the response is not JSON (${quote(text)}): is this an API server?`, { cause: error });
  }
}

/** The body of a successful response as JSON, or as text if it is not JSON. @throws StatusError, TransportError. */
export async function readRaw(response: ApiResponse): Promise<unknown> {
  const text = decoder.decode(await readAll(response.body));
  if (response.status < 200 || response.status > 206) throw refusalOf(response, text);
  if (!(response.header("content-type") ?? "").includes("json")) return text;
  return JSON.parse(text) as unknown;
}

/** A refusal as an error; also refusals by proxies, whose bodies are HTML, text or empty. */
function refusalOf(response: ApiResponse, text: string): StatusError {
  const waitMs = retryAfterMs(response.header("retry-after"));
  const options = waitMs === undefined ? undefined : { retryAfterMs: waitMs };
  const status = statusOf(text);
  if (status !== undefined) return new StatusError(response.status, status, options);
  const location = response.header("location");
  const quoted = quote(text);
  const message =
    response.status >= 300 && response.status < 400
      ? `the server answered ${response.status} and points to ${location ?? "nowhere"}: is this an API server?`
      : `the server answered ${response.status}${quoted === "" ? "" : `: ${quoted}`}`;
  return new StatusError(response.status, { message, code: response.status }, options);
}

/** The Status in a text, if it is one. */
export function statusOf(text: string): Status | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const value = JSON.parse(text) as Status;
    return value.kind === "Status" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text on one line, without HTML tags. */
function quote(text: string): string {
  const plain = text
    .replace(/<(script|style|head)\b[\s\S]*?<\/\1>/gi, " ")
    .replace(/<[^>]*>/g, " ")
    // oxlint-disable-next-line no-control-regex -- control characters from a server must not reach the terminal
    .replace(/[\u0000-\u001f\u007f]+/g, " ")
    .replace(/ +/g, " ")
    .trim();
  return plain.length > maxQuoteLength ? `${plain.slice(0, maxQuoteLength)}…` : plain;
}
