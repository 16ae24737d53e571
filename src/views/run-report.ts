/** The output of `run` as data: decisions that led to writes, the writes, and failures. A fold over stage events. */
import { type ObjectKey, splitKey } from "../api/key.ts";
import type {
  DecisionEvent,
  DoneEvent,
  EventHead,
  ListEvent,
  Stage,
  StageEvent,
  WatchEvent,
  WriteEvent,
} from "../trace/events.ts";

/** The stages that a report needs. */
export const reportedStages: readonly Stage[] = ["list", "watch", "get", "decision", "write", "done"];

/** A successful write, as shown on a screen. */
export interface ReportedWrite {
  readonly did: "created" | "deleted" | "changed";
  readonly kind: string;
  /** Without the namespace, which the line above shows; empty for a collection. */
  readonly name: string;
  /** The number of objects in a collection. */
  readonly count?: number;
}

/** Writes that the API server refused with the same error. */
export interface RefusedWrite {
  readonly verb: WriteEvent["verb"];
  readonly kind: string;
  readonly subresource?: string;
  readonly error: string;
  readonly count: number;
}

/** A line of `run`. Immutable. */
export type RunLine =
  | {
      readonly is: "decision";
      readonly at: number;
      readonly controller: string;
      readonly key: ObjectKey;
      readonly rule: string;
      readonly sentence: string;
    }
  /** The writes of the preceding decision. `at` is when the response to the last of them arrived. */
  | { readonly is: "writes"; readonly at: number; readonly writes: readonly ReportedWrite[] }
  | { readonly is: "refused"; readonly at: number; readonly writes: readonly RefusedWrite[] }
  /** A sync failed; expected outcomes (a conflict, a stale cache) are only counted. */
  | {
      readonly is: "failed";
      readonly at: number;
      readonly controller: string;
      readonly key: ObjectKey;
      readonly error: string;
      /** The delay until it is retried, in ms; undefined if it is not. */
      readonly retryInMs?: number;
      readonly failures: number;
    }
  /** A watch or list failed, or the watch is open again. Further failures in between are not reported, unless the server refuses. */
  | { readonly is: "watch broke"; readonly at: number; readonly kind: string; readonly why: string }
  | { readonly is: "list failed"; readonly at: number; readonly kind: string; readonly why: string }
  | { readonly is: "watch is back"; readonly at: number; readonly kind: string; readonly afterMs: number };

/** Counts of a run so far. Immutable. */
export interface RunSummary {
  readonly syncs: number;
  readonly writes: number;
  /** Syncs that ended in a conflict and were retried. */
  readonly conflicts: number;
  /** Syncs that waited for a cache to show a write of their own. */
  readonly cacheBehind: number;
  readonly errors: number;
}

/** `404 NotFound`: the server responded with a refusal. */
const isRefusal = /^4\d\d /;

interface OpenSync {
  readonly decisions: (DecisionEvent & EventHead)[];
  readonly writes: (WriteEvent & EventHead)[];
}

/** An expected failure is shown only if its retry is at least this far away. */
const longRetryMs = 1000;

/**
 * Turns events into lines: `accept` returns those that an event completes. A line's time is when its writes ended, but never
 * before that of the preceding line, because the lines of concurrent syncs come in the order in which the syncs end.
 */
export class RunReport {
  #lastLineAt = 0;
  #open = new Map<string, OpenSync>();
  /** By kind: since when its watch has been broken, and the errors reported since. */
  #broken = new Map<string, { readonly since: number; readonly errors: Set<string> }>();
  #syncs = 0;
  #writes = 0;
  #conflicts = 0;
  #cacheBehind = 0;
  #errors = 0;

  get summary(): RunSummary {
    return {
      syncs: this.#syncs,
      writes: this.#writes,
      conflicts: this.#conflicts,
      cacheBehind: this.#cacheBehind,
      errors: this.#errors,
    };
  }

