/**
 * The server side of a send-only WebSocket: each message is text, and messages from the client are ignored.
 * Source: RFC 6455; refusals as in golang.org/x/net websocket, which the real server uses.
 */
import { createHash } from "node:crypto";
import type { Duplex } from "node:stream";

type Headers = Readonly<Record<string, string>>;

/** The lines to be sent, in chunks of one or more. */
export interface Lines {
  next(): Promise<Uint8Array | undefined>;
  cancel(): void;
}

/** Whether a request is a WebSocket handshake. */
export function isWebSocketHandshake(headers: Headers): boolean {
  return (headers["upgrade"] ?? "").toLowerCase() === "websocket" && /upgrade/i.test(headers["connection"] ?? "");
}

const keySuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const absolute = /^(\/|[a-z][a-z0-9+.-]*:\/)/i;

/** The response to a handshake as bytes: after status 101 messages follow, after any other the connection closes. */
export interface Handshake {
  readonly accepted: boolean;
  readonly response: string;
}

const refused = (status: string, text = "", header = ""): Handshake => ({
  accepted: false,
  response: `HTTP/1.1 ${status}\r\n${header}\r\n${text}`,
});

/** Responds to a handshake. `protocols` are the client's: at most one, since the server does not choose. */
export function handshakeOf(headers: Headers, protocols: readonly string[]): Handshake {
  const key = headers["sec-websocket-key"] ?? "";
  if (key === "") return refused("400 Bad Request", "mismatch challenge/response");
  if (headers["sec-websocket-version"] !== "13")
    return refused("400 Bad Request", "missing or bad WebSocket Version", "Sec-WebSocket-Version: 13\r\n");
  // Browsers always send Origin; a request without it is refused.
  if (!absolute.test(headers["origin"] ?? "")) return refused("403 Forbidden");
  if (protocols.length > 1) return refused("400 Bad Request");
  const accept = createHash("sha1").update(`${key}${keySuffix}`).digest("base64");
  const lines = ["Upgrade: websocket", "Connection: Upgrade", `Sec-WebSocket-Accept: ${accept}`];
  if (protocols[0] !== undefined) lines.push(`Sec-WebSocket-Protocol: ${protocols[0]}`);
  return { accepted: true, response: `HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n` };
}

/** The kinds of frames that matter here. */
const opcodes = { text: 1, close: 8, ping: 9, pong: 10 } as const;
const [normalClosure, protocolError] = [1000, 1002];

/** A whole message, or a control frame. */
function frameOf(opcode: number, payload: Uint8Array): Uint8Array {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  if (length < 126) head[1] = length;
  else if (length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}

function closeFrame(code: number): Uint8Array {
  return frameOf(opcodes.close, Uint8Array.of(code >> 8, code & 0xff));
}

interface ClientFrame {
  readonly opcode: number;
  /** Only for control frames: anything else from the client is skipped. */
  readonly payload: Uint8Array;
}

/** Parses a client's frames, however they are chunked. Keeps at most a header and a control frame of 125 bytes. */
class ClientFrames {
  #held: Buffer = Buffer.alloc(0);
  /** Bytes of a message that have yet to be skipped. */
  #toSkip = 0n;

  /** The frames that a piece completes; `broken` if the client violates the protocol. */
  take(piece: Uint8Array): { readonly frames: readonly ClientFrame[]; readonly broken: boolean } {
    this.#held = Buffer.concat([this.#held, piece]);
    const frames: ClientFrame[] = [];
    for (;;) {
      this.#skip();
      if (this.#toSkip > 0n || this.#held.length < 2) return { frames, broken: false };
      const [first = 0, second = 0] = this.#held;
      const [opcode, short] = [first & 0x0f, second & 0x7f];
      const isControl = opcode >= 8;
      if ((second & 0x80) === 0 || (isControl && short > 125)) return { frames, broken: true };
      const headLength = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0);
      if (this.#held.length < headLength + 4) return { frames, broken: false };
      if (!isControl) {
        const length =
          short === 126
            ? BigInt(this.#held.readUInt16BE(2))
            : short === 127
              ? this.#held.readBigUInt64BE(2)
              : BigInt(short);
        this.#toSkip = BigInt(headLength + 4) + length;
        continue;
      }
      if (this.#held.length < headLength + 4 + short) return { frames, broken: false };
      const mask = this.#held.subarray(headLength, headLength + 4);
      const masked = this.#held.subarray(headLength + 4, headLength + 4 + short);
      frames.push({ opcode, payload: masked.map((byte, index) => byte ^ (mask[index % 4] ?? 0)) });
      this.#held = this.#held.subarray(headLength + 4 + short);
    }
  }

  #skip(): void {
    const now = this.#toSkip < BigInt(this.#held.length) ? Number(this.#toSkip) : this.#held.length;
    this.#held = this.#held.subarray(now);
    this.#toSkip -= BigInt(now);
  }
}

/**
 * Sends each line of a body as one message, until the body ends or the client closes; then closes the connection.
 * `early` are bytes received after the handshake.
 */
export async function sendLines(socket: Duplex, body: Lines, early: Uint8Array): Promise<void> {
  const client = new ClientFrames();
  let wake = (): void => undefined;
  const stop = (): void => {
    body.cancel();
    wake();
  };
  const receive = (piece: Uint8Array): void => {
    const { frames, broken } = client.take(piece);
    for (const { opcode, payload } of frames) {
      if (opcode === opcodes.ping) socket.write(frameOf(opcodes.pong, payload));
      if (opcode === opcodes.close) stop();
    }
    if (!broken) return;
    socket.write(closeFrame(protocolError));
    stop();
  };
  socket.on("drain", () => wake());
  for (const event of ["close", "end", "error"]) socket.on(event, stop);
  socket.on("data", receive);
  if (early.length > 0) receive(early);
  for (let piece = await body.next(); piece !== undefined; piece = await body.next()) {
    const drained = new Promise<void>((resolve) => (wake = resolve));
    const frames = linesOf(piece).map((line) => frameOf(opcodes.text, line));
    if (!socket.write(Buffer.concat(frames)) && !socket.destroyed) await drained;
    if (socket.destroyed) return;
  }
  if (!socket.destroyed) endWith(socket, closeFrame(normalClosure));
}

/** Sends a last message, then closes, whatever the client does. */
export function endWith(socket: Duplex, last: Uint8Array | string): void {
  socket.end(last, () => socket.destroy());
}

const lineFeed = 0x0a;

/** Complete lines, each with its newline. */
function linesOf(piece: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let from = 0; from < piece.length;) {
    const end = piece.indexOf(lineFeed, from);
    const to = end < 0 ? piece.length : end + 1;
    lines.push(piece.subarray(from, to));
    from = to;
  }
  return lines;
}
