/** A WebSocket byte for byte: a server's response to a handshake, and to frames sent after it. */
import { connect } from "node:tls";

/** The response head, and each frame, or the text received instead of frames. */
export interface Received {
  readonly head: readonly string[];
  readonly frames: readonly (readonly [opcode: number, payload: string])[];
  readonly text: string;
}

export interface Conversation {
  readonly port: number;
  /** A request line and headers, without the empty line. */
  readonly head: readonly string[];
  /** Called once this number of frames has been received. */
  readonly after?: { readonly frames: number; readonly act: (send: (bytes: Uint8Array) => void) => void };
}

const mostMs = 120_000;

/** Runs until the server closes the connection. */
export function converse({ port, head, after }: Conversation): Promise<Received> {
  return new Promise((resolve, reject) => {
    let [got, isSent] = [Buffer.alloc(0), false];
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      socket.write(`${head.join("\r\n")}\r\n\r\n`);
    });
    const timer = setTimeout(() => socket.destroy(new Error(`the server does not hang up: ${got.toString()}`)), mostMs);
    socket.on("data", (piece: Buffer) => {
      got = Buffer.concat([got, piece]);
      if (after === undefined || isSent || parseReceived(got).frames.length < after.frames) return;
      isSent = true;
      after.act((bytes) => socket.write(bytes));
    });
    socket.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    socket.on("end", () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(parseReceived(got));
    });
  });
}

function parseReceived(bytes: Buffer): Received {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return { head: [], frames: [], text: bytes.toString() };
  const head = bytes.subarray(0, end).toString().split("\r\n");
  const rest = bytes.subarray(end + 4);
  return head[0]?.includes(" 101 ") === true
    ? { head, frames: framesIn(rest), text: "" }
    : { head, frames: [], text: rest.toString() };
}

function framesIn(bytes: Buffer): (readonly [number, string])[] {
  const frames: (readonly [number, string])[] = [];
  for (let at = 0; at + 2 <= bytes.length;) {
    const short = bytes[at + 1] ?? 0;
    const headLength = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (at + headLength > bytes.length) break;
    const length =
      short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short === 126 ? bytes.readUInt16BE(at + 2) : short;
    const end = at + headLength + length;
    if (end > bytes.length) break;
    frames.push([bytes[at] ?? 0, bytes.subarray(at + headLength, end).toString("latin1")]);
    at = end;
  }
  return frames;
}

/** A client frame; masked, as the protocol requires. */
export function clientFrame(opcode: number, payload: Uint8Array): Uint8Array {
  const mask = [7, 11, 13, 17];
  const length =
    payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 0xff];
  const masked = payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return Uint8Array.of(0x80 | opcode, ...length, ...mask, ...masked);
}
