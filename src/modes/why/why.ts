/** Alternates between reading and diagnosing, until a diagnosis needs nothing that has not been read. */
import { type Kind, resourceOf } from "../../api/kind.ts";
import { formatSelector, type Selector } from "../../api/labels.ts";
import type { Unseen } from "../../verdict/verdict.ts";
import { type Answer, answerFrom } from "../../diagnosis/answer.ts";
import type { Item } from "../../diagnosis/diagnosis.ts";
import { type Got, type Want, wantId, type Readings } from "../../diagnosis/look.ts";
import { inParallel } from "./parallel.ts";
import type { ReaderOptions } from "./options.ts";
import { readWant, serverTime } from "./reader.ts";

/** Each round goes one step further from the object: its dependents, their references, and so on. */
const mostRounds = 24;
/** Limit of reads per command. */
const mostWants = 5000;

/** Everything read so far, to be used again. */
export class Reading implements Readings {
  readonly now: number;
  #options: ReaderOptions;
  #got = new Map<string, Got>();

  private constructor(options: ReaderOptions, now: number) {
    this.#options = options;
    this.now = now;
  }

  /** Starts with the server's current time. @throws StatusError, TransportError. */
  static async begin(options: ReaderOptions): Promise<Reading> {
    return new Reading(options, await serverTime(options));
  }

  got(want: Want): Got | undefined {
    return this.#got.get(wantId(want));
  }

  /** Everything read, as data, to record an answer. */
  record(): readonly (readonly [string, Got])[] {
    return [...this.#got];
  }

  /**
   * The object to be diagnosed.
   * @throws StatusError if it does not exist or cannot be read; TransportError.
   */
  async object(kind: Kind, namespace: string, name: string): Promise<Item> {
    return { kind, object: await this.#options.client.get(kind, { namespace, name }) };
  }

  /**
   * The objects of a kind that a selector matches; if they cannot be listed, the reason. @throws StatusError,
   * TransportError.
   */
  async list(
    kind: Kind,
    namespace: string,
    selector: Selector,
  ): Promise<{ readonly items: readonly Item[]; readonly unseen: readonly Unseen[] }> {
    const want: Want = { is: "list", kind, namespace, selector: formatSelector(selector) };
    const got = await readWant(this.#options, want);
    this.#got.set(wantId(want), got);
    if (got.is === "objects") return got;
    const why = got.is === "unseen" ? got.why : "it was not read";
    return { items: [], unseen: [{ what: resourceOf(kind), why, isDecisive: true }] };
  }

  /** `answers` for one object. */
  async answer(item: Item): Promise<Answer> {
    const [answer] = await this.answers([item]);
    // One answer per item.
    return answer as Answer;
  }

  /**
   * Reads until the diagnoses of the objects need nothing more, in each round what all of them need; returns their
   * answers in the same order. @throws StatusError, TransportError.
   */
  async answers(items: readonly Item[]): Promise<readonly Answer[]> {
    const answers = new Map<Item, Answer>();
    for (let round = 0; ; round++) {
      const wants = new Map<string, Want>();
      for (const item of items.filter((each) => !answers.has(each))) {
        const { answer, wants: missing } = answerFrom(this, item);
        if (missing.length === 0) answers.set(item, answer);
        for (const want of missing) wants.set(wantId(want), want);
      }
      if (wants.size === 0) return items.flatMap((item) => answers.get(item) ?? []);
      const room = round < mostRounds ? Math.max(0, mostWants - this.#got.size) : 0;
      const all = [...wants.values()];
      await this.#read(all.slice(0, room));
      for (const want of all.slice(room)) this.#got.set(wantId(want), { is: "unseen", why: "too much to look at" });
    }
  }

  async #read(wants: readonly Want[]): Promise<void> {
    const got = await inParallel(wants, (want) => readWant(this.#options, want));
    for (const [index, want] of wants.entries()) {
      const each = got[index];
      if (each !== undefined) this.#got.set(wantId(want), each);
    }
  }
}
