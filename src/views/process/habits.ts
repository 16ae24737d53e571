/** How a writer usually behaves, learned from its reconciles: those of another process take ten times as long. */

/** From a delta to the first write, in ms: of a writer that is not known yet. */
const assumedReactionMs = 2.2;
/** How many reconciles the assumption weighs. */
const assumedReactions = 8;
/** Kept of the latest times. */
const mostReactions = 32;
/** The spread of the logarithms of these times: 7 of 10 are within half and double of the usual. */
const spread = 0.7;
/** A few take much longer, because other work came first: how many, how much longer, and their spread. */
const [rareShare, rareFactor, rareSpread] = [0.03, 3.7, 0.9];
/** Shorter times are those of clocks. */
const leastMs = 0.05;

/** Of the reconciles that deltas lead to, how many write nothing: of most, and of those that the echo of a write leads to. */
const [assumedSilence, assumedEchoSilence] = [0.15, 0.8];
/** How many reconciles these assumptions weigh. */
const assumedSilences = 6;

/** Sorts of deltas, and beginnings of reconciles, that are told apart. */
const mostNames = 500;
/** So often a beginning has been seen, and what came of it is known. */
const knownFrom = 3;

/** What a delta is to a writer, as far as its habits go. */
export interface Sort {
  /** Relation, kind, type, and whether it is the writer's own write. */
  readonly name: string;
  /** It is what the writer itself wrote to the object that it reconciles. */
  readonly isEcho: boolean;
}

/** The habits of one writer. */
export class Habits {
  readonly #reactions: number[] = [];
  readonly #silences = new Counts();
  readonly #ends = new Counts();
  #beforeEcho = 0;
  #afterEcho = 0;

  /** A delta led to a write after so many ms, and nothing else can have. */
  reacted(ms: number): void {
    this.#reactions.push(Math.max(ms, leastMs));
    if (this.#reactions.length > mostReactions) this.#reactions.shift();
  }

  /** From a delta to the first write, usually, in ms. */
  get reactionMs(): number {
    const all = [...this.#reactions, ...Array.from({ length: assumedReactions }, () => assumedReactionMs)];
    return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? assumedReactionMs;
  }

  /** How well a reaction of so many ms fits, to be compared with how well others do. */
  fitOf(ms: number): number {
    const time = Math.max(ms, leastMs);
    const distance = Math.log(time / this.reactionMs);
    const rare = rareShare * bell(distance - Math.log(rareFactor), rareSpread);
    return (bell(distance, spread) + rare) / time;
  }

  /** A delta of a sort led to a write, or to a reconcile that wrote nothing. */
  led({ name }: Sort, to: "a write" | "nothing"): void {
    this.#silences.add(name, to === "nothing");
  }

  /** The share of reconciles that write nothing, of those that deltas of a sort lead to. */
  silenceOf({ name, isEcho }: Sort): number {
    const { yes, no } = this.#silences.of(name);
    const assumed = assumedSilences * (isEcho ? assumedEchoSilence : assumedSilence);
    return (yes + assumed) / (yes + no + assumedSilences);
  }

  /** A reconcile wrote before or after the process received what the one before had written to the object. */
  wrote(when: "before the echo" | "after the echo"): void {
    if (when === "before the echo") this.#beforeEcho++;
    else this.#afterEcho++;
  }

  /**
   * How likely it is that a reconcile writes nothing until its cache shows what the one before wrote, as the controllers of Kubernetes
   * 1.36 that check the consistency of their caches do. One in 20 that wrote earlier shows that this writer does not wait.
   */
  get waitsForEcho(): number {
    const before = 20 * this.#beforeEcho;
    return Math.max(0.03, (this.#afterEcho - before + 1) / (this.#afterEcho + before + 6));
  }

  /** What a reconcile had done was not all, though it ended with a status. */
  wentOn(beginning: string): void {
    this.#ends.add(beginning, false);
  }

  /** What a reconcile had done was all. */
  ended(beginning: string): void {
    this.#ends.add(beginning, true);
  }

  /** Whether reconciles that did this go on, mostly; of what is not known, a status is the end. */
  goesOnAfter(beginning: string): boolean {
    const { yes: ended, no: wentOn } = this.#ends.of(beginning);
    return wentOn > 2 * ended + 1;
  }

  /** Whether it has been seen often enough what comes after this. */
  knows(beginning: string): boolean {
    const { yes, no } = this.#ends.of(beginning);
    return yes + no >= knownFrom;
  }
}

/** How often something was so, and how often not, by names. */
class Counts {
  readonly #counts = new Map<string, { yes: number; no: number }>();

  add(name: string, wasSo: boolean): void {
    if (this.#counts.size >= mostNames && !this.#counts.has(name)) return;
    const counts = this.#counts.getOrInsertComputed(name, () => ({ yes: 0, no: 0 }));
    if (wasSo) counts.yes++;
    else counts.no++;
  }

  of(name: string): { readonly yes: number; readonly no: number } {
    return this.#counts.get(name) ?? { yes: 0, no: 0 };
  }
}

function bell(distance: number, width: number): number {
  return Math.exp(-(distance ** 2) / (2 * width ** 2)) / width;
}
