/** Tunnels through SOCKS5 proxies. Source: RFC 1928, RFC 1929; golang.org/x/net/internal/socks, which client-go uses. */
import { connect, isIP, type Socket } from "node:net";
import { HttpError } from "./http-error.ts";

/** A connection to be opened through a proxy. */
export interface Socks5Tunnel {
  /** `socks5://user:password@host:port`; user and password as sent. */
  readonly proxy: {
    /** A name is resolved by the proxy. */
    readonly host: string;
    readonly port: number;
    readonly username: string;
    readonly password: string;
  };
  /** A name is resolved by the proxy. */
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

const version = 5;
const noLogin = 0;
const passwordLogin = 2;
/** Kinds of addresses. */
const [ip4, domainName, ip6] = [1, 3, 4];

/** Reply codes for a failed connection, from 1. */
const refusals: readonly string[] = [
  "failed",
  "does not allow the connection",
  "cannot reach the network",
  "cannot reach the host",
  "was refused the connection",
  "has waited too long",
  "does not know the command",
  "does not know this kind of address",
];

/** A connection to `host` through the proxy. @throws HttpError; the signal's reason. */
export async function socks5Tunnel({ proxy, host, port, signal }: Socks5Tunnel): Promise<Socket> {
  signal.throwIfAborted();
  const socket = connect({ host: proxy.host, port: proxy.port });
  const onAbort = (): void => void socket.destroy(new Error("aborted"));
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const read = reader(socket);
    await greet(socket, read, proxy);
    await requestConnection(socket, read, { host, port });
    read.release();
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

interface Reader {
  /** Reads exactly `length` bytes. */
  (length: number): Promise<Uint8Array>;
  /** Passes the socket on to its next owner. */
  release(): void;
}

function reader(socket: Socket): Reader {
  let wake: () => void = () => undefined;
  let failure: Error | undefined;
  let ended = false;
  const onReadable = (): void => wake();
  const onError = (error: Error): void => {
    failure = error;
    wake();
  };
  const onEnd = (): void => {
    ended = true;
    wake();
  };
  socket.on("readable", onReadable);
  socket.on("error", onError);
  socket.on("end", onEnd);
  socket.on("close", onEnd);
  const read = async (length: number): Promise<Uint8Array> => {
    for (;;) {
      const bytes = socket.read(length) as Uint8Array | null;
      if (bytes !== null && bytes.length === length) return bytes;
      if (failure !== undefined) throw failure;
      if (ended) throw new HttpError("broken", "the SOCKS proxy closed the connection");
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  return Object.assign(read, {
    release() {
      socket.off("readable", onReadable);
      socket.off("error", onError);
      socket.off("end", onEnd);
      socket.off("close", onEnd);
    },
  });
}

async function greet(socket: Socket, read: Reader, { username, password }: Socks5Tunnel["proxy"]): Promise<void> {
  const methods = username === "" && password === "" ? [noLogin] : [noLogin, passwordLogin];
  socket.write(Uint8Array.from([version, methods.length, ...methods]));
  const [spoken, method] = await read(2);
  if (spoken !== version) throw new HttpError("unreachable", "the proxy does not speak SOCKS5");
  if (method === noLogin) return;
  if (method !== passwordLogin || !methods.includes(passwordLogin)) {
    throw new HttpError("unreachable", "the SOCKS proxy wants a login that the proxy's URL does not have");
  }
  socket.write(Uint8Array.from([1, ...counted(username, "user"), ...counted(password, "password")]));
  const [, status] = await read(2);
  if (status !== 0) throw new HttpError("unreachable", "the SOCKS proxy does not accept the login");
}

async function requestConnection(
  socket: Socket,
  read: Reader,
  { host, port }: { host: string; port: number },
): Promise<void> {
  const connectCommand = 1;
  socket.write(Uint8Array.from([version, connectCommand, 0, ...addressOf(host), port >> 8, port & 0xff]));
  const [, status = 0, , kind = 0] = await read(4);
  if (status !== 0) {
    throw new HttpError("unreachable", `the SOCKS proxy ${refusals[status - 1] ?? `answered ${status}`}`);
  }
  // The bound address: read and ignored.
  const length = kind === domainName ? ((await read(1))[0] ?? 0) : kind === ip6 ? 16 : 4;
  await read(length + 2);
}

function addressOf(host: string): readonly number[] {
  switch (isIP(host)) {
    case 4:
      return [ip4, ...host.split(".").map(Number)];
    case 6:
      return [ip6, ...ip6Bytes(host)];
    default:
      return [domainName, ...counted(host, "name of the host")];
  }
}

/** `fd00::1` as 16 bytes. In the form of a URL: without a zone or a trailing IPv4 address. */
function ip6Bytes(host: string): readonly number[] {
  const [before = [], after = []] = host.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const groups = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => "0"), ...after];
  return groups.map((group) => Number.parseInt(group, 16)).flatMap((group) => [group >> 8, group & 0xff]);
}

/** A length-prefixed string. */
function counted(text: string, what: string): readonly number[] {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > 255) throw new HttpError("unreachable", `the ${what} is too long for a SOCKS proxy`);
  return [bytes.length, ...bytes];
}
