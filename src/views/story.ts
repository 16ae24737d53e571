/** Why each object is what it is: the writes to it and the decisions behind them, in the order in which they came. A fold over stage events. */
import type { FieldChange } from "../api/field-changes.ts";
import type { DecisionEvent, EventHead, StageEvent, WriteEvent } from "../trace/events.ts";
import { entryName } from "./state.ts";

/** Why an object was written: a decision of a controller, made once or again and again, or whoever applied it. */
export interface Cause {
  /** Undefined: not a controller, but who applied. */
  readonly controller?: string;
  readonly rule?: string;
  /** Of the first of these decisions. */
  readonly sentence?: string;
  /** How many writes to this object it led to. */
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

interface Told {
  readonly first: number;
  readonly causes: Map<string, Mutable<Cause>>;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Written by those who stand in for parts of a cluster: they explain nothing about the objects of others. */
const standIns: ReadonlySet<string> = new Set(["scheduler", "kubelet", "serviceaccount", "node-heartbeat"]);

export class Story {
  #decisions = new Map<number, DecisionEvent & EventHead>();
  #told = new Map<string, Told>();
  #refused = new Map<string, Refused>();
  #written = new Map<string, WriteEvent>();
  #syncs = 0;

  readonly listener = (event: StageEvent): void => {
    if (event.stage === "decision") this.#decisions.set(event.seq, event);
    else if (event.stage === "write") this.#write(event);
    else if (event.stage === "done") this.#syncs++;
  };

  get syncs(): number {
    return this.#syncs;
  }

  /** One write of each verb to each object, without those of the parts of a cluster that are simulated. */
  get admitted(): readonly WriteEvent[] {
    return [...this.#written.values()];
  }

  /** When the object was first written, as a number to order by; undefined if it never was. */
  firstWrite(name: string): number | undefined {
    return this.#told.get(name)?.first;
  }

  /** In the order of their first writes; a rule that led to several writes once. */
  causesOf(name: string): readonly Cause[] {
    return [...(this.#told.get(name)?.causes.values() ?? [])];
  }

  /** Adds what was changed by who applied an object. */
  applied(name: string, changes: readonly FieldChange[]): void {
    const cause = this.#told.get(name)?.causes.get("");
    if (cause !== undefined) cause.changes = changes;
  }

  get refused(): readonly Refused[] {
    return [...this.#refused.values()];
  }

  #write(event: WriteEvent & EventHead): void {
    if (event.of.kind === "Event" || event.of.kind === "Lease") return;
    if (event.error !== undefined) {
      this.#refuse(event);
      return;
    }
    const name = entryName(event.of, event.key);
    let told = this.#told.get(name);
    if (told === undefined) {
      told = { first: event.seq, causes: new Map() };
      this.#told.set(name, told);
    }
    const decision = this.#decisions.get(event.decision ?? 0);
    if (event.controller !== undefined && standIns.has(event.controller)) return;
    this.#written.set(`${event.verb} ${event.subresource ?? ""} ${name}`, event);
    const isStatus = event.subresource === "status";
    const causeName = decision === undefined ? "" : `${decision.controller} ${decision.rule}`;
    const cause = told.causes.get(causeName);
    if (cause === undefined) {
      told.causes.set(causeName, {
        ...(decision !== undefined && {
          controller: decision.controller,
          rule: decision.rule,
          sentence: decision.sentence,
        }),
        writes: 1,
        statusOnly: isStatus,
      });
      return;
    }
    cause.writes++;
    cause.statusOnly &&= isStatus;
  }

  #refuse(event: WriteEvent & EventHead): void {
    // A conflict is settled by the next try; who applies hears of a refusal at once.
    if (event.status === 409 || event.status === 404 || event.controller === undefined) return;
    const { controller, verb, of, error = "" } = event;
    // In a namespace that goes nothing is to be made any more: whoever tries is told so, and all is well.
    if (error.endsWith("because it is being terminated")) return;
    const plain = error.replace(/"[^"]*"/, '"…"');
    const name = `${controller} ${verb} ${of.kind} ${plain}`;
    const count = (this.#refused.get(name)?.count ?? 0) + 1;
    this.#refused.set(name, { controller, verb, kind: of.kind, error: count === 1 ? error : plain, count });
  }
}
