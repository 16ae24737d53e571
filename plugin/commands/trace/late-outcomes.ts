/** Outcomes of shadow that need lines of their own, because the block of their sync was printed before, or because they have none. */
import type { AgreementEvent, EventHead } from "../../../src/trace/events.ts";
import { type SyncBlock, writesOf } from "../../../src/views/sync-block.ts";
import { isOpen, outcomeText } from "./shadow-text.ts";

/** How long an outcome waits for others like it: an owner creates a hundred pods over seconds. */
const gatherMs = 500;

/** A line to print. */
export interface OutcomeLine {
  readonly text: string;
  /** The owner may still do what was intended. */
  readonly isOpen: boolean;
}

interface Alike {
  readonly events: AgreementEvent[];
  readonly dueAt: number;
}

/** Accepts outcomes, and returns lines when they are due; outcomes that are alike are counted. Times are in ms since 1970. */
export class LateOutcomes {
  /** Intentions in printed blocks that had no outcome then. */
  #awaited = new Set<number>();
  #alike = new Map<string, Alike>();

  /** Called for each block that is printed. */
  printed(block: Pick<SyncBlock, "decisions" | "otherWrites">): void {
    for (const { intention, agreement } of writesOf(block)) {
      if (intention !== undefined && agreement === undefined) this.#awaited.add(intention);
    }
  }

  /**
   * Accepts an outcome that no block will show. One that follows from a later sync gets no line, unless it revises another: the block of
   * that sync shows what is intended now.
   */
  accept(event: AgreementEvent & EventHead): void {
    const { intention, is, revises, at } = event;
    const isAwaited = intention !== undefined && this.#awaited.delete(intention);
    const isNews = revises !== undefined || (isAwaited && is !== "not comparable");
    if (!isNews && !isOpen(event)) return;
    const name = likenessOf(event);
    const alike = this.#alike.get(name) ?? { events: [], dueAt: isOpen(event) ? at : at + gatherMs };
    alike.events.push(event);
    this.#alike.set(name, alike);
  }

  /** When `release` will have lines; undefined if none are waiting. */
  get dueAt(): number | undefined {
    // Called for each event, and nearly always empty.
    if (this.#alike.size === 0) return undefined;
    return Math.min(...[...this.#alike.values()].map(({ dueAt }) => dueAt));
  }

  /** Returns the lines that are due at `now`; `Infinity` for all. */
  release(now: number): readonly OutcomeLine[] {
    const lines: OutcomeLine[] = [];
    for (const [name, { events, dueAt }] of this.#alike) {
      const [first] = events;
      if (dueAt > now || first === undefined) continue;
      this.#alike.delete(name);
      lines.push({ text: outcomeText(events), isOpen: isOpen(first) });
    }
    return lines;
  }
}

/** Equal for outcomes that one line can show: of one sync, about objects of one kind. */
function likenessOf({
  controller,
  key,
  sync,
  verb,
  of,
  subresource,
  target,
  generatedName,
  ...event
}: AgreementEvent): string {
  const object = generatedName === true ? "" : target;
  const why = isOpen(event) ? event.why : "";
  return JSON.stringify([controller, key, sync, verb, of, subresource, object, event.is, why]);
}
