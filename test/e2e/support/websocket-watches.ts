/** Watches over WebSockets as clients can request them: each ends by itself, or after the frames that the client sends. */
import { clientFrame } from "./raw-websocket.ts";

export interface WebSocketWatch {
  readonly name: string;
  readonly query: string;
  readonly headers: readonly string[];
  /** Sent without the Authorization header. */
  readonly anonymous?: true;
  readonly send?: Uint8Array;
}

const upgrade = ["upgrade: websocket", "connection: Upgrade"];
const key = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==";
const version = "sec-websocket-version: 13";
const origin = "origin: https://x";
const whole = [...upgrade, key, version, origin];
const watch = "watch=1&resourceVersion=0";
const close = clientFrame(8, Uint8Array.of(3, 232));
const text = new TextEncoder();

/** `TOKEN64` is a placeholder for the token in base64url. */
export const webSocketWatches: readonly WebSocketWatch[] = [
  { name: "ends with its time", query: `${watch}&timeoutSeconds=1`, headers: whole },
  { name: "ends when the client closes", query: watch, headers: whole, send: close },
  {
    name: "answers a ping, and passes over what the client says",
    query: watch,
    headers: whole,
    send: Buffer.concat([
      clientFrame(1, text.encode("hello")),
      clientFrame(2, new Uint8Array(70_000 % 65_536)),
      clientFrame(9, text.encode("hi")),
      clientFrame(10, text.encode("ho")),
      close,
    ]),
  },
  {
    name: "is words in any case",
    query: watch,
    headers: ["upgrade: WebSocket", "connection: keep-alive, upgrade", ...whole.slice(2)],
    send: close,
  },
  {
    name: "is of tables",
    query: watch,
    headers: [...whole, "accept: application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"],
    send: close,
  },
  {
    name: "speaks the protocol that the client names",
    query: watch,
    headers: [...whole, "sec-websocket-protocol: a"],
    send: close,
  },
  { name: "cannot choose between protocols", query: watch, headers: [...whole, "sec-websocket-protocol: a, b"] },
  {
    name: "takes the token as a protocol",
    query: watch,
    headers: [...whole, "sec-websocket-protocol: base64url.bearer.authorization.k8s.io.TOKEN64, x"],
    anonymous: true,
    send: close,
  },
  { name: "comes from nowhere", query: watch, headers: [...upgrade, key, version] },
  { name: "comes from a page without an origin", query: watch, headers: [...upgrade, key, version, "origin: null"] },
  { name: "comes from a path", query: watch, headers: [...upgrade, key, version, "origin: /x"], send: close },
  { name: "lacks a version", query: watch, headers: [...upgrade, key, origin] },
  { name: "has another version", query: watch, headers: [...upgrade, key, "sec-websocket-version: 8", origin] },
  { name: "lacks a key", query: watch, headers: [...upgrade, version, origin] },
  {
    name: "has an invalid resourceVersion",
    query: "watch=1&resourceVersion=x",
    headers: [...whole, "connection: close"],
  },
];
