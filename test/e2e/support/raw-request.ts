/** Sends requests byte for byte, bypassing HTTP clients, which would correct them. */
import { connect } from "node:tls";

export interface RawResponse {
  /** 0 if the connection ended without a response. */
  readonly status: number;
  /** Keyed by header name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const mostMs = 120_000;

/** Sends `head` (a request line and headers, without the empty line) over TLS to 127.0.0.1, and reads until the server closes it. */
export function rawRequest(port: number, head: readonly string[]): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      socket.write(Buffer.from(`${[...head, "connection: close"].join("\r\n")}\r\n\r\n`, "latin1"));
    });
    const pieces: Buffer[] = [];
    const timer = setTimeout(() => socket.destroy(new Error("no response within two minutes")), mostMs);
    socket.on("data", (piece: Buffer) => pieces.push(piece));
    socket.on("error", (error) => {
      clearTimeout(timer);
      // A server may close the connection on an invalid request.
      if (/ECONNRESET|EPIPE/.test(String(error))) resolve(parseResponse(Buffer.concat(pieces)));
      else reject(error);
    });
    socket.on("end", () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(parseResponse(Buffer.concat(pieces)));
    });
  });
}

function parseResponse(bytes: Buffer): RawResponse {
  const text = bytes.toString("utf8");
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return { status: 0, headers: {}, body: text };
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const rest = text.slice(end + 4);
  return {
    status: Number(first.split(" ")[1] ?? 0),
    headers,
    body: headers["transfer-encoding"] === "chunked" ? unchunked(rest) : rest,
  };
}

function unchunked(text: string): string {
  let [whole, rest] = ["", text];
  for (;;) {
    const line = rest.indexOf("\r\n");
    const size = Number.parseInt(rest.slice(0, line), 16);
    if (!(size > 0)) return whole;
    whole += rest.slice(line + 2, line + 2 + size);
    rest = rest.slice(line + 2 + size + 2);
  }
}
