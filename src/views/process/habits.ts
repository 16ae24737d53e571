/** How a writer usually behaves, learned from its reconciles: one process may take ten times as long as another. */

/** Prior for the reaction time, from a delta to the first write, in ms. */
const assumedReactionMs = 2.2;
/** Weight of that prior, in reconciles. */
const assumedReactions = 8;
/** Reaction times kept, the latest. */
const maxReactions = 32;
/** Standard deviation of the logarithm of the reaction time: 7 of 10 lie between half and twice the median. */
const spread = 0.7;
/** A few reactions take much longer, because other work came first: their share, how much longer, and their spread. */
const [rareShare, rareFactor, rareSpread] = [0.03, 3.7, 0.9];
/** Shorter times are below the resolution of the clocks. */
const minReactionMs = 0.05;

/** Prior for the share of reconciles that write nothing: for most deltas, and for the echo of the writer's own write. */
const [assumedNoWrite, assumedNoWriteOnEcho] = [0.15, 0.8];
/** Weight of these priors, in reconciles. */
const assumedOutcomes = 6;

/** At most this many categories of deltas, and as many sequences of steps, are distinguished. */
const maxNames = 500;
/** A sequence of steps is known once its continuation was seen this often. */
const knownFrom = 3;

/** Deltas that a writer is expected to treat alike. */
export interface DeltaCategory {
  /** Composed of relation, kind, type, and whether the delta is the echo of the writer's own write. */
  readonly name: string;
  /** The delta is the writer's own write to the reconciled object, coming back through the watch. */
  readonly isEcho: boolean;
}

/** The habits of one writer. */
export class Habits {
  readonly #reactions: number[] = [];
  readonly #noWrites = new Counts();
  readonly #ends = new Counts();
  #beforeEcho = 0;
  #afterEcho = 0;

  /** Records the reaction time of a write that only one delta can have triggered. */
  recordReaction(ms: number): void {
    this.#reactions.push(Math.max(ms, minReactionMs));
    if (this.#reactions.length > maxReactions) this.#reactions.shift();
  }

  /** The median time from a delta to the first write, in ms. */
  get reactionMs(): number {
    const all = [...this.#reactions, ...Array.from({ length: assumedReactions }, () => assumedReactionMs)];
    return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? assumedReactionMs;
  }

  /** The relative likelihood of a reaction time. */
  likelihoodOf(ms: number): number {
    const time = Math.max(ms, minReactionMs);
    const distance = Math.log(time / this.reactionMs);
    const rare = rareShare * bell(distance - Math.log(rareFactor), rareSpread);
    return (bell(distance, spread) + rare) / time;
  }

  /** Records whether the reconcile that a delta triggered wrote anything. */
  recordOutcome({ name }: DeltaCategory, outcome: "write" | "no write"): void {
    this.#noWrites.add(name, outcome === "no write");
  }

  /** The share of reconciles that write nothing, among those triggered by deltas of this category. */
  noWriteShare({ name, isEcho }: DeltaCategory): number {
    const { yes, no } = this.#noWrites.of(name);
    const assumed = assumedOutcomes * (isEcho ? assumedNoWriteOnEcho : assumedNoWrite);
    return (yes + assumed) / (yes + no + assumedOutcomes);
  }

  /** Records whether a reconcile wrote before or after the process received the previous reconcile's write to the object. */
  recordEchoOrder(written: "before the echo" | "after the echo"): void {
    if (written === "before the echo") this.#beforeEcho++;
    else this.#afterEcho++;
  }

  /**
   * The probability that a reconcile writes nothing until its cache shows the previous reconcile's write, as those controllers of
   * Kubernetes 1.36 do that check the consistency of their caches. One early write in 20 is enough to show that this writer does not wait.
   */
  get waitsForEcho(): number {
    const before = 20 * this.#beforeEcho;
    return Math.max(0.03, (this.#afterEcho - before + 1) / (this.#afterEcho + before + 6));
  }

  /** Records that a reconcile wrote more after these steps, though they end with a status. */
  recordContinuation(steps: string): void {
    this.#ends.add(steps, false);
  }

  /** Records that a reconcile ended after these steps. */
  recordEnd(steps: string): void {
    this.#ends.add(steps, true);
  }

  /** Whether reconciles usually write more after these steps; false while unknown, since a status usually comes last. */
  usuallyContinuesAfter(steps: string): boolean {
    const { yes: ended, no: continued } = this.#ends.of(steps);
    return continued > 2 * ended + 1;
  }

  /** Whether the continuation of these steps has been seen often enough to rely on. */
  knows(steps: string): boolean {
    const { yes, no } = this.#ends.of(steps);
    return yes + no >= knownFrom;
  }
}

/** Counts of yes and no, by name. */
class Counts {
  readonly #counts = new Map<string, { yes: number; no: number }>();

  add(name: string, isYes: boolean): void {
    if (this.#counts.size >= maxNames && !this.#counts.has(name)) return;
    const counts = this.#counts.getOrInsertComputed(name, () => ({ yes: 0, no: 0 }));
    if (isYes) counts.yes++;
    else counts.no++;
  }

  of(name: string): { readonly yes: number; readonly no: number } {
    return this.#counts.get(name) ?? { yes: 0, no: 0 };
  }
}

/** The density of a normal distribution, without its constant factor. */
function bell(distance: number, width: number): number {
  return Math.exp(-(distance ** 2) / (2 * width ** 2)) / width;
}
