/** Why each object is as it is: the writes to it and the decisions behind them, in order. A fold over stage events. */
import type { FieldChange } from "../api/field-changes.ts";
import type { DecisionEvent, EventHead, StageEvent, WriteEvent } from "../trace/events.ts";
import { entryName } from "./state.ts";

/**
 * Why an object was written: consecutive decisions by one rule, or an apply. Where another rule wrote the
 * object in between, the later decisions are a cause of their own, so that causes read in the order in which things happened.
 */
export interface Cause {
  /** Undefined: not a controller, but who applied. */
  readonly controller?: string;
  readonly rule?: string;
  /** Of the first of these decisions. */
  readonly sentence?: string;
  /** Of the later ones, in their order, where they say something else. */
  readonly later?: readonly string[];
  /** `spec.replicas` before the first of these writes and after the last. Unset where they did not change it. */
  readonly replicas?: { readonly from: number; readonly to: number };
  /** How many writes to this object they led to. */
  readonly writes: number;
  /** All of them were to `status`. */
  readonly statusOnly: boolean;
  /** Of who applied: the fields that were changed by it. */
  readonly changes?: readonly FieldChange[];
}

/** A write that the API server refused, and would refuse again. */
export interface Refused {
  readonly controller: string;
  readonly verb: WriteEvent["verb"];
  readonly kind: string;
  /** Without the server's made-up names, so that equal ones can be counted. */
  readonly error: string;
  readonly count: number;
}

/** A reconcile of a program. */
export interface Reconciled {
  /** Why it happened. */
  readonly sentence: string;
  readonly writes: readonly (WriteEvent & EventHead)[];
}

/** The causes of one object. */
interface WriteHistory {
  readonly first: number;
  /** Who applied, and decisions about more than the status: a run of one rule each. */
  readonly runs: Cause[];
  /** Decisions about the status alone, by rule: they come between all others. */
  readonly status: Map<string, Cause>;
}

/** Where rules take turns for longer, the rest is counted with the last decision of the same rule. */
const mostRuns = 24;
/** Sentences kept of one cause. */
const mostSentences = 8;

/** Controllers that simulate parts of a cluster: their writes explain nothing about the objects of others. */
const simulatedComponents: ReadonlySet<string> = new Set([
  "scheduler",
  "kubelet",
  "serviceaccount",
  "node-heartbeat",
  "resourcequota",
]);

/** Who wrote what and why, for each object. */
export class WriteAttribution {
  #decisions = new Map<number, DecisionEvent & EventHead>();
  #histories = new Map<string, WriteHistory>();
  #refused = new Map<string, Refused>();
  #written = new Map<string, WriteEvent>();
  #syncs = 0;

  readonly listener = (event: StageEvent): void => {
    if (event.stage === "decision") this.#decisions.set(event.seq, event);
    else if (event.stage === "write" && event.agent === undefined) this.#write(event);
    else if (event.stage === "done" && !simulatedComponents.has(event.controller)) this.#syncs++;
  };

  /** Takes what a program behind a door wrote in one reconcile, which says nothing of itself. */
  reconciled(controller: string, { sentence, writes }: Reconciled): void {
    this.#syncs++;
    for (const write of writes) this.#write({ ...write, controller }, { controller, rule: controller, sentence });
  }

  /** Syncs of controllers and reconciles of a program, without those that simulate parts of a cluster. */
  get syncs(): number {
    return this.#syncs;
  }

