/** Grades the causes that the proxy reports by what the process itself reports. */
import type { DeltaRef, Trigger } from "../../src/trace/triggers.ts";
import type { NumberedDelta } from "../../src/views/process/recent-deltas.ts";
import type { Episode } from "../../src/views/process/episodes.ts";
import type { NumberedWrite } from "../../src/views/process/subject.ts";

interface OwnEvent {
  readonly stage: string;
  readonly controller?: string;
  readonly sync?: number;
  readonly key: string;
  readonly verb: string;
  readonly of: { readonly kind: string };
  readonly subresource?: string;
  readonly status: number;
  readonly resourceVersion: string;
  readonly triggers?: Triggers;
}

interface Triggers {
  readonly total: number;
  readonly first: readonly Trigger[];
  readonly last: readonly Trigger[];
}

/** A write, and the reconcile to which the proxy assigns it. */
export type AssignedWrite = readonly [NumberedWrite, Episode];

/** Counts of writes, of causes and of true causes. */
export interface Tally {
  writes: number;
  /** Writes whose cause is more than a time. */
  caused: number;
  /** Of these, those whose named delta, or one of two, is among the sync's triggers. */
  true: number;
  /** Of those with a cause, those that name one delta, or correctly none; and how many of them are true. */
  one: number;
  oneTrue: number;
  /** The named deltas, and how many of them are triggers of the sync. */
  deltas: number;
  deltasTrue: number;
  /** Causes of the grade `exact`. */
  exact: number;
  /** Writes that the process does not report. */
  unmatched: number;
  retries: number;
  /** Writes caused neither by a delta nor by a failure, and reported so. */
  requeues: number;
}

/** Whether the cause of one write is true, and the explanation. */
interface Verdict {
  readonly is: "true" | "false" | "nothing said";
  readonly text: string;
  readonly deltas: number;
  readonly deltasTrue: number;
}

/** The triggers of its own writes that a process reports with `-o json`. */
export class OwnTriggers {
  readonly #syncs = new Map<string, Triggers>();
  readonly #writes = new Map<string, OwnEvent[]>();

  /** `output`: the events, one per line. */
  constructor(output: string) {
    for (const line of output.split("\n")) {
      if (line === "") continue;
      const event = JSON.parse(line) as OwnEvent;
      const { stage, controller, sync, triggers } = event;
      if (stage === "get" && triggers !== undefined) this.#syncs.set(`${controller} ${sync}`, triggers);
      if (stage === "write") this.#writes.getOrInsertComputed(nameOf(event), () => []).push(event);
    }
  }

  /** Returns the triggers of the write; each write is matched once. */
  take(write: NumberedWrite): Triggers | undefined {
    const found = this.#writes.get(nameOf(write))?.shift();
    return found?.sync === undefined ? undefined : this.#syncs.get(`${found.controller} ${found.sync}`);
  }
}

function nameOf({ verb, of, key, subresource, status, resourceVersion }: Omit<OwnEvent, "stage">): string {
  return [verb, of.kind, key, subresource ?? "", status, resourceVersion].join(" ");
}

/** Grades all writes in the order in which they were sent; `wrong` has a line for each write that fails. */
export function judge(
  written: readonly AssignedWrite[],
  own: OwnTriggers,
): { readonly tally: Tally; readonly wrong: readonly string[] } {
  const tally: Tally = {
    writes: 0,
    caused: 0,
    true: 0,
    one: 0,
    oneTrue: 0,
    deltas: 0,
    deltasTrue: 0,
    exact: 0,
    unmatched: 0,
    retries: 0,
    requeues: 0,
  };
  const wrong: string[] = [];
  for (const [write, episode] of written.toSorted(([one], [other]) => one.seq - other.seq)) {
    if (write.of.kind === "Lease" || write.of.kind === "Event") continue;
    const triggers = own.take(write);
    if (triggers === undefined) {
      tally.unmatched++;
      continue;
    }
    tally.writes++;
    const { cause, retryOf } = episode;
    if (retryOf !== undefined) tally.retries++;
    else if (cause === undefined && isRequeue(triggers)) tally.requeues++;
    if (cause?.grade === "exact") tally.exact++;
    const { is, text, deltas, deltasTrue } = verdictOn(episode, triggers);
    if (is !== "nothing said") tally.caused++;
    if (is !== "nothing said" && deltas < 2) tally.one++;
    if (is === "true" && deltas < 2) tally.oneTrue++;
    tally.deltas += deltas;
    tally.deltasTrue += deltasTrue;
    if (is === "true") tally.true++;
    else wrong.push(`${is}: ${write.agent} ${write.fieldManager} ${write.verb} ${write.of.kind} ${write.key} ${text}`);
  }
  return { tally, wrong };
}

function verdictOn({ cause, retryOf }: Episode, triggers: Triggers): Verdict {
  const kept = [...triggers.first, ...triggers.last];
  const truth = `in truth ${triggers.total}: ${kept.map(triggerText).join(", ")}`;
  const none = { deltas: 0, deltasTrue: 0 };
  if (retryOf !== undefined) {
    const isRetry = kept.some((trigger) => trigger.cause === "retry");
    return { is: isRetry ? "true" : "false", text: `retry; ${truth}`, ...none };
  }
  if (cause === undefined && isRequeue(triggers)) return { is: "true", text: truth, ...none };
  if (cause === undefined || cause.grade === "time") return { is: "nothing said", text: truth, ...none };
  const named = [cause.delta, ...(cause.or === undefined ? [] : [cause.or.delta])];
  const text = `${cause.grade} ${named.map(deltaText).join(" or ")}, ${cause.beforeMs.toFixed(1)} ms; ${truth}`;
  // Of a large number of triggers only some are kept.
  const areTrue = named.filter((delta) => kept.length < triggers.total || kept.some((trigger) => isOf(trigger, delta)));
  return { is: areTrue.length > 0 ? "true" : "false", text, deltas: named.length, deltasTrue: areTrue.length };
}

/** Whether a requeue or a timer, but no delta, started the sync. */
function isRequeue({ total, first, last }: Triggers): boolean {
  const kept = [...first, ...last];
  return kept.length === total && kept.every((trigger) => trigger.cause !== "delta");
}

function isOf(trigger: Trigger, { of, key, resourceVersion }: NumberedDelta): boolean {
  return (
    trigger.cause === "delta" &&
    trigger.kind === of.kind &&
    trigger.key === key &&
    trigger.resourceVersion === resourceVersion
  );
}

function triggerText(trigger: Trigger): string {
  if (trigger.cause !== "delta") return trigger.cause;
  const { kind, key, resourceVersion, type } = trigger satisfies DeltaRef;
  return `${kind} ${key} ${resourceVersion} ${type}`;
}

function deltaText({ of, key, resourceVersion, type }: NumberedDelta): string {
  return `${of.kind} ${key} ${resourceVersion} ${type}`;
}
