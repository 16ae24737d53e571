/** Reads a list, whose pages may come in several responses. */
import { keyOf, type ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Json } from "./bodies.ts";
import type { Pages } from "./knowledge.ts";
import { parameter } from "./request-info.ts";
import type {
  ResponseEnd,
  ResponseDetails,
  ObserverOptions,
  ExchangeContext,
  ResponseReader,
} from "./response-reader.ts";
import { isStored } from "./stored.ts";
import { isObject } from "../../api/json.ts";

/** Reads one page; the last page completes the list. */
export class ListReader implements ResponseReader {
  readonly #options: ObserverOptions;
  readonly #exchange: ExchangeContext;

  constructor(options: ObserverOptions, exchange: ExchangeContext) {
    this.#options = options;
    this.#exchange = exchange;
  }

  *end({ body, how, at }: ResponseEnd): Generator<void, ResponseDetails> {
    if (how.is !== "whole") return {};
    const { bodies, knowledge } = this.#options;
    const { request, encoding } = this.#exchange;
    const earlier = knowledge.pagesBefore(parameter(request.query, "continue"));
    const objects = earlier?.objects ?? new Map<ObjectKey, StoredObject>();
    const before = objects.size;
    const items = bodies.list(body, encoding);
    let next = items.next();
    for (; next.done !== true; next = items.next()) {
      if (isStored(next.value)) objects.set(keyOf(next.value), next.value);
      yield;
    }
    this.#learnKind(next.value);
    const { resourceVersion, continue: token } = listMetaOf(next.value);
    const pages: Pages = {
      objects,
      count: (earlier?.count ?? 0) + 1,
      bytes: (earlier?.bytes ?? 0) + body.length,
      sentAt: earlier?.sentAt ?? request.at,
    };
    if (token === "") this.#keep(pages, { resourceVersion, at });
    else knowledge.keepPages(token, pages);
    return { objects: objects.size - before, resourceVersion };
  }

  #keep(
    { objects, count, bytes, sentAt }: Pages,
    { resourceVersion, at }: { readonly resourceVersion: string; readonly at: number },
  ): void {
    const { knowledge } = this.#options;
    const { agent, meaning } = this.#exchange;
    if (meaning.target === undefined) return;
    const of = knowledge.kinds.of(meaning.target);
    const why = knowledge.reasonToList(this.#exchange);
    const read = { objects: objects.size, pages: count, bytes, ms: at - sentAt, resourceVersion };
    knowledge.keepList(this.#exchange, { objects, event: { stage: "list", agent, of, why, ...read }, receivedAt: at });
  }

  /** Learns the kind from a list's kind: `PodList` lists Pods. A list of another group version, such as a Table, is ignored. */
  #learnKind({ kind, apiVersion }: Json): void {
    const { target } = this.#exchange.meaning;
    if (typeof kind !== "string" || !kind.endsWith("List") || target === undefined || apiVersion !== target.apiVersion)
      return;
    this.#options.knowledge.kinds.learn(target, kind.slice(0, -"List".length));
  }
}

function listMetaOf({ metadata }: Json): { readonly resourceVersion: string; readonly continue: string } {
  const { resourceVersion, continue: token } = isObject(metadata) ? metadata : {};
  return {
    resourceVersion: typeof resourceVersion === "string" ? resourceVersion : "",
    continue: typeof token === "string" ? token : "",
  };
}
