/** Attributes the state of each object to the writes and decisions that led to it, in order. A fold over stage events. */
import type { FieldChange } from "../api/field-changes.ts";
import { objectKey, splitKey } from "../api/key.ts";
import type { DecisionEvent, EventHead, StageEvent, WriteEvent } from "../trace/events.ts";
import { entryName, type StateEntry } from "./state.ts";

/**
 * Why an object was written: consecutive decisions by one rule, or an apply. If another rule wrote the object in between, later
 * decisions are a separate cause, so that causes are in the order of events.
 */
export interface Cause {
  /** Undefined for an apply by the user. */
  readonly controller?: string;
  readonly rule?: string;
  /** The sentence of the first decision. */
  readonly sentence?: string;
  /** Different sentences of later decisions, in order. */
  readonly later?: readonly string[];
  /** `spec.replicas` before the first of these writes and after the last. Unset if they did not change it. */
  readonly replicas?: { readonly from: number; readonly to: number };
  /** The number of writes to this object. */
  readonly writes: number;
  /** All writes were to `status`. */
  readonly statusOnly: boolean;
  /** The fields changed by an apply. */
  readonly changes?: readonly FieldChange[];
  /** A deletion because the manifests no longer contain the object. */
  readonly isPruned?: true;
}

/** Writes that the API server refused, and would refuse again. */
export interface Refused {
  readonly controller: string;
  readonly verb: WriteEvent["verb"] | "evict";
  readonly kind: string;
  /** The first error in full; with its first quoted name replaced by `…` if there are several. */
  readonly error: string;
  readonly count: number;
}

/** A reconcile of an external program. */
export interface Reconciled {
  /** The reason for the reconcile. */
  readonly sentence: string;
  readonly writes: readonly (WriteEvent & EventHead)[];
}

/** The causes of one object. */
interface WriteHistory {
  readonly first: number;
  /** Applies, and decisions that wrote more than the status, with consecutive ones of a rule joined. */
  readonly runs: Cause[];
  /** Decisions that wrote only the status, by rule: they interleave with all others. */
  readonly status: Map<string, Cause>;
  /** Whether it was deleted by a write of its own. */
  isDeleted: boolean;
}

/** Beyond this many runs, a decision is joined to the last run of its rule. */
const maxRuns = 24;
/** Later sentences kept per cause. */
const maxSentences = 8;

/** Controllers that simulate components of a cluster; their writes are not attributed. */
const simulatedComponents: ReadonlySet<string> = new Set([
  "scheduler",
  "kubelet",
  "serviceaccount",
  "node-heartbeat",
  "resourcequota",
]);

/** Records the causes of all writes, by object. */
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

  /** Adds a reconcile of a program behind the proxy, which emits no decision events. */
  reconciled(controller: string, { sentence, writes }: Reconciled): void {
    this.#syncs++;
    for (const write of writes) this.#write({ ...write, controller }, { controller, rule: controller, sentence });
  }

  /** The number of syncs and of reconciles of a program, without those of simulated components. */
  get syncs(): number {
    return this.#syncs;
  }

  /** One write for each verb and object, without those of simulated components. */
  get admitted(): readonly WriteEvent[] {
    return [...this.#written.values()];
  }

  /** The `seq` of the first write to an object; undefined if it was never written. */
  firstWrite(name: string): number | undefined {
    return this.#histories.get(name)?.first;
  }

  /** The causes of an object in the order of their first writes, those of status writes last. */
  causesOf(name: string): readonly Cause[] {
    const history = this.#histories.get(name);
    return history === undefined ? [] : [...history.runs, ...history.status.values()];
  }

  /** The causes of an object that was deleted: if no write of its own did that, a deletion of all objects of its kind in its namespace. */
  causesOfDeleted({ of, key }: Pick<StateEntry, "of" | "key">): readonly Cause[] {
    const name = entryName(of, key);
    const own = this.causesOf(name);
    if (this.#histories.get(name)?.isDeleted === true) return own;
    const all = this.#histories.get(entryName(of, objectKey(splitKey(key).namespace, "")));
    return all?.isDeleted === true ? [...own, ...all.runs.slice(-1)] : own;
  }

  /** Sets the changes that an apply made to an object. */
  applied(name: string, changes: readonly FieldChange[]): void {
    this.#specify(name, { changes });
  }

  /** Notes that an object was deleted because the manifests no longer contain it. */
  pruned(name: string): void {
    this.#specify(name, { isPruned: true });
  }

  /** Adds to the user's own change of an object. */
  #specify(name: string, more: Pick<Cause, "changes" | "isPruned">): void {
    const runs = this.#histories.get(name)?.runs ?? [];
    const index = runs.findIndex(({ rule }) => rule === undefined);
    const cause = runs[index];
    if (cause !== undefined) runs[index] = { ...cause, ...more };
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
      history = { first: event.seq, runs: [], status: new Map(), isDeleted: false };
      this.#histories.set(name, history);
    }
    const decided = reason ?? this.#decisions.get(event.decision ?? 0);
    if (event.controller !== undefined && simulatedComponents.has(event.controller)) return;
    this.#written.set(`${event.verb} ${event.subresource ?? ""} ${name}`, event);
    if (event.verb === "delete" || event.verb === "deletecollection") history.isDeleted = true;
    addTo(history, causeOf(event, decided));
  }

  #refuse(event: WriteEvent & EventHead): void {
    // A conflict is resolved by the retry; an apply reports its refusal itself.
    if (event.status === 409 || event.status === 404 || event.controller === undefined) return;
    // An eviction that a PodDisruptionBudget does not allow is retried.
    if (event.status === 429 && event.subresource === "eviction") return;
    const { controller, of, error = "" } = event;
    const verb = event.subresource === "eviction" ? "evict" : event.verb;
    // Creating objects in a terminating namespace is expected to fail.
    if (error.endsWith("because it is being terminated")) return;
    const plain = error.replace(/"[^"]*"/, '"…"');
    const name = `${controller} ${verb} ${of.kind} ${plain}`;
    const count = (this.#refused.get(name)?.count ?? 0) + 1;
    this.#refused.set(name, { controller, verb, kind: of.kind, error: count === 1 ? error : plain, count });
  }
}

/** The reason for a write. */
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
  const isFull = runs.length >= maxRuns;
  const place = last !== undefined && isSame(last) ? runs.length - 1 : isFull ? runs.findLastIndex(isSame) : -1;
  const there = runs[place];
  if (there === undefined) runs.push(cause);
  else runs[place] = joinCauses(there, cause);
}

/** Joins two causes of one rule, `first` being the earlier one. */
export function joinCauses(first: Cause, next: Cause): Cause {
  const known = [first.sentence, ...(first.later ?? [])];
  // Intermediate states of a status are of no interest.
  const fresh = first.statusOnly && next.statusOnly ? [] : [next.sentence, ...(next.later ?? [])];
  const more = fresh.flatMap((text) => (text === undefined || known.includes(text) ? [] : [text]));
  const later = [...(first.later ?? []), ...more].slice(0, maxSentences);
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
