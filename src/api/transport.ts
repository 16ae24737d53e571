/**
 * The one interface to an API server. HTTP over TLS, the embedded server, and the wrappers that limit, record, refuse
 * or break requests all implement `Transport`. Bodies are bytes everywhere, so that callers cannot tell which one they
 * use.
 */

/** Names the decision behind a write; created by `SyncContext.decide`. */
export interface DecisionId {
  readonly controller: string;
  /** The number of the sync, counted for each controller from 1. */
  readonly sync: number;
  /** The `seq` of the decision event; 0 if the bus had no listeners. */
  readonly seq: number;
}

/** The HTTP methods of the Kubernetes API. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A request to an API server, independent of how it is sent. */
export interface ApiRequest {
  readonly method: Method;
  /** Begins with a slash, escaped, without the query. */
  readonly path: string;
  /** In order; names may repeat. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Aborting ends the request, and a body that is being read ends in an error. */
  readonly signal: AbortSignal;
  readonly decision?: DecisionId;
  /** The caller uses only the metadata of the object in the response: the request may ask for metadata only. */
  readonly metadataSuffices?: true;
  /** The caller reads the body as it arrives; without it, only that of a watch or of a paged list comes in pieces. */
  readonly streamed?: true;
  /** The request is for the Lease that other writes depend on: a write fence lets it through, and it waits for no limit of requests. */
  readonly renewsLease?: true;
}

/**
 * The body of a response, read in chunks by one consumer. `next` resolves with undefined at the end, and rejects if the
 * connection broke or the request was aborted: a truncated body is never mistaken for a complete one. `cancel` may be
 * called at any time and repeatedly.
 */
export interface ApiBody {
  next(): Promise<Uint8Array | undefined>;
  cancel(reason?: unknown): void;
}

/** A response whose body has yet to be read. Read it to its end or cancel it: until then, it occupies a connection. */
export interface ApiResponse {
  readonly status: number;
  /** A header's value by its lower-case name. */
  header(name: string): string | undefined;
  readonly body: ApiBody;
}

/** A connection that has left HTTP: bytes both ways. Same shape as `RawConnection` in src/platform. */
export interface UpgradedConnection {
  /** The next incoming bytes; undefined once the other side has closed it. @throws Error if it broke. */
  next(): Promise<Uint8Array | undefined>;
  /** Resolves once more may be written. @throws Error if it broke. */
  write(bytes: Uint8Array): Promise<void>;
  /** Sends what is pending, then closes. May be called repeatedly. */
  end(): void;
}

/** The response to an upgrade. */
export interface UpgradeResponse {
  /** 101 if the connection has left HTTP. */
  readonly status: number;
  /** As sent by the server. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Carries the new protocol after 101, otherwise the body, and nothing else. The caller must end it. */
  readonly connection: UpgradedConnection;
}

/** Sends requests to one API server. Wrappers add limits, credentials, recording or faults, and are Transports themselves. */
export interface Transport {
  /**
   * Sends one request. Any HTTP status is a response.
   * @throws TransportError if there is no response: refused, reset, TLS, timeout. A write may have been applied nevertheless.
   * @throws the signal's reason if aborted.
   */
  send(request: ApiRequest): Promise<ApiResponse>;
  /**
   * Sends a request that leaves HTTP, with its headers `connection` and `upgrade`: exec, attach, port-forward. Absent if there is no
   * connection to take over.
   * @throws like `send`.
   */
  upgrade?(request: ApiRequest): Promise<UpgradeResponse>;
}

/**
 * Why there is no response. `unreachable`: nothing was sent. `certificate`: the two sides do not trust each other. `broken`: the connection
 * ended before or within the response. `timeout`: we ended it, after too long a silence.
 */
export type TransportFailure = "unreachable" | "certificate" | "broken" | "timeout";

/**
 * There was no response: the server could not be reached, or the connection broke before or within the response. A write may have
 * been applied nevertheless.
 *
 * @example
 * ```ts
 * import { kinds, startSandbox, TransportError } from "kubectl-reconcile";
 *
 * const sandbox = await startSandbox();
 * await sandbox.stop();
 * try {
 *   await sandbox.client.list(kinds.Nodes);
 * } catch (error) {
 *   if (!(error instanceof TransportError)) throw error;
 *   console.log(error.failure); // unreachable
 * }
 * ```
 */
export class TransportError extends Error {
  override readonly name = "TransportError";
  /** What failed; after `unreachable` the request was certainly not received. */
  readonly failure: TransportFailure;

  constructor(message: string, options?: ErrorOptions & { readonly failure?: TransportFailure }) {
    super(message, options);
    this.failure = options?.failure ?? "broken";
  }
}

/** Reads a body to its end, as one piece. `onGrown` gets the length so far after each piece, and may throw to stop. */
export async function readAll(body: Pick<ApiBody, "next">, onGrown?: (length: number) => void): Promise<Uint8Array> {
  const first = await body.next();
  if (first === undefined) return new Uint8Array(0);
  onGrown?.(first.length);
  let second = await body.next();
  if (second === undefined) return first;
  const pieces = [first];
  let length = first.length;
  while (second !== undefined) {
    pieces.push(second);
    length += second.length;
    onGrown?.(length);
    second = await body.next();
  }
  return joined(pieces);
}

/** Pieces as one; a single one is not copied. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces;
  if (first !== undefined && pieces.length === 1) return first;
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}

/** A complete JSON response. */
export function jsonResponse(status: number, value: object): ApiResponse {
  return {
    status,
    header: (name) => (name === "content-type" ? "application/json" : undefined),
    body: wholeBody(new TextEncoder().encode(JSON.stringify(value))),
  };
}

/** A complete body. */
export function wholeBody(bytes: Uint8Array): ApiBody {
  let left: Uint8Array | undefined = bytes.length === 0 ? undefined : bytes;
  return {
    next() {
      const piece = left;
      left = undefined;
      return Promise.resolve(piece);
    },
    cancel() {
      left = undefined;
    },
  };
}