  /** One write of each verb to each object, without those of the parts of a cluster that are simulated. */
  get admitted(): readonly WriteEvent[] {
    return [...this.#written.values()];
  }

  /** When the object was first written, as a number to order by; undefined if it never was. */
  firstWrite(name: string): number | undefined {
    return this.#histories.get(name)?.first;
  }

  /** In the order of their first writes, those about the status alone last. */
  causesOf(name: string): readonly Cause[] {
    const history = this.#histories.get(name);
    return history === undefined ? [] : [...history.runs, ...history.status.values()];
  }

  /** Adds what was changed by who applied an object. */
  applied(name: string, changes: readonly FieldChange[]): void {
    const runs = this.#histories.get(name)?.runs ?? [];
    const index = runs.findIndex(({ rule }) => rule === undefined);
    const cause = runs[index];
    if (cause !== undefined) runs[index] = { ...cause, changes };
  }

  get refused(): readonly Refused[] {
    return [...this.#refused.values()];
  }

  #write(event: WriteEvent & EventHead, reason?: Reason): void {
    if (event.of.kind === "Event" || event.of.kind === "Lease") return;
    if (event.error !== undefined) {
      this.#refuse(event);
      return;
    }
    const name = entryName(event.of, event.key);
    let history = this.#histories.get(name);
    if (history === undefined) {
      history = { first: event.seq, runs: [], status: new Map() };
      this.#histories.set(name, history);
    }
    const decided = reason ?? this.#decisions.get(event.decision ?? 0);
    if (event.controller !== undefined && simulatedComponents.has(event.controller)) return;
    this.#written.set(`${event.verb} ${event.subresource ?? ""} ${name}`, event);
    addTo(history, causeOf(event, decided));
  }

  #refuse(event: WriteEvent & EventHead): void {
    // A conflict is settled by the next try; who applies hears of a refusal at once.
    if (event.status === 409 || event.status === 404 || event.controller === undefined) return;
    // An eviction that a budget does not allow now is asked for again.
    if (event.status === 429 && event.subresource === "eviction") return;
    const { controller, verb, of, error = "" } = event;
    // Nothing can be created in a namespace that is terminating: a refusal is expected, and no finding.
    if (error.endsWith("because it is being terminated")) return;
    const plain = error.replace(/"[^"]*"/, '"…"');
    const name = `${controller} ${verb} ${of.kind} ${plain}`;
    const count = (this.#refused.get(name)?.count ?? 0) + 1;
    this.#refused.set(name, { controller, verb, kind: of.kind, error: count === 1 ? error : plain, count });
  }
}

/** Why something was written. */
type Reason = Pick<DecisionEvent, "controller" | "rule" | "sentence">;

function causeOf(event: WriteEvent, decision: Reason | undefined): Cause {
  const resize = event.changes.find(({ path }) => path === ".spec.replicas");
  const { before: from, after: to } = resize ?? {};
  return {
    ...(decision !== undefined && {
      controller: decision.controller,
      rule: decision.rule,
      sentence: decision.sentence,
    }),
    ...(typeof from === "number" && typeof to === "number" && { replicas: { from, to } }),
    writes: 1,
    statusOnly: event.subresource === "status",
  };
}

/** Joins a cause to the one of the same rule that it continues, or appends it. */
function addTo({ runs, status }: WriteHistory, cause: Cause): void {
  const isSame = (each: Cause): boolean => each.controller === cause.controller && each.rule === cause.rule;
  if (cause.statusOnly) {
    const name = `${cause.controller ?? ""} ${cause.rule ?? ""}`;
    const there = status.get(name);
    status.set(name, there === undefined ? cause : joinCauses(there, cause));
    return;
  }
  const last = runs.at(-1);
  const isFull = runs.length >= mostRuns;
  const place = last !== undefined && isSame(last) ? runs.length - 1 : isFull ? runs.findLastIndex(isSame) : -1;
  const there = runs[place];
  if (there === undefined) runs.push(cause);
  else runs[place] = joinCauses(there, cause);
}

/** Two causes of one rule as one: `next` came after `first`. */
export function joinCauses(first: Cause, next: Cause): Cause {
  const known = [first.sentence, ...(first.later ?? [])];
  // What a status went through on its way explains nothing.
  const fresh = first.statusOnly && next.statusOnly ? [] : [next.sentence, ...(next.later ?? [])];
  const more = fresh.flatMap((text) => (text === undefined || known.includes(text) ? [] : [text]));
  const later = [...(first.later ?? []), ...more].slice(0, mostSentences);
  const { replicas, ...rest } = first;
  const isChain = replicas !== undefined && next.replicas !== undefined && replicas.to === next.replicas.from;
  return {
    ...rest,
    ...(later.length > 0 && { later }),
    ...(isChain && { replicas: { from: replicas.from, to: next.replicas.to } }),
    writes: first.writes + next.writes,
    statusOnly: first.statusOnly && next.statusOnly,
  };
}
