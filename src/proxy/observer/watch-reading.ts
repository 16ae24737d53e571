/** Reads a watch: what the process receives, event by event. */
import { keyOf, type ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { WatchEvent } from "../../trace/events.ts";
import type { Frame, Json } from "./bodies.ts";
import type { ExchangeEnd } from "./exchange.ts";
import { flag, parameter } from "./meaning.ts";
import type { Ended, Found, ObserverOptions, Passed, ResponseReading } from "./reading.ts";
import { isStored, metadataOf } from "./stored.ts";
import type { Delivered } from "./delivered.ts";

const changes: Readonly<Record<string, "Added" | "Updated" | "Deleted">> = {
  ADDED: "Added",
  MODIFIED: "Updated",
  DELETED: "Deleted",
};

/** The bookmark that ends a watch's initial events. Source: apimachinery v0.36 apis/meta/v1 InitialEventsAnnotationKey. */
const initialEventsEnd = "k8s.io/initial-events-end";

/** An open watch. */
export class WatchReading implements ResponseReading {
  readonly #options: ObserverOptions;
  readonly #passed: Passed;
  readonly #frames: (piece: Uint8Array) => Iterable<Frame>;
  /** Known when the first piece is read: what came before it has then been read. */
  #delivered: Delivered | undefined;
  /** The list that the watch begins with, until its end has come. */
  #initial: Map<ObjectKey, StoredObject> | undefined;
  #bytes = 0;
  /** Why the server ended it. */
  #ending: string | undefined;
  #resourceVersion: string;

  constructor(options: ObserverOptions, passed: Passed) {
    const { query } = passed.request;
    this.#options = options;
    this.#passed = passed;
    this.#frames = options.bodies.frames(passed.encoding);
    this.#resourceVersion = parameter(query, "resourceVersion");
    if (flag(query, "sendInitialEvents")) this.#initial = new Map();
    options.backlog.add(0, () => this.#open());
  }

  /** The list that it follows is what the process knows from now on. */
  *#open(): Generator<void> {
    const { bus, knowledge } = this.#options;
    const delivered = knowledge.watched(this.#passed);
    this.#delivered = delivered;
    const list = knowledge.takeList(this.#passed, this.#resourceVersion);
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
    if (code === 410) this.#options.knowledge.expire(this.#passed);
  }

  *#endInitial(at: number): Generator<void> {
    const [objects, delivered] = [this.#initial, this.#delivered];
    const { bus, knowledge } = this.#options;
    const { agent, request } = this.#passed;
    if (objects === undefined || delivered === undefined) return;
    this.#initial = undefined;
    bus.emit({
      stage: "list",
      agent,
      of: delivered.of,
      why: knowledge.reasonToList(this.#passed),
      objects: objects.size,
      pages: 0,
      bytes: this.#bytes,
      ms: at - request.at,
      resourceVersion: this.#resourceVersion,
    });
    yield* delivered.replace(objects, at);
  }

  end({ how }: Ended): Found {
    this.#emit(...endOf(how, this.#ending));
    return { resourceVersion: this.#resourceVersion };
  }

  #learnKind({ kind, apiVersion }: Json): void {
    const { target } = this.#passed.meaning;
    if (typeof kind === "string" && target !== undefined && apiVersion === target.apiVersion)
      this.#options.knowledge.kinds.learn(target, kind);
  }

  #emit(state: WatchEvent["state"], why: string): void {
    const { bus } = this.#options;
    const { agent } = this.#passed;
    if (this.#delivered === undefined) return;
    bus.emit({ stage: "watch", agent, of: this.#delivered.of, state, resourceVersion: this.#resourceVersion, why });
  }
}

function endOf(how: ExchangeEnd, said: string | undefined): readonly [WatchEvent["state"], string] {
  if (said !== undefined) return ["closed", said];
  if (how.is === "whole") return ["closed", "timeout by the server"];
  return how.is === "left" ? ["closed", "closed by the client"] : ["failed", `connection broke: ${how.error}`];
}
