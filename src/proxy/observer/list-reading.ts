/** Reads a list, whose pages may come in several responses. */
import { keyOf, type ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Json } from "./bodies.ts";
import type { Pages } from "./knowledge.ts";
import { parameter } from "./meaning.ts";
import type { Ended, Found, ObserverOptions, Passed, ResponseReading } from "./reading.ts";
import { isStored } from "./stored.ts";
import { isObject } from "../../api/json.ts";

/** One page; the last one ends the list. */
export class ListReading implements ResponseReading {
  readonly #options: ObserverOptions;
  readonly #passed: Passed;

  constructor(options: ObserverOptions, passed: Passed) {
    this.#options = options;
    this.#passed = passed;
  }

  *end({ body, how, at }: Ended): Generator<void, Found> {
    if (how.is !== "whole") return {};
    const { bodies, knowledge } = this.#options;
    const { request, encoding } = this.#passed;
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
    const { agent, meaning } = this.#passed;
    if (meaning.target === undefined) return;
    const of = knowledge.kinds.of(meaning.target);
    const why = knowledge.reasonToList(this.#passed);
    const read = { objects: objects.size, pages: count, bytes, ms: at - sentAt, resourceVersion };
    knowledge.keepList(this.#passed, { objects, event: { stage: "list", agent, of, why, ...read }, receivedAt: at });
  }

  /** `PodList` is a list of pods; the lists of other forms are lists of anything. */
  #learnKind({ kind, apiVersion }: Json): void {
    const { target } = this.#passed.meaning;
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
