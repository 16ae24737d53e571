/** How many watches a process keeps open at once: one for each kind is usual, one for each namespace happens, thousands are a leak. */
import type { StageEvent } from "../../trace/events.ts";
import type { KindName } from "../../trace/names.ts";

/** The watches of one kind, by one process. */
export interface ManyWatches {
  readonly agent: string;
  readonly of: KindName;
  /** Open at once, at most. */
  readonly most: number;
  readonly open: number;
}

/** Fewer are a process's own business. */
const manyFrom = 10;

/** Counts them. */
export class OpenWatches {
  readonly #kinds = new Map<string, { -readonly [K in keyof ManyWatches]: ManyWatches[K] }>();

  /** @returns the watches of the kind, when there are 100, 1,000, … of them for the first time. */
  accept(event: Extract<StageEvent, { readonly stage: "watch" }>): ManyWatches | undefined {
    const { of, state, agent = "" } = event;
    const name = `${agent} ${of.group} ${of.kind}`;
    const kind = this.#kinds.getOrInsertComputed(name, () => ({ agent, of, most: 0, open: 0 }));
    if (state !== "opened") {
      kind.open = Math.max(0, kind.open - 1);
      return undefined;
    }
    kind.open++;
    if (kind.open <= kind.most) return undefined;
    kind.most = kind.open;
    return /^10{2,}$/.test(String(kind.most)) ? kind : undefined;
  }

  /** Those that were ten or more, the most first. */
  get many(): readonly ManyWatches[] {
    return [...this.#kinds.values()].filter(({ most }) => most >= manyFrom).toSorted((a, b) => b.most - a.most);
  }
}
