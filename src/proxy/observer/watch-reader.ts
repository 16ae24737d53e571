/** Reads a watch event by event. */
import { keyOf, type ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { WatchEvent } from "../../trace/events.ts";
import type { Frame, Json } from "./bodies.ts";
import type { ExchangeEnd } from "./exchange.ts";
import { flag, parameter } from "./request-info.ts";
import type {
  ResponseEnd,
  ResponseDetails,
  ObserverOptions,
  ExchangeContext,
  ResponseReader,
} from "./response-reader.ts";
import { isStored, metadataOf } from "./stored.ts";
import type { Delivered } from "./delivered.ts";

const changes: Readonly<Record<string, "Added" | "Updated" | "Deleted">> = {
  ADDED: "Added",
  MODIFIED: "Updated",
  DELETED: "Deleted",
};

/** The bookmark that ends a watch's initial events. Source: apimachinery v0.36 apis/meta/v1 InitialEventsAnnotationKey. */
const initialEventsEnd = "k8s.io/initial-events-end";

/** Reads the response of a watch. */
export class WatchReader implements ResponseReader {
  readonly #options: ObserverOptions;
  readonly #exchange: ExchangeContext;
  readonly #frames: (piece: Uint8Array) => Iterable<Frame>;
  /** Set before the first chunk is read, when everything that passed earlier has been read. */
  #delivered: Delivered | undefined;
  /** The initial events of a streaming list, until the bookmark that ends them. */
  #initial: Map<ObjectKey, StoredObject> | undefined;
  #bytes = 0;
  /** The reason in the server's ERROR event. */
  #ending: string | undefined;
  #resourceVersion: string;

  constructor(options: ObserverOptions, exchange: ExchangeContext) {
    const { query } = exchange.request;
    this.#options = options;
    this.#exchange = exchange;
    this.#frames = options.bodies.frames(exchange.encoding);
    this.#resourceVersion = parameter(query, "resourceVersion");
    if (flag(query, "sendInitialEvents")) this.#initial = new Map();
    options.backlog.add(0, () => this.#open());
  }

  /** Starts the watch: the list that it follows becomes the known state of the collection. */
  *#open(): Generator<void> {
    const { bus, knowledge } = this.#options;
    const delivered = knowledge.watched(this.#exchange);
    this.#delivered = delivered;
    const list = knowledge.takeList(this.#exchange, this.#resourceVersion);
    const why = list === undefined && this.#initial === undefined && delivered.isKnown ? "resume" : "start";
    if (list !== undefined) {
      bus.emit({ ...list.event });
      yield* delivered.replace(list.objects, list.receivedAt);
    }
    this.#emit("opened", why);
  }

  *piece(bytes: Uint8Array, at: number): Generator<void> {
    this.#bytes += bytes.length;
    for (const frame of this.#frames(bytes)) {
      yield* this.#frame(frame, at);
      yield;
    }
  }

  *#frame({ type, object }: Frame, at: number): Generator<void> {
    const delivered = this.#delivered;
    if (type === "ERROR") return this.#error(object);
    const { resourceVersion, annotations } = metadataOf(object);
    this.#resourceVersion = resourceVersion ?? this.#resourceVersion;
    if (type === "BOOKMARK" && annotations?.[initialEventsEnd] === "true") yield* this.#endInitial(at);
    const change = changes[type];
    if (change === undefined || delivered === undefined || !isStored(object)) return;
    this.#learnKind(object);
    if (this.#initial !== undefined && change === "Added") this.#initial.set(keyOf(object), object);
    else delivered.apply({ type: change, object, receivedAt: at });
  }

  #error({ code, reason }: Json): void {
    this.#ending = `${Number(code)} ${typeof reason === "string" ? reason : ""}`.trimEnd();
    if (code === 410) this.#options.knowledge.expire(this.#exchange);
  }

  *#endInitial(at: number): Generator<void> {
    const [objects, delivered] = [this.#initial, this.#delivered];
    const { bus, knowledge } = this.#options;
    const { agent, request } = this.#exchange;
    if (objects === undefined || delivered === undefined) return;
    this.#initial = undefined;
    bus.emit({
      stage: "list",
      agent,
      of: delivered.of,
      why: knowledge.reasonToList(this.#exchange),
      objects: objects.size,
      pages: 0,
      bytes: this.#bytes,
      ms: at - request.at,
      resourceVersion: this.#resourceVersion,
    });
    yield* delivered.replace(objects, at);
  }

  end({ how }: ResponseEnd): ResponseDetails {
    this.#emit(...endOf(how, this.#ending));
    return { resourceVersion: this.#resourceVersion };
  }

  #learnKind({ kind, apiVersion }: Json): void {
    const { target } = this.#exchange.meaning;
    if (typeof kind === "string" && target !== undefined && apiVersion === target.apiVersion)
      this.#options.knowledge.kinds.learn(target, kind);
  }

  #emit(state: WatchEvent["state"], why: string): void {
    const { bus } = this.#options;
    const { agent } = this.#exchange;
    if (this.#delivered === undefined) return;
    bus.emit({ stage: "watch", agent, of: this.#delivered.of, state, resourceVersion: this.#resourceVersion, why });
  }
}

function endOf(how: ExchangeEnd, ending: string | undefined): readonly [WatchEvent["state"], string] {
  if (ending !== undefined) return ["closed", ending];
  if (how.is === "whole") return ["closed", "timeout by the server"];
  return how.is === "left" ? ["closed", "closed by the client"] : ["failed", `connection broke: ${how.error}`];
}