  accept(event: StageEvent): readonly RunLine[] {
    return this.#linesOf(event).map((line) => {
      this.#lastLineAt = Math.max(this.#lastLineAt, line.at);
      return { ...line, at: this.#lastLineAt };
    });
  }

  #linesOf(event: StageEvent): readonly RunLine[] {
    switch (event.stage) {
      case "get":
        this.#open.set(`${event.controller} ${event.sync}`, { decisions: [], writes: [] });
        return [];
      case "decision":
        this.#open.get(`${event.controller} ${event.sync}`)?.decisions.push(event);
        return [];
      case "write":
        return this.#write(event);
      case "done":
        return this.#done(event);
      case "watch":
        return this.#watch(event);
      case "list":
        return this.#list(event);
      case "delta":
      case "store":
      case "notify":
      case "enqueue":
      case "event":
      case "link":
      case "intention":
      case "agreement":
      case "request":
      case "cause":
      case "unread":
        return [];
    }
  }

  #list({ at, of: { kind }, error, notServed }: ListEvent & EventHead): readonly RunLine[] {
    // The line about the caches names the kind.
    if (error === undefined || error.startsWith("410") || notServed === true) return [];
    return this.#isWorthReporting(kind, at, error) ? [{ is: "list failed", at, kind, why: error }] : [];
  }

  /** Whether a failure is worth a line: the first since the watch worked, or a refusal with a new text. */
  #isWorthReporting(kind: string, at: number, why: string): boolean {
    const broken = this.#broken.get(kind);
    if (broken !== undefined && (!isRefusal.test(why) || broken.errors.has(why))) return false;
    const { since, errors } = broken ?? { since: at, errors: new Set() };
    this.#broken.set(kind, { since, errors: errors.add(why) });
    return true;
  }

  #watch({ at, state, of: { kind }, why }: WatchEvent & EventHead): readonly RunLine[] {
    const since = this.#broken.get(kind)?.since;
    // 410 Gone is resolved by a relist, and the caches stay usable until then.
    if (why.startsWith("410")) return [];
    if (state === "failed" && this.#isWorthReporting(kind, at, why)) return [{ is: "watch broke", at, kind, why }];
    if (state !== "opened" || since === undefined) return [];
    this.#broken.delete(kind);
    return [{ is: "watch is back", at, kind, afterMs: at - since }];
  }

  #write(event: WriteEvent & EventHead): readonly RunLine[] {
    // Events and Leases are not the result of a decision.
    if (event.of.kind === "Event" || event.of.kind === "Lease") return [];
    if (event.error === undefined) this.#writes++;
    if (event.controller !== undefined && event.sync !== undefined) {
      this.#open.get(`${event.controller} ${event.sync}`)?.writes.push(event);
    }
    return [];
  }

  #done(event: DoneEvent & EventHead): readonly RunLine[] {
    this.#syncs++;
    const name = `${event.controller} ${event.sync}`;
    const sync = this.#open.get(name);
    this.#open.delete(name);
    const lines = sync === undefined ? [] : linesOf(sync, event.key);
    if (event.error === undefined) return lines;
    if (event.expected === "conflict") this.#conflicts++;
    else if (event.expected === "cache behind") this.#cacheBehind++;
    else this.#errors++;
    const waitsLong = event.outcome.is === "rate-limited" && event.outcome.delayMs >= longRetryMs;
    if (event.expected === undefined || waitsLong) lines.push(failedLine(event, event.error));
    return lines;
  }
}

function failedLine(event: DoneEvent & EventHead, error: string): RunLine {
  const { at, controller, key, outcome } = event;
  const failures = outcome.is === "rate-limited" || outcome.is === "dropped" ? outcome.failures : 1;
  return {
    is: "failed",
    at,
    controller,
    key,
    error,
    failures,
    ...(outcome.is === "rate-limited" && { retryInMs: outcome.delayMs }),
  };
}

/** The decisions that led to writes, each followed by its writes. */
function linesOf(sync: OpenSync, key: ObjectKey): RunLine[] {
  const lines: RunLine[] = [];
  for (const decision of sync.decisions) {
    const { controller, rule, sentence } = decision;
    // Conflicts are counted elsewhere, and resolved by the retry.
    const writesOfDecision = sync.writes.filter((write) => write.decision === decision.seq && !isConflict(write));
    if (writesOfDecision.length === 0) continue;
    const respondedAt = Math.max(...writesOfDecision.map((write) => write.at));
    lines.push({ is: "decision", at: respondedAt, controller, key, rule, sentence });
    const writes = writesOfDecision
      .filter((write) => write.error === undefined && write.subresource !== "status" && write.objects !== 0)
      .map(reported);
    if (writes.length > 0) lines.push({ is: "writes", at: respondedAt, writes });
    const refused = writesOfDecision.filter((write) => write.error !== undefined && write.status !== 409);
    if (refused.length > 0) lines.push({ is: "refused", at: respondedAt, writes: grouped(refused) });
  }
  return lines;
}

/** A create refused with 409 is not a conflict of versions: the name is taken. */
function isConflict({ status, verb }: WriteEvent): boolean {
  return status === 409 && verb !== "create";
}

const done = {
  create: "created",
  update: "changed",
  patch: "changed",
  delete: "deleted",
  deletecollection: "deleted",
} as const;

function reported(write: WriteEvent): ReportedWrite {
  // A create of a subresource (a Binding) changes the object.
  const did = write.verb === "create" && write.subresource !== undefined ? "changed" : done[write.verb];
  const { objects: count } = write;
  return { did, kind: write.of.kind, name: splitKey(write.key).name, ...(count !== undefined && { count }) };
}

function grouped(writes: readonly WriteEvent[]): RefusedWrite[] {
  const groups = new Map<string, RefusedWrite>();
  for (const { verb, of, subresource, error = "" } of writes) {
    const name = `${verb} ${of.kind} ${subresource ?? ""} ${error}`;
    const count = (groups.get(name)?.count ?? 0) + 1;
    groups.set(name, { verb, kind: of.kind, error, count, ...(subresource !== undefined && { subresource }) });
  }
  return [...groups.values()];
}
