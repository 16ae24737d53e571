/** Reads what passes the door, and reports it as stage events. */
import { objectKey } from "../../api/key.ts";
import { joined } from "../../api/transport.ts";
import { messageOf } from "../../api/error-message.ts";
import type { StoredObject } from "../../api/object.ts";
import { readReconcile } from "../../trace/reconcile-ref.ts";
import type { ExchangeEnd, ExchangeObserver, Observe, RequestHead, ResponseHead } from "./exchange.ts";
import type { Reading } from "./backlog.ts";
import { encodingOf } from "./bodies.ts";
import { meaningOf, type Meaning } from "./meaning.ts";
import type { Ended, Found, ObserverOptions, ResponseReading } from "./reading.ts";
import { readingOf } from "./readings.ts";

/** Makes the observer of a door. */
export function observeInto(options: ObserverOptions): Observe {
  return (request) => new ObservedExchange(options, request);
}

class ObservedExchange implements ExchangeObserver {
  readonly #options: ObserverOptions;
  readonly #request: RequestHead;
  readonly #meaning: Meaning;
  readonly #agent: string;
  #reading: ResponseReading | undefined;
  readonly #known: StoredObject[] = [];
  #pieces: Uint8Array[] = [];
  #status = 0;
  #auditId = "";
  #received = 0;
  #isLost = false;

  constructor(options: ObserverOptions, request: RequestHead) {
    this.#options = options;
    this.#request = request;
    this.#meaning = meaningOf(request);
    this.#agent = request.headers["user-agent"] ?? "";
    const { target, verb } = this.#meaning;
    // Once all that passed before is read, and nothing that came after.
    if (target !== undefined && target.name !== "" && /^(update|patch|delete)$/.test(verb))
      this.#later(0, () => void this.#known.push(...options.knowledge.statesOf(target)));
  }

  head(head: ResponseHead, at: number): void {
    this.#status = head.status;
    this.#auditId = head.header("audit-id") ?? "";
    this.#read(head.header("content-type"), at);
  }

  #read(contentType: string | undefined, at: number): void {
    const [request, meaning, agent, status] = [this.#request, this.#meaning, this.#agent, this.#status];
    this.#reading = readingOf(this.#options, {
      request,
      meaning,
      agent,
      status,
      encoding: encodingOf(contentType),
      at,
      known: this.#known,
    });
  }

  piece(bytes: Uint8Array, at: number): void {
    this.#received += bytes.length;
    // Of what is not read nothing is kept: a log that is followed never ends.
    if (this.#reading === undefined) return;
    if (this.#reading.piece === undefined) this.#pieces.push(bytes);
    else if (this.#isLost || !this.#later(bytes.length, () => this.#readPiece(bytes, at))) this.#lose(bytes.length);
  }

  *#readPiece(bytes: Uint8Array, at: number): Generator<void> {
    try {
      const read = this.#reading?.piece?.(bytes, at);
      if (read !== undefined) yield* read;
    } catch {
      this.#lose(bytes.length);
    }
  }

  end(how: ExchangeEnd, at: number): void {
    // There was no response: of a write that is an event all the same.
    if (this.#status === 0) this.#read(undefined, at);
    const pieces = this.#pieces;
    this.#pieces = [];
    const length = this.#request.body.length + pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (this.#later(length, () => this.#finish(pieces, { how, at }))) return;
    this.#lose(length);
    this.#report({ how, at }, {});
  }

  *#finish(pieces: readonly Uint8Array[], ended: Omit<Ended, "body">): Generator<void> {
    let found: Found = {};
    try {
      const result = this.#reading?.end({ ...ended, body: joined(pieces) }) ?? {};
      found = Symbol.iterator in result ? yield* result : result;
    } catch (error) {
      found = { error: `cannot read the body: ${messageOf(error)}` };
    }
    this.#report(ended, found);
  }

  #later(bytes: number, read: Reading): boolean {
    return this.#options.backlog.add(bytes, read);
  }

  /** So much was not read. Behind a gap nobody knows where an event of a watch begins: what follows of it is not read either. */
  #lose(bytes: number): void {
    const { bus, knowledge } = this.#options;
    const [meaning, agent] = [this.#meaning, this.#agent];
    this.#isLost = true;
    knowledge.delivered({ meaning, agent })?.forget();
    bus.emit({ stage: "unread", agent, uri: uriOf(this.#request), bytes });
  }

  #report({ how, at }: Omit<Ended, "body">, found: Found): void {
    const { bus, knowledge } = this.#options;
    if (!bus.hears("request")) return;
    const { verb, target } = this.#meaning;
    const { at: sentAt, body, headers } = this.#request;
    const reconcile = readReconcile(headers);
    const as = headers["impersonate-user"] ?? headers["impersonate-group"];
    const error = how.is === "failed" ? how.error : how.is === "left" ? "closed by the client" : undefined;
    bus.emit({
      stage: "request",
      agent: this.#agent,
      verb,
      ...(target !== undefined && { of: knowledge.kinds.of(target), resource: target.plural }),
      ...(target !== undefined && target.subresource !== "" && { subresource: target.subresource }),
      ...(as !== undefined && { as }),
      ...(reconcile !== undefined && { reconcile }),
      key: target === undefined ? "" : objectKey(target.namespace, target.name),
      uri: uriOf(this.#request),
      status: this.#status,
      auditId: this.#auditId,
      sentAt,
      ms: at - sentAt,
      sent: body.length,
      received: this.#received,
      ...(error !== undefined && { error }),
      ...found,
    });
  }
}

function uriOf({ path, query }: RequestHead): string {
  const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
  return search === "" ? path : `${path}?${search}`;
}
