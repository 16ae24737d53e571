/** Observes the traffic of a proxy and reports it as stage events. */
import { uriOf } from "../../api/route.ts";
import { objectKey } from "../../api/key.ts";
import { joined } from "../../api/transport.ts";
import { messageOf } from "../../api/error-message.ts";
import type { StoredObject } from "../../api/object.ts";
import { readReconcile } from "../../trace/reconcile-ref.ts";
import type { ExchangeEnd, ExchangeObserver, Observe, RequestHead, ResponseHead } from "./exchange.ts";
import type { ParseTask } from "./backlog.ts";
import { encodingOf } from "./bodies.ts";
import { requestInfoOf, type RequestInfo } from "./request-info.ts";
import type { ResponseEnd, ResponseDetails, ObserverOptions, ResponseReader } from "./response-reader.ts";
import { readerOf } from "./select-reader.ts";

/** Creates the observer of a proxy. */
export function observeInto(options: ObserverOptions): Observe {
  return (request) => new ObservedExchange(options, request);
}

class ObservedExchange implements ExchangeObserver {
  readonly #options: ObserverOptions;
  readonly #request: RequestHead;
  readonly #meaning: RequestInfo;
  readonly #agent: string;
  #reader: ResponseReader | undefined;
  readonly #known: StoredObject[] = [];
  #pieces: Uint8Array[] = [];
  #status = 0;
  #auditId = "";
  #received = 0;
  #isSkipping = false;

  constructor(options: ObserverOptions, request: RequestHead) {
    this.#options = options;
    this.#request = request;
    this.#meaning = requestInfoOf(request);
    this.#agent = request.headers["user-agent"] ?? "";
    const { target, verb } = this.#meaning;
    // Deferred, so that it sees the knowledge after everything before this request, and nothing after it, has been read.
    if (target !== undefined && target.name !== "" && /^(update|patch|delete)$/.test(verb))
      this.#defer(0, () => void this.#known.push(...options.knowledge.statesOf(target)));
  }

  head(head: ResponseHead, at: number): void {
    this.#status = head.status;
    this.#auditId = head.header("audit-id") ?? "";
    this.#read(head.header("content-type"), at);
  }

  #read(contentType: string | undefined, at: number): void {
    const [request, meaning, agent, status] = [this.#request, this.#meaning, this.#agent, this.#status];
    this.#reader = readerOf(this.#options, {
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
    // Bytes that will not be read are not kept: a followed log never ends.
    if (this.#reader === undefined) return;
    if (this.#reader.piece === undefined) this.#pieces.push(bytes);
    else if (this.#isSkipping || !this.#defer(bytes.length, () => this.#readPiece(bytes, at))) this.#skip(bytes.length);
  }

  *#readPiece(bytes: Uint8Array, at: number): Generator<void> {
    try {
      const read = this.#reader?.piece?.(bytes, at);
      if (read !== undefined) yield* read;
    } catch {
      this.#skip(bytes.length);
    }
  }

  end(how: ExchangeEnd, at: number): void {
    // Without a response, a write still gives an event.
    if (this.#status === 0) this.#read(undefined, at);
    const pieces = this.#pieces;
    this.#pieces = [];
    const length = this.#request.body.length + pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (this.#defer(length, () => this.#finish(pieces, { how, at }))) return;
    this.#skip(length);
    this.#report({ how, at }, {});
  }

  *#finish(pieces: readonly Uint8Array[], ended: Omit<ResponseEnd, "body">): Generator<void> {
    let found: ResponseDetails = {};
    try {
      const result = this.#reader?.end({ ...ended, body: joined(pieces) }) ?? {};
      found = Symbol.iterator in result ? yield* result : result;
    } catch (error) {
      found = { error: `cannot read the body: ${messageOf(error)}` };
    }
    this.#report(ended, found);
  }

  #defer(bytes: number, read: ParseTask): boolean {
    return this.#options.backlog.add(bytes, read);
  }

  /** Reports bytes that were not read. After a gap, the start of the next watch event is unknown, so the rest of the watch is skipped. */
  #skip(bytes: number): void {
    const { bus, knowledge } = this.#options;
    const [meaning, agent] = [this.#meaning, this.#agent];
    this.#isSkipping = true;
    knowledge.delivered({ meaning, agent })?.forget();
    bus.emit({ stage: "unread", agent, uri: uriOf(this.#request), bytes });
  }

  #report({ how, at }: Omit<ResponseEnd, "body">, found: ResponseDetails): void {
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
