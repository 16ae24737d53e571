/** Counts the watches that a process keeps open at once: one per kind is usual, one per namespace happens, thousands are a leak. */
import type { StageEvent } from "../../trace/events.ts";
import type { KindName } from "../../trace/names.ts";

/** The watches of one kind that one agent keeps open. */
export interface ManyWatches {
  readonly agent: string;
  readonly of: KindName;
  /** The most that were open at once. */
  readonly most: number;
  /** Open now. */
  readonly open: number;
}

/** Fewer watches of a kind are not reported. */
const manyFrom = 10;

/** Counts open watches by agent and kind. */
export class OpenWatches {
  readonly #kinds = new Map<string, { -readonly [K in keyof ManyWatches]: ManyWatches[K] }>();

  /** @returns the watches of the kind when their number reaches 100, 1,000, … for the first time; otherwise undefined. */
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

  /** The kinds that ever had ten or more watches open at once, the most first. */
  get many(): readonly ManyWatches[] {
    return [...this.#kinds.values()].filter(({ most }) => most >= manyFrom).toSorted((a, b) => b.most - a.most);
  }
}
