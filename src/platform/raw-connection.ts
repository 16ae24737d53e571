/** A connection that has left HTTP: bytes both ways. */
import type { Duplex } from "node:stream";

/** One side of it. */
export interface RawConnection {
  /** The next incoming bytes; undefined once the other side has closed it. @throws Error if it broke. */
  next(): Promise<Uint8Array | undefined>;
  /** Resolves once more may be written. @throws Error if it broke. */
  write(bytes: Uint8Array): Promise<void>;
  /** Sends what is pending, then closes. May be called repeatedly. */
  end(): void;
}

/** A socket as a `RawConnection`; `early`: bytes received before. */
export function rawConnection(socket: Duplex, early: Uint8Array): RawConnection {
  // A broken connection surfaces in the next read or write.
  socket.on("error", () => undefined);
  let first: Uint8Array | undefined = early.length > 0 ? early : undefined;
  const pieces: AsyncIterator<Uint8Array, undefined> = socket[Symbol.asyncIterator]();
  return {
    async next() {
      const piece = first ?? (await pieces.next()).value;
      first = undefined;
      return piece;
    },
    async write(bytes) {
      if (socket.destroyed) throw new Error("the connection is closed");
      if (socket.write(bytes)) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const events = ["drain", "close"];
      for (const event of events) socket.once(event, resolve);
      await promise;
      for (const event of events) socket.off(event, resolve);
    },
    end: () => void socket.end(() => socket.destroy()),
  };
}

/** Copies bytes between two connections until one is closed or broken; then closes both. Never rejects. */
export async function joinConnections(a: RawConnection, b: RawConnection): Promise<void> {
  const carry = async (from: RawConnection, to: RawConnection): Promise<void> => {
    for (let piece = await from.next(); piece !== undefined; piece = await from.next()) await to.write(piece);
  };
  const both = [carry(a, b), carry(b, a)].map((one) => one.catch(() => undefined));
  await Promise.race(both);
  a.end();
  b.end();
}
